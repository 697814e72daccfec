"""Creates the reproducer of a single call: operands with the shapes, strides, dtypes and devices of the
facts, and the call.

A program begins with its sizes on one line (`batch, heads = 3, 5`), so that the same text can be run with others.
"""

from __future__ import annotations

from torchlsp.core.finding import SIZES, ProbeRequest, ProofFails
from torchlsp.core.records import replace
from torchlsp.facts import values as v
from torchlsp.facts.device import Device
from torchlsp.facts.dim import Dim
from torchlsp.facts.fault import Called, Fault, FaultKind
from torchlsp.facts.layout import ROW_MAJOR
from torchlsp.facts.notation import tensor_text
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.lint.reproducers.outline import NotReproducible
from torchlsp.lint.reproducers.single_call.call_program import CallProgram
from torchlsp.lint.reproducers.single_call.expected_errors import EXPECTED_ERRORS
from torchlsp.lint.reproducers.single_call.sizes import trial_sizes

_CONVERSIONS = frozenset({FaultKind.NUMPY_ON_DEVICE, FaultKind.NUMPY_ON_GRAD, FaultKind.NUMPY_DTYPE})


def reproduce_fault(
    fault: Fault,
    called: Called,
    stand_ins: dict[int, tuple[Dim, ...]] | None = None,
    fills: dict[int, int] | None = None,
) -> ProbeRequest:
    """Reproduces the faulty call. `stand_ins` are shapes and `fills` elements for tensors, by identity, where
    they matter."""
    if fault.kind in _CONVERSIONS:
        # However the conversion is written, it ends in `Tensor.numpy`.
        called = Called("torch.Tensor.numpy", (fault["input"],), modes=called.modes)
    width = fault.get("got", fault.get("left_size")) if called.layer is not None else None
    program = CallProgram(width=width, any_shape=fault.kind in _CONVERSIONS)
    if fault.kind is FaultKind.CE_TARGET_DTYPE:
        logits, target = fault["logits"], fault["target"]
        if logits is None and called.args and not isinstance(called.args[0], TensorFact):
            # Not even a tensor for all that is known: but it is what the loss takes for its logits.
            logits = TensorFact(dtype="f32", device=target.device, layout=ROW_MAJOR)
            called = replace(called, args=(logits, *called.args[1:]))
        program.stand_ins = _loss_shapes(logits, target)
    if fault.kind is FaultKind.NEGATIVE_STEP and called.args[1:]:
        index = called.args[1]
        count = len(index.items) if isinstance(index, v.TupleValue) else 1
        program.stand_ins = {id(called.args[0]): (3,) * count}
    program.stand_ins.update(stand_ins or {})
    program.fills = fills or {}
    request = finish_program(program, called, tuple(sorted(fault.assumptions)))
    return replace(request, expect=EXPECTED_ERRORS.get(fault.kind))


def reproduce_call(called: Called) -> ProbeRequest:
    """Reproduces a call that has no fault."""
    assumed = {word for fact in _tensors(called) for word in fact.assumed}
    return finish_program(CallProgram(), called, tuple(sorted(assumed)))


def _tensors(called: Called) -> list[TensorFact]:
    return [fact for fact in (*called.args, *dict(called.keywords).values()) if isinstance(fact, TensorFact)]


def with_assertion(fault: Fault, meant: str) -> ProbeRequest:
    """Reproduces the faulty call, whose value is `result`, and asserts below it what was meant."""
    if fault.called is None:
        raise NotReproducible("the call")
    made = reproduce_fault(fault, fault.called)
    *before, call = made.program.splitlines()
    bare = call.lstrip()
    indent = call[: len(call) - len(bare)]
    rows = [*before, f"{indent}result = {bare}", f"assert {meant}"]
    return replace(made, program="\n".join(rows) + "\n", expect=ProofFails())


def finish_program(program: CallProgram, called: Called, assumes: tuple[str, ...]) -> ProbeRequest:
    """Completes the program with the call, the modes around it and the sizes to try."""
    if called.is_open:
        raise NotReproducible("arguments that are not written out")
    modes = dict(called.modes)
    if modes.get("autocast", Tri.NO) is not Tri.NO:
        raise NotReproducible("autocast")
    program.common = _off_host(called)
    call = program.call(called) if called.layer is None else program.layer_call(called)
    around = _modes(program, modes)
    lines = ["import torch", ""]
    if program.size_names:
        lines.append(", ".join(program.size_names.values()) + f" = {SIZES}")
    lines += [*program.lines, *around, f"    {call}" if around else call]
    assignments = tuple(trial_sizes(program))
    if not assignments:
        raise NotReproducible("sizes that fit together")
    return ProbeRequest(
        program="\n".join(lines) + "\n",
        kind="logical-device" if any("cuda" in line for line in lines) else "eager-cpu",
        flag=(len(lines), len(lines)),
        assignments=assignments,
        assumes=assumes,
        guesses=program.guesses,
        facts=tuple(tensor_text(one) for one in _tensors(called)),
    )


def _loss_shapes(logits: TensorFact | None, target: TensorFact) -> dict[int, tuple[Dim, ...]]:
    """Chooses shapes that fit together for logits and class indices of unknown shape: every shape is refused."""
    shape = (3, 5) if logits is None or logits.shape is None else logits.shape
    indices = (shape[0], *shape[2:]) if len(shape) > 1 else ()
    return {id(logits): shape, id(target): indices}


def _off_host(called: Called) -> Device | None:
    """Returns the device of the first operand that is certainly not on the CPU."""
    values = [*called.args, *dict(called.keywords).values()]
    devices = [value.device for value in values if isinstance(value, TensorFact)]
    if called.layer is not None:
        devices.append(dict(called.layer[2])["device"])
    return next((device for device in devices if device is not None and device.kind != "cpu"), None)


def _modes(program: CallProgram, modes: dict[str, v.Mode]) -> list[str]:
    """Writes the `with` statements of the modes that the call ran in."""
    grad, inference = modes.get("grad", Tri.YES), modes.get("inference", Tri.NO)
    if inference is Tri.YES:
        return ["with torch.inference_mode():"]
    if grad is Tri.UNKNOWN or inference is Tri.UNKNOWN:
        program.guesses = True
    return ["with torch.no_grad():"] if grad is Tri.NO else []
