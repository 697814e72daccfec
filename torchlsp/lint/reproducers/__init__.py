"""Creates small torch-only programs that reproduce a finding, for the probe to run.

Each rule family has a module with the reproducers of its kinds of faults, `OF_KIND`: functions that are named after the kind.
A kind without one is shown by the call that was evaluated (`single_call`).
"""

from __future__ import annotations

import importlib
from functools import cache

from torchlsp.core.finding import Hangs, ProbeRequest, ProofFails
from torchlsp.facts.fault import Called, Fault, FaultKind
from torchlsp.facts.fault_kinds import KINDS, Family
from torchlsp.interp.checks.distributed.collective_divergence import Divergence
from torchlsp.interp.checks.training.gradient_clearing import EarlyClear, MissingClear
from torchlsp.interp.store.analysis import CallSite
from torchlsp.lint.reproducers.outline import NotReproducible, Reproducer
from torchlsp.lint.reproducers.single_call import reproduce_call, reproduce_fault


@cache
def _table(family: Family) -> dict[FaultKind, Reproducer]:
    """Loads the reproducers of a rule family: most runs find something of a few families only."""
    return importlib.import_module(f"torchlsp.lint.reproducers.{family}").OF_KIND


def reproducer_of_kind(kind: FaultKind) -> Reproducer | None:
    """Finds the function that reproduces a kind of fault whose program is more than the one call that was
    evaluated."""
    return _table(KINDS[kind].family).get(kind)


def reproducer(what: object) -> ProbeRequest | None:
    """Creates the program of a finding; None where too little is known for one."""
    try:
        match what:
            case Fault(kind=kind) if (reproduce := reproducer_of_kind(kind)) is not None:
                return reproduce(what)
            case Fault(called=Called() as called):
                return reproduce_fault(what, called)
            case CallSite(name=name):
                from torchlsp.lint.reproducers.dtypes import OF_CALL

                return OF_CALL[name](name) if name in OF_CALL else None
            case MissingClear():
                from torchlsp.lint.reproducers.training.training_loops import missing_clear

                return missing_clear(what)
            case EarlyClear():
                from torchlsp.lint.reproducers.training.training_loops import early_clear

                return early_clear(what)
            case Divergence():
                from torchlsp.lint.reproducers.distributed.ranks import divergence

                return divergence(what)
    except NotReproducible:
        pass
    return None


def reproducer_of_call(called: Called) -> ProbeRequest | None:
    """Creates the program of a call without a fault, as the analysis keeps them when it records."""
    try:
        return reproduce_call(called)
    except NotReproducible:
        return None


def as_script(request: ProbeRequest, rule: str = "") -> str:
    """Writes the program with its first sizes, to be run by hand: on the real device, and for ranks by torchrun."""
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
        place = next(n for n, row in enumerate(rows) if row and not row.startswith(("import ", "from ")))
        rows.insert(place, 'dist.init_process_group("gloo", timeout=timedelta(seconds=10))')
    if request.kind == "logical-device":
        head.append("# It needs a CUDA device.")
    return "\n".join([*head, *rows]) + "\n"
