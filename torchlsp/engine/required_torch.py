"""Finds which releases of torch a project requires, in the files in which projects say so; nothing of them is run."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING

from torchlsp.core.project import is_requirement_file
from torchlsp.core.records import dataclass
from torchlsp.engine.torch_instructions import has_instructions, read_instructions
from torchlsp.engine.torch_requirements import (
    LONGEST_LINE,
    first_torch_without,
    newest_python,
    read_requirements,
    without_local,
)
from torchlsp.files import decoded, read_beginning, read_bytes

if TYPE_CHECKING:
    from packaging.specifiers import SpecifierSet

_OLD_RELEASES = ((0, 3), (0, 4), *((1, minor) for minor in range(13)))
"""Those before the first whose names are known."""
_MOST_BYTES = 1_000_000
_MOST_FILES = 20
"""Files of one folder that are read."""
_MOST_BOUNDS = 50
"""Requirements of one folder that are read, which are few but in a file that was written to keep us busy."""
_BESIDE = frozenset(
    ("requirements", "reqs", "docker", ".devcontainer", "conda", "env", "envs", "environment", "environments")
)
"""Folders whose files speak for the folder that holds them."""


@dataclass(frozen=True, slots=True)
class RequiredTorch:
    """What the files of a folder require: each of `bounds` is one requirement ("" is any release)."""

    bounds: tuple[str, ...]
    file: str
    """The file of the first one, as it is shown to users."""
    is_mention: bool = False
    """Whether no requirement says so, but instructions or an image of Docker: a torch that is installed goes before it."""

    def allows(self, version: str) -> bool:
        """Returns whether a release, as `2.13.0+cpu`, meets one of the requirements; of what is no version it is not known."""
        from packaging.version import InvalidVersion, Version

        try:
            release = Version(without_local(version))
        except InvalidVersion:
            return True
        return any(_specifiers(one).contains(release, prereleases=True) for one in self.bounds)

    @property
    def is_open(self) -> bool:
        """Whether one of the requirements is met by all later releases."""
        return any("<" not in one and "==" not in one and "~=" not in one for one in self.bounds)

    def newest(self) -> str | None:
        """Returns the newest known release that meets one of the requirements, as `2.4`; None where none does."""
        # Late, since a run that finds everything in the cache looks up no names of torch.
        from torchlsp.facts.torch_names import known_releases, parse_version

        found: list[tuple[int, int]] = []
        for one in self.bounds:
            specifiers = _specifiers(one)
            named = [specifier.version.removesuffix(".*") for specifier in specifiers]
            known = [
                f"{major}.{minor}.{patch}"
                for major, minor in (*_OLD_RELEASES, *known_releases())
                for patch in range(3)
            ]
            for version in (*named, *known):
                release = parse_version(version)
                if release is not None and specifiers.contains(version, prereleases=True):
                    found.append(release)
        return ".".join(map(str, max(found))) if found else None


class RequiredByFolder:
    """Finds the requirement that holds for a file: that of the nearest folder upwards which has one, up to the
    repository's root."""

    def __init__(self) -> None:
        self._by_folder: dict[str, RequiredTorch | None] = {}
        self._by_file: dict[str, RequiredTorch | None] = {}

    def for_path(self, path: str) -> RequiredTorch | None:
        """Returns the requirement for a file or folder; None where nothing is said."""
        path = os.path.abspath(path)
        if os.path.isdir(path):
            return self._for_folder(path)
        required = self._for_folder(os.path.dirname(path))
        if required is not None and not required.is_mention and not required.is_open:
            return required
        if path not in self._by_file:
            self._by_file[path] = _named_in(path)
        return self._by_file[path] or required

    def _for_folder(self, folder: str) -> RequiredTorch | None:
        below: list[tuple[str, RequiredTorch | None]] = []
        found: RequiredTorch | None = None
        while folder not in self._by_folder:
            names = _names(folder)
            found = _required_in(folder, names)
            if found is None or found.is_open:
                mentioned = _mentioned_in(folder, names, comments=found is None)
                found = found and _narrowed(found, mentioned)
                below.append((folder, found or mentioned))
            else:
                below.append((folder, found))
            parent = os.path.dirname(folder)
            if found is not None or ".git" in names or parent == folder:
                break
            folder = parent
        else:
            found = self._by_folder[folder]
        for one, own in reversed(below):
            if found is None or found.is_mention and own is not None:
                found = own
            self._by_folder[one] = found
        return found


_NAMED = re.compile(
    r"""^\W*(?:py)?torch\W{1,4}v?(\d+\.\d+(?:\.\d+)?)\W*$|\b(?:pip3?|conda)\ install\b.*?\b(?:py)?torch==?(\d+\.\d+(?:\.\d+)?)""",
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
_HEAD_BYTES, _NOTEBOOK_BYTES = 2_000, 100_000


def _named_in(path: str) -> RequiredTorch | None:
    """Returns the release that the head of a file lists, as `torch: 0.4`, or that a notebook's own cells install."""
    try:
        text = decoded(read_beginning(path, _NOTEBOOK_BYTES if path.endswith(".ipynb") else _HEAD_BYTES))
    except OSError:
        return None
    if path.endswith(".ipynb"):
        text = text.replace("\\n", "\n")
    releases = dict.fromkeys(one or two for one, two in _NAMED.findall(text))
    return RequiredTorch(tuple(f"=={one}.*" for one in releases), path, is_mention=True) if releases else None


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _required_in(folder: str, names: Iterable[str]) -> RequiredTorch | None:
    """Returns what the files of one folder require."""
    names = [*names, *_beside(folder, names)]
    files = [name for name in names if is_requirement_file(os.path.basename(name)) or name == "PKG-INFO"]
    # The environment of conda may have any name; other such files have no list of dependencies at their top.
    files += [name for name in names if name.endswith((".yml", ".yaml")) and name not in files]
    files += [
        name
        for name in names
        if name.startswith("requirements/") and name.endswith(".txt") and name not in files
    ]
    infos = [name for name in names if name.endswith(".dist-info")]
    if len(infos) == 1:  # a wheel that is unpacked; an environment has many
        files.append(os.path.join(infos[0], "METADATA"))
    bounds: dict[str, str] = {}
    pythons: dict[str, str] = {}
    for name, path, text in _texts(folder, files):
        found = read_requirements(name, text)
        for bound in islice(filter(_is_valid, found.bounds), _MOST_BOUNDS):
            bounds.setdefault(bound, path)
        if found.python:
            pythons.setdefault(found.python, path)
    before = first_torch_without(newest_python(list(pythons)))
    if before is not None:
        if not bounds:
            return RequiredTorch((f"<{before}",), next(iter(pythons.values())))
        bounds = {
            bound if "==" in bound else ",".join(filter(None, (bound, f"<{before}"))): path
            for bound, path in bounds.items()
        }
    return RequiredTorch(tuple(bounds), next(iter(bounds.values()))) if bounds else None


def _mentioned_in(folder: str, names: Iterable[str], *, comments: bool) -> RequiredTorch | None:
    """Returns the releases that the instructions in a folder install or name, or, with `comments`, a requirement that is commented out."""
    names = [*names, *_beside(folder, names)]
    files = [name for name in names if has_instructions(os.path.basename(name))]
    if comments:
        files += [name for name in names if name.endswith(".txt") and is_requirement_file(name)]
    bounds: dict[str, str] = {}
    pythons: dict[str, str] = {}
    for name, path, text in _texts(folder, files):
        found = read_instructions(os.path.basename(name), text)
        for bound in islice(filter(_is_valid, found.bounds), _MOST_BOUNDS):
            bounds.setdefault(bound, path)
        if found.python:
            pythons.setdefault(found.python, path)
    before = first_torch_without(newest_python(list(pythons)))
    if bounds:
        return RequiredTorch(tuple(bounds), next(iter(bounds.values())), is_mention=True)
    if before is not None:
        return RequiredTorch((f"<{before}",), next(iter(pythons.values())), is_mention=True)
    return None


def _narrowed(required: RequiredTorch, mentioned: RequiredTorch | None) -> RequiredTorch:
    """Returns a requirement that all later releases meet, with what the instructions beside it say of the release or the Python."""
    if mentioned is None:
        return required
    both = [",".join(filter(None, (one, other))) for one in required.bounds for other in mentioned.bounds]
    narrowed = RequiredTorch(tuple(both), mentioned.file, is_mention=True)
    return required if narrowed.newest() is None else narrowed


def _beside(folder: str, names: Iterable[str]) -> Iterator[str]:
    """Yields the names of the files in folders for requirements and images, as `docker/Dockerfile`."""
    for name in names:
        if name.lower() in _BESIDE:
            yield from (f"{name}/{below}" for below in _names(os.path.join(folder, name)))


def _texts(folder: str, names: list[str]) -> Iterator[tuple[str, str, str]]:
    """Yields the name, path and text of each file that can be read."""
    for name in names[:_MOST_FILES]:
        path = os.path.join(folder, name)
        try:
            yield name, path, decoded(read_bytes(path, _MOST_BYTES))
        except OSError:
            continue


def _is_valid(bounds: str) -> bool:
    if len(bounds) > LONGEST_LINE:
        return False
    from packaging.specifiers import InvalidSpecifier

    try:
        _specifiers(bounds)
    except InvalidSpecifier:
        return False
    return True


def _specifiers(bounds: str) -> SpecifierSet:
    from packaging.specifiers import SpecifierSet

    return SpecifierSet(bounds)
