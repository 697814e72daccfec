"""Reports loaders that give every rank the whole dataset, while the ranks train one model together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlsp.core.records import dataclass
from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import Origin
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import Value
from torchlsp.interp.checks.hooks import Hooks
from torchlsp.interp.model import classes, rank_usage
from torchlsp.interp.model.trace_flow import events
from torchlsp.interp.store.lifetimes import gathered, last_wins, running_state
from torchlsp.interp.store.trace import (
    BranchItem,
    CallItem,
    Event,
    EventKind,
    Exit,
    Item,
    IterationItem,
    LoopItem,
)
from torchlsp.program import ir
from torchlsp.program.walking import module_nodes

if TYPE_CHECKING:
    from torchlsp.interp.store.analysis import Analysis
    from torchlsp.interp.store.evaluator import Evaluator
    from torchlsp.ops.signature import Arguments


_DDP = "DistributedDataParallel"
_BASES = frozenset({"torch.utils.data.Dataset", "typing.Generic", "abc.ABC", "object"})
"""External bases of a dataset that do not depend on ranks."""


@dataclass(frozen=True, slots=True)
class Unsharded:
    """A loader without a sampler over a known dataset."""

    origin: Origin
    shuffles: bool


@running_state
class UnshardedLoaders:
    """Loaders without a sampler, by ref."""

    loaders: dict[str, Unsharded] = gathered(dict, last_wins)


def record_loader(
    it: Evaluator,
    loader: v.LoaderValue,
    given: dict[str, Value],
    element: Value,
    arguments: Arguments,
    node: ir.Node,
) -> None:
    """Records a new loader without a sampler over a known dataset."""
    if arguments.is_open or it.frame.module is not it.main:
        return
    if given.get("sampler", v.NONE) != v.NONE or given.get("batch_sampler", v.NONE) != v.NONE:
        return
    if not _is_known(it, given.get("dataset")):
        return
    origin = Origin(node.start, node.end, "DataLoader", (), it.frame.module.path)
    it.states[UnshardedLoaders].loaders[loader.ref] = Unsharded(origin, given.get("shuffle") == v.TRUE)


def _is_known(it: Evaluator, dataset: Value | None) -> bool:
    """Returns whether certainly no code outside of the file chooses the samples of the dataset."""
    match dataset:
        case v.DatasetValue() | v.ListRef() | v.TupleValue() | v.Repeated():
            return True
        case v.InstanceValue(cls=cls):
            return all(
                getattr(base.scope, "module", None) is it.main
                if isinstance(base, v.ClassValue)
                else _name(base) in _BASES
                for base in classes.mro(cls)
            )
    return False


def _name(base: Value) -> str:
    return base.name if isinstance(base, v.External) else ""


def record_iteration(it: Evaluator, value: Value, node: ir.Node) -> None:
    """Records an iteration of such a loader from its first batch on."""
    if type(value) is not v.LoaderValue or value.ref not in it.states[UnshardedLoaders].loaders:
        return
    if it.state.modes["grad"] is Tri.NO or it.state.modes["inference"] is Tri.YES:
        return  # nothing is trained here: all ranks may evaluate the model on all samples
    it.recorder.add(Event(
        EventKind.WHOLE, node.start, node.end, frozenset({value.ref}), path=it.frame.module.path,
    ))  # fmt: skip


def find_unsharded_loaders(analysis: Analysis) -> Iterator[Fault]:
    """Yields the loaders without a sampler on which a model in DistributedDataParallel is trained."""
    if (
        not analysis.states[UnshardedLoaders].loaders
        or analysis.module is None
        or not rank_usage.leaves_data_alone(analysis.module)
    ):
        return
    seen: set[str] = set()
    for root in analysis.roots:
        kinds = {event.kind for event in events(root.trace)}
        if EventKind.WHOLE not in kinds:
            continue
        trains = bool(kinds & {EventKind.BACKWARD, EventKind.EVAL, EventKind.STEP})
        for load in _LoaderWalk(trains).loads(root.trace):
            (ref,) = load.subjects
            if ref not in seen:
                seen.add(ref)
                loader = analysis.states[UnshardedLoaders].loaders[ref]
                data = (
                    ("load", load),
                    ("shuffles", loader.shuffles),
                    ("named", _names_sampler(analysis.module)),
                )
                made_at = loader.origin
                yield Fault(
                    FaultKind.UNSHARDED, made_at.start, made_at.end, "torch.utils.data.DataLoader", data,
                    path=made_at.path,
                )  # fmt: skip


def _names_sampler(module: ir.Module) -> bool:
    """Returns whether DistributedSampler is imported under its own name."""
    return any(
        attribute == "DistributedSampler" and bound == attribute
        for node in module_nodes(module)
        if isinstance(node, ir.Import)
        for bound, _, attribute in node.names
    )


class _LoaderWalk:
    """Follows a trace.  `wrapped`: the model is certainly in DistributedDataParallel now."""

    def __init__(self, trains: bool) -> None:
        self.trains = trains
        self.wrapped = False
        self.some = False  # only some ranks reach this

    def loads(self, items: tuple[Item, ...]) -> Iterator[Event]:
        """Yields the iterations of loaders on which the model is trained."""
        for item in items:
            match item:
                case Event(kind=EventKind.COLLECTIVE, name=name) if name == _DDP:
                    self.wrapped = not self.some
                case Event(kind=EventKind.WHOLE) if self.wrapped and not self.some and not self.trains:
                    yield item  # the use of the samples is unknown
                case LoopItem(body=body):
                    before = self.wrapped
                    yield from self.loads(body)
                    self.wrapped = before
                case IterationItem(body=body) | CallItem(body=body):
                    yield from self.loads(body)
                case BranchItem(body=body, orelse=orelse, condition=condition):
                    ranked = condition is not None and condition.kind == "rank"
                    yield from self._arms(body, orelse, ranked)
            if self.trains and self.wrapped and not self.some:
                yield from _trained_on(item, items)

    def _arms(self, body: tuple[Item, ...], orelse: tuple[Item, ...], ranked: bool) -> Iterator[Event]:
        before, some = self.wrapped, self.some
        after: list[bool] = []
        for arm in (body, orelse):
            self.wrapped, self.some = before, some or ranked
            yield from self.loads(arm)
            leaves = bool(arm) and isinstance(arm[-1], Exit)
            if not leaves:
                after.append(self.wrapped)
        self.wrapped = bool(after) and all(after)
        self.some = some or (ranked and len(after) < 2)


def _trained_on(item: Item, items: tuple[Item, ...]) -> Iterator[Event]:
    """Yields the loader of a loop whose iterations train a model in DistributedDataParallel."""
    if not isinstance(item, LoopItem):
        return
    inside = list(events(item.body))
    reduces = any(
        event.kind is EventKind.COLLECTIVE and event.hidden and event.name in ("forward", "backward")
        for event in inside
    )
    if not reduces or not any(event.kind is EventKind.BACKWARD for event in inside):
        return
    for event in items:
        if not isinstance(event, Event) or event.kind is not EventKind.WHOLE or event.path != item.path:
            continue
        if item.start <= event.start and event.end <= item.header_end:
            yield event


HOOKS = Hooks(loader_created=record_loader)
