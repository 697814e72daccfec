"""Holds the model of one layer and its optimizer for reproducers of training loops, and finds the items around events."""

from __future__ import annotations

from torchlsp.core.finding import Hangs, ProbeRequest, ProofFails, Raises
from torchlsp.facts.fault import Fault
from torchlsp.interp.store.trace import BranchItem, CallItem, Event, Item, IterationItem, LoopItem
from torchlsp.lint.reproducers.outline import Outline

TURNS = 3
BACKWARD = "model(torch.ones(1, 2)).sum().backward()"
MODEL_AND_OPTIMIZER = [
    "import torch",
    "",
    "model = torch.nn.Linear(2, 1)",
    "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)",
]


def loop_request(
    outline: Outline,
    items: tuple[Item, ...],
    repeated: bool,
    head: list[str],
    proof: list[str],
    expect: Raises | ProofFails | Hangs,
    fault: Fault,
) -> ProbeRequest:
    """Makes the request of a program that runs the items, once or repeated as in a loop."""
    lines = outline.called("run", outline.loop(items, TURNS if repeated else 1))
    program, flag = outline.rendered([*head, *outline.head()], lines, proof)
    return ProbeRequest(
        program=program, expect=expect, flag=flag, assignments=outline.assignments(), assumes=tuple(sorted(fault.assumptions)),
        guesses=outline.guesses,
    )  # fmt: skip


def innermost_around(items: tuple[Item, ...], events: tuple[Event, ...]) -> tuple[tuple[Item, ...], bool]:
    """Finds the innermost items that hold all the events, and whether a loop repeats them."""
    for item in items:
        match item:
            case LoopItem(body=body):
                if holds(body, events):
                    inner, repeated = innermost_around(body, events)
                    return inner, repeated or not all(isinstance(one, IterationItem) for one in body)
            case CallItem(body=body) | IterationItem(body=body):
                if holds(body, events):
                    return innermost_around(body, events)
            case BranchItem(body=body, orelse=orelse):
                for arm in (body, orelse):
                    if holds(arm, events):
                        return innermost_around(arm, events)
    return items, False


def holds(items: tuple[Item, ...], events: tuple[Event, ...]) -> bool:
    """Returns whether the items hold all the events."""
    return all(_has(items, event) for event in events)


def _has(items: tuple[Item, ...], event: Event) -> bool:
    for item in items:
        match item:
            case Event() if is_same_place(item, event):
                return True
            case BranchItem(body=body, orelse=orelse) if _has(body, event) or _has(orelse, event):
                return True
            case LoopItem(body=body) | CallItem(body=body) | IterationItem(body=body) if _has(body, event):
                return True
    return False


def is_same_place(event: Event, other: Event) -> bool:
    """Returns whether two events are one place of the program. A call that runs several times leaves one each
    time."""
    return (event.kind, event.path, event.start, event.end) == (
        other.kind,
        other.path,
        other.start,
        other.end,
    )
