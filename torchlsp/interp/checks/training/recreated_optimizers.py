"""Detects optimizers that are created again in each iteration of a loop, which loses their state."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.values import OptimizerValue
from torchlsp.interp.model.trace_flow import Place, events, place
from torchlsp.interp.store.analysis import Analysis
from torchlsp.interp.store.trace import BranchItem, CallItem, Event, EventKind, Item, IterationItem, LoopItem

_NOTHING_KEPT = frozenset({"SGD", "LBFGS"})
"""SGD has no state without momentum, and LBFGS is often created for one step that does many."""
_RESET = frozenset({EventKind.LOADED, EventKind.WRITE})


def recreated_optimizers(analysis: Analysis) -> Iterator[Fault]:
    """Yields optimizers that each iteration of a loop creates and steps, for a model from outside the loop."""
    if not analysis.optimizers:
        return
    seen: set[Place] = set()
    for root in analysis.roots:
        for loop, outside in _loops(root.trace, frozenset()):
            for event, body in _made_in(loop):
                for ref, optimizer in analysis.optimizers.items():
                    if (
                        ref in event.subjects
                        and place(event) not in seen
                        and _has_state(analysis, optimizer)
                        and _is_from_outside(optimizer, outside, body)
                    ):
                        if any(
                            other.kind is EventKind.STEP and ref in other.subjects
                            for other in _straight(body)
                        ):
                            seen.add(place(event))
                            yield _fault(optimizer, event, loop)


def _fault(optimizer: OptimizerValue, event: Event, loop: LoopItem) -> Fault:
    name = optimizer.qualname.rpartition(".")[2]
    data = (("loop", loop), ("name", name))
    return Fault(FaultKind.RECREATED, event.start, event.end, optimizer.qualname, data, path=event.path)


def _loops(items: tuple[Item, ...], outside: frozenset[str]) -> Iterator[tuple[LoopItem, frozenset[str]]]:
    """Yields every loop, and what was certainly created before it."""
    for item in items:
        match item:
            case Event(kind=EventKind.MADE, subjects=subjects):
                outside |= subjects
            case LoopItem(body=body):
                yield item, outside
                yield from _loops(body, outside)
            case BranchItem(body=body, orelse=orelse):
                yield from _loops(body, outside)
                yield from _loops(orelse, outside)
            case CallItem(body=body) | IterationItem(body=body):
                yield from _loops(body, outside)
                outside |= {
                    ref for event in _straight(body) if event.kind is EventKind.MADE for ref in event.subjects
                }


def _made_in(loop: LoopItem) -> Iterator[tuple[Event, tuple[Item, ...]]]:
    """Yields what each iteration creates, and the iteration."""
    bodies = [item.body for item in loop.body if isinstance(item, IterationItem)] or [loop.body]
    for body in bodies[-1:]:
        for event in _straight(body):
            if event.kind is EventKind.MADE:
                yield event, body


def _straight(items: tuple[Item, ...]) -> Iterator[Event]:
    """Yields the events that every iteration has: not those of branches and of loops inside."""
    for item in items:
        match item:
            case Event():
                yield item
            case CallItem(body=body, conditional=False):
                yield from _straight(body)


def _has_state(analysis: Analysis, optimizer: OptimizerValue) -> bool:
    """Returns whether the optimizer keeps anything from one step to the next."""
    if optimizer.ref in analysis.with_momentum:
        return True
    return (
        optimizer.qualname.startswith("torch.optim.")
        and optimizer.qualname.rpartition(".")[2] not in _NOTHING_KEPT
    )


def _is_from_outside(optimizer: OptimizerValue, outside: frozenset[str], body: tuple[Item, ...]) -> bool:
    """Returns whether all iterations have the same model and nothing done to it requires a new optimizer."""
    owns = optimizer.owns
    inside = {ref for event in events(body) if event.kind is EventKind.MADE for ref in event.subjects}
    made = any(ref.startswith("layer@") for ref in inside)
    if owns is None and optimizer.unseen:  # the function's own argument, or one of several models
        return not made and not any(event.kind in _RESET for event in events(body))
    if not owns or not owns & outside or owns & inside:
        return False
    return not any(
        event.kind in _RESET or (event.kind is EventKind.UNKNOWN_CALL and event.subjects & owns)
        for event in events(body)
    )
