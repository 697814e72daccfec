"""Writes that raise nothing, as small programs: what they were to change, and what they change."""

from __future__ import annotations

from dataclasses import replace

from torchlsp.core.finding import ProbeRequest, ProofFails
from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault
from torchlsp.facts.tensor import NO_GRAD, TensorFact
from torchlsp.lint.replay_calls import Program, of_program
from torchlsp.lint.replay_outline import Unreplayable

_BEFORE, _OTHERWISE = 7, 0
"""What the tensor holds before the write (other operands are zeros), and what where that is written."""


def of_aliased(fault: Fault) -> ProbeRequest:
    """A write to a part of an expanded tensor: more of its elements change than are in the part."""
    called = fault.called
    if called is None or not called.args:
        raise Unreplayable("the call")
    whole, part = fault["input"].but(grad=NO_GRAD), fault["part"]
    program = Program()
    name = program.operand(whole, "x")
    written = v.known(called.args[-1], int)
    same = bool(written) if whole.dtype == "bool" else written == _BEFORE
    program.lines += [f"{name}.fill_({_OTHERWISE if same else _BEFORE})", f"before = {name}.clone()"]
    program.names.add("before")
    if called.name == "Tensor.__setitem__":
        program.known(called.args[0], name)
    else:
        view = program.named("part", "x")
        strides = ", ".join(program.size(stride) for stride in part.strides)
        program.lines.append(f"{view} = {name}.as_strided({program.shape(part.shape)}, ({strides},))")
        program.known(called.args[0], view)
    made = of_program(program, called, tuple(sorted(fault.assumptions)))
    size = " * ".join(f"({program.size(size)})" for size in part.shape) or "1"
    proof = f'assert int(({name} != before).sum()) <= {size}, "the write reaches elements beside those that it is to"'
    return replace(made, program=f"{made.program}{proof}\n", expect=ProofFails())


def of_lost(fault: Fault) -> ProbeRequest:
    """A write to what indexing gives, and the claim that it reaches the tensor that was indexed."""
    called = fault.called
    if called is None:
        raise Unreplayable("the index")
    source = fault["source"].but(grad=NO_GRAD)
    program = Program()
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
    program.known(called.args[0], name)
    made = of_program(program, called, tuple(sorted(fault.assumptions)))
    written = f'assert not torch.equal({name}, before), "the write does not reach the tensor"'
    return replace(made, program=f"{made.program.rstrip()}.fill_(1)\n{written}\n", expect=ProofFails())
