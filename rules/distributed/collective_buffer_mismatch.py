"""TL819: a collective gets lists or tensors that it does not accept."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Site, rule, shown


@rule("TL819", severity="error", group="correctness", unproven_cases="some collectives are not simulated")
def collective_buffer_mismatch(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.BUFFERS):
        yield check.finding(fault, _SAID[fault["reason"]](fault, fault.what.op.rpartition(".")[2]))


def _count(fault: Site, name: str) -> str:
    expected, got = fault["expected"], fault["got"]
    items = "no items" if got == 0 else "1 item" if got == 1 else f"{got} items"
    return f"{fault['what']} of {name}() has {items}, not one for each " + (
        "rank" if expected is None else f"of {expected} ranks"
    )


def _dtype(fault: Site, name: str) -> str:
    left, right = fault["left"], fault["right"]
    return f"{name}() takes one dtype: {fault['what']} is {left.dtype}, {fault['other']} {right.dtype}"


def _sizes(fault: Site, name: str) -> str:
    left, right = shown(fault["left"].shape), shown(fault["right"].shape)
    return f"{fault['what']} of {name}() holds {left}, {fault['other']} is {right}"


def _whole(fault: Site, name: str) -> str:
    left, right, world = shown(fault["left"].shape), shown(fault["right"].shape), fault["expected"]
    ranks = "all ranks" if world is None else f"{world} ranks"
    return f"{fault['what']} {left} of {name}() does not have the size of {right} from {ranks}"


_SAID = {
    "count": _count,
    "items": lambda fault, name: f"{fault['what']} of {name}() holds None where tensors are written to",
    "no list": lambda fault, name: (
        f"{fault['what']} of {name}() is a tensor, not a list with one for each rank"
    ),
    "no tensor": lambda fault, name: f"{fault['what']} of {name}() is a {fault['got']}, not a tensor",
    "dtype": _dtype,
    "sizes": _sizes,
    "whole": _whole,
    "device": lambda fault, name: f"{name}() with NCCL does not take a CPU tensor as {fault['what']}",
    "everywhere": lambda fault, name: f"all ranks pass {fault['what']} to {name}(), only one may",
    "nowhere": lambda fault, name: f"no rank passes {fault['what']} to {name}(), one has to",
}
