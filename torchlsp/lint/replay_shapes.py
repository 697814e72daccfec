"""Calls whose result has another shape or order than was meant: what is done with the result shows it."""

from __future__ import annotations

from dataclasses import replace

from torchlsp.core.finding import ProbeRequest, ProofFails, Raises
from torchlsp.facts.fault import Fault
from torchlsp.facts.shape import numel
from torchlsp.facts.tensor import NO_GRAD
from torchlsp.lint.replay_calls import Program, of_program
from torchlsp.lint.replay_outline import Unreplayable
from torchlsp.lint.replay_results import with_proof


def of_miscounted(fault: Fault) -> ProbeRequest:
    """The call, and its results taken apart as the program does."""
    if fault.called is None:
        raise Unreplayable("the call")
    made = of_program(Program(), fault.called, tuple(sorted(fault.assumptions)))
    *before, call = made.program.splitlines()
    bare = call.lstrip()
    names = ", ".join(f"part{i}" for i in range(fault["expected"]))
    rows = [*before, f"{call[: len(call) - len(bare)]}{names}{',' * (fault['expected'] == 1)} = {bare}"]
    return replace(
        made, program="\n".join(rows) + "\n", expect=Raises("values to unpack", "ValueError"),
    )  # fmt: skip


def of_squeezed(fault: Fault) -> ProbeRequest:
    """`squeeze()` of a batch: the dims that are left are all but the others of size 1."""
    made = with_proof(fault, f"result.dim() == {fault['input'].rank - len(fault['ones'])}")
    # The first size comes first: it is a batch of one that is dropped.
    ones = tuple(sizes for sizes in made.assignments if sizes and sizes[0][1] == 1)
    return replace(made, assignments=ones or made.assignments)


def of_permuted(fault: Fault) -> ProbeRequest:
    """The reshape of elements that can be told apart: which of them stand along a dim before and after it."""
    called = fault.called
    if called is None:
        raise Unreplayable("the call")
    program = Program()
    tensor = fault["input"].but(shape=fault["shape"], grad=NO_GRAD)
    if fault["input"].shape is None:
        program.guesses = True
    name = program.operand(tensor, "x")
    program.lines.append(f"{name}.copy_(torch.arange({name}.numel()).reshape({name}.shape))")
    program.known(fault["input"], name)
    program.shape(fault["target"])
    difference = numel(fault["shape"]) - numel(fault["target"])
    program.cut += [difference, -difference]  # sizes for which the reshape works at all
    made = of_program(program, called, tuple(sorted(fault.assumptions)))
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
