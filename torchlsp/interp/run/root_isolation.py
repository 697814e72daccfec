"""Roots know nothing of each other: each begins with what the module's body has left, and what they find is put together in
their order.  So a root need not be run again where only others have changed (see `again`).

The store undoes what a root did to it by its journal.  Everything else that the interpreter and the mechanisms keep are small
containers: each root gets copies of them, and what is in `_GATHERED` afterwards and was not there before is what it has found.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from typing import Any

from torchlsp.facts.fault import Fault
from torchlsp.interp.checks.autograd.autograd_graph import Progress
from torchlsp.interp.checks.autograd.retained_graphs import Kept
from torchlsp.interp.checks.devices.uninitialised_memory import Unfilled
from torchlsp.interp.checks.distributed.bypassed_wrapper import Calls
from torchlsp.interp.checks.running_state import Watched
from torchlsp.interp.store.analysis import Analysis
from torchlsp.interp.store.recorded import Recording

ALLOWANCE = 2_000
"""Steps that the body of another file may spend on calls, whoever asks for it."""

MOMENTS = 1 << 24
"""Moments that each root has for itself: more operators than any may call."""

_OF_THE_RUN = frozenset(
    """statements expressions imports wanted_calls strict cancelled state recorder modules by_path refused frames frame steps limit
    allowance spent_on_modules pool lowest_pool pool_before is_limited silent buffers first_runs constants main costs_before
    costs_asked run_before run_asked base recording""".split()
)
"""Attributes of the interpreter that are no findings of a root: what runs, what it may cost, and other files."""

_OF_THE_ROOT = tuple(
    "recording allowance pool lowest_pool is_limited costs_before costs_asked run_before run_asked".split()
)
"""Those of them that do not hold while something runs for all roots."""

_GATHERED = ("faults", "grad_assumed_in", "dtype_assumed_in", "cast", "grad_modes", "scopes")
_NOT_GATHERED = frozenset({"faults", "module", "path", "errors", "stopped", "steps", "scopes", "recording"})
_FIRST_COUNTS = frozenset({"whole_models", "unguarded", "graph_breaks", "parts", "unfed"})
"""Of these the first answer for a place is kept."""


def _copied(value: Any) -> Any:
    """A container with its own entries; two levels of them, as `grad_modes` has."""
    kind = type(value)
    if kind is dict:
        if not value:
            return {}
        some = type(next(iter(value.values())))
        if some is set or some is list:
            return {key: some(held) for key, held in value.items()}
        return dict(value)
    if kind is set or kind is list:
        return kind(value)
    names = _HOLDERS.get(kind)
    if names is None:
        return value
    copy = kind.__new__(kind)
    for name in names:
        setattr(copy, name, _copied(getattr(value, name)))
    return copy


_HOLDERS = {
    kind: tuple(field.name for field in fields(kind))
    for kind in (Analysis, Progress, Watched, Kept, Unfilled, Calls)
}
"""What holds containers."""


def _new(own: Any, before: Any) -> Any:
    """What a container holds that it did not hold before."""
    kind = type(own)
    if kind is dict:
        return (
            {key: value for key, value in own.items() if before.get(key, own) is not value} if before else own
        )
    return own - before if kind is set else own[len(before) :]


@dataclass(slots=True)
class Found:
    """What one root has found, by the names of the containers."""

    of_run: dict[str, Any]
    of_analysis: dict[str, Any]
    needed: set
    unfilled: list
    unfollowed: int
    recording: Any
    stopped: list[str]
    errors: list[str]


class Base:
    """What the module's body has left in everything that each root has for itself."""

    def __init__(self, it) -> None:
        self.own = {name: value for name, value in vars(it).items() if name not in _OF_THE_RUN}
        self.is_in_use = False
        """Does something run for all roots just now?"""

    def begin(self, it, number: int) -> None:
        """Gives a root its own containers."""
        for name, value in self.own.items():
            setattr(it, name, _copied(value))
        it.graph.clock = MOMENTS * number
        if it.recording is not None:
            it.recording = it.recording.for_root()

    def end(self, it) -> Found:
        """What the root has found; its containers are gone."""
        analysis, base = it.analysis, self.own["analysis"]
        found = Found(
            {name: _new(getattr(it, name), self.own[name]) for name in _GATHERED},
            {name: _new(getattr(analysis, name), getattr(base, name)) for name in _CONTAINERS},
            it.graph.kept.needed - self.own["graph"].kept.needed,
            it.graph.unfilled.found[len(self.own["graph"].unfilled.found) :],
            analysis.unfollowed - base.unfollowed,
            it.recording,
            analysis.stopped[len(base.stopped) :],
            analysis.errors[len(base.errors) :],
        )
        self.restore(it)
        return found

    def restore(self, it) -> None:
        for name, value in self.own.items():
            setattr(it, name, value)
        if it.recording is not None:
            it.recording = it.recording.of_module or it.recording

    @contextmanager
    def for_all(self, it) -> Iterator[None]:
        """Inside, things run that stay done for every root: other files' bodies."""
        if self.is_in_use or it.analysis is self.own["analysis"]:
            yield
            return
        own = {name: getattr(it, name) for name in (*self.own, *_OF_THE_ROOT)}
        self.is_in_use = True
        self.restore(it)
        it.allowance, it.pool, it.costs_before, it.run_before = ALLOWANCE, 0, {}, set()
        it.costs_asked, it.run_asked = {}, {}
        try:
            yield
        finally:
            self.is_in_use = False
            for name, value in own.items():
                setattr(it, name, value)
            for name, value in self.own.items():
                _add_missing(own[name], value)

    def gathered(self, it, found: list[Found]) -> None:
        """Puts together, for the interpreter, what the roots have found."""
        self.restore(it)
        for name, value in self.own.items():
            if name in ("graph", "analysis") or name in _GATHERED:
                setattr(it, name, _copied(value))
        analysis = it.analysis
        for one in found:
            for name, new in one.of_run.items():
                if new:
                    _merge(name, getattr(it, name), new)
            for name, new in one.of_analysis.items():
                if new:
                    _merge(name, getattr(analysis, name), new)
            it.graph.kept.needed |= one.needed
            it.graph.unfilled.found += one.unfilled
            analysis.unfollowed += one.unfollowed
            analysis.stopped += one.stopped
            analysis.errors += one.errors
        if it.recording is not None:
            analysis.recording = Recording(it.recording, [one.recording for one in found])


_CONTAINERS = tuple(
    field.name for field in fields(Analysis) if field.name not in _NOT_GATHERED and field.name != "unfollowed"
)


def _add_missing(own: Any, base: Any) -> None:
    kind = type(own)
    if kind is not type(base):
        return
    if kind is dict:
        for key, value in base.items():
            own.setdefault(key, value)
    elif kind is set:
        own |= base
    else:
        for name in _HOLDERS.get(kind, ()):
            _add_missing(getattr(own, name), getattr(base, name))


def _merge(name: str, total: Any, new: Any) -> None:
    if type(new) is set:
        total |= new
    elif type(new) is list:
        total += new
    elif name == "faults":
        for key, fault in new.items():
            _take(total, key, fault)
    elif name == "grad_modes":
        for key, modes in new.items():
            total[key] = total.get(key, set()) | modes
    elif name == "bare_names":
        total.update({key: fault for key, fault in new.items() if total.get(key, fault) is not None})
    elif name == "by_hand":
        for key, one in new.items():
            known = total.get(key)
            total[key] = one if known is None else replace(one, owns=one.owns | known.owns)
    elif name in _FIRST_COUNTS:
        for key, value in new.items():
            total.setdefault(key, value)
    else:
        total.update(new)


def _take(total: dict, key: tuple, fault: Fault) -> None:
    """Of the same fault on several ways the one that assumes least counts, else the first."""
    known = total.get(key)
    if known is None or len(known.assumptions) > len(fault.assumptions):
        total[key] = fault
