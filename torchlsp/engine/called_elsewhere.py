"""Says what the calls of other files make of the places of a text, and which calls these are."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from torchlsp.core.records import dataclass
from torchlsp.engine.values_shown import Note
from torchlsp.facts.notation import value_text
from torchlsp.facts.values import Value
from torchlsp.interp.store.recorded import Place, Span, joined

if TYPE_CHECKING:
    from torchlsp.core.text import Document
    from torchlsp.interp.store.called_files import CalledFile

_MOST_NAMED = 2
"""The number of files, and of rows of each, that are named."""


@dataclass(frozen=True, slots=True)
class Caller:
    """A file, what its calls make of the places of a text, and by function of the text the rows of these calls."""

    path: str
    file: CalledFile
    rows: Mapping[Span, tuple[int, ...]]

    @classmethod
    def of(cls, document: Document, file: CalledFile) -> Caller:
        """Returns what the calls in a document give."""
        rows = {
            function: tuple(sorted({document.row_column(start)[0] for start, _ in calls}))
            for function, calls in file.calls.items()
        }
        return cls(document.path, file, rows)


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """What the calls of other files make of a text."""

    callers: tuple[Caller, ...]
    functions: tuple[Span, ...]
    """The functions of the text that they call, in order."""

    @classmethod
    def of(cls, callers: Sequence[Caller]) -> Elsewhere | None:
        """Joins what several files give; None where there are none."""
        functions = {one for caller in callers for one in caller.rows}
        ordered = tuple(sorted(callers, key=lambda one: one.path))
        return cls(ordered, tuple(sorted(functions))) if functions else None

    def value(self, place: Place) -> Value | None:
        """Returns what all these calls have in common at a place; None where none of them evaluates it."""
        found: Value | None = None
        for caller in self.callers:
            value = caller.file.values.get(place)
            if value is not None:
                found = joined(found, value)
        return found

    def count(self, place: Place) -> Value | None:
        """Returns the number of parameters of the module at a place that is the same in all these calls."""
        counts = [caller.file.counts.get(place) for caller in self.callers if place in caller.file.values]
        return counts[0] if counts and all(one == counts[0] for one in counts) else None

    def children(self, place: Place) -> Value | None:
        """Returns the modules that the container at a place holds, where they are of the same sizes in all these calls."""
        held = [caller.file.children.get(place) for caller in self.callers if place in caller.file.values]
        return held[0] if held and all(one == held[0] for one in held) else None

    def note(self, place: Place) -> Note | None:
        """Words the calls that evaluate a place; None where there are none."""
        function = self._around(place[0])
        if function is None:
            return None
        named: list[tuple[str, tuple[int, ...]]] = []
        texts: set[str] = set()
        differ = False
        for caller in self.callers:
            value = caller.file.values.get(place)
            if value is None or function not in caller.rows:
                continue
            named.append((caller.path, caller.rows[function]))
            differ = differ or place in caller.file.differing
            texts.add(value_text(value))
        if not named:
            return None
        differ = differ or len(texts) > 1
        words = f"as called in {_listed(named)}" + (", in calls that differ" if differ else "")
        return Note(words, calls=sum(len(rows) for _, rows in named), is_differing=differ)

    def _around(self, offset: int) -> Span | None:
        """Returns the innermost of the called functions around an offset."""
        around = [one for one in self.functions if one[0] <= offset < one[1]]
        return max(around, default=None)


def _listed(named: list[tuple[str, tuple[int, ...]]]) -> str:
    if len(named) > _MOST_NAMED:
        return f"{len(named)} files, {_one(*named[0])} among them"
    short = [os.path.basename(path) for path, _ in named]
    is_clear = len(set(short)) == len(short)
    return " and ".join(_one(path, rows, in_folder=not is_clear) for path, rows in named)


def _one(path: str, rows: tuple[int, ...], in_folder: bool = False) -> str:
    name = os.path.basename(path)
    if in_folder:
        name = f"{os.path.basename(os.path.dirname(path))}/{name}"
    shown = (
        " and ".join(map(str, rows)) if len(rows) <= _MOST_NAMED else f"{rows[0]} and {len(rows) - 1} more"
    )
    return f"{name} (line{'s' * (len(rows) > 1)} {shown})"
