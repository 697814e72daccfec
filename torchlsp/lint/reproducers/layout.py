"""Reproduces faults in shapes, strides and the order of elements."""

from __future__ import annotations

import re

from torchlsp.core.finding import ProbeRequest, ProofFails, Raises
from torchlsp.core.records import replace
from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.layout import ROW_MAJOR
from torchlsp.facts.shape import numel
from torchlsp.facts.tensor import NO_GRAD, TensorFact, free_size
from torchlsp.facts.values import UNKNOWN_VALUE, as_dim
from torchlsp.lint.reproducers.outline import NotReproducible, Reproducer
from torchlsp.lint.reproducers.single_call import (
    finish_program,
    reproduce_call,
    reproduce_fault,
    with_assertion,
)
from torchlsp.lint.reproducers.single_call.call_program import CallProgram
from torchlsp.lint.reproducers.single_call.expected_errors import STATES_REFUSED

_MAX_POSITIONS, _SIZE = 1 << 24, 8


def _reversed_dims(fault: Fault) -> ProbeRequest:
    """Reproduces `x.T` of a tensor that is not a matrix, which torch does not guarantee."""
    return with_assertion(fault, "result.dim() <= 2")


def _outer(fault: Fault) -> ProbeRequest:
    """Reproduces a column beside a vector: one number for each of them, or one row."""
    return with_assertion(fault, "result.numel() == result.size(0)")


def _rnn_layout(fault: Fault) -> ProbeRequest:
    """Reproduces a recurrent layer on sequences: there is one last state for each of the batch."""
    if fault.called is None:
        raise NotReproducible("the call")
    made = reproduce_call(fault.called)
    *before, call = made.program.splitlines()
    given = re.match(r"\s*layer\((?:input=)?(\w+)", call)
    if given is None:
        raise NotReproducible("the input")
    states = "states[0]" if fault.op.endswith(".LSTM") else "states"
    bare = call.lstrip()
    rows = [
        *before,
        f"{call[: len(call) - len(bare)]}output, states = {bare}",
        f"assert {states}.size(1) == {given[1]}.size({fault['batch']})",
    ]
    assumes = tuple(sorted(fault.assumptions))
    return replace(made, program="\n".join(rows) + "\n", expect=ProofFails(), assumes=assumes)


def _repeated_index(fault: Fault) -> ProbeRequest:
    """Reproduces as many sums as the index names positions, at positions that repeat as little as they can."""
    count, room = fault["count"], fault["room"]
    if not isinstance(count, int) or not isinstance(room, int) or not 0 < room * count < _MAX_POSITIONS:
        raise NotReproducible("how many positions there are")
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


def _argument(fault: Fault) -> ProbeRequest:
    """Reproduces the call that refuses an argument. Where its tensor is unknown, any other tensor is refused,
    too."""
    if fault.called is None:
        raise NotReproducible("the call")
    tensor = fault.get("input")
    is_any = isinstance(tensor, TensorFact) and tensor.shape is None
    made = reproduce_fault(fault, fault.called, stand_ins={id(tensor): (4, 6)} if is_any else None)
    return replace(made, expect=STATES_REFUSED) if fault.get("argument") == "hx" else made


def _layer_chain(fault: Fault) -> ProbeRequest:
    """Reproduces the call of the layer, with sizes for which the assumption holds: that they are not its
    channels."""
    if fault.called is None:
        raise NotReproducible("the call")
    made = reproduce_fault(fault, fault.called)
    if fault.assumptions.isdisjoint({"image", "batch"}):
        return made
    expected = fault["expected"]
    kept = [sizes for sizes in made.assignments if all(size != expected for _, size in sizes)]
    return replace(made, assignments=tuple(kept) or made.assignments)


def _size(fault: Fault) -> ProbeRequest:
    """Reproduces the call; a sequence of which only single sizes were read has three dims, as its states say."""
    called = fault.called
    if called is None:
        raise NotReproducible("the call")
    if str(fault.get("reason")).startswith(("hidden state", "state of time")) and called.layer is not None:
        given = called.args[0] if called.args else None
        if isinstance(given, TensorFact) and given.shape is None:
            features = as_dim(dict(called.layer[1]).get("input_size", UNKNOWN_VALUE))
            sizes = (*(free_size(given, i) for i in (0, 1)), 4 if features is None else features)
            if None not in sizes:
                shown = given.but(shape=sizes, layout=ROW_MAJOR)
                called = replace(called, args=(shown, *called.args[1:]))
    return reproduce_fault(fault, called)


def _inplace_shape(fault: Fault) -> ProbeRequest:
    """Reproduces an operation in place. Of torchvision's `Normalize`, whose program would need torchvision,
    its first operation."""
    if fault.called is None:
        raise NotReproducible("the call")
    image, wide = fault["input"].shape, fault["result"]
    if fault.called.layer is None or not fault.called.layer[0].startswith("torchvision."):
        return reproduce_fault(fault, fault.called)
    if not all(isinstance(size, int) for size in (*image, wide[-3])):
        raise NotReproducible("the sizes")
    rows = ["import torch", "", f"image = torch.zeros({image})", f"image.sub_(torch.zeros({wide[-3]}, 1, 1))"]
    return ProbeRequest("\n".join(rows) + "\n", Raises("match the broadcast shape"), flag=(4, 4))


def _rank(fault: Fault) -> ProbeRequest:
    """Reproduces the call; an input of unknown shape gets the dims that are assumed."""
    called, got = fault.called, fault.get("got")
    if called is None:
        raise NotReproducible("the call")
    given = called.args[0] if called.args else None
    if not isinstance(given, TensorFact) or given.shape is not None or not isinstance(got, int):
        return reproduce_fault(fault, called)
    shown = given.but(shape=(_SIZE,) * got, layout=ROW_MAJOR)
    return replace(reproduce_fault(fault, replace(called, args=(shown, *called.args[1:]))), guesses=True)


def _unpack(fault: Fault) -> ProbeRequest:
    """Reproduces the call, and its results unpacked as the program does."""
    if fault.called is None:
        raise NotReproducible("the call")
    made = finish_program(CallProgram(), fault.called, tuple(sorted(fault.assumptions)))
    *before, call = made.program.splitlines()
    bare = call.lstrip()
    names = ", ".join(f"part{i}" for i in range(fault["expected"]))
    rows = [*before, f"{call[: len(call) - len(bare)]}{names}{',' * (fault['expected'] == 1)} = {bare}"]
    return replace(
        made, program="\n".join(rows) + "\n", expect=Raises("values to unpack", "ValueError"),
    )  # fmt: skip


def _squeezed_batch(fault: Fault) -> ProbeRequest:
    """Reproduces `squeeze()` of a batch: all dims but the others of size 1 remain."""
    made = with_assertion(fault, f"result.dim() == {fault['input'].rank - len(fault['ones'])}")
    # The first size comes first: it is a batch of one that is dropped.
    ones = tuple(sizes for sizes in made.assignments if sizes and sizes[0][1] == 1)
    return replace(made, assignments=ones or made.assignments)


def _permuted_sizes(fault: Fault) -> ProbeRequest:
    """Reproduces the reshape of distinguishable elements: which of them are along a dim before and after it."""
    called = fault.called
    if called is None:
        raise NotReproducible("the call")
    program = CallProgram()
    tensor = fault["input"].but(shape=fault["shape"], grad=NO_GRAD)
    if fault["input"].shape is None:
        program.guesses = True
    name = program.operand(tensor, "x")
    program.lines.append(f"{name}.copy_(torch.arange({name}.numel()).reshape({name}.shape))")
    program.known(fault["input"], name)
    program.shape(fault["target"])
    held, wanted = numel(fault["shape"]), numel(fault["target"])
    if held is None or wanted is None:
        raise NotReproducible("the sizes")
    difference = held - wanted
    program.cut += [difference, -difference]  # sizes for which the reshape works at all
    made = finish_program(program, called, tuple(sorted(fault.assumptions)))
    *before, call = made.program.splitlines()
    bare = call.lstrip()
    old, new = (f"{one}.movedim({dim}, 0).flatten(1).sort().values" for one, dim in (
        (name, fault["dim"]), ("result", fault["place"]),
    ))  # fmt: skip
    rows = [
        *before,
        f"{call[: len(call) - len(bare)]}result = {bare}",
        f'assert torch.equal({new}, {old}), "other elements stand along this dim"',
    ]
    return replace(made, program="\n".join(rows) + "\n", expect=ProofFails())


_HELD, _HELD_OTHERWISE = 7, 0
"""The content of the tensor before the write (other operands are zeros), and where that is written."""


def _inplace_aliased(fault: Fault) -> ProbeRequest:
    """Reproduces a write to a part of an expanded tensor: more of its elements change than are in the part."""
    called = fault.called
    if called is None or not called.args or not isinstance(target := called.args[0], TensorFact):
        raise NotReproducible("the call")
    whole, part = fault["input"].but(grad=NO_GRAD), fault["part"]
    program = CallProgram()
    name = program.operand(whole, "x")
    written = v.known(called.args[-1], int)
    same = bool(written) if whole.dtype == "bool" else written == _HELD
    program.lines += [f"{name}.fill_({_HELD_OTHERWISE if same else _HELD})", f"before = {name}.clone()"]
    program.names.add("before")
    if called.name == "Tensor.__setitem__":
        program.known(target, name)
    else:
        view = program.named("part", "x")
        strides = ", ".join(program.size(stride) for stride in part.strides)
        program.lines.append(f"{view} = {name}.as_strided({program.shape(part.shape)}, ({strides},))")
        program.known(target, view)
    made = finish_program(program, called, tuple(sorted(fault.assumptions)))
    size = " * ".join(f"({program.size(size)})" for size in part.shape) or "1"
    proof = f'assert int(({name} != before).sum()) <= {size}, "the write reaches elements beside those that it is to"'
    return replace(made, program=f"{made.program}{proof}\n", expect=ProofFails())


def _lost_write(fault: Fault) -> ProbeRequest:
    """Reproduces a write to the result of indexing, and asserts that it reaches the tensor that was indexed."""
    called = fault.called
    if called is None or not isinstance(target := called.args[0], TensorFact):
        raise NotReproducible("the index")
    source = fault["source"].but(grad=NO_GRAD)
    program = CallProgram()
    shape = source.shape
    if shape is None:
        program.guesses, shape = True, (3, 3, 3)
    source = source.but(shape=shape, layout=source.layout if source.shape is not None else None)
    name = program.operand(source, "x")
    program.lines.append(f"before = {name}.clone()")
    program.names.add("before")
    given = [
        one for arg in called.args[1:] for one in (arg.items if isinstance(arg, v.TupleValue) else (arg,))
    ]
    for index in given:
        if isinstance(index, TensorFact) and index.dtype in ("bool", "u8"):
            # A mask of nothing but False would choose nothing.
            program.guesses = program.guesses or index.shape is None
            mask = program.named("mask", "mask")
            program.lines.append(
                f"{mask} = torch.ones({program.shape(index.shape or shape)}, dtype=torch.bool)"
            )
            program.known(index, mask)
        elif isinstance(index, TensorFact) and index.shape is None:
            program.guesses = True
            program.stand_ins[id(index)] = (2,)
    program.known(target, name)
    made = finish_program(program, called, tuple(sorted(fault.assumptions)))
    written = f'assert not torch.equal({name}, before), "the write does not reach the tensor"'
    return replace(made, program=f"{made.program.rstrip()}.fill_(1)\n{written}\n", expect=ProofFails())


OF_KIND: dict[FaultKind, Reproducer] = {
    FaultKind.ARGUMENT: _argument,
    FaultKind.LAYER_CHAIN: _layer_chain,
    FaultKind.INPLACE_SHAPE: _inplace_shape,
    FaultKind.RANK: _rank,
    FaultKind.SIZE: _size,
    FaultKind.OUTER: _outer,
    FaultKind.REPEATED_INDEX: _repeated_index,
    FaultKind.REVERSED_DIMS: _reversed_dims,
    FaultKind.RNN_LAYOUT: _rnn_layout,
    FaultKind.INPLACE_ALIASED: _inplace_aliased,
    FaultKind.LOST_WRITE: _lost_write,
    FaultKind.PERMUTED_SIZES: _permuted_sizes,
    FaultKind.SQUEEZED_BATCH: _squeezed_batch,
    FaultKind.UNPACK: _unpack,
}
