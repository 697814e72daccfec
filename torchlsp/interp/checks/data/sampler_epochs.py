"""Reports distributed samplers without `set_epoch`: they give the same order in every epoch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import Value
from torchlsp.interp.checks.data import main_guards
from torchlsp.interp.checks.distributed import unsharded_loaders
from torchlsp.interp.model import trace_flow
from torchlsp.interp.store.lifetimes import gathered, last_wins, running_state
from torchlsp.interp.store.trace import BranchItem, CallItem, Event, EventKind, Item, IterationItem, LoopItem
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.analysis import Analysis
    from torchlsp.interp.store.evaluator import Evaluator


_NAME = "torch.utils.data.DistributedSampler"
_BIT_BY_BIT = "in a generator"
"""The name of an iteration that runs while another loop takes what it yields."""


@running_state
class Samplers:
    """Distributed samplers, by ref."""

    samplers: dict[str, v.SamplerValue] = gathered(dict, last_wins)


def record_iteration(it: Evaluator, value: Value, node: ir.Node) -> None:
    """Records an iteration of a loader from its first batch on."""
    main_guards.record_worker_start(it, value, node)
    sampler = value.sampler if type(value) is v.LoaderValue else None
    if sampler is None:
        unsharded_loaders.record_iteration(it, value, node)
        return
    if sampler.qualname != _NAME or sampler.shuffles is not Tri.YES:
        return
    if it.state.modes["grad"] is Tri.NO or it.state.modes["inference"] is Tri.YES:
        return  # nothing is trained here, so the order does not matter
    it.states[Samplers].samplers[sampler.ref] = sampler
    function = it.frame.function
    it.recorder.add(Event(
        EventKind.LOAD, node.start, node.end, frozenset({sampler.ref}), path=it.frame.module.path, label=_label(node),
        name=_BIT_BY_BIT if function is not None and function.is_generator else "",
    ))  # fmt: skip


def _label(node: ir.Node) -> str:
    """Returns the loader as the user writes it: a name or an attribute, perhaps as the first argument of `enumerate`, `tqdm`."""
    while type(node) is ir.Call and node.args:
        node = node.args[0]
    parts: list[str] = []
    while type(node) is ir.Attribute:
        parts.append(node.name)
        node = node.object
    return ".".join([node.id, *reversed(parts)]) if type(node) is ir.Name else ""


def record_set_epoch(it: Evaluator, receiver: Value, node: ir.Node) -> None:
    """Records `sampler.set_epoch(…)` of a known or unknown sampler."""
    subjects: frozenset[str] = frozenset()
    if isinstance(receiver, v.SamplerValue):
        subjects = frozenset({receiver.ref})
    it.recorder.add(Event(EventKind.EPOCH, node.start, node.end, subjects, path=it.frame.module.path))


def find_loops_without_set_epoch(analysis: Analysis) -> Iterator[Fault]:
    """Yields the loops that iterate a loader repeatedly without calling `set_epoch` of its sampler."""
    seen: set[tuple[str | None, int]] = set()
    for root in analysis.roots:
        for loop in _loops(root.trace):
            for load, near in _loads(loop.body, True):
                (ref,) = load.subjects
                key = (load.path, load.start)
                if _is_header(loop, load) or key in seen or ref not in analysis.states[Samplers].samplers:
                    continue
                begun = root.trace if load.name == _BIT_BY_BIT else ()
                if _sets_epoch(begun, ref) or not _repeats(loop, load, ref):
                    continue
                seen.add(key)
                data = (
                    ("sampler", analysis.states[Samplers].samplers[ref].origin),
                    ("loop", loop),
                    ("label", load.label),
                    ("near", near and loop.path == load.path),
                )
                yield Fault(FaultKind.SAMPLER_EPOCH, load.start, load.end, _NAME, data, path=load.path)


def _repeats(loop: LoopItem, load: Event, ref: str) -> bool:
    """Returns whether every iteration of the loop gets the same order and trains on it."""
    events = list(trace_flow.events(loop.body))
    if _sets_epoch(loop.body, ref):
        return False
    for event in events:
        if event.kind in (EventKind.MADE, EventKind.UNKNOWN_CALL) and ref in event.subjects:
            return False
    trains = any(event.kind is EventKind.BACKWARD for event in events)
    evaluates = any(event.kind is EventKind.EVAL for event in events)
    if not trains and not evaluates:
        return True  # the use of the samples is unknown
    return any(
        _is_header(inner, load)
        and any(other.kind is EventKind.BACKWARD for other in trace_flow.events(inner.body))
        for inner in _loops(loop.body)
    )


def _sets_epoch(items: tuple[Item, ...], ref: str) -> bool:
    """Returns whether `set_epoch` is called somewhere, of this sampler or of one that is not known."""
    return any(
        event.kind is EventKind.EPOCH and (not event.subjects or ref in event.subjects)
        for event in trace_flow.events(items)
    )


def _is_header(loop: LoopItem, load: Event) -> bool:
    """Returns whether the loader is iterated by this loop itself."""
    return loop.path == load.path and loop.start <= load.start and load.end <= loop.header_end


def _loops(items: tuple[Item, ...]) -> Iterator[LoopItem]:
    """Yields all loops, inner ones first."""
    for item in items:
        match item:
            case LoopItem(body=body):
                yield from _loops(body)
                yield item
            case BranchItem(body=body, orelse=orelse):
                yield from _loops(body)
                yield from _loops(orelse)
            case CallItem(body=body) | IterationItem(body=body):
                yield from _loops(body)


def _loads(items: tuple[Item, ...], near: bool) -> Iterator[tuple[Event, bool]]:
    """Yields the iterations of loaders, each with whether it is in the running function itself."""
    for item in items:
        match item:
            case Event(kind=EventKind.LOAD):
                yield item, near
            case LoopItem(body=body) | IterationItem(body=body):
                yield from _loads(body, near)
            case CallItem(body=body):
                yield from _loads(body, False)
            case BranchItem(body=body, orelse=orelse):
                yield from _loads(body, near)
                yield from _loads(orelse, near)
