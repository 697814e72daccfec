"""Reproduces weights that one rank changes alone."""

from __future__ import annotations

from torchlsp.core.finding import ProbeRequest, ProofFails
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.interp.checks.distributed.collective_divergence import tested_ranks
from torchlsp.interp.model.trace_flow import place
from torchlsp.interp.store.trace import BranchItem, Event
from torchlsp.lint.reproducers.distributed.ranks import MAX_RANKS, rank_conditions, rank_test
from torchlsp.lint.reproducers.outline import Line, Lines, NotReproducible, Outline, Reproducer


def _rank_write(fault: Fault) -> ProbeRequest:
    """Reproduces the tests around the change, and then compares the weights of all ranks."""
    trace, call = fault["trace"], fault["call"]
    numbers = tested_ranks(trace) or set()

    def of_event(event: Event) -> Lines:
        if event.kind is not call.kind or place(event) != place(call):
            return []
        return [Line("torch.nn.init.ones_(model.module.weight)", True, True)]

    def of_test(branch: BranchItem) -> str | None:
        condition = branch.condition
        if condition is None or condition.kind != "rank":
            return None
        return rank_test(condition, min(numbers, default=0), outline)

    outline = Outline(of_event, of_test)
    lines = outline.program(trace)
    outline.guesses = outline.guesses or any(condition.ranks is None for condition in rank_conditions(trace))
    world = max(2, *(number + 1 for number in numbers), len(numbers) + 1)
    if world > MAX_RANKS:
        raise NotReproducible("so many ranks")
    head = [
        "import torch",
        "import torch.distributed as dist",
        "",
        "rank = dist.get_rank()",
        "layer = torch.nn.Linear(2, 1)",
        "torch.nn.init.zeros_(layer.weight)",
        "model = torch.nn.parallel.DistributedDataParallel(layer)",
        *outline.head(),
    ]
    proof = [
        "weights = [torch.zeros(1, 2) for _ in range(dist.get_world_size())]",
        "dist.all_gather(weights, layer.weight.detach())",
        'assert all(torch.equal(one, weights[0]) for one in weights), "the ranks have different weights"',
    ]
    program, flag = outline.rendered(head, lines, proof)
    return ProbeRequest(
        program=program, expect=ProofFails(), kind="ranks", flag=flag, assignments=outline.assignments(), world=world,
        assumes=tuple(sorted(fault.assumptions)), guesses=outline.guesses,
    )  # fmt: skip


OF_KIND: dict[FaultKind, Reproducer] = {
    FaultKind.RANK_WRITE: _rank_write,
}
