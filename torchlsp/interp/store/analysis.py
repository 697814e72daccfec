"""What the abstract interpreter finds out of one file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from torchlsp.facts import values as v
from torchlsp.facts.fault import Called, Fault
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import Value
from torchlsp.interp.store.lifetimes import (
    RunningStates,
    add,
    create_fields,
    extend,
    gathered,
    holder,
    last_wins,
    of_run,
    union,
)
from torchlsp.interp.store.recorded import Recording
from torchlsp.interp.store.state import Scope
from torchlsp.interp.store.trace import Item
from torchlsp.program import ir


@dataclass(slots=True)
class Root:
    """One function, method or module body analysed for itself, and its trace."""

    name: str
    start: int
    end: int
    trace: tuple[Item, ...]


@dataclass(slots=True)
class CallSite:
    """A resolved call of a name that a rule asked for, taken apart."""

    name: str
    start: int
    end: int
    args: tuple[Value, ...]
    keywords: tuple[tuple[str, Value], ...]
    is_open: bool
    path: str


@holder
class Analysis:
    """What is known of one file.  `stopped` are names of functions whose analysis was given up, `errors` internal ones.

    `unfollowed`: calls whose functions were not run because that would have cost too much.
    """

    def __init__(self, path: str, module: ir.Module) -> None:
        create_fields(self)
        self.path, self.module = path, module

    faults: list[Fault] = of_run(list)
    roots: list[Root] = gathered(list, extend)
    recording: Recording | None = of_run(lambda: None)
    """What names and expressions are, where that is recorded."""
    calls: list[CallSite] = gathered(list, extend)
    optimizers: dict[str, v.OptimizerValue] = gathered(dict, last_wins)
    with_momentum: set[str] = gathered(set, union)
    """Those of them that are SGD and were given a momentum, which accumulates from step to step."""
    replicated: dict[tuple[str | None, int, int], frozenset[str]] = gathered(dict, last_wins)
    """Refs of the modules that each call of DistributedDataParallel has made the same on all ranks."""
    called_parameters: set[str] = gathered(set, union)
    """Names of parameters of functions that are called as modules are."""
    schedulers: dict[str, str] = gathered(dict, last_wins)
    """The optimizer (its ref, or the name of an unknown one) of each learning rate scheduler, by the scheduler's ref."""
    scalers: dict[str, tuple[Tri, bool]] = gathered(dict, last_wins)
    """Of each gradient scaler whether it is enabled, and whether that needs CUDA, by its ref."""
    stopped: list[str] = gathered(list, extend)
    errors: list[str] = gathered(list, extend)
    steps: int = of_run(int)
    unfollowed: int = gathered(int, add)
    scopes: list[Scope] = of_run(list)
    """Names of files and classes, which hold what holds them."""
    states: RunningStates = of_run(RunningStates)
    """What the checks have kept of the run, by the class of the state."""

    @property
    def names(self) -> dict[tuple[int, int], Value]:
        """What is bound at each place where something is."""
        return self._recorded("names")

    @property
    def values(self) -> dict[tuple[int, int], Value]:
        """What each expression of the file evaluates to, callees included."""
        return self._recorded("values")

    @property
    def called(self) -> dict[tuple[int, int, bool], Value]:
        """What visible calls make of each place, by (start, end, whether something is bound there)."""
        return self._recorded("called")

    @property
    def contents(self) -> dict[tuple[int, int, bool], Value]:
        """What the list or dict at a place holds, as a TupleValue, Repeated or DictValue; by the same."""
        return self._recorded("contents")

    @property
    def made(self) -> dict[tuple[int, int], Called]:
        """The last call of an operator or a layer at each place."""
        return self._recorded("made")

    def _recorded(self, name: str) -> dict[Any, Any]:
        return {} if self.recording is None else getattr(self.recording, name)

    def release(self) -> None:
        """Lets go of the circles that the values are in: nobody looks into them any more."""
        release(self.scopes)


def release(scopes: list[Scope]) -> None:
    """Empties the names of files and classes. What a place holds can still be told after it."""
    for scope in scopes:
        for value in scope.variables.values():
            if type(value) is v.ClassValue:
                value.order.clear()  # it begins with the class itself
        scope.variables.clear()
        scope.module = scope.parent = None
    scopes.clear()
