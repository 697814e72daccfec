"""Reproduces training loops: the gradients of one optimizer, and the mode of the model.

Every backward call adds exactly 1 to the gradient of the model's first weight, whatever the weights are; so the gradient
says how many calls are in it (gradient reproducers only; the mode reproducers use another model).

The `proof` of a program is its last assertion, which is expected to fail: `ProofFails`.
"""

from __future__ import annotations

from collections.abc import Callable

from torchlsp.core.finding import ProbeRequest, ProofFails
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.interp.checks.training.gradient_clearing import EarlyClear, GradientOwner, MissingClear
from torchlsp.interp.store.trace import CallItem, Event, EventKind
from torchlsp.lint.reproducers.outline import Line, Lines, NotReproducible, Outline, Reproducer
from torchlsp.lint.reproducers.training.one_layer_model import (
    BACKWARD,
    MODEL_AND_OPTIMIZER,
    TURNS,
    innermost_around,
    is_same_place,
    loop_request,
)

_HEAD = [
    *MODEL_AND_OPTIMIZER,
    "model(torch.ones(1, 2)).sum().backward()",
    "optimizer.zero_grad(set_to_none=False)  # now there are gradients, of 0",
]
_GRADIENT = "model.weight.grad[0, 0]"


# `missing_clear` and `early_clear` are called by `reproducers.reproducer`; the others are entries of OF_KIND


def missing_clear(found: MissingClear) -> ProbeRequest:
    """Reproduces the loop, run three times, to see whether a step uses gradients of backward calls before the
    last step."""
    assert found.watched is not None
    watched = found.watched

    def of_event(event: Event) -> Lines:
        match _effect_on_gradients(event, watched):
            case EventKind.BACKWARD:
                flagged = is_same_place(event, found.backward)
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
    loop, body = found.loop, found.loop.body
    if loop.called:  # its returns end one iteration
        body = (CallItem(loop.start, loop.end, loop.called, body, loop.path),)
    proof = ["", 'assert stale == 0, "a step was taken on gradients that an earlier step had already used"']
    return _gradient_request(
        of_event, lambda outline: outline.loop(body, TURNS), counters, proof, found.assumptions
    )


def early_clear(found: EarlyClear) -> ProbeRequest:
    """Reproduces backward, clear and step, with the code around them, to see whether the step finds
    gradients."""
    assert found.watched is not None
    watched = found.watched
    items, repeated = innermost_around(found.trace, (found.backward, found.clear, found.step))

    def of_event(event: Event) -> Lines:
        match _effect_on_gradients(event, watched):
            case EventKind.BACKWARD:
                return [Line("model(torch.ones(1, 2)).sum().backward()", True), Line("made.add_(1)")]
            case EventKind.ZERO_GRAD:
                return [
                    Line("optimizer.zero_grad(set_to_none=False)", True, is_same_place(event, found.clear))
                ]
            case EventKind.STEP:
                asked = (
                    [Line(f"lost.add_(made * ({_GRADIENT} == 0))")]
                    if is_same_place(event, found.step)
                    else []
                )
                return [*asked, Line("optimizer.step()", True), Line("made.zero_()")]
        return []

    counters = [
        "made = torch.zeros(())  # backward calls since the last step",
        "lost = torch.zeros(())  # backward calls whose gradients were gone at the step",
        "",
    ]
    proof = ["", 'assert lost == 0, "a step found no gradients although backward had made some"']
    turns = TURNS if repeated else 1
    return _gradient_request(
        of_event, lambda outline: outline.loop(items, turns), counters, proof, frozenset()
    )


def _gradient_request(
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


def _effect_on_gradients(event: Event, watched: GradientOwner) -> EventKind | None:
    """Returns what an event does to the gradients; None for nothing. Raises where that is not certain."""
    match event.kind:
        case EventKind.BACKWARD:
            if event.name == "inputs":
                raise NotReproducible("which gradients backward makes")
            return EventKind.BACKWARD
        case EventKind.STEP | EventKind.UNSEEN_STEP if watched.ref in event.subjects:
            if event.name == "closure":
                raise NotReproducible("what the step does with its closure")
            return EventKind.STEP
        case EventKind.ZERO_GRAD if watched.clears(event):
            if not watched.clears_all(event):
                raise NotReproducible("which gradients are cleared")
            return EventKind.ZERO_GRAD
        case EventKind.MADE if watched.makes(event):
            return EventKind.ZERO_GRAD
        case EventKind.UNKNOWN_CALL if watched.may_touch(event):
            raise NotReproducible("what an unknown function does to the gradients")
    return None


def _never_stepped(fault: Fault) -> ProbeRequest:
    """Reproduces the loop on a one-layer model and asserts that its weights change."""
    flagged = fault["event"]

    def of_event(event: Event) -> Lines:
        match event.kind:
            case EventKind.BACKWARD:
                return [Line(BACKWARD, True, is_same_place(event, flagged))]
            case EventKind.ZERO_GRAD:
                return [Line("optimizer.zero_grad()", True)]
            case EventKind.STEP if not event.name:
                return [Line("optimizer.step()", True, is_same_place(event, flagged))]
        return []

    head = [*MODEL_AND_OPTIMIZER, "start = model.weight.detach().clone()", ""]
    proof = ["", 'assert not torch.equal(model.weight, start), "the weights have not changed"']
    return loop_request(Outline(of_event), fault["loop"].body, True, head, proof, ProofFails(), fault)


_DIFFERENCE_OF_TWO_CALLS = "(model(torch.ones(4, 64)) - model(torch.ones(4, 64))).abs().sum().detach()"
_BATCHES_SEEN = "model[1].num_batches_tracked.float()"


def _evaluated_in_training(fault: Fault) -> ProbeRequest:
    """Reproduces the calls and asserts that a layer keeps its statistics, or gives equal results."""
    norm = "BatchNorm" in fault["layer"].qualname
    call = (
        ["model(torch.ones(4, 64))", f"change.copy_({_BATCHES_SEEN})"]
        if norm
        else [f"change.copy_({_DIFFERENCE_OF_TWO_CALLS})"]
    )
    proof = 'assert change == 0, "the result depends on training mode"'
    return _mode_request(fault, call, proof, norm)


def _trained_in_evaluation(fault: Fault) -> ProbeRequest:
    """Reproduces the loop and asserts that the layer is in training mode in the last iteration."""
    norm = "BatchNorm" in fault["layer"].qualname
    before = [f"change.copy_(-{_BATCHES_SEEN})", "model(torch.ones(4, 64))", f"change.add_({_BATCHES_SEEN})"]
    proof = 'assert change > 0, "the model is trained in evaluation mode"'
    return _mode_request(
        fault, before if norm else [f"change.copy_({_DIFFERENCE_OF_TWO_CALLS})"], proof, norm
    )


def _mode_request(fault: Fault, call: list[str], proof: str, norm: bool) -> ProbeRequest:
    layer = "BatchNorm1d(64)" if norm else "Dropout(0.5)"

    def of_event(event: Event) -> Lines:
        if is_same_place(event, fault["call"]):
            return [Line(row, True, True) for row in call]
        if event.kind in (EventKind.EVAL, EventKind.TRAIN) and fault["ref"] in event.subjects:
            return [Line("model.eval()" if event.kind is EventKind.EVAL else "model.train()", True)]
        return []

    outline = Outline(of_event)
    lines = outline.program(fault["trace"])
    head = [
        "import torch",
        "",
        "torch.manual_seed(0)",
        f"model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.{layer})",
        "change = torch.zeros(())",
        "",
    ]
    program, flag = outline.rendered([*head, *outline.head()], lines, ["", proof])
    return ProbeRequest(
        program=program,
        expect=ProofFails(),
        flag=flag,
        assignments=outline.assignments(),
        guesses=outline.guesses,
    )


OF_KIND: dict[FaultKind, Reproducer] = {
    FaultKind.EVALUATED_IN_TRAINING: _evaluated_in_training,
    FaultKind.TRAINED_IN_EVALUATION: _trained_in_evaluation,
    FaultKind.NEVER_STEPPED: _never_stepped,
}
