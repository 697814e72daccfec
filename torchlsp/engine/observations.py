"""Says for each place of a file what it evaluates to with what a recorded run has passed."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

from torchlsp.core.records import dataclass
from torchlsp.engine.records import changed_functions
from torchlsp.engine.values_shown import Note, said
from torchlsp.facts import values as v
from torchlsp.facts.dim import is_fresh
from torchlsp.facts.layout import ROW_MAJOR
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.recorder.showing import differing_ranks, joined

if TYPE_CHECKING:
    from collections.abc import Mapping

    from torchlsp.engine.records import FileRecord, FunctionRecord
    from torchlsp.interp.store.analysis import Analysis
    from torchlsp.program import ir
    from torchlsp.recorder.reading import ObservedFunction


@dataclass(frozen=True, slots=True)
class _Function:
    start: int
    end: int
    record: FunctionRecord
    is_changed: bool
    """Whether its source is another than the one that was recorded."""
    ranks_differ: bool


@dataclass(frozen=True, slots=True)
class Observations:
    """The values of the places in functions that a recorded run has called."""

    values: Mapping[tuple[int, int, bool], v.Value]
    contents: Mapping[tuple[int, int, bool], v.Value]
    functions: tuple[_Function, ...]
    contradicted: frozenset[str]
    """Arguments of which the run has seen something else than the program says, as `function(name)`."""
    began: float
    """When the run began, in seconds since 1970."""

    @classmethod
    def of(cls, record: FileRecord, analysis: Analysis, module: ir.Module, text: str) -> Observations:
        """Collects what an analysis has of the functions of a record."""
        changed = changed_functions(record, text)
        functions = [
            _Function(
                one.start, one.end, found, one.qualname in changed, bool(differing_ranks(found.observed))
            )
            for one in module.functions
            if not one.is_lambda and (found := record.functions.get(one.qualname)) is not None
        ]
        began = 0.0 if record.run is None else record.run.started
        contradicted = frozenset(analysis.contradicted)
        return cls(analysis.observed, analysis.observed_contents, tuple(functions), contradicted, began)

    def value(self, start: int, end: int, is_bound: bool) -> v.Value | None:
        """Returns the observed value of a place; what is bound there if something is."""
        return self.values.get((start, end, is_bound))

    def content(self, start: int, end: int, is_bound: bool) -> v.Value | None:
        """Returns what the list or dict at a place holds."""
        return self.contents.get((start, end, is_bound))

    def note(self, start: int) -> Note | None:
        """Words the run that has called the function around a place."""
        found = self._around(start)
        if found is None:
            return None
        observed = found.record.observed
        calls = "1 call" if observed.count == 1 else f"{observed.count:,} calls"
        if is_partial(observed):
            calls = f"{observed.count - observed.skipped:,} of {calls}"
        calls += ", the ranks differ" if found.ranks_differ else ""
        changed = ", before this function was changed" if found.is_changed else ""
        return Note(
            f"observed in the run of {time_of_run(self.began)} ({calls}){changed}", is_aged=found.is_changed
        )

    def disagreement(self, start: int, name: str) -> Note | None:
        """Words what the run has seen of an argument where the program says something else."""
        found = self._around(start)
        if found is None or f"{found.record.observed.qualname}({name})" not in self.contradicted:
            return None
        seen = (call.parameters[name] for call in found.record.observed.calls if name in call.parameters)
        return Note(f"in the run of {time_of_run(self.began)} it was", joined(seen))

    def is_partial(self, start: int) -> bool:
        """Returns whether the run has called the function around a place also without looking at the call."""
        found = self._around(start)
        return found is not None and is_partial(found.record.observed)

    def with_ranges(self, text: str, start: int) -> str:
        """Returns a fact's text with the values that each named size had: `f32[N=8..32, 196]`."""
        found = self._around(start)
        for name, (least, greatest) in found.record.ranges.items() if found is not None else ():
            text = re.sub(rf"(?<![\w.=]){name}(?![\w.=(])", f"{name}={least}..{greatest}", text, count=1)
        return text

    def _around(self, start: int) -> _Function | None:
        """Returns the innermost recorded function around a place."""
        around = [one for one in self.functions if one.start <= start < one.end]
        return max(around, key=lambda one: one.start, default=None)


def is_partial(observed: ObservedFunction) -> bool:
    """Returns whether some calls of a function were not looked at."""
    return observed.skipped > 0


def says_more(observed: v.Value, value: v.Value, content: v.Value | None) -> bool:
    """Returns whether an observed value says more of a place than what is known without the run."""
    if isinstance(observed, TensorFact) and isinstance(value, TensorFact):
        return _known_columns(observed) > _known_columns(value)
    if isinstance(observed, v.Scalar) and isinstance(value, v.Scalar):
        return isinstance(observed.value, int | float | str) and not isinstance(
            value.value, int | float | str
        )
    return said(value, content) is None


def _known_columns(fact: TensorFact) -> tuple[int, int, int]:
    """Counts what is known of a tensor: the rank, then sizes, then the other columns."""
    sizes = sum(2 if type(size) is int else not is_fresh(size) for size in fact.shape or ())
    layout = fact.layout is not None and (fact.layout is ROW_MAJOR or fact.shape is not None)
    others = (fact.dtype is not None, fact.device is not None, layout, fact.grad.requires is not Tri.UNKNOWN)
    return int(fact.shape is not None), sizes, sum(others)


def time_of_run(began: float) -> str:
    """The clock's time of a run of today, else its date."""
    then, now = time.localtime(began), time.localtime()
    is_today = (then.tm_year, then.tm_yday) == (now.tm_year, now.tm_yday)
    return time.strftime("%H:%M" if is_today else "%Y-%m-%d %H:%M", then)
