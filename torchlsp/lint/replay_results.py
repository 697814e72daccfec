"""Calls that raise nothing: the call as it was made, and an assertion of what it was meant to give."""

from __future__ import annotations

from dataclasses import replace

from torchlsp.core.finding import ProbeRequest, ProofFails
from torchlsp.facts.fault import Fault
from torchlsp.lint.replay_calls import of_fault
from torchlsp.lint.replay_outline import Unreplayable


def of_reversed(fault: Fault) -> ProbeRequest:
    """`x.T` of what is no matrix: no torch promises it."""
    return with_proof(fault, "result.dim() <= 2")


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
