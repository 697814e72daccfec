"""Holds the result of analysing one file: faults, traces, calls and values."""

from __future__ import annotations

from typing import Any

from torchlsp.core.records import dataclass
from torchlsp.facts import values as v
from torchlsp.facts.fault import Called, Fault
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import Value
from torchlsp.interp.store.lifetimes import (
    StatesByClass,
    add,
    create_fields,
    extend,
    gathered,
    holder,
    last_wins,
    merge_by,
    of_run,
    union,
)
from torchlsp.interp.store.recorded import Recording
from torchlsp.interp.store.state import Scope
from torchlsp.interp.store.trace import Item
from torchlsp.program import ir


@dataclass(slots=True)
class Root:
    """One root, a function, method or module body that is analysed by itself, and its trace."""

    name: str
    start: int
    end: int
    trace: tuple[Item, ...]


@dataclass(slots=True)
class CallSite:
    """A resolved call of a name that a rule asks for, and its arguments."""

    name: str
    start: int
    end: int
    args: tuple[Value, ...]
    keywords: tuple[tuple[str, Value], ...]
    is_open: bool
    path: str


@holder
class Analysis:
    """The analysis of one file.  `stopped` names the functions whose analysis was given up, `errors` the internal errors.

    `unfollowed` counts the calls whose functions were not run because of their cost.
    """

    def __init__(self, path: str, module: ir.Module) -> None:
        create_fields(self)
        self.path, self.module = path, module

    faults: list[Fault] = of_run(list)
    roots: list[Root] = gathered(list, extend)
    recording: Recording | None = of_run(lambda: None)
    """The values of names and expressions, if they are recorded."""
    calls: list[CallSite] = gathered(list, extend)
    optimizers: dict[str, v.OptimizerValue] = gathered(dict, last_wins)
    with_momentum: set[str] = gathered(set, union)
    """Refs of the optimizers that are SGD with a momentum, which accumulates from step to step."""
    replicated: dict[tuple[str | None, int, int], frozenset[str]] = gathered(dict, merge_by(frozenset.union))
    """By call of DistributedDataParallel, the refs of the modules whose weights it makes equal on all ranks."""
    called_parameters: set[str] = gathered(set, union)
    """Names of parameters of functions that are called like modules."""
    schedulers: dict[str, str] = gathered(dict, last_wins)
    """By ref of a learning rate scheduler, its optimizer: a ref, or the name of an unknown one."""
    scalers: dict[str, tuple[Tri, bool]] = gathered(dict, last_wins)
    """By ref of a gradient scaler, whether it is enabled, and whether that depends on CUDA."""
    contradicted: list[str] = gathered(list, extend)
    """Arguments and attributes of which a recorded run has seen something else than the program says."""
    stopped: list[str] = gathered(list, extend)
    left_out: list[ir.Class | ir.Function] = of_run(list)
    """The roots that were not run, because those before them have spent all steps of the file."""
    errors: list[str] = gathered(list, extend)
    steps: int = of_run(int)
    unfollowed: int = gathered(int, add)
    scopes: list[Scope] = of_run(list)
    """The scopes of files and classes; they are in reference cycles, which `release` breaks."""
    states: StatesByClass = of_run(StatesByClass)
    """The state that checks keep of the run, by its class."""

    @property
    def names(self) -> dict[tuple[int, int], Value]:
        """The value bound at each place that binds a name."""
        return self._recorded("names")

    @property
    def values(self) -> dict[tuple[int, int], Value]:
        """The value of each expression of the file, callees included."""
        return self._recorded("values")

    @property
    def called(self) -> dict[tuple[int, int, bool], Value]:
        """The value that visible calls give each place, by (start, end, whether a name is bound there)."""
        return self._recorded("called")

    @property
    def contents(self) -> dict[tuple[int, int, bool], Value]:
        """The content of the list or dict at a place, as a TupleValue, Repeated or DictValue; keys as in `called`."""
        return self._recorded("contents")

    @property
    def counts(self) -> dict[tuple[int, int, bool], Value]:
        """The number of parameters of the module at a place, by (start, end, whether the function around it is analysed by itself)."""
        return self._recorded("counts")

    @property
    def created(self) -> dict[str, tuple[int, int]]:
        """The call in the file that has created each module of a class of the workspace, by its ref."""
        return self._recorded("created")

    @property
    def children(self) -> dict[tuple[int, int, bool], Value]:
        """The modules that the container at a place holds, as a TupleValue or DictValue; keys as in `counts`."""
        return self._recorded("children")

    @property
    def observed(self) -> dict[tuple[int, int, bool], Value]:
        """The value of each place where a function begins with what a recorded run has seen; keys as in `called`."""
        return self._recorded("observed")

    @property
    def observed_contents(self) -> dict[tuple[int, int, bool], Value]:
        """The content of the list or dict at such a place."""
        return self._recorded("observed_contents")

    @property
    def made(self) -> dict[tuple[int, int], Called]:
        """The last call of an operator or a layer at each place."""
        return self._recorded("made")

    def _recorded(self, name: str) -> dict[Any, Any]:  # of Recording, each with its own keys
        return {} if self.recording is None else getattr(self.recording, name)

    def release(self) -> None:
        """Breaks the reference cycles of the values, which nobody reads any more."""
        release(self.scopes)


def release(scopes: list[Scope]) -> None:
    """Empties the scopes of files and classes. The recorded values of places stay readable."""
    for scope in scopes:
        for value in scope.variables.values():
            if type(value) is v.ClassValue:
                value.order.clear()  # its first item is the class itself
        scope.variables.clear()
        scope.module = scope.parent = None  # type: ignore[assignment]  # nothing runs in it any more
    scopes.clear()
