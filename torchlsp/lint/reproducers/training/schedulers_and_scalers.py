"""Reproduces the protocols of schedulers, gradient scalers and gradient clipping, on a model of one layer."""

from __future__ import annotations

from torchlsp.core.finding import ProbeRequest, ProofFails, Raises
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.interp.model.trace_flow import events
from torchlsp.interp.store.trace import BranchItem, CallItem, Event, EventKind, Item, IterationItem, LoopItem
from torchlsp.lint.reproducers.outline import Line, Lines, NotReproducible, Outline, Reproducer
from torchlsp.lint.reproducers.program_text import with_flags
from torchlsp.lint.reproducers.training.one_layer_model import (
    BACKWARD,
    MODEL_AND_OPTIMIZER,
    holds,
    innermost_around,
    is_same_place,
    loop_request,
)

_SCALED = "scaler.scale(model(torch.ones(1, 2)).sum()).backward()"
_CLIP = "torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)"


def _scheduled_first(fault: Fault) -> ProbeRequest:
    """Reproduces the loop, to see whether the optimizer ever uses the first learning rate."""
    scheduled, step = fault["schedule"], fault["step"]
    items, repeated = innermost_around(fault["trace"], (scheduled, step))

    def of_event(event: Event) -> Lines:
        if is_same_place(event, scheduled):
            return [Line("scheduler.step()", True, True)]
        if is_same_place(event, step):
            return [
                Line("lowest.copy_(torch.maximum(lowest, torch.tensor(scheduler.get_last_lr()[0])))"),
                Line("optimizer.step()", True),
            ]
        return []

    head = [
        *MODEL_AND_OPTIMIZER,
        "scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)",
        "lowest = torch.zeros(())  # the highest rate that a step was taken with",
        "",
    ]
    proof = ["", 'assert lowest > 0.09, "no step was taken with the first learning rate"']
    return loop_request(Outline(of_event), items, repeated, head, proof, ProofFails(), fault)


def _scaler_protocol(fault: Fault) -> ProbeRequest:
    """Reproduces the scaler's calls, as far as they are around the reported one."""
    kind, call = fault.kind, fault["call"]
    partners = [fault.get(name) for name in ("backward", "before")]
    if partners[1] is not None and is_same_place(partners[1], call):
        items, repeated = _loop_around(fault["trace"], call), True
    else:
        items, repeated = innermost_around(
            fault["trace"], (call, *(one for one in partners if one is not None))
        )
    names = _optimizers(items)
    scaled = {ref for event in events(items) if event.kind is EventKind.SCALER for ref in event.subjects}
    if len(scaled | {fault["scaler"]}) > 1:
        raise NotReproducible("which scaler scales")
    expect = {
        FaultKind.SCALER_UNSCALED: Raises("_scale is None", "AssertionError"),
        FaultKind.SCALER_STAGE: Raises("already been called|called after step"),
        FaultKind.SCALER_HALF: Raises("unscale FP16 gradients", "ValueError"),
    }.get(kind, ProofFails())
    outline = Outline(lambda event: _scaler_lines(event, call, names, kind))
    head = list(MODEL_AND_OPTIMIZER)
    if kind is FaultKind.SCALER_HALF:
        head[2] = "model = torch.nn.Linear(2, 1).half()"
        outline = Outline(lambda event: _halved(_scaler_lines(event, call, names, kind)))
    head += [
        f"{name} = torch.optim.SGD(model.parameters(), lr=0.1)"
        for name in names.values()
        if name != "optimizer"
    ]
    head += ['scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)']
    if kind is FaultKind.SCALER_STAGE and not any(
        event.kind is EventKind.BACKWARD for event in events(items)
    ):
        head += [_SCALED]
    proof = []
    if kind is FaultKind.CLIP_SCALED:
        head += ["norms = torch.zeros(())  # the sum of the norms that clipping saw"]
        proof = ["", 'assert norms < 1000, "gradients were clipped while they were multiplied by the scale"']
    if kind is FaultKind.STEP_SCALED:
        head += ["start = model.weight.detach().clone()"]
        proof = ["", 'assert (model.weight - start).abs().max() < 50, "a step was taken on scaled gradients"']
    return loop_request(outline, items, repeated, [*head, ""], proof, expect, fault)


def _loop_around(items: tuple[Item, ...], call: Event) -> tuple[Item, ...]:
    """Returns the body of the innermost loop in which a call follows itself."""
    for item in items:
        match item:
            case LoopItem(body=body) if holds(body, (call,)):
                inner = _loop_around(body, call)
                return inner if inner else body
            case CallItem(body=body) | IterationItem(body=body) if holds(body, (call,)):
                return _loop_around(body, call)
            case BranchItem(body=body, orelse=orelse):
                for arm in (body, orelse):
                    if holds(arm, (call,)):
                        return _loop_around(arm, call)
    return ()


def _halved(lines: Lines) -> Lines:
    return [
        Line(line.text.replace("ones(1, 2)", "ones(1, 2).half()"), line.is_event, line.flagged)
        for line in lines
    ]


def _optimizers(items: tuple[Item, ...]) -> dict[str, str]:
    """Returns names for the optimizers of the program."""
    found: dict[str, str] = {}
    for event in events(items):
        refs = [event.other] if event.kind is EventKind.SCALER else []
        refs = sorted(event.subjects) if event.kind is EventKind.STEP else refs
        for ref in refs:
            if ref:
                found.setdefault(ref, "optimizer" if not found else f"optimizer_{len(found) + 1}")
    return found


def _scaler_lines(event: Event, call: Event, names: dict[str, str], kind: FaultKind) -> Lines:
    flagged = is_same_place(event, call)
    match event.kind:
        case EventKind.BACKWARD:
            return [Line(_SCALED if event.other else BACKWARD, True, flagged)]
        case EventKind.ZERO_GRAD:
            return [Line("optimizer.zero_grad(set_to_none=False)", True, flagged)]
        case EventKind.CLIP if kind is FaultKind.CLIP_SCALED and flagged:
            return [Line(f"norms.add_({_CLIP})", True, True)]
        case EventKind.CLIP:
            return [Line(_CLIP, True)]
        case EventKind.STEP if event.name == "":
            return [Line(f"{names[min(event.subjects)]}.step()", True, flagged)]
        case EventKind.SCALER:
            return _scaler_call(event, names, flagged)
        case EventKind.STEP if event.name == "closure":
            raise NotReproducible("what the step does with its closure")
    return []


def _scaler_call(event: Event, names: dict[str, str], flagged: bool) -> Lines:
    match event.name.partition(" ")[0]:
        case "scale":
            return [Line("scaler.scale(torch.ones(()))", True, flagged)]
        case "update":
            return [Line("scaler.update()", True, flagged)]
        case "get_scale":
            return []
        case "step" | "unscale_" as name if event.other:
            return [Line(f"scaler.{name}({names[event.other]})", True, flagged)]
    raise NotReproducible("what the scaler does")


def _clips_nothing(fault: Fault) -> ProbeRequest:
    """Reproduces one step, to see whether it uses clipped gradients."""
    reason = fault["reason"]
    before = reason == "early"
    clip = f"{_CLIP}  #!"
    body = [clip, BACKWARD] if before else [BACKWARD, "optimizer.step()", clip]
    if reason == "empty":
        used = ["params = model.parameters()", "rest = list(params)"]
        body = [*used, BACKWARD, clip.replace("model.parameters()", "params"), "optimizer.step()"]
    rows = [*MODEL_AND_OPTIMIZER, "optimizer.zero_grad()", "before = model.weight.detach().clone()"]
    rows += [row.replace("torch.ones(1, 2)", "torch.full((1, 2), 100.0)") for row in body]
    rows += ["optimizer.step()"] if before else []
    rows += [
        "",
        'assert (model.weight - before).norm() < 0.2, "the step is larger than clipped gradients allow"',
    ]
    return with_flags("\n".join(rows), ProofFails())


def _scheduler_argument(fault: Fault) -> ProbeRequest:
    """Reproduces the same call of the same kind of scheduler, on a model of one layer."""
    reason, name = fault["reason"], fault["name"]
    made = _SCHEDULERS.get(name, _SCHEDULERS[""])
    if reason == "initial":
        rows = ["torch.optim.lr_scheduler.StepLR(optimizer, 1, last_epoch=3)  #!"]
        return with_flags("\n".join([*MODEL_AND_OPTIMIZER, *rows]), Raises("initial_lr", "KeyError"))
    rows = [f"scheduler = {made}", "optimizer.step()"]
    if reason == "metrics":
        expect = Raises("missing 1 required positional argument", "TypeError")
        return with_flags("\n".join([*MODEL_AND_OPTIMIZER, *rows, "scheduler.step()  #!"]), expect)
    if reason == "refused":
        return with_flags(
            "\n".join([*MODEL_AND_OPTIMIZER, *rows, "scheduler.step(3)  #!"]), Raises("", "TypeError")
        )
    if reason == "get_lr":
        rows += ["scheduler.step()", "rates = scheduler.get_lr()  #!"]
        proof = 'assert rates == scheduler.get_last_lr(), "this is not the rate in use"'
        return with_flags("\n".join([*MODEL_AND_OPTIMIZER, *rows, proof]), ProofFails())
    given = "0.7, 5" if name == "ReduceLROnPlateau" else "0.7" if fault["measured"] else "5"
    proof = 'assert scheduler.last_epoch == 1, "the schedule was set to what is given"'
    return with_flags(
        "\n".join([*MODEL_AND_OPTIMIZER, *rows, f"scheduler.step({given})  #!", proof]), ProofFails()
    )


_STEPS = "torch.optim.lr_scheduler.StepLR(optimizer, 1)"
_SCHEDULERS = {
    "ReduceLROnPlateau": "torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer)",
    "SequentialLR": f"torch.optim.lr_scheduler.SequentialLR(optimizer, [{_STEPS}, {_STEPS}], [2])",
    "ChainedScheduler": f"torch.optim.lr_scheduler.ChainedScheduler([{_STEPS}, {_STEPS}])",
    "": _STEPS,
}
"""By class; the other classes have the same text."""
OF_KIND: dict[FaultKind, Reproducer] = {
    FaultKind.SCHEDULER_ARGUMENT: _scheduler_argument,
    FaultKind.CLIPS_NOTHING: _clips_nothing,
    FaultKind.SCHEDULED_FIRST: _scheduled_first,
    FaultKind.CLIP_SCALED: _scaler_protocol,
    FaultKind.STEP_SCALED: _scaler_protocol,
    FaultKind.SCALER_UNSCALED: _scaler_protocol,
    FaultKind.SCALER_STAGE: _scaler_protocol,
    FaultKind.SCALER_HALF: _scaler_protocol,
}
