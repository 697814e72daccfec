"""From what the analysis knows of a faulty place to a small torch-only program that does the same."""

from __future__ import annotations

from typing import Any

from torchlsp.core.finding import Hangs, ProbeRequest, ProofFails
from torchlsp.facts.fault import Called, Fault, FaultKind
from torchlsp.interp.checks.distributed.collective_divergence import Divergence
from torchlsp.interp.checks.training.gradient_clearing import EarlyClear, MissingClear
from torchlsp.interp.store.analysis import CallSite
from torchlsp.lint.reproducers import (
    api,
    autograd,
    data,
    devices,
    distributed,
    dtypes,
    layout,
    modules,
    training,
)
from torchlsp.lint.reproducers.distributed.ranks import divergence
from torchlsp.lint.reproducers.outline import NotReproducible, Reproducer
from torchlsp.lint.reproducers.single_call import reproduce_call, reproduce_fault
from torchlsp.lint.reproducers.training.training_loops import early_clear, missing_clear

_FAMILIES = (layout, dtypes, devices, autograd, training, modules, data, distributed, api)
OF_KIND: dict[FaultKind, Reproducer] = {
    kind: reproduce for family in _FAMILIES for kind, reproduce in family.OF_KIND.items()
}
"""Faults whose program is more than the one call that was evaluated."""


def reproducer(what: Any) -> ProbeRequest | None:
    """The program of what a rule reports; None where what is known does not suffice for one."""
    try:
        match what:
            case Fault(kind=kind) if kind in OF_KIND:
                return OF_KIND[kind](what)
            case Fault(called=Called() as called):
                return reproduce_fault(what, called)
            case CallSite(name=name) if name in dtypes.OF_CALL:
                return dtypes.OF_CALL[name](name)
            case MissingClear():
                return missing_clear(what)
            case EarlyClear():
                return early_clear(what)
            case Divergence():
                return divergence(what)
    except NotReproducible:
        pass
    return None


def reproducer_of_call(called: Called) -> ProbeRequest | None:
    """The program of a call that nothing is wrong with, as the analysis keeps them when it records."""
    try:
        return reproduce_call(called)
    except NotReproducible:
        return None


def as_script(request: ProbeRequest, rule: str = "") -> str:
    """The program with its first sizes, to be run by hand: on the real device, and for ranks by torchrun."""
    rows = request.source(request.assignments[0]).splitlines()
    if request.flag is not None:
        rows[request.flag[0] - 1] += f"  # {rule or 'here'}"
    expected = {
        Hangs: "ranks wait here for others that do not come, until the time-out ends them.",
        ProofFails: "the assertion at the end fails.",
    }.get(type(request.expect), "this raises.")
    head = [f"# {rule + ': ' if rule else ''}{expected}"]
    if request.hears:
        head += ["import warnings", "", 'warnings.simplefilter("error")', ""]
    if request.kind == "ranks":
        head.append(f"# Run with: torchrun --nproc_per_node={request.world} FILE.py")
        place = rows.index("import torch.distributed as dist")
        rows.insert(place, "from datetime import timedelta\n")
        place = rows.index("rank = dist.get_rank()")
        rows.insert(place, 'dist.init_process_group("gloo", timeout=timedelta(seconds=10))')
    if request.kind == "logical-device":
        head.append("# It needs a CUDA device.")
    return "\n".join([*head, *rows]) + "\n"
