"""Training loops as small programs: what happens to one optimizer's gradients, on a model of one layer.

Every backward call adds exactly 1 to the gradient of the model's first weight, whatever the weights are; so the gradient
says how many calls are in it.
"""

from __future__ import annotations

from collections.abc import Callable

from torchlsp.core.finding import ProbeRequest, ProofFails
from torchlsp.interp.checks.training.gradient_clearing import EarlyClear, GradientOwner, MissingClear
from torchlsp.interp.store.trace import BranchItem, CallItem, Event, EventKind, Item, IterationItem, LoopItem
from torchlsp.lint.replay_outline import Line, Lines, Outline, Unreplayable

_TURNS = 3
_HEAD = [
    "import torch",
    "",
    "model = torch.nn.Linear(2, 1)",
    "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)",
    "model(torch.ones(1, 2)).sum().backward()",
    "optimizer.zero_grad(set_to_none=False)  # now there are gradients, of 0",
]
_GRADIENT = "model.weight.grad[0, 0]"


def of_missing_clear(found: MissingClear) -> ProbeRequest:
    """The loop, run three times: does a step work on gradients of backward calls before the last step?"""
    assert found.watched is not None
    watched = found.watched

    def of_event(event: Event) -> Lines:
        match _kind(event, watched):
            case EventKind.BACKWARD:
                flagged = _is(event, found.backward)
                return [
                    Line("model(torch.ones(1, 2)).sum().backward()", True, flagged),
                    Line("fresh.add_(1)"),
                ]
            case EventKind.ZERO_GRAD:
                return [Line("optimizer.zero_grad(set_to_none=False)", True), Line("fresh.zero_()")]
            case EventKind.STEP:
                kept = Line(f"stale.add_({_GRADIENT} - fresh)")
                return [kept, Line("optimizer.step()", True), Line("fresh.zero_()")]
        return []

    counters = [
        "fresh = torch.zeros(())  # backward calls since the last step, as far as not cleared",
        "stale = torch.zeros(())  # what steps found beyond these",
        "",
    ]
    proof = ["", 'assert stale == 0, "a step was taken on gradients that an earlier step had already used"']
    return _request(
        of_event, lambda outline: outline.loop(found.loop.body, _TURNS), counters, proof, found.assumptions
    )


def of_early_clear(found: EarlyClear) -> ProbeRequest:
    """Backward, clear and step, with what is around all three: does the step find gradients?"""
    assert found.watched is not None
    watched = found.watched
    items, repeated = _around(found.trace, (found.backward, found.clear, found.step))

    def of_event(event: Event) -> Lines:
        match _kind(event, watched):
            case EventKind.BACKWARD:
                return [Line("model(torch.ones(1, 2)).sum().backward()", True), Line("made.add_(1)")]
            case EventKind.ZERO_GRAD:
                return [Line("optimizer.zero_grad(set_to_none=False)", True, _is(event, found.clear))]
            case EventKind.STEP:
                asked = [Line(f"lost.add_(made * ({_GRADIENT} == 0))")] if _is(event, found.step) else []
                return [*asked, Line("optimizer.step()", True), Line("made.zero_()")]
        return []

    counters = [
        "made = torch.zeros(())  # backward calls since the last step",
        "lost = torch.zeros(())  # those of which a step found nothing",
        "",
    ]
    proof = ["", 'assert lost == 0, "a step found no gradients although backward had made some"']
    turns = _TURNS if repeated else 1
    return _request(of_event, lambda outline: outline.loop(items, turns), counters, proof, frozenset())


def _request(
    of_event: Callable[[Event], Lines],
    body: Callable[[Outline], Lines],
    counters: list[str],
    proof: list[str],
    assumptions: frozenset[str],
) -> ProbeRequest:
    outline = Outline(of_event)
    lines = outline.called("run", body(outline))
    program, flag = outline.rendered([*_HEAD, *counters, *outline.head()], lines, proof)
    return ProbeRequest(
        program=program,
        expect=ProofFails(),
        flag=flag,
        assignments=outline.assignments(),
        assumes=tuple(sorted(assumptions)),
        guesses=outline.guesses,
    )


def _kind(event: Event, watched: GradientOwner) -> EventKind | None:
    """What an event does to the gradients; None where it leaves them alone. Raises where that is not certain."""
    match event.kind:
        case EventKind.BACKWARD:
            if event.name == "inputs":
                raise Unreplayable("which gradients backward makes")
            return EventKind.BACKWARD
        case EventKind.STEP | EventKind.UNSEEN_STEP if watched.ref in event.subjects:
            if event.name == "closure":
                raise Unreplayable("what the step does with its closure")
            return EventKind.STEP
        case EventKind.ZERO_GRAD if watched.clears(event):
            if not watched.clears_all(event):
                raise Unreplayable("which gradients are cleared")
            return EventKind.ZERO_GRAD
        case EventKind.MADE if watched.makes(event):
            return EventKind.ZERO_GRAD
        case EventKind.UNKNOWN_CALL if watched.may_touch(event):
            raise Unreplayable("what an unknown function does to the gradients")
    return None


def _around(items: tuple[Item, ...], events: tuple[Event, ...]) -> tuple[tuple[Item, ...], bool]:
    """The innermost items that hold all the events, and whether a loop repeats them."""
    for item in items:
        match item:
            case LoopItem(body=body):
                if _holds(body, events):
                    inner, repeated = _around(body, events)
                    return inner, repeated or not all(isinstance(one, IterationItem) for one in body)
            case CallItem(body=body) | IterationItem(body=body):
                if _holds(body, events):
                    return _around(body, events)
            case BranchItem(body=body, orelse=orelse):
                for arm in (body, orelse):
                    if _holds(arm, events):
                        return _around(arm, events)
    return items, False


def _holds(items: tuple[Item, ...], events: tuple[Event, ...]) -> bool:
    return all(_has(items, event) for event in events)


def _has(items: tuple[Item, ...], event: Event) -> bool:
    for item in items:
        match item:
            case Event() if _is(item, event):
                return True
            case BranchItem(body=body, orelse=orelse) if _has(body, event) or _has(orelse, event):
                return True
            case LoopItem(body=body) | CallItem(body=body) | IterationItem(body=body) if _has(body, event):
                return True
    return False


def _is(event: Event, other: Event) -> bool:
    """Are these one place of the program? A call that is run several times leaves an event each time."""
    return (event.kind, event.path, event.start, event.end) == (
        other.kind,
        other.path,
        other.start,
        other.end,
    )
