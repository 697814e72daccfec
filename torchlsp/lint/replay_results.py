"""Calls that raise nothing: the call as it was made, and an assertion of what it was meant to give."""

from __future__ import annotations

import re
from dataclasses import replace

from torchlsp.core.finding import ProbeRequest, ProofFails
from torchlsp.facts.fault import Fault
from torchlsp.lint.replay_calls import of_called, of_fault
from torchlsp.lint.replay_outline import Unreplayable


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
