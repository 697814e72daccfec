"""What the abstract interpreter finds out of one file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from torchlsp.facts import values as v
from torchlsp.facts.fault import Called, Fault
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import Value
from torchlsp.interp.state import Scope
from torchlsp.interp.trace import Item
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.by_hand import HandMade


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
    names: dict[tuple[int, int], Value] = field(default_factory=dict)
    values: dict[tuple[int, int], Value] = field(default_factory=dict)
    """What each expression of the file evaluates to, callees included, when that is recorded."""
    called: dict[tuple[int, int, bool], Value] = field(default_factory=dict)
    contents: dict[tuple[int, int, bool], Value] = field(default_factory=dict)
    """What visible calls make of each place, and what its list or dict holds (as a TupleValue, Repeated or DictValue), when
    that is recorded; by (start, end, whether something is bound there)."""
    made: dict[tuple[int, int], Called] = field(default_factory=dict)
    """The last call of an operator or a layer at each place, when that is recorded."""
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

    def release(self) -> None:
        """Lets go of the circles that the values are in: nobody looks into them any more."""
        for scope in self.scopes:
            for value in scope.variables.values():
                if type(value) is v.ClassValue:
                    value.order.clear()  # it begins with the class itself
            scope.variables.clear()
            scope.module = scope.parent = None
        self.scopes.clear()
