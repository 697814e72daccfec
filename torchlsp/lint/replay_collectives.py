"""Results of collectives that are used, and loaders that ranks do not share, as small programs of two ranks."""

from __future__ import annotations

from torchlsp.core.finding import ProbeRequest, Raises
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.lint.replay_outline import Unreplayable
from torchlsp.lint.replay_ranks import _CALLS, _DOES

_USES = {
    "operator": ("given + 1", Raises("NoneType", "TypeError")),
    "attribute": ("given.shape", Raises("NoneType", "AttributeError")),
    "item": ("given[0]", Raises("not subscriptable", "TypeError")),
    "argument": ("torch.relu(given)", Raises("NoneType", "TypeError")),
}


def of_nothing(fault: Fault) -> ProbeRequest:
    """The collective, and its result used in the same way."""
    name = fault.op.rpartition(".")[2]
    does = _DOES.get(name, name)
    if does not in _CALLS:
        raise Unreplayable(f"{name}, which is not simulated")
    use, expect = _USES[fault["use"]]
    rows = [
        "import torch",
        "import torch.distributed as dist",
        "",
        "rank = dist.get_rank()",
        f"given = {_CALLS[does].format(size=2)})",
        use,
    ]
    return ProbeRequest(
        program="\n".join(rows) + "\n", expect=expect, kind="ranks", flag=(len(rows), len(rows)), world=2
    )


def of_unsharded(fault: Fault) -> ProbeRequest:
    """A loader like it, on both ranks: are they given the same samples?"""
    shuffle = ", shuffle=True" if fault["shuffles"] else ""
    rows = [
        "import torch",
        "import torch.distributed as dist",
        "from torch.nn.parallel import DistributedDataParallel",
        "from torch.utils.data import DataLoader",
        "",
        "rank = dist.get_rank()",
        "model = DistributedDataParallel(torch.nn.Linear(1, 1))",
        f"mine = [int(sample) for sample in DataLoader(range(8){shuffle})]",
        "seen = [None] * dist.get_world_size()",
        "dist.all_gather_object(seen, mine)",
        'assert set(seen[0]) != set(seen[1]), "all ranks are given the same samples"',
    ]
    return ProbeRequest(
        program="\n".join(rows) + "\n", expect=Raises("the same samples", "AssertionError"), kind="ranks",
        flag=(len(rows), len(rows)), world=2,
        assumes=tuple(sorted(fault.assumptions)),
    )  # fmt: skip


OF_COLLECTIVES = {FaultKind.NOTHING_USED: of_nothing, FaultKind.UNSHARDED: of_unsharded}
