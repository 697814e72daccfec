"""Isolates roots: each starts from the state after the module's body, and their findings are merged in their order.

So a root need not be run again if only others have changed (see `incremental`). The store undoes the changes of a root by its
journal. All other state of the interpreter and the checks is declared with a lifetime (`store.lifetimes`): each root gets copies
of the fields that are its own, and the new entries of gathered fields are its findings.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from torchlsp.core.records import dataclass
from torchlsp.interp.store import lifetimes
from torchlsp.interp.store.lifetimes import Lifetime
from torchlsp.interp.store.recorded import Part, Recording

if TYPE_CHECKING:
    from torchlsp.interp.run.interpreter import Interpreter

ALLOWANCE = 2_000
"""Steps that the body of another file may spend on calls, whichever root imports it."""

_ENTRIES_PER_STEP = 100
MOMENTS = 1 << 24
"""The number of moments reserved for each root: more operators than any can call."""


@dataclass(slots=True)
class Found:
    """The findings of one root: the new entries of gathered fields by name, and its recording."""

    new: lifetimes.NewEntries
    recording: Part | None


def steps_of_copies(it: Interpreter) -> int:
    """Returns the steps that copying and comparing the present state costs a root."""
    return lifetimes.count_entries(lifetimes.isolated(it).values()) // _ENTRIES_PER_STEP


class Base:
    """The state after the module's body, in all fields of which each root has its own copy."""

    def __init__(self, it: Interpreter, steps: int | None = None) -> None:
        self.own = lifetimes.isolated(it)
        self.steps = steps_of_copies(it) if steps is None else steps
        """The steps that copying and comparing the state costs each root."""
        self._declarations = {one.name: one for one in lifetimes.declarations(type(it))}
        self.is_in_use = False
        """Whether code runs for all roots just now (`for_all`)."""

    def begin(self, it: Interpreter, number: int) -> None:
        """Gives a root its own copies of the state."""
        for name, value in self.own.items():
            setattr(it, name, lifetimes.copied_field(self._declarations[name], value))
        it.graph.clock = MOMENTS * number
        if it.recording is not None:
            it.recording = it.recording.for_root()

    def end(self, it: Interpreter) -> Found:
        """Returns the findings of the running root, and drops its copies."""
        found = Found(lifetimes.new_entries(it, self.own), it.recording)
        self.restore(it)
        return found

    def restore(self, it: Interpreter) -> None:
        """Restores the state after the module's body."""
        for name, value in self.own.items():
            setattr(it, name, value)
        if it.recording is not None:
            it.recording = it.recording.of_module or it.recording

    @contextmanager
    def for_all(self, it: Interpreter) -> Iterator[None]:
        """Keeps the changes of the code that runs inside for every root: bodies of other files."""
        if self.is_in_use or it.analysis is self.own["analysis"]:
            yield
            return
        suspended = [one for one in self._declarations.values() if one.lifetime is Lifetime.SUSPENDED]
        own = {name: getattr(it, name) for name in (*self.own, *(one.name for one in suspended))}
        self.is_in_use = True
        self.restore(it)
        for one in suspended:
            if one.name != "recording":
                setattr(it, one.name, one.make())
        it.allowance = ALLOWANCE
        try:
            yield
        finally:
            self.is_in_use = False
            for name, value in own.items():
                setattr(it, name, value)
            for name, value in self.own.items():
                lifetimes.add_missing_to_field(self._declarations[name], own[name], value)

    def merge(self, it: Interpreter, found: list[Found], observed: list[Found]) -> None:
        """Merges the findings of the roots, in their order.

        Of those that began with what a recorded run has seen only the faults count: all else the others have, too.
        """
        self.restore(it)
        for name, value in self.own.items():
            if self._declarations[name].lifetime is not Lifetime.PER_ROOT:
                setattr(it, name, lifetimes.copied_field(self._declarations[name], value))
        for one in found:
            lifetimes.merge_entries(it, one.new)
        for one in observed:
            contradicted = one.new.get("analysis", {}).get("contradicted", [])
            faults = one.new.get("faults", {})
            lifetimes.merge_entries(it, {"faults": faults, "analysis": {"contradicted": contradicted}})
        if it.recording is not None:
            it.analysis.recording = Recording(it.recording, _recordings(found), _recordings(observed))


def _recordings(found: list[Found]) -> list[Part]:
    return [one.recording for one in found if one.recording is not None]
