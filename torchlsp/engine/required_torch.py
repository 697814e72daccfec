"""Reads which releases of torch a project requires, from the files in which projects say so; nothing of them is run."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from torchlsp.core.project import is_requirement_file
from torchlsp.core.records import dataclass
from torchlsp.engine.config import parse_toml
from torchlsp.files import read_text

if TYPE_CHECKING:
    from packaging.specifiers import SpecifierSet

_Table = dict[str, Any]  # Any: what TOML holds
_OLD_RELEASES = ((0, 3), (0, 4), *((1, minor) for minor in range(13)))
"""Those before the first whose names are known."""
_MOST_BYTES = 1_000_000
_MOST_FILES = 20
"""Files of one folder that are read."""
_LONGEST_LINE = 500
_MOST_BOUNDS = 50
"""Requirements of one folder that are read, which are few but in a file that was written to keep us busy."""
_NUMBER = r"\d[\w.*]*"
_BOUND = rf"(?:===?|~=|!=|>=|<=|<|>)\s*{_NUMBER}"
_REQUIREMENT = re.compile(
    rf"""torch\s*(?:\[[^\]]*\])?\s*\(?\s*(?P<bounds>{_BOUND}(?:\s*,\s*{_BOUND})*)?(?:[^\w.-]|$)"""
)
"""At the beginning of a text: `torch==2.1.0`, `torch>=1.8,<2`, or `torch` alone, but no name that goes on."""
_CONDA = re.compile(
    rf"""-\s*["']?(?:[\w-]+::)?pytorch\s*(?:=(?P<exact>{_NUMBER})|(?P<bounds>{_BOUND}(?:\s*,\s*{_BOUND})*)|(?=["'#]|$))"""
)
"""`- pytorch=1.8=py3.7_cuda10.2`, `- pytorch>=1.8` or `- pytorch` among the dependencies of a conda environment."""
_WHEEL = re.compile(
    r"/(?:torch-(\d+(?:\.\d+)+)[^/\s]*\.whl|pytorch-(\d+(?:\.\d+)+)-[^/\s]*\.(?:tar\.bz2|conda)(?:$|[\s#]))"
)
"""A wheel for pip, or a package as `conda list --explicit` writes it."""
_EXPORTED = re.compile(rf"pytorch=({_NUMBER})=")
"""As `conda list --export` writes it."""
_COMMENTED = re.compile(rf"#\s*torch\s*==\s*({_NUMBER})")
_COMMAND = re.compile(r"\b(?:pip3?|conda|mamba|uv)\s+(?:pip\s+)?install\b")
_INSTALLED = re.compile(rf"(?:^|[\s\"'])(?:py)?torch={{1,2}}({_NUMBER})")
"""In a command that installs: `pip install torch==1.8.1`, `conda install pytorch=1.8`."""
_IMAGE = re.compile(r"FROM\s+\S*pytorch/pytorch:(\d+(?:\.\d+)+)")
_LISTED = re.compile(
    r"[-*+]\s*\[?(?:py)?torch\]?(?:\([^()\s]*\))?\s*(?:==?|:|version|v)?\s*(\d+\.\d+(?:\.\d+)?)$",
    re.IGNORECASE,
)
"""An entry in a list of what was used: `- PyTorch 1.0.1`."""
_PYTHON_OF_CONDA = re.compile(r"""-\s*["']?python\s*==?\s*(3\.\d+)""")
_PYTHON_OF_IMAGE = re.compile(r"FROM\s+(?:\S*/)?python:(3\.\d+)")
_PYTHON_LISTED = re.compile(r"[-*+]\s*Python\s*(?:==?|:|version|v)?\s*(3\.\d+)(?:\.\d+)?$", re.IGNORECASE)
_FIRST_WITHOUT = {"3.5": "1.6", "3.6": "1.11", "3.7": "2.0", "3.8": "2.5", "3.9": "2.9"}
"""The first torch that a Python cannot install, by the wheels on PyPI."""
_LOCAL = re.compile(r"(?:\+|%2B)[\w.]+")


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
            release = Version(_LOCAL.sub("", version))
        except InvalidVersion:
            return True
        return any(_specifiers(one).contains(release, prereleases=True) for one in self.bounds)

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

    def for_path(self, path: str) -> RequiredTorch | None:
        """Returns the requirement for a file or folder; None where nothing is said."""
        path = os.path.abspath(path)
        return self._for_folder(path if os.path.isdir(path) else os.path.dirname(path))

    def _for_folder(self, folder: str) -> RequiredTorch | None:
        below: list[tuple[str, RequiredTorch | None]] = []
        found: RequiredTorch | None = None
        while folder not in self._by_folder:
            names = _names(folder)
            found = _required_in(folder, names)
            below.append((folder, found or _mentioned_in(folder, names)))
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


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _required_in(folder: str, names: Iterable[str]) -> RequiredTorch | None:
    """Returns what the files of one folder say."""
    bounds: list[str] = []
    first = ""
    files = [name for name in names if is_requirement_file(name) or name == "PKG-INFO"]
    # The environment of conda may have any name; other such files have no list of dependencies at their top.
    files += [name for name in names if name.endswith((".yml", ".yaml")) and name not in files]
    infos = [name for name in names if name.endswith(".dist-info")]
    if len(infos) == 1:  # a wheel that is unpacked; an environment has many
        files.append(os.path.join(infos[0], "METADATA"))
    for name in files[:_MOST_FILES]:
        path = os.path.join(folder, name)
        try:
            text = read_text(path, _MOST_BYTES, errors="replace")
        except OSError:
            continue
        found = list(islice(filter(_is_valid, _said(name, text)), _MOST_BOUNDS))
        if found and not first:
            first = path
        bounds.extend(found)
    return RequiredTorch(tuple(dict.fromkeys(bounds)), first) if bounds else None


def _mentioned_in(folder: str, names: Iterable[str]) -> RequiredTorch | None:
    """Returns the releases that the instructions in a folder install, or that a requirement which is commented out names."""
    bounds: dict[str, str] = {}
    of_python: dict[str, str] = {}
    files = [
        name
        for name in names
        if _has_instructions(name) or name.endswith(".txt") and is_requirement_file(name)
    ]
    for name in files[:_MOST_FILES]:
        path = os.path.join(folder, name)
        try:
            text = read_text(path, _MOST_BYTES, errors="replace")
        except OSError:
            continue
        before = _FIRST_WITHOUT.get(_python_mentioned(name, text))
        if before is not None:
            of_python.setdefault(f"<{before}", path)
        for release in islice(_mentioned(name, text), _MOST_BOUNDS):
            bound = f"=={release}" if release.count(".") > 1 or release.endswith("*") else f"=={release}.*"
            if _is_valid(bound):
                bounds.setdefault(bound, path)
    said = bounds or of_python
    return RequiredTorch(tuple(said), next(iter(said.values())), is_mention=True) if said else None


def _python_mentioned(name: str, text: str) -> str:
    """Returns the Python that instructions name, as `3.7`; "" for none."""
    for line in text.splitlines() if _has_instructions(name) else ():
        line = line.strip()
        match = _PYTHON_OF_IMAGE.match(line) or _PYTHON_LISTED.match(line)
        if match is not None and len(line) <= _LONGEST_LINE:
            return match[1]
    return ""


def _has_instructions(name: str) -> bool:
    lower = name.lower()
    return lower.startswith("readme") or "dockerfile" in lower


def _mentioned(name: str, text: str) -> Iterator[str]:
    if "torch" not in text.lower():
        return
    for line in text.splitlines():
        line = line.strip()
        if len(line) > _LONGEST_LINE:
            continue
        if not _has_instructions(name):
            found = [_COMMENTED.match(line)]
        elif _COMMAND.search(line):
            found = [*_INSTALLED.finditer(_LOCAL.sub("", line)), _WHEEL.search(line)]
        else:
            found = [_IMAGE.match(line), _LISTED.match(line)]
        for match in found:
            if match is not None:
                yield next(group for group in match.groups() if group)


def _said(name: str, text: str) -> Iterator[str]:
    """Yields the bounds of each requirement of torch in a file, "" for one without bounds."""
    if "torch" not in text:
        return
    if name.endswith((".yml", ".yaml")):
        yield from _of_conda(text)
        return
    if name == "Pipfile" or name == "pyproject.toml":
        try:
            table = parse_toml(text)
        except (ValueError, RecursionError):
            return
        yield from _of_tables(table)
        return
    for line in text.splitlines():
        line = line.strip()
        if line.startswith("#") or len(line) > _LONGEST_LINE:
            continue
        wheel = _WHEEL.search(line)
        if wheel is not None:
            yield f"=={wheel[1] or wheel[2]}"
        elif (exported := _EXPORTED.match(line)) is not None:
            yield f"=={exported[1]}"
        elif name.endswith(("METADATA", "PKG-INFO")):
            if line.startswith("Requires-Dist: "):
                yield from _in_text(line.partition(": ")[2].partition(";")[0])
        elif name.endswith((".txt", ".in")):
            yield from _in_text(line.partition("#")[0].partition(";")[0])
        elif name == "setup.cfg":
            yield from _in_text(line.partition(";")[0])
        else:
            for quoted in re.findall(r"[\"'](torch[^\"';]*)[;\"']", line):
                yield from _in_text(quoted)


def _of_conda(text: str) -> Iterator[str]:
    """Yields the bounds of the requirements in the file of a conda environment, what pip installs there included.

    A Python that is fixed bounds the torch that it can install.
    """
    python = _PYTHON_OF_CONDA.search(text)
    before = _FIRST_WITHOUT.get(python[1]) if python is not None else None
    for bound in _listed_in_conda(text):
        yield bound if before is None or "==" in bound else ",".join(filter(None, (bound, f"<{before}")))


def _listed_in_conda(text: str) -> Iterator[str]:
    section = ""
    for line in text.splitlines():
        key = re.match(r"(\w+)\s*:", line)
        if key is not None:
            section = key[1]
        elif section == "dependencies" and len(line) <= _LONGEST_LINE:
            entry = line.strip()
            match = _CONDA.match(entry)
            if match is not None:
                yield f"=={match['exact']}.*" if match["exact"] else re.sub(r"\s", "", match["bounds"] or "")
            elif (pip := re.match(r"-\s*[\"']?(torch.*)", entry)) is not None:
                yield from _in_text(pip[1].partition("#")[0])


def _in_text(text: str) -> Iterator[str]:
    """Yields the bounds of a requirement of torch as pip reads it: `torch>=2.1,<2.4`; nothing for another package's."""
    match = _REQUIREMENT.match(_LOCAL.sub("", text))
    if match is not None:
        yield re.sub(r"\s", "", match["bounds"] or "")


def _of_tables(table: _Table) -> Iterator[str]:
    """Yields the bounds of the requirements in a pyproject.toml or a Pipfile."""
    for texts in _lists(table):
        for text in texts:
            if isinstance(text, str) and len(text) <= _LONGEST_LINE:
                yield from _in_text(text.partition(";")[0])
    for held in _dependency_tables(table):
        if "torch" in held:
            yield from _of_poetry(held["torch"])


def _lists(table: _Table) -> Iterator[list[object]]:
    """Yields the lists of requirements of a pyproject.toml."""
    project = table.get("project")
    groups = table.get("dependency-groups")
    if isinstance(project, dict):
        if isinstance(project.get("dependencies"), list):
            yield project["dependencies"]
        optional = project.get("optional-dependencies")
        if isinstance(optional, dict):
            yield from (held for held in optional.values() if isinstance(held, list))
    if isinstance(groups, dict):
        yield from (held for held in groups.values() if isinstance(held, list))


def _dependency_tables(table: _Table) -> Iterator[_Table]:
    """Yields the tables of dependencies of Poetry and of a Pipfile."""
    tool = table.get("tool")
    poetry = tool.get("poetry") if isinstance(tool, dict) else None
    places: list[object] = [table.get("packages"), table.get("dev-packages")]
    if isinstance(poetry, dict):
        places += [poetry.get("dependencies"), poetry.get("dev-dependencies")]
        groups = poetry.get("group")
        if isinstance(groups, dict):
            places += [one.get("dependencies") for one in groups.values() if isinstance(one, dict)]
    yield from (one for one in places if isinstance(one, dict))


def _of_poetry(said: object) -> Iterator[str]:
    """Yields the bounds that Poetry or Pipenv write: `^1.7.1`, `~2.1`, `2.0.1`, `{version = "…"}`, or several of them."""
    if isinstance(said, list):
        for one in said:
            yield from _of_poetry(one)
    elif isinstance(said, dict):
        if "url" in said or "path" in said or "git" in said:
            wheel = _WHEEL.search(str(said.get("url", ""))[:_LONGEST_LINE])
            yield f"=={wheel[1]}" if wheel is not None else ""
        else:
            yield from _of_poetry(said.get("version", "*"))
    elif isinstance(said, str) and len(said) <= _LONGEST_LINE:
        text = re.sub(r"\s", "", _LOCAL.sub("", said))
        if text in ("*", ""):
            yield ""
        elif (caret := re.fullmatch(r"\^(\d+)((?:\.\d+)*)", text)) is not None:
            major, rest = caret[1], caret[2]
            after = f"0.{int(rest.split('.')[1]) + 1}" if major == "0" and rest else str(int(major) + 1)
            yield f">={major}{rest},<{after}"
        elif (tilde := re.fullmatch(r"~(\d+\.\d+)(?:\.\d+)*", text)) is not None:
            yield f">={text[1:]},=={tilde[1]}.*"
        elif re.fullmatch(_NUMBER, text):
            yield f"=={text}"
        else:
            yield text


def _is_valid(bounds: str) -> bool:
    if len(bounds) > _LONGEST_LINE:
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
