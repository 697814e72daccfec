"""What the abstract interpreter finds out of one file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from torchlsp.facts import values as v
from torchlsp.facts.fault import Called, Fault
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import Value
from torchlsp.interp.store.recorded import Recording
from torchlsp.interp.store.state import Scope
from torchlsp.interp.store.trace import Item
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.checks.training.manual_updates import HandMade


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


@dataclass(slots=True)
class Analysis:
    """What is known of one file.  `stopped` are names of functions whose analysis was given up, `errors` internal ones.

    `unfollowed`: calls whose functions were not run because that would have cost too much.
    """

    path: str
    faults: list[Fault] = field(default_factory=list)
    roots: list[Root] = field(default_factory=list)
    recording: Recording | None = None
    """What names and expressions are, where that is recorded."""
    calls: list[CallSite] = field(default_factory=list)
    optimizers: dict[str, v.OptimizerValue] = field(default_factory=dict)
    with_momentum: set[str] = field(default_factory=set)
    """Those of them that are SGD and were given a momentum, which gathers something from step to step."""
    by_hand: dict[str, HandMade] = field(default_factory=dict)
    module: ir.Module | None = None
    rank_options: dict[tuple[int, int], str] = field(default_factory=dict)
    """Options of the command line for a rank, by the place of the call that adds them."""
    layers: dict[str, v.LayerValue] = field(default_factory=dict)
    """Layers that depend on the mode and are called, by their refs."""
    samplers: dict[str, v.SamplerValue] = field(default_factory=dict)
    loaders: dict[str, Any] = field(default_factory=dict)  # those without a sampler, of `unsharded`
    snapshots: dict[tuple[str, int], Any] = field(default_factory=dict)  # of `snapshots`
    shared_items: dict[str, tuple[str, int, int]] = field(default_factory=dict)
    """Where each list was made that holds one tensor several times, by ref."""
    replicated: dict[tuple[str | None, int, int], frozenset[str]] = field(default_factory=dict)
    """Refs of the modules that each call of DistributedDataParallel has made the same on all ranks."""
    called_parameters: set[str] = field(default_factory=set)  # those that are called as modules are, by name
    schedulers: dict[str, str] = field(default_factory=dict)
    """The optimizer (its ref, or the name of an unseen one) of each learning rate scheduler, by the scheduler's ref."""
    held_as: dict[str, str] = field(default_factory=dict)
    """What the model of each optimizer is called where that was made, by ref."""
    bare_names: dict[tuple, Fault | None] = field(default_factory=dict)  # of `dotted_names`
    parts: dict[str, Any] = field(default_factory=dict)  # of `dead_parts`, by the ref of the class
    unfed: dict[str, Any] = field(default_factory=dict)  # of `unfed`
    whole_models: dict[tuple, Any] = field(default_factory=dict)  # of `whole_models`
    graph_breaks: dict[tuple, Any] = field(default_factory=dict)  # of `graph_breaks`
    host_reads: set[tuple] = field(default_factory=set)  # of `host_syncs`
    unguarded: dict[tuple, Any] = field(default_factory=dict)  # of `main_guards`
    scalers: dict[str, tuple[Tri, bool]] = field(default_factory=dict)
    """Of each gradient scaler whether it is enabled, and whether that needs CUDA, by its ref."""
    stopped: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    steps: int = 0
    unfollowed: int = 0
    scopes: list[Scope] = field(default_factory=list)
    """Names of files and classes, which hold what holds them."""

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
