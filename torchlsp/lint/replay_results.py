"""Calls that raise nothing: the call as it was made, and an assertion of what it was meant to give."""

from __future__ import annotations

import re
from dataclasses import replace

from torchlsp.core.finding import ProbeRequest, ProofFails, Raises
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.layout import ROW_MAJOR
from torchlsp.facts.tensor import TensorFact, free_size
from torchlsp.facts.values import UNKNOWN_VALUE, as_dim
from torchlsp.lint.expected_shapes import OF_STATES
from torchlsp.lint.replay_calls import of_called, of_fault
from torchlsp.lint.replay_outline import Unreplayable

_LARGEST, _SOME = 1 << 24, 8


def of_reversed(fault: Fault) -> ProbeRequest:
    """`x.T` of what is no matrix: no torch promises it."""
    return with_proof(fault, "result.dim() <= 2")


def of_outer(fault: Fault) -> ProbeRequest:
    """A column beside a vector: one number for each of them, or one row."""
    return with_proof(fault, "result.numel() == result.size(0)")


def of_recurrent(fault: Fault) -> ProbeRequest:
    """A recurrent layer on sequences: there is one last state for each of the batch."""
    if fault.called is None:
        raise Unreplayable("the call")
    made = of_called(fault.called)
    *before, call = made.program.splitlines()
    given = re.match(r"\s*layer\((?:input=)?(\w+)", call)
    if given is None:
        raise Unreplayable("the input")
    states = "states[0]" if fault.op.endswith(".LSTM") else "states"
    bare = call.lstrip()
    rows = [
        *before,
        f"{call[: len(call) - len(bare)]}output, states = {bare}",
        f"assert {states}.size(1) == {given[1]}.size({fault['batch']})",
    ]
    assumes = tuple(sorted(fault.assumptions))
    return replace(made, program="\n".join(rows) + "\n", expect=ProofFails(), assumes=assumes)


def of_repeated(fault: Fault) -> ProbeRequest:
    """As many sums as the index names positions, at positions that repeat as little as they can."""
    count, room = fault["count"], fault["room"]
    if not isinstance(count, int) or not isinstance(room, int) or not 0 < room * count < _LARGEST:
        raise Unreplayable("how many positions there are")
    # Where it is known only that some position comes twice, the first one does.
    index = (
        f"torch.arange({count}) % {room}"
        if fault["reason"] == "room"
        else f"torch.zeros({count}, dtype=torch.long)"
    )
    rows = [
        "import torch",
        "",
        f"counts = torch.zeros({room})",
        f"index = {index}",
        "counts[index] += 1",
        f"assert counts.sum() == {count}",
    ]
    return ProbeRequest(
        "\n".join(rows) + "\n", ProofFails(), flag=(5, 5), guesses=fault["reason"] != "room",
        assumes=tuple(sorted(fault.assumptions)),
    )  # fmt: skip


def of_argument(fault: Fault) -> ProbeRequest:
    """The call that an argument is refused in; where nothing is known of its tensor, it is refused for another one, too."""
    if fault.called is None:
        raise Unreplayable("the call")
    tensor = fault.get("input")
    is_any = isinstance(tensor, TensorFact) and tensor.shape is None
    made = of_fault(fault, fault.called, stand_ins={id(tensor): (4, 6)} if is_any else None)
    return replace(made, expect=OF_STATES) if fault.get("argument") == "hx" else made


def of_layer_chain(fault: Fault) -> ProbeRequest:
    """The call of the layer, with sizes for which that holds which is taken for granted: that they are not its channels."""
    if fault.called is None:
        raise Unreplayable("the call")
    made = of_fault(fault, fault.called)
    if fault.assumptions.isdisjoint({"image", "batch"}):
        return made
    expected = fault["expected"]
    kept = [sizes for sizes in made.assignments if all(size != expected for _, size in sizes)]
    return replace(made, assignments=tuple(kept) or made.assignments)


def of_size(fault: Fault) -> ProbeRequest:
    """The call; a sequence of which only single sizes were asked for has three dims, as its states say."""
    called = fault.called
    if called is None:
        raise Unreplayable("the call")
    if str(fault.get("reason")).startswith(("hidden state", "state of time")) and called.layer is not None:
        given = called.args[0] if called.args else None
        if isinstance(given, TensorFact) and given.shape is None:
            features = as_dim(dict(called.layer[1]).get("input_size", UNKNOWN_VALUE))
            sizes = (*(free_size(given, i) for i in (0, 1)), 4 if features is None else features)
            if None not in sizes:
                shown = given.but(shape=sizes, layout=ROW_MAJOR)
                called = replace(called, args=(shown, *called.args[1:]))
    return of_fault(fault, called)


def of_inplace(fault: Fault) -> ProbeRequest:
    """An operation in place; of torchvision's `Normalize`, whose program would need torchvision, what it does first."""
    if fault.called is None:
        raise Unreplayable("the call")
    image, wide = fault["input"].shape, fault["result"]
    if fault.called.layer is None or not fault.called.layer[0].startswith("torchvision."):
        return of_fault(fault, fault.called)
    if not all(isinstance(size, int) for size in (*image, wide[-3])):
        raise Unreplayable("the sizes")
    rows = ["import torch", "", f"image = torch.zeros({image})", f"image.sub_(torch.zeros({wide[-3]}, 1, 1))"]
    return ProbeRequest("\n".join(rows) + "\n", Raises("match the broadcast shape"), flag=(4, 4))


def of_rank(fault: Fault) -> ProbeRequest:
    """The call; an input of unknown shape is given the dims that it is taken to have."""
    called, got = fault.called, fault.get("got")
    if called is None:
        raise Unreplayable("the call")
    given = called.args[0] if called.args else None
    if not isinstance(given, TensorFact) or given.shape is not None or not isinstance(got, int):
        return of_fault(fault, called)
    shown = given.but(shape=(_SOME,) * got, layout=ROW_MAJOR)
    return replace(of_fault(fault, replace(called, args=(shown, *called.args[1:]))), guesses=True)


def with_proof(fault: Fault, meant: str) -> ProbeRequest:
    """The faulty call, whose value is `result`, and below it what was meant."""
    if fault.called is None:
        raise Unreplayable("the call")
    made = of_fault(fault, fault.called)
    *before, call = made.program.splitlines()
    bare = call.lstrip()
    indent = call[: len(call) - len(bare)]
    rows = [*before, f"{indent}result = {bare}", f"assert {meant}"]
    return replace(made, program="\n".join(rows) + "\n", expect=ProofFails())


OF_RESULTS = {
    FaultKind.ARGUMENT: of_argument,
    FaultKind.LAYER_CHAIN: of_layer_chain,
    FaultKind.INPLACE_SHAPE: of_inplace,
    FaultKind.RANK: of_rank,
    FaultKind.SIZE: of_size,
    FaultKind.OUTER: of_outer,
    FaultKind.REPEATED_INDEX: of_repeated,
    FaultKind.REVERSED_DIMS: of_reversed,
    FaultKind.RNN_LAYOUT: of_recurrent,
}
