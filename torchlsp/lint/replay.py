"""From what the analysis knows of a faulty place to a small torch-only program that does the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchlsp.core.finding import Hangs, ProbeRequest, ProofFails
from torchlsp.facts.fault import Called, Fault, FaultKind
from torchlsp.interp.checks.distributed.collective_divergence import Divergence
from torchlsp.interp.checks.training.gradient_clearing import EarlyClear, MissingClear
from torchlsp.interp.store.analysis import CallSite
from torchlsp.lint.replay_api import OF_API
from torchlsp.lint.replay_autograd import OF_AUTOGRAD
from torchlsp.lint.replay_calls import of_called, of_fault
from torchlsp.lint.replay_collectives import OF_COLLECTIVES
from torchlsp.lint.replay_devices import OF_DEVICES
from torchlsp.lint.replay_graph import OF_GRAPH
from torchlsp.lint.replay_loaders import OF_LOADERS
from torchlsp.lint.replay_losses import OF_CALLS, OF_LOSSES
from torchlsp.lint.replay_modes import OF_MODES
from torchlsp.lint.replay_modules import OF_MODULES
from torchlsp.lint.replay_narrowing import OF_NARROWING
from torchlsp.lint.replay_notices import OF_NOTICES
from torchlsp.lint.replay_optimizers import OF_OPTIMIZERS
from torchlsp.lint.replay_outline import Unreplayable
from torchlsp.lint.replay_protocols import OF_PROTOCOLS
from torchlsp.lint.replay_ranks import of_divergence
from torchlsp.lint.replay_results import OF_RESULTS
from torchlsp.lint.replay_shapes import of_miscounted, of_permuted, of_squeezed
from torchlsp.lint.replay_sharing import OF_SHARING
from torchlsp.lint.replay_training import of_early_clear, of_missing_clear
from torchlsp.lint.replay_weights import OF_WEIGHTS
from torchlsp.lint.replay_wrapped import OF_WRAPPED
from torchlsp.lint.replay_writes import of_aliased, of_lost

OF_KIND: dict[FaultKind, Callable[[Fault], ProbeRequest | None]] = {
    FaultKind.INPLACE_ALIASED: of_aliased,
    FaultKind.LOST_WRITE: of_lost,
    FaultKind.PERMUTED_SIZES: of_permuted,
    FaultKind.SQUEEZED_BATCH: of_squeezed,
    FaultKind.UNPACK: of_miscounted,
    **OF_API,
    **OF_AUTOGRAD,
    **OF_RESULTS,
    **OF_LOADERS,
    **OF_DEVICES,
    **OF_MODULES,
    **OF_COLLECTIVES,
    **OF_WRAPPED,
    **OF_MODES,
    **OF_PROTOCOLS,
    **OF_OPTIMIZERS,
    **OF_NARROWING,
    **OF_NOTICES,
    **OF_LOSSES,
    **OF_GRAPH,
    **OF_WEIGHTS,
    **OF_SHARING,
}
"""Faults whose program is more than the one call that was evaluated."""


def request(what: Any) -> ProbeRequest | None:
    """The program of what a rule reports; None where what is known does not suffice for one."""
    try:
        match what:
            case Fault(kind=kind) if kind in OF_KIND:
                return OF_KIND[kind](what)
            case Fault(called=Called() as called):
                return of_fault(what, called)
            case CallSite(name=name) if name in OF_CALLS:
                return OF_CALLS[name](name)
            case MissingClear():
                return of_missing_clear(what)
            case EarlyClear():
                return of_early_clear(what)
            case Divergence():
                return of_divergence(what)
    except Unreplayable:
        pass
    return None


def of_call(called: Called) -> ProbeRequest | None:
    """The program of a call that nothing is wrong with, as the analysis keeps them when it records."""
    try:
        return of_called(called)
    except Unreplayable:
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
