"""Builds reproducers from program text with the rows that the finding is about."""

from __future__ import annotations

from torchlsp.core.finding import ProbeRequest, ProofFails, Raises
from torchlsp.facts.fault import Fault

_FLAG = "  #!"


def with_flags(
    source: str, expect: Raises | ProofFails, assumes: tuple[str, ...] = (), guesses: bool = False
) -> ProbeRequest:
    """Makes the request of a program in which the rows that the finding is about end with `#!`."""
    lines = source.strip("\n").split("\n")
    flagged = [row for row, line in enumerate(lines, 1) if line.endswith(_FLAG)]
    text = "\n".join(line.removesuffix(_FLAG) for line in lines) + "\n"
    return ProbeRequest(
        program=text, expect=expect, flag=(flagged[0], flagged[-1]), assumes=assumes, guesses=guesses
    )


def around_row(
    lines: list[str], flagged: str, proof: str, fault: Fault, guesses: bool, kind: str = "eager-cpu"
) -> ProbeRequest:
    """Makes the request of a program with one row that the finding is about, `flagged`.

    `proof` comes after it and ends in an assertion; where it is empty, the row itself raises.
    """
    written = ["import torch", "", *lines, flagged, *([proof] if proof else [])]
    row = len(lines) + 3
    return ProbeRequest(
        program="\n".join(written) + "\n",
        kind=kind,
        expect=ProofFails() if proof else None,
        flag=(row, row),
        assumes=tuple(sorted(fault.assumptions)),
        guesses=guesses,
    )


def expecting_warning(call: str, pattern: str) -> ProbeRequest:
    """Creates the program of a call that is to warn in words that the pattern finds."""
    rows = ["import torch", "", call]
    if call.startswith("with "):
        rows.append("    pass")
    return ProbeRequest("\n".join(rows) + "\n", Raises(pattern, "Warning"), flag=(3, 3))
