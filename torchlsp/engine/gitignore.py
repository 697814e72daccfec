"""Decides what git ignores, by git's rules: patterns match one entry, the last one that matches decides.

Written here because the walk asks about one entry after another, from the top down; `pathspec` answers for whole
paths, and importing it takes as long as a third of a run over one small file.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from torchlsp.core.records import dataclass
from torchlsp.engine.globs import ANY, FOLDERS, MOST_CHARACTERS, MOST_PARTS, STAR, Glob, has_many_stars
from torchlsp.files import read_bytes, read_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_MOST_BYTES = 1_000_000
_MOST_PATTERNS = 10_000
"""Of one file, the first ones count; with more than two stars, so many."""
_MOST_SLOW = 500
_CLASSES = {
    b"alnum": b"0-9A-Za-z",
    b"alpha": b"A-Za-z",
    b"blank": b" \\t",
    b"cntrl": b"\\x00-\\x1f\\x7f",
    b"digit": b"0-9",
    b"graph": b"!-~",
    b"lower": b"a-z",
    b"print": b" -~",
    b"punct": b"!-/:-@\\[-`{-~",
    b"space": b"\\t-\\r ",
    b"upper": b"A-Z",
    b"xdigit": b"0-9A-Fa-f",
}


@dataclass(frozen=True, slots=True)
class _Pattern:
    matches: Callable[[bytes], object]
    negated: bool
    folders_only: bool
    whole_path: bool
    """Whether it is matched against the path below its file's folder, not against the name alone."""


@dataclass(frozen=True, slots=True)
class _Level:
    """The patterns of one file; `base` is the folder that its paths are relative to, with a `/` at the end."""

    base: bytes
    patterns: tuple[_Pattern, ...]

    def decides(self, path: bytes, is_folder: bool) -> bool | None:
        """Returns whether the entry is ignored; None when no pattern matches it."""
        below = path[len(self.base) :]
        name = below[below.rfind(b"/") + 1 :]
        for pattern in reversed(self.patterns):
            if pattern.folders_only and not is_folder:
                continue
            if pattern.matches(below if pattern.whole_path else name):
                return not pattern.negated
        return None


class GitIgnore:
    """Reads the `.gitignore` files of the queried folders, and `info/exclude`, each once.

    Nothing is ignored outside a work tree: where no folder above has an entry `.git`. The index
    is not read, nor the user's own excludes file, so that a check finds the same files on every machine.
    """

    __slots__ = ("_levels",)

    def __init__(self) -> None:
        # None where nothing is ignored: outside every work tree.
        self._levels: dict[str, tuple[_Level, ...] | None] = {}

    def within(self, folder: str) -> Callable[[str, bool], bool]:
        """Returns whether an entry of a folder (an absolute path) is ignored: by its name, and whether it is
        a folder (a link to one is none). The folders above are taken for not ignored."""
        levels = self._of(folder)
        if not levels:
            return lambda name, is_folder: False
        prefix = _base(folder)

        def is_ignored(name: str, is_folder: bool) -> bool:
            path = prefix + os.fsencode(name)
            for level in reversed(levels):
                decided = level.decides(path, is_folder)
                if decided is not None:
                    return decided
            return False

        return is_ignored

    def enter(self, folder: str) -> None:
        """Registers a folder that the user names: if it is ignored or in an ignored one, only the files in it
        count."""
        inner = folder
        while self._of(inner) is not None and not _is_top(inner):
            above = os.path.dirname(inner)
            if self.within(above)(os.path.basename(inner), not os.path.islink(inner)):
                self._levels[folder] = _own(folder)
                return
            inner = above

    def _of(self, folder: str) -> tuple[_Level, ...] | None:
        missing: list[str] = []
        while folder not in self._levels:
            missing.append(folder)
            parent = os.path.dirname(folder)
            if parent == folder or _is_top(folder):
                break
            folder = parent
        for one in reversed(missing):
            if _is_top(one):
                # A work tree inside another has nothing from it.
                exclude = os.path.join(_common_folder(os.path.join(one, ".git")), "info", "exclude")
                self._levels[one] = (_Level(_base(one), _read(exclude)), *_own(one))
            else:
                above = self._levels.get(os.path.dirname(one))
                self._levels[one] = None if above is None else (*above, *_own(one))
        return self._levels[missing[0] if missing else folder]


def _is_top(folder: str) -> bool:
    return os.path.lexists(os.path.join(folder, ".git"))


def _own(folder: str) -> tuple[_Level, ...]:
    patterns = _read(os.path.join(folder, ".gitignore"))
    return (_Level(_base(folder), patterns),) if patterns else ()


def _base(folder: str) -> bytes:
    return os.fsencode(folder.replace(os.sep, "/")).rstrip(b"/") + b"/"


def _common_folder(git: str) -> str:
    """Returns the folder of a work tree's `info`: `.git`, or what a linked work tree's file of that name
    points to."""
    try:
        if os.path.isdir(git):
            return git
        pointed = os.path.join(os.path.dirname(git), _path_in(git).removeprefix("gitdir:").strip())
        common = os.path.join(pointed, "commondir")
        if os.path.isfile(common):
            return os.path.join(pointed, _path_in(common).strip())
        return pointed
    except (OSError, ValueError):
        return git


def _path_in(file: str) -> str:
    return read_text(file, _MOST_BYTES, errors="surrogateescape")


def _read(path: str) -> tuple[_Pattern, ...]:
    try:
        data = read_bytes(path, _MOST_BYTES)
    except OSError:
        return ()
    return patterns(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"))


def patterns(rows: Iterable[bytes]) -> tuple[_Pattern, ...]:
    """Returns the patterns of a `.gitignore`, by gitignore(5) and git's `dir.c`. One that can match nothing
    is left out."""
    found: list[_Pattern] = []
    slow = 0
    for row in rows:
        if len(found) == _MOST_PATTERNS:
            break
        row = _without_trailing_blanks(row.removesuffix(b"\r"))
        if row.startswith(b"#"):
            continue
        negated = row.startswith(b"!")
        row = row[negated:]
        folders_only = row.endswith(b"/")
        row = row[: len(row) - folders_only]
        whole_path = b"/" in row
        parts = _parts(row.removeprefix(b"/")) if 0 < len(row) <= MOST_CHARACTERS else None
        if parts is None or len(parts) > MOST_PARTS:
            continue
        if has_many_stars(parts):
            slow += 1
            if slow <= _MOST_SLOW:
                found.append(_Pattern(_by_glob(parts), negated, folders_only, whole_path))
        else:
            regex = re.compile("".join([*parts, r"\Z"]).encode("latin-1"), re.DOTALL)
            found.append(_Pattern(regex.match, negated, folders_only, whole_path))
    return tuple(found)


def _without_trailing_blanks(row: bytes) -> bytes:
    """Returns the row without the blanks at its end that no backslash quotes."""
    kept = len(row.rstrip(b" "))
    slashes = kept - len(row[:kept].rstrip(b"\\"))
    return row[: kept + 1] if slashes % 2 and kept < len(row) else row[:kept]


def _by_glob(parts: list[str]) -> Callable[[bytes], bool]:
    glob = Glob(parts)
    return lambda path: glob.match(path.decode("latin-1"))


def _parts(pattern: bytes) -> list[str] | None:
    """Translates a pattern to regular expressions as git's `wildmatch.c` with WM_PATHNAME: `*`, `?` and sets stop at `/`, `**`
    between slashes does not."""
    parts: list[str] = []
    index = 0
    plain = next((place for place, one in enumerate(pattern) if one in b"*?[\\"), len(pattern))
    while index < len(pattern):
        character = pattern[index : index + 1]
        if character == b"*":
            end = index
            while pattern[end : end + 1] == b"*":
                end += 1
            rest = pattern[end:]
            # git cuts off what stands before the first special character, and the rest begins there.
            between = index == plain or pattern[index - 1 : index] == b"/"
            if end - index > 1 and between and rest.startswith(b"/"):
                parts.append(FOLDERS)
                end += 1
            elif end - index > 1 and between and (not rest or rest.startswith(b"\\/")):
                parts.append(ANY)
            else:
                parts.append(STAR)
            index = end
        elif character == b"?":
            parts.append(r"[^/]")
            index += 1
        elif character == b"[":
            found = _set(pattern, index + 1)
            if found is None:
                return None
            part, index = found
            parts.append(part.decode("latin-1"))
        else:
            if character == b"\\":
                index += 1
                character = pattern[index : index + 1]
                if not character:
                    return None
            parts.append(re.escape(character).decode("latin-1"))
            index += 1
    return parts


def _set(pattern: bytes, index: int) -> tuple[bytes, int] | None:
    """Returns a bracket expression and where it ends. None when it has no end or an unknown class: it matches
    nothing."""
    negated = pattern[index : index + 1] in (b"!", b"^")
    index += negated
    members: list[bytes] = []
    previous = b""
    first = True
    while first or pattern[index : index + 1] != b"]":
        first = False
        character = pattern[index : index + 1]
        if not character:
            return None
        following = pattern[index + 1 : index + 2]
        if character == b"-" and previous and following and following != b"]":
            index += 1
            if following == b"\\":
                index += 1
                following = pattern[index : index + 1]
                if not following:
                    return None
            if previous <= following:
                members.append(_member(previous) + b"-" + _member(following))
            previous = b""
        elif character == b"[" and following == b":":
            end = pattern.find(b"]", index + 2)
            if end < 0:
                return None
            if end < index + 3 or pattern[end - 1 : end] != b":":
                members.append(_member(b"["))
                previous = b"["
            else:
                if pattern[index + 2 : end - 1] not in _CLASSES:
                    return None
                members.append(_CLASSES[pattern[index + 2 : end - 1]])
                index = end
                previous = b""
        else:
            if character == b"\\":
                index += 1
                character = following
                if not character:
                    return None
            members.append(_member(character))
            previous = character
        index += 1
    listed = b"".join(members)
    if negated:
        return b"[^/" + listed + b"]", index + 1
    return (b"(?!/)[" + listed + b"]" if listed else b"(?!)"), index + 1


def _member(character: bytes) -> bytes:
    return b"\\x%02x" % character[0]
