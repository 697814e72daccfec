"""Finds the user's Python and its installed packages from files alone, without starting it."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING

from torchlsp.core.records import dataclass
from torchlsp.engine.config import ConfigError
from torchlsp.files import read_beginning

if TYPE_CHECKING:
    from collections.abc import Iterator

# Where an environment keeps its Python: Windows (virtual, then conda or a plain installation), then the rest.
_EXECUTABLES = (
    ("Scripts", "python.exe"),
    ("python.exe",),
    ("bin", "python"),
    ("bin", "python3"),
    ("bin", "pypy3"),
)
_ACTIVE_ENVIRONMENTS = ("VIRTUAL_ENV", "CONDA_PREFIX")
_WORKSPACE_ENVIRONMENTS = (".venv", "venv")


@dataclass(frozen=True, slots=True)
class Interpreter:
    """The Python whose packages the user's code imports, and why it was chosen.

    `path` is not resolved: the Python of a virtual environment is a link out of it. `problem` says which
    interpreters had precedence and could not be used.
    """

    path: str
    reason: str
    problem: str | None = None


OWN_PYTHON = "the Python that runs torchlsp"
"""The reason for which an interpreter is chosen where nothing names one."""
FROM_SETTING = "the setting"
"""The reason where the user's settings name it."""


class _Refused(Exception):
    """A configured interpreter that cannot be used; the text says why."""


def choose(
    explicit: str | None = None,
    setting: str | None = None,
    workspace: str | None = None,
    trusted: bool = False,
) -> Interpreter:
    """Returns the interpreter that the options, the environment or the workspace choose.

    In this order: `--python` (`explicit`), the user's setting, the active environment, the environment of a
    trusted workspace, the Python that runs torchlsp. Each may be an environment's folder or an executable. An
    interpreter inside a workspace that is not trusted comes from its author: only `--python` may choose it. Raises
    ConfigError when `explicit` names no Python; every other mistake becomes the `problem`. A broken environment of the
    workspace is chosen all the same: what is installed in it can be read, and another Python has other packages.
    """
    if explicit is not None:
        try:
            return Interpreter(_executable(explicit, None), "--python")
        except _Refused as refused:
            raise ConfigError(f"--python {explicit}: {refused}") from None
    wishes = [(FROM_SETTING, setting), *((name, os.environ.get(name)) for name in _ACTIVE_ENVIRONMENTS)]
    problems: list[str] = []
    for reason, wish in wishes:
        if not wish:
            continue
        try:
            path = _executable(wish, workspace)
            if workspace is not None and not trusted and _is_inside(path, workspace):
                raise _Refused("it lies inside the workspace, which is not trusted")
            return Interpreter(path, reason, "; ".join(problems) or None)
        except _Refused as refused:
            problems.append(f"{reason} ({wish}) is not used: {refused}")
    problem = "; ".join(problems) or None
    if workspace is not None and trusted:
        for name in _WORKSPACE_ENVIRONMENTS:
            python = _python_of(os.path.join(os.path.abspath(workspace), name))
            if python is not None:
                return Interpreter(python, f"{name} in the workspace", problem)
        for name in _WORKSPACE_ENVIRONMENTS:
            folder = os.path.join(os.path.abspath(workspace), name)
            broken = why_broken(folder)
            if broken is not None:
                problems.append(f"{name} in the workspace is broken: {broken}. {how_to_mend(name)}")
                python = os.path.join(folder, *_EXECUTABLES[0 if os.name == "nt" else 2])
                return Interpreter(python, f"{name} in the workspace, which is broken", "; ".join(problems))
    return Interpreter(sys.executable, OWN_PYTHON, problem)


def environments_in(folder: str) -> list[str]:
    """Returns the names of the environments that a project keeps in its folder, broken ones included."""
    places = {name: os.path.join(folder, name) for name in _WORKSPACE_ENVIRONMENTS}
    return [name for name, place in places.items() if _python_of(place) or why_broken(place)]


def broken_in(folder: str) -> str | None:
    """Says which environment in a folder is broken, why, and how it is made again; None where none is."""
    for name in environments_in(folder):
        broken = why_broken(os.path.join(folder, name))
        if broken is not None:
            return f"{name} is broken: {broken}. {how_to_mend(name)}"
    return None


def why_broken(environment: str) -> str | None:
    """Returns why the Python of an environment cannot be started; None where it can, and for what is no environment."""
    if _python_of(environment) is not None:
        return None
    for names in _EXECUTABLES:
        path = os.path.join(environment, *names)
        if os.path.islink(path):
            return f"its {'/'.join(names)} leads to {os.path.realpath(path)}, which does not exist"
    if os.path.isfile(os.path.join(environment, "pyvenv.cfg")):
        return "there is no Python in it"
    return None


def how_to_mend(environment: str) -> str:
    """Says how a broken environment is made again."""
    python = "py" if os.name == "nt" else "python3"
    return f"`{python} -m venv --clear {environment}` makes it again, without what was installed in it"


def torch_version(python: str) -> str | None:
    """Returns the version of torch installed beside an interpreter."""
    return distribution_version(python, "torch")


def distribution_version(python: str, name: str) -> str | None:
    """Returns the version of a distribution from its metadata; None if an interpreter cannot import it.

    As at run time, the first folder that has it wins. A failed upgrade may leave a second set of metadata in a folder:
    metadata that can be read wins, then the higher version.
    """
    for folder in site_packages(python):
        newest = max(_versions(folder, _normalised(name)), default=None)
        if newest is not None:
            return newest[-1]
    return None


def site_packages(python: str) -> list[str]:
    """Returns the folders from which an interpreter imports installed packages, in the order of `sys.path`.

    Folders that `.pth` files add are included; the standard library is not.
    """
    folders: list[str] = []
    for folder in _site_folders(python):
        for path in (folder, *_pth_folders(folder)):
            if path not in folders:
                folders.append(path)
    return folders


def _executable(wish: str, workspace: str | None) -> str:
    """Returns the Python that a path or a command's name refers to.

    A path is relative to the workspace, else to the working directory.
    """
    path = os.path.expanduser(wish)
    absolute = os.path.abspath(os.path.join(workspace or os.curdir, path))
    python = _python_of(absolute)
    if python is not None:
        return python
    # As in a shell, a bare name is a command's, even if a file or folder has the same name.
    command = None if os.path.dirname(path) else _which(path)
    if command is not None:
        return os.path.abspath(command)
    if os.path.isdir(absolute):
        raise _Refused(why_broken(absolute) or "there is no Python in this folder")
    if os.path.islink(absolute) and not os.path.exists(absolute):
        raise _Refused(f"it leads to {os.path.realpath(absolute)}, which does not exist")
    if not os.path.isfile(absolute):
        raise _Refused("it does not exist")
    if not os.access(absolute, os.X_OK):
        raise _Refused("it is not executable")
    return absolute


def _python_of(environment: str) -> str | None:
    for name in _EXECUTABLES:
        path = os.path.join(environment, *name)
        if os.path.isfile(path):
            return os.path.abspath(path)
    return None


def _is_inside(path: str, folder: str) -> bool:
    """Returns whether an executable lies in a folder by its name, by its folder, or by what it links to."""
    paths = {os.path.abspath(path), os.path.realpath(os.path.dirname(path)), os.path.realpath(path)}
    folders = {os.path.abspath(folder), os.path.realpath(folder)}
    return any(_under(candidate, parent) for candidate in paths for parent in folders)


def _under(path: str, folder: str) -> bool:
    folder = os.path.normcase(folder).rstrip(os.sep) + os.sep
    return (os.path.normcase(path) + os.sep).startswith(folder)


def _site_folders(python: str) -> Iterator[str]:
    python = os.path.abspath(python)
    if python == os.path.abspath(sys.executable or os.curdir):
        # Our own `sys.path` is exact. Its other folders are a script's folder and the standard library.
        names = ("site-packages", "dist-packages")
        yield from (
            folder for folder in sys.path if os.path.basename(folder) in names and os.path.isdir(folder)
        )
        return
    prefix = _prefix(python)
    settings = _venv_settings(prefix)
    if settings is None:
        yield from _installed(os.path.realpath(python))
        return
    version = _short_version(settings.get("version") or settings.get("version_info") or "")
    yield from _packages_under(prefix, version)
    if settings.get("include-system-site-packages", "").lower() == "true":
        home = settings.get("home", "")
        executables = [f"python{version}", "python3", "python", "python.exe", "pypy3"]
        bases = [os.path.join(home, name) for name in executables]
        base = next((path for path in bases if os.path.isfile(path)), None)
        if home and base is not None:
            yield from _installed(os.path.realpath(base))


def _installed(python: str) -> Iterator[str]:
    """Yields the package folders of an installation that is no virtual environment, the user's own first."""
    prefix = _prefix(python)
    version = _short_version(os.path.basename(python).removesuffix(".exe")) or _only_version(prefix)
    user = _user_folder(version)
    if user is not None and os.path.isdir(user):
        yield user
    debian = os.path.join(prefix, "lib", "python3", "dist-packages")
    if os.path.isdir(debian):
        local = os.path.join(prefix, "local", "lib", f"python{version}", "dist-packages")
        versioned = os.path.join(prefix, "lib", f"python{version}", "dist-packages")
        yield from (folder for folder in (local, debian, versioned) if os.path.isdir(folder))
    yield from _packages_under(prefix, version)


def _which(name: str) -> str | None:
    from shutil import which  # slow to import: it loads the modules for all kinds of archives

    return which(name)


def _prefix(python: str) -> str:
    folder = os.path.dirname(python)
    return os.path.dirname(folder) if os.path.basename(folder).lower() in ("bin", "scripts") else folder


def _packages_under(prefix: str, version: str) -> Iterator[str]:
    """Yields the `site-packages` of a prefix: those of the version, else those of all versions."""
    windows = os.path.join(prefix, "Lib", "site-packages")
    if os.path.isdir(windows):
        yield windows
    for lib in ("lib", "lib64"):
        names = [name for name in _names(os.path.join(prefix, lib)) if name.startswith(("python", "pypy"))]
        matching = [name for name in names if version and _short_version(name) == version]
        for name in matching or names:
            folder = os.path.join(prefix, lib, name, "site-packages")
            # Many systems make lib64 a link to lib.
            is_same = lib == "lib64" and os.path.realpath(os.path.join(prefix, "lib64")) == os.path.realpath(
                os.path.join(prefix, "lib")
            )
            if os.path.isdir(folder) and not is_same:
                yield folder


def _only_version(prefix: str) -> str:
    """Returns the version of the only Python below a prefix, "" if there are several or none."""
    versions = {
        _short_version(name) for name in _names(os.path.join(prefix, "lib")) if name.startswith("python")
    }
    versions.discard("")
    return versions.pop() if len(versions) == 1 else ""


def _user_folder(version: str) -> str | None:
    """Returns the folder into which `pip install --user` installs packages for a version (PEP 370)."""
    if not version or os.environ.get("PYTHONNOUSERSITE"):
        return None
    base = os.environ.get("PYTHONUSERBASE")
    if os.name == "nt":
        base = base or os.path.join(os.environ.get("APPDATA") or os.path.expanduser("~"), "Python")
        return os.path.join(base, f"Python{version.replace('.', '')}", "site-packages")
    base = base or os.path.join(os.path.expanduser("~"), ".local")
    return os.path.join(base, "lib", f"python{version}", "site-packages")


def _venv_settings(prefix: str) -> dict[str, str] | None:
    """Returns the settings of pyvenv.cfg, keys in lower case; None if a prefix is no virtual environment."""
    text = _read(os.path.join(prefix, "pyvenv.cfg"))
    if text is None:
        return None
    pairs = (line.partition("=") for line in text.splitlines() if "=" in line)
    return {key.strip().lower(): value.strip() for key, _, value in pairs}


def _short_version(text: str) -> str:
    """Returns "3.12" for "python3.12", "3.12.1" or "pypy3.12"; "" for a text without a version."""
    version = re.search(r"(\d+\.\d+)", text)
    return version[1] if version else ""


def _pth_folders(folder: str) -> Iterator[str]:
    """Yields the folders that `.pth` files add, as editable installations do; their code is not run."""
    for name in _names(folder):
        if not name.endswith(".pth") or name.startswith("."):
            continue
        for line in (_read(os.path.join(folder, name)) or "").splitlines():
            line = line.strip()
            if not line or line.startswith(("#", "import ", "import\t")) or "\0" in line:
                continue
            path = os.path.normpath(os.path.join(folder, line))
            if os.path.isdir(path):
                yield path


_METADATA_FOLDER = re.compile(r"(.+?)(?:-(\d[^-]*)(?:-py[\d.]+)?)?\.(?:dist-info|egg-info)")
_VERSION = re.compile(r"v?\d[\w.+!-]*")


def _versions(folder: str, name: str) -> Iterator[tuple[bool, tuple[int, ...], str]]:
    """Yields each version of a distribution in a folder, after two keys to order by.

    The keys are whether its metadata could be read, and the numbers of the version.
    """
    for entry in _names(folder):
        parts = _METADATA_FOLDER.fullmatch(entry)
        if parts is None or _normalised(parts[1]) != name:
            continue
        path = os.path.join(folder, entry)
        declared = next(
            filter(
                None,
                map(
                    _declared_version, (os.path.join(path, "METADATA"), os.path.join(path, "PKG-INFO"), path)
                ),
            ),
            None,
        )
        version = declared or parts[2]
        if version is not None:
            numbers = tuple(int(number) for number in re.findall(r"\d{1,9}", version.partition("+")[0]))
            yield declared is not None, numbers, version


def _declared_version(path: str) -> str | None:
    for line in (_read(path) or "").splitlines():
        if not line.strip():
            # The description follows, and may mention versions.
            return None
        key, _, value = line.partition(":")
        if key.strip().lower() == "version" and _VERSION.fullmatch(value.strip()):
            return value.strip()
    return None


def _normalised(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _read(path: str) -> str | None:
    try:
        return read_beginning(path, 1_000_000).decode("utf-8-sig", "replace")
    except OSError:
        return None
