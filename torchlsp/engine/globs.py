"""Matches paths against patterns with stars in time proportional to the path, however many stars there are.

`re` is faster for the patterns that people write. With each further star it tries more ways to divide a path among them,
so a pattern of eight stars may take minutes: such patterns are matched here by following all ways at once.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

STAR = r"[^/]*"
"""Any part of a name."""
ANY = r".*"
"""Any part of a path."""
FOLDERS = r"(?:.*/)?"
"""Any number of folders."""
_REPEATED = frozenset({STAR, ANY, FOLDERS})
_FEW = 2
MOST_PARTS = 4_096
"""The length of the longest path on common systems: longer patterns are left out."""
MOST_CHARACTERS = 16 * MOST_PARTS


def has_many_stars(parts: Sequence[str]) -> bool:
    """Returns whether `re` may take long for a pattern."""
    return sum(part in _REPEATED for part in parts) > _FEW


class Glob:
    """Matches one pattern, given as regular expressions of one character each, STAR, ANY and FOLDERS.

    The state is an integer with one bit for each place in the pattern that the characters read so far may lead to.
    """

    __slots__ = (
        "_accepted",
        "_folders",
        "_inside",
        "_kinds",
        "_one",
        "_skipped",
        "_stars",
        "_whole",
        "_within",
    )

    def __init__(self, parts: Sequence[str]) -> None:
        self._kinds: dict[str, int] = {}
        """For each regular expression of one character the places where it stands."""
        self._one: dict[str, int] = {}
        """For each character seen the places from which it leads to the next one."""
        self._stars = self._whole = self._inside = self._folders = self._skipped = 0
        place = 0
        before = ""
        for part in parts:
            bit = 1 << place
            if part in _REPEATED and part == before:
                continue
            before = part
            if part == FOLDERS:
                self._folders |= bit
                self._inside |= bit << 1
                place += 1
            elif part == STAR:
                self._stars |= bit
            elif part == ANY:
                self._whole |= bit
            else:
                self._kinds[part] = self._kinds.get(part, 0) | bit
            place += 1
        self._accepted = 1 << place
        self._skipped = self._stars | self._whole | self._folders
        self._within = self._whole | self._inside

    def match(self, path: str, *, below: bool = False) -> bool:
        """Returns whether the whole path matches; with `below` also what lies in a folder that matches."""
        state = self._closed(1)
        for character in path:
            if character == "/":
                if below and state & self._accepted:
                    return True
                following = (state & self._inside) << 1 | state & self._within
            else:
                following = state & (self._within | self._stars)
            state = self._closed(following | (state & self._leading(character)) << 1)
            if not state:
                return False
        return bool(state & self._accepted)

    def _leading(self, character: str) -> int:
        if character not in self._one:
            self._one[character] = sum(
                places for kind, places in self._kinds.items() if re.match(kind, character, re.DOTALL)
            )
        return self._one[character]

    def _closed(self, state: int) -> int:
        """Adds the places that are reached without a character."""
        while True:
            reached = state | (state & self._skipped) << 1 | (state & self._folders) << 2
            if reached == state:
                return state
            state = reached


def matcher(patterns: Iterable[str]) -> Callable[[str], bool]:
    """Returns a function that says whether a path, relative to the configuration's folder with `/` between
    its parts, is covered.

    A pattern without `/` names a file or folder at any depth; one with `/` starts at the configuration's
    folder. A covered folder covers all below it. `*` stays within one part, `**` does not.
    """
    wanted: list[str] = []
    slow: list[Glob] = []
    for pattern in patterns:
        plain = pattern.strip().rstrip("/").removeprefix("./")
        if not plain or len(plain) > MOST_CHARACTERS:
            continue
        parts = _parts(plain.lstrip("/")) if "/" in plain else [FOLDERS, *_parts(plain)]
        if len(parts) > MOST_PARTS:
            continue
        if has_many_stars(parts):
            slow.append(Glob(parts))
        else:
            wanted.append("".join(parts))
    found = re.compile(rf"(?:{'|'.join(wanted)})(?:/.*)?\Z") if wanted else None
    return lambda path: (
        (found is not None and found.match(path) is not None)
        or any(glob.match(path, below=True) for glob in slow)
    )


def _parts(pattern: str) -> list[str]:
    parts: list[str] = []
    index = 0
    while index < len(pattern):
        if pattern.startswith("**/", index):
            parts.append(FOLDERS)
            index += 3
        elif pattern.startswith("**", index):
            parts.append(ANY)
            index += 2
        elif pattern[index] == "*":
            parts.append(STAR)
            index += 1
        elif pattern[index] == "?":
            parts.append(r"[^/]")
            index += 1
        else:
            parts.append(re.escape(pattern[index]))
            index += 1
    return parts
