"""Reads which torch the instructions of a project install or name: its README, images of Docker, commented requirements."""

from __future__ import annotations

import re
from collections.abc import Iterator

from torchlsp.engine.torch_requirements import (
    LONGEST_LINE,
    NUMBER,
    WHEEL,
    FileRequirements,
    newest_python,
    without_local,
)

_COMMENTED = re.compile(rf"#\s*torch\s*==\s*({NUMBER})")
_COMMAND = re.compile(r"\b(?:pip3?|conda|mamba|uv)\s+(?:pip\s+)?install\b")
_INSTALLED = re.compile(rf"(?:^|[\s\"'])(?:py)?torch={{1,2}}({NUMBER})")
"""In a command that installs: `pip install torch==1.8.1`, `conda install pytorch=1.8`."""
_IMAGE = re.compile(r"FROM\s+\S*pytorch/pytorch:(\d+(?:\.\d+)+)")
_PYTHON_OF_IMAGE = re.compile(r"FROM\s+(?:\S*/)?python:(3\.\d+)")
_BETWEEN = r"[`*\])]{0,4}(?:\([^()\s]{0,200}\))?[\s:|`*=(\[_-]{0,9}(?:version\s{0,2})?v?"
"""What stands between a name and its version in a sentence, a list, a table or a badge."""
_NAMED = re.compile(
    rf"(?:(?<![\w/.-])|(?<=badge/))(?:py)?torch{_BETWEEN}(\d+\.\d+(?:\.\d+)?)(.{{0,12}})", re.IGNORECASE
)
_PYTHON_NAMED = re.compile(
    rf"(?:(?<![\w/.-])|(?<=badge/))python{_BETWEEN}(3\.\d+)(?:\.\d+)?(.{{0,12}})", re.IGNORECASE
)
_OR_NEWER = re.compile(
    r"[`*)\]]*\s*(?:\+(?!cu|cpu|rocm)|%2B|(?:or|and|及|或)?\s*(?:later|above|newer|higher|greater|up\b|onward|以上|更高))", re.IGNORECASE
)  # fmt: skip
_AT_LEAST = r"[`*\])]{0,4}\s{0,3}\(?(?:>|≥|&gt;|%3E|at least|version\s*>)"
_TORCH_AT_LEAST = re.compile(rf"(?<![\w/.-])(?:py)?torch{_AT_LEAST}", re.IGNORECASE)
_PYTHON_AT_LEAST = re.compile(rf"(?<![\w/.-])python{_AT_LEAST}", re.IGNORECASE)


def read_instructions(name: str, text: str) -> FileRequirements:
    """Returns the releases of torch, as bounds of pip, and the Python that a file's instructions install or name.

    Where they say that newer releases do as well, there are none.
    """
    if not has_instructions(name):
        found = [match[1] for match in map(_COMMENTED.match, _lines(text)) if match is not None]
        return FileRequirements(tuple(map(_bound, found)))
    releases: list[str] = []
    pythons: list[str] = []
    for line in _lines(text):
        if _COMMAND.search(line):
            releases.extend(_installed(line))
        elif (image := _IMAGE.match(line)) is not None:
            releases.append(image[1])
        elif not _is_followed(line, _NAMED, _TORCH_AT_LEAST, releases):
            return FileRequirements()
        if (python := _PYTHON_OF_IMAGE.match(line)) is not None:
            pythons.append(python[1])
        elif not _is_followed(line, _PYTHON_NAMED, _PYTHON_AT_LEAST, pythons):
            pythons.append("3.99")
    return FileRequirements(tuple(map(_bound, releases)), newest_python(pythons))


def has_instructions(name: str) -> bool:
    """Returns whether files of this name tell how to install a project."""
    lower = name.lower()
    return (
        lower.startswith(("readme", "install"))
        and not lower.endswith(".py")
        or "dockerfile" in lower
        or lower == "setup.sh"
    )


def _lines(text: str) -> Iterator[str]:
    """Yields the lines in which there may be something to find."""
    for line in text.splitlines():
        if len(line) <= LONGEST_LINE and ("torch" in (lower := line.lower()) or "python" in lower):
            yield line.strip()


def _installed(line: str) -> Iterator[str]:
    for match in (*_INSTALLED.finditer(without_local(line)), WHEEL.search(line)):
        if match is not None:
            yield next(group for group in match.groups() if group)


def _is_followed(line: str, named: re.Pattern[str], at_least: re.Pattern[str], into: list[str]) -> bool:
    """Adds the versions that a line names; returns False where it says that newer ones do as well."""
    if at_least.search(line) is not None:
        return False
    for match in named.finditer(line):
        if _OR_NEWER.match(match[2]) is not None:
            return False
        into.append(match[1])
    return True


def _bound(release: str) -> str:
    return f"=={release}" if release.count(".") > 1 or release.endswith("*") else f"=={release}.*"
