"""Lists the files to check, and finds the file that an import refers to."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from torchlsp.core.project import PROJECT_MARKS
from torchlsp.core.records import dataclass
from torchlsp.engine.config import ConfigError
from torchlsp.engine.gitignore import GitIgnore
from torchlsp.engine.globs import matcher

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from torchlsp.engine.config import Configuration, Settings

# What marks the top of a project; above it no import is looked up.
_SUFFIXES = (".py", ".ipynb")
_NO_SOURCE = "._"
"""Begins the names of the files in which macOS keeps the attributes of others."""
# Never a file of the workspace, whatever lies there: the analysis knows these by name.
_FOREIGN = frozenset({"torch", "numpy", "torchvision"})


@dataclass(frozen=True, slots=True)
class Discovery:
    """The files found below the given paths, each once, in a stable order.

    `empty` are the folders without any Python file, `skipped` what cannot be checked, with the reason.
    """

    files: tuple[str, ...]
    empty: tuple[str, ...]
    skipped: tuple[str, ...]


def discover(paths: Iterable[str], configuration: Configuration, *, force_exclude: bool = False) -> Discovery:
    """Finds Python files and notebooks at and below the paths. A path that does not exist is a ConfigError;
    one that is named itself is taken whatever git ignores, and whatever `exclude` says unless
    `force_exclude` or it is the command line's."""
    files: dict[str, str] = {}
    empty: list[str] = []
    skipped: list[str] = []
    walk = _FolderWalk(configuration, skipped)
    folders: dict[str, str] = {}
    for path in paths:
        if not os.path.lexists(path):
            raise ConfigError(f"no such file or folder: {path}")
        if walk.is_left_out(path) or force_exclude and walk.excludes(path):
            continue
        if os.path.isdir(path):
            before = len(files)
            walked = 0
            for file, is_link in walk.below(path):
                walked += 1
                files.setdefault(os.path.realpath(file) if is_link else _real(file, folders), file)
            if not walked and len(files) == before:
                empty.append(path)
        else:
            files.setdefault(os.path.realpath(path), path)
    return Discovery(tuple(files.values()), tuple(empty), tuple(skipped))


def _real(path: str, folders: dict[str, str]) -> str:
    """Returns `os.path.realpath` of a path that is not a link, without querying every folder above. `folders`
    are the known ones."""
    folder, name = os.path.split(path)
    if folder not in folders:
        folders[folder] = os.path.realpath(folder)
    return os.path.join(folders[folder], name)


def is_excluded(path: str, configuration: Configuration) -> bool:
    """Returns whether `exclude` covers a path, or a folder above it below the configuration's folder."""
    return _FolderWalk(configuration, []).excludes(path)


def is_left_out(path: str, configuration: Configuration) -> bool:
    """Returns whether the command line's `--exclude` covers a path."""
    return _FolderWalk(configuration, []).is_left_out(path)


class _FolderWalk:
    """Walks through folders and leaves out what `exclude` and git ignore, by the settings of each folder."""

    def __init__(self, configuration: Configuration, skipped: list[str]) -> None:
        self._configuration = configuration
        self._skipped = skipped
        self._matchers: dict[tuple[str, tuple[str, ...]], Callable[[str], bool]] = {}
        self._git = GitIgnore()
        self._left_out = matcher(map(_from_here, configuration.exclude)) if configuration.exclude else None

    def below(self, top: str) -> Iterator[tuple[str, bool]]:
        """Yields files below a folder, sorted within each, and whether each is a link. A folder reached twice
        through links is walked once, and one that lies elsewhere not at all: a link may lead to all of the disk."""
        seen: set[tuple[int, int]] = set()
        inside = os.path.join(os.path.realpath(top), "")
        self._git.enter(os.path.abspath(top))
        stack: list[str] = [top]
        while stack:
            folder = stack.pop()
            try:
                status = os.stat(folder)
                if (status.st_dev, status.st_ino) in seen:
                    continue
                seen.add((status.st_dev, status.st_ino))
                with os.scandir(folder) as entries:
                    listed = sorted(entries, key=lambda entry: entry.name)
            except OSError as failure:
                self._skipped.append(f"{folder}: cannot be listed: {failure.strerror}")
                continue
            below: list[str] = []
            is_left_out = self._leaves_out(folder)
            for entry in listed:
                name = entry.name
                is_source = name.endswith(_SUFFIXES) and not name.startswith(_NO_SOURCE)
                try:
                    is_folder = entry.is_dir()
                    is_link = entry.is_symlink()
                except OSError:
                    continue
                if (not is_folder and not is_source) or is_left_out(name, is_folder and not is_link):
                    continue
                path = name if folder in ("", ".") else os.path.join(folder, name)
                if not is_folder:
                    yield path, is_link
                elif not is_link or os.path.realpath(path).startswith(inside):
                    below.append(path)
            stack.extend(reversed(below))

    def excludes(self, path: str) -> bool:
        """Returns whether `exclude` covers a path that the user named."""
        absolute = os.path.abspath(path)
        settings = self._configuration.for_folder(os.path.dirname(absolute))
        relative = relative_to_root(absolute, settings)
        return self._exclude(settings)(os.path.basename(absolute) if relative.startswith("/") else relative)

    def is_left_out(self, path: str) -> bool:
        """Returns whether the command line's patterns cover a path."""
        return self._left_out is not None and self._left_out(_relative_to_here(path))

    def _leaves_out(self, folder: str) -> Callable[[str, bool], bool]:
        """Returns whether an entry of the folder, by name and whether it is a folder, is left out."""
        by_settings = self._leaves_out_by_settings(folder)
        if self._left_out is None:
            return by_settings
        here = _relative_to_here(folder)
        prefix = "" if here == "." else f"{here}/"
        given = self._left_out
        return lambda name, is_folder: given(prefix + name) or by_settings(name, is_folder)

    def _leaves_out_by_settings(self, folder: str) -> Callable[[str, bool], bool]:
        absolute = os.path.abspath(folder)
        settings = self._configuration.for_folder(absolute)
        match = self._exclude(settings)
        base = relative_to_root(absolute, settings)
        # Outside the configuration's folder only the entry's own name counts.
        prefix = f"{base}/" if base and not base.startswith("/") else ""
        # The folders above were let in, so only what this entry adds is asked: else checking a folder
        # inside `build/` by name would find nothing.
        if prefix and match(base):
            prefix = ""
        if not settings.respect_gitignore:
            return lambda name, is_folder: match(prefix + name)
        git_ignores = self._git.within(absolute)
        return lambda name, is_folder: match(prefix + name) or git_ignores(name, is_folder)

    def _exclude(self, settings: Settings) -> Callable[[str], bool]:
        key = (settings.root, settings.exclude)
        if key not in self._matchers:
            self._matchers[key] = matcher(settings.exclude)
        return self._matchers[key]


def _relative_to_here(path: str) -> str:
    """Returns a path as the command line's patterns see it: from the working directory, with `/`."""
    try:
        return os.path.relpath(path).replace(os.sep, "/")
    except ValueError:  # another drive of Windows
        return os.path.abspath(path).replace(os.sep, "/")


def _from_here(pattern: str) -> str:
    """Returns a pattern of the command line from the working directory, where it is an absolute path below it."""
    return os.path.relpath(pattern) if pattern.startswith(os.getcwd() + os.sep) else pattern


def relative_to_root(path: str, settings: Settings) -> str:
    """Returns a path as the configuration's patterns see it: relative with `/`, or absolute when outside."""
    absolute = os.path.abspath(path)
    root = settings.root.rstrip(os.sep)
    if absolute == root:
        return ""
    if absolute.startswith(root + os.sep):
        return absolute[len(root) + 1 :].replace(os.sep, "/")
    return absolute.replace(os.sep, "/")


class Workspace:
    """Resolves imports to files, by reading folder listings only. `also` are files (by real path) that need
    not exist."""

    __slots__ = ("_also", "_listings", "_resolved", "_roots")

    def __init__(self, also: Iterable[str] = ()) -> None:
        self._also: dict[str, set[str]] = {}
        for path in also:
            folder, name = os.path.split(path)
            while name and name not in self._also.setdefault(folder, set()):
                self._also[folder].add(name)
                folder, name = os.path.split(folder)
        self._listings: dict[str, frozenset[str]] = {}
        self._roots: dict[str, tuple[str, ...]] = {}
        self._resolved: dict[tuple[str, str], str | None] = {}

    def resolve(self, module: str, importing_path: str) -> str | None:
        """Returns the file of a module as the importing file would find it, or None when it is not in the
        workspace.

        `module` may be relative ("..layers"). Tried in this order: the folder of the importing file (where
        Python puts a script), the folder above its package, the folders up to the project's top, and `src`
        there; where several of the folders above have it, it is not known which is meant. A file is not what it imports: `integrations/bitsandbytes.py` means the library.
        """
        importing = os.path.abspath(importing_path)
        found = self.resolve_from(module, os.path.dirname(importing))
        return None if found == importing else found

    def resolve_from(self, module: str, folder: str) -> str | None:
        """Resolves as `resolve` does, for any file in an absolute folder."""
        key = (module, folder)
        if key not in self._resolved:
            self._resolved[key] = self._resolve(module, folder)
        return self._resolved[key]

    def _resolve(self, module: str, folder: str) -> str | None:
        name = module.lstrip(".")
        dots = len(module) - len(name)
        parts = name.split(".") if name else []
        if dots:
            for _ in range(dots - 1):
                folder = os.path.dirname(folder)
            return self._find(folder, parts)
        if not parts or parts[0] in _FOREIGN:
            return None
        is_standard = parts[0] in sys.stdlib_module_names
        found: list[str] = []
        for number, root in enumerate(self._roots_of(folder)):
            # A module `typing.py` inside a package is not what `import typing` means there.
            if is_standard and "__init__.py" in self._listing(root):
                continue
            path = self._find(root, parts)
            if path is not None and not number:
                return path
            if path is not None:
                found.append(path)
        # Of several folders above, that of the script decides, which may be any.
        return found[0] if len(found) == 1 else None

    def _find(self, root: str, parts: list[str]) -> str | None:
        folder = root
        for part in parts[:-1]:
            if part not in self._listing(folder):
                return None
            folder = os.path.join(folder, part)
        if not parts:
            return os.path.join(folder, "__init__.py") if "__init__.py" in self._listing(folder) else None
        listing = self._listing(folder)
        last = parts[-1]
        if last in listing:
            package = os.path.join(folder, last)
            if "__init__.py" in self._listing(package):
                return os.path.join(package, "__init__.py")
        if f"{last}.py" in listing:
            return os.path.join(folder, f"{last}.py")
        return None

    def _roots_of(self, folder: str) -> tuple[str, ...]:
        if folder in self._roots:
            return self._roots[folder]
        package_root = folder
        while "__init__.py" in self._listing(package_root):
            parent = os.path.dirname(package_root)
            if parent == package_root:
                break
            package_root = parent
        roots = [package_root]
        top = self._project_top(package_root)
        if top is not None:
            above = package_root
            while above != top:
                above = os.path.dirname(above)
                roots.append(above)
            roots.append(os.path.join(top, "src"))
        # A file inside a package can still be run as a script.
        roots.append(folder)
        self._roots[folder] = tuple(dict.fromkeys(roots))
        return self._roots[folder]

    def _project_top(self, folder: str) -> str | None:
        """Returns the nearest folder upwards with a project marker."""
        while True:
            listing = self._listing(folder)
            if any(mark in listing for mark in PROJECT_MARKS):
                return folder
            parent = os.path.dirname(folder)
            if parent == folder:
                return None
            folder = parent

    def _listing(self, folder: str) -> frozenset[str]:
        if folder not in self._listings:
            try:
                self._listings[folder] = frozenset(os.listdir(folder))
            except OSError:
                self._listings[folder] = frozenset()
            if self._also:
                self._listings[folder] |= self._also.get(os.path.realpath(folder), set())
        return self._listings[folder]

    def forget(self) -> None:
        """Clears the listings cached for one run: files may have been created or deleted."""
        self._listings.clear()
        self._roots.clear()
        self._resolved.clear()


def shown_path(path: str) -> str:
    """Returns a path as the user reads it: relative to the working directory when it is below."""
    absolute = os.path.abspath(path)
    here = os.getcwd()
    prefix = here if here.endswith(os.sep) else here + os.sep
    return absolute[len(prefix) :] if absolute.startswith(prefix) else absolute
