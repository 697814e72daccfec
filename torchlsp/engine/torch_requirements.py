"""Reads the requirements of torch in a file in which projects say what they require; nothing of it is run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from torchlsp.core.records import dataclass
from torchlsp.engine.config import parse_toml

_Table = dict[str, Any]  # Any: what TOML holds
LONGEST_LINE = 500
NUMBER = r"\d[\w.*]*"
_BOUND = rf"(?:===?|~=|!=|>=|<=|<|>)\s*{NUMBER}"
_REQUIREMENT = re.compile(
    rf"""torch\s*(?:\[[^\]]*\])?\s*\(?\s*(?P<bounds>{_BOUND}(?:\s*,\s*{_BOUND})*)?(?:[^\w.-]|$)"""
)
"""At the beginning of a text: `torch==2.1.0`, `torch>=1.8,<2`, or `torch` alone, but no name that goes on."""
_CONDA = re.compile(
    rf"""-\s*["']?(?:[\w-]+::)?pytorch\s*(?:=(?P<exact>{NUMBER})|(?P<bounds>{_BOUND}(?:\s*,\s*{_BOUND})*)|(?=["'#]|$))"""
)
"""`- pytorch=1.8=py3.7_cuda10.2`, `- pytorch>=1.8` or `- pytorch` among the dependencies of a conda environment."""
WHEEL = re.compile(
    r"/(?:torch-(\d+(?:\.\d+)+)[^/\s]*\.whl|pytorch-(\d+(?:\.\d+)+)-[^/\s]*\.(?:tar\.bz2|conda)(?:$|[\s#]))"
)
"""A wheel for pip, or a package as `conda list --explicit` writes it."""
_EXPORTED = re.compile(rf"pytorch=({NUMBER})=")
"""As `conda list --export` writes it."""
_COMPANION = re.compile(
    r"""(?:^|["'])\s*(?:-\s*["']?(?:[\w-]+::)?)?torch(?P<of>vision|audio)\s*={1,2}\s*["']?(?P<number>\d+\.\d+(?:\.\d+)?)"""
)
"""A fixed release of a package that is built for one release of torch."""
_PYTHON_REQUIRED = re.compile(
    r"""(?:(?:^|[\s,(])(?:requires-python|python_requires|python_version)|^python)\s*=\s*["']?([^"'#]*)"""
)
_PYTHON_OF_CONDA = re.compile(r"""-\s*["']?python\s*==?\s*(3\.\d+)""")
_FIRST_WITHOUT = {"3.5": "1.6", "3.6": "1.11", "3.7": "2.0", "3.8": "2.5", "3.9": "2.9"}
"""The first torch that a Python cannot install, by the wheels on PyPI."""
_PYTHONS = tuple(f"3.{minor}" for minor in range(5, 16))
_LOCAL = re.compile(r"(?:\+|%2B)[\w.]+")


@dataclass(frozen=True, slots=True)
class FileRequirements:
    """What one file requires: the bounds of torch, each as pip writes it ("" is any release), and the Python, as `3.7`."""

    bounds: tuple[str, ...] = ()
    python: str = ""


def read_requirements(name: str, text: str) -> FileRequirements:
    """Returns the requirements in the text of a file, whose name says how it is written."""
    bounds = tuple(_said(name, text)) if "torch" in text else ()
    if not any(_has_upper_bound(bound) for bound in bounds):
        bounds = tuple(_of_companions(name, text)) or bounds
    return FileRequirements(bounds, _python(name, text))


def without_local(version: str) -> str:
    """Returns a version without its local part: `2.1.0` for `2.1.0+cu118`."""
    return _LOCAL.sub("", version)


def first_torch_without(python: str) -> str | None:
    """Returns the first torch that a Python, as `3.7`, cannot install; None for a Python that torch still supports."""
    return _FIRST_WITHOUT.get(python)


def newest_python(pythons: list[str]) -> str:
    """Returns the newest of Pythons written as `3.7`; "" for none."""
    return max(pythons, key=lambda python: int(python.partition(".")[2]), default="")


def _has_upper_bound(bound: str) -> bool:
    return any(sign in bound for sign in ("==", "<", "~="))


def _of_companions(name: str, text: str) -> Iterator[str]:
    """Yields the torch for which the fixed releases of torchvision and torchaudio are built, by their tables of releases."""
    if not ("torchvision" in text or "torchaudio" in text) or name.endswith(("METADATA", "PKG-INFO")):
        return
    if name.endswith((".yml", ".yaml")) and not re.search(r"^dependencies\s*:", text, re.MULTILINE):
        return
    for line in text.splitlines():
        match = _COMPANION.search(line) if len(line) <= LONGEST_LINE else None
        if match is not None:
            torch = _torch_of_companion(match["of"], *map(int, match["number"].split(".")))
            if torch:
                yield f"=={torch}.*"


def _torch_of_companion(of: str, major: int, minor: int, patch: int = 0) -> str:
    if of == "audio":
        return f"{major}.{minor}" if major == 2 else f"1.{minor}" if major == 0 and minor >= 5 else ""
    if major != 0 or minor < 3:
        return ""
    if minor < 5:
        return {(3, 0): "1.1", (4, 0): "1.2"}.get((minor, patch), "1.3" if minor == 4 else "1.1")
    return f"1.{minor - 1}" if minor < 15 else f"2.{minor - 15}"


def _python(name: str, text: str) -> str:
    """Returns the newest Python that a file allows where that is none of the newest; "" elsewhere."""
    if name.endswith((".yml", ".yaml")):
        match = _PYTHON_OF_CONDA.search(text)
        return match[1] if match is not None else ""
    if not name.endswith(("pyproject.toml", "setup.py", "setup.cfg", "Pipfile")):
        return ""
    allowed = []
    for line in text.splitlines():
        match = _PYTHON_REQUIRED.search(line.strip()) if len(line) <= LONGEST_LINE else None
        if match is not None:
            allowed.append(_newest_allowed(match[1].strip()))
    return newest_python([python for python in allowed if python])


def _newest_allowed(said: str) -> str:
    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    bounds = next(_of_poetry(said), "")
    if re.fullmatch(r"==3\.\d+", bounds):
        bounds += ".*"
    try:
        specifiers = SpecifierSet(bounds)
    except InvalidSpecifier:
        return ""
    # A bound as `<3.9.7` still allows the first release of that Python.
    newest = next(
        (
            python
            for python in reversed(_PYTHONS)
            if specifiers.contains(f"{python}.0") or specifiers.contains(f"{python}.99")
        ),
        "",
    )
    return newest if newest in _FIRST_WITHOUT else ""


def _said(name: str, text: str) -> Iterator[str]:
    """Yields the bounds of each requirement of torch in a file, "" for one without bounds."""
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
        if line.startswith("#") or len(line) > LONGEST_LINE:
            continue
        wheel = WHEEL.search(line)
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
    """Yields the bounds of the requirements in the file of a conda environment, what pip installs there included."""
    section = ""
    for line in text.splitlines():
        key = re.match(r"(\w+)\s*:", line)
        if key is not None:
            section = key[1]
        elif section == "dependencies" and len(line) <= LONGEST_LINE:
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
            if isinstance(text, str) and len(text) <= LONGEST_LINE:
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
            wheel = WHEEL.search(str(said.get("url", ""))[:LONGEST_LINE])
            yield f"=={wheel[1]}" if wheel is not None else ""
        else:
            yield from _of_poetry(said.get("version", "*"))
    elif isinstance(said, str) and len(said) <= LONGEST_LINE:
        text = re.sub(r"\s", "", _LOCAL.sub("", said))
        if text in ("*", ""):
            yield ""
        elif (caret := re.fullmatch(r"\^(\d+)((?:\.\d+)*)", text)) is not None:
            major, rest = caret[1], caret[2]
            after = f"0.{int(rest.split('.')[1]) + 1}" if major == "0" and rest else str(int(major) + 1)
            yield f">={major}{rest},<{after}"
        elif (tilde := re.fullmatch(r"~(\d+\.\d+)(?:\.\d+)*", text)) is not None:
            yield f">={text[1:]},=={tilde[1]}.*"
        elif re.fullmatch(NUMBER, text):
            yield f"=={text}"
        else:
            yield text
