"""Training and evaluation mode as small programs: a model of one layer and one that depends on the mode."""

from __future__ import annotations

from torchlsp.core.finding import ProbeRequest, ProofFails
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.interp.store.trace import Event, EventKind
from torchlsp.lint.replay_outline import Line, Lines, Outline
from torchlsp.lint.replay_training import _is

_TWICE = "(model(torch.ones(4, 64)) - model(torch.ones(4, 64))).abs().sum().detach()"
_COUNT = "model[1].num_batches_tracked.float()"


def of_evaluation(fault: Fault) -> ProbeRequest:
    """Does the call change what the layer remembers, or give another result each time?"""
    norm = "BatchNorm" in fault["layer"].qualname
    call = ["model(torch.ones(4, 64))", f"change.copy_({_COUNT})"] if norm else [f"change.copy_({_TWICE})"]
    proof = 'assert change == 0, "the result depends on training mode"'
    return _request(fault, call, proof, norm)


def of_training(fault: Fault) -> ProbeRequest:
    """Does the layer still do in the last iteration what it does in training?"""
    norm = "BatchNorm" in fault["layer"].qualname
    before = [f"change.copy_(-{_COUNT})", "model(torch.ones(4, 64))", f"change.add_({_COUNT})"]
    proof = 'assert change > 0, "the model is trained in evaluation mode"'
    return _request(fault, before if norm else [f"change.copy_({_TWICE})"], proof, norm)


def _request(fault: Fault, call: list[str], proof: str, norm: bool) -> ProbeRequest:
    layer = "BatchNorm1d(64)" if norm else "Dropout(0.5)"

    def of_event(event: Event) -> Lines:
        if _is(event, fault["call"]):
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


OF_MODES = {
    FaultKind.EVALUATED_IN_TRAINING: of_evaluation,
    FaultKind.TRAINED_IN_EVALUATION: of_training,
}
