"""Reproduces collectives whose arguments, results or counts are wrong, and loaders that ranks do not share."""

from __future__ import annotations

from torchlsp.core.finding import Hangs, ProbeRequest, Raises
from torchlsp.facts import shape as shapes
from torchlsp.facts.dtype import TORCH_NAMES
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.lint.reproducers.distributed.ranks import COLLECTIVE_CALLS, MAX_RANKS, SIMULATED_AS
from torchlsp.lint.reproducers.outline import NotReproducible, Reproducer

_USES = {
    "operator": ("given + 1", Raises("NoneType", "TypeError")),
    "attribute": ("given.shape", Raises("NoneType", "AttributeError")),
    "item": ("given[0]", Raises("not subscriptable", "TypeError")),
    "argument": ("torch.relu(given)", Raises("NoneType", "TypeError")),
}


def _nothing_used(fault: Fault) -> ProbeRequest:
    """Reproduces the collective, and its result used in the same way."""
    name = fault.op.rpartition(".")[2]
    does = SIMULATED_AS.get(name, name)
    if does not in COLLECTIVE_CALLS:
        raise NotReproducible(f"{name}, which is not simulated")
    use, expect = _USES[fault["use"]]
    rows = [
        "import torch",
        "import torch.distributed as dist",
        "",
        "rank = dist.get_rank()",
        f"given = {COLLECTIVE_CALLS[does].format(size=2)})",
        use,
    ]
    return ProbeRequest(
        program="\n".join(rows) + "\n", expect=expect, kind="ranks", flag=(len(rows), len(rows)), world=2
    )


def _unsharded(fault: Fault) -> ProbeRequest:
    """Reproduces a loader like it on both ranks, to see whether they get the same samples."""
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


def _uneven(fault: Fault) -> ProbeRequest:
    """Reproduces a loop around the collective that runs more often on one rank, or that one rank leaves."""
    name = fault["collective"].name
    does = SIMULATED_AS.get(name, name)
    if does not in COLLECTIVE_CALLS:
        does = SIMULATED_AS["backward"]
    call = f"    {COLLECTIVE_CALLS[does].format(size=2)})"
    head = ["import torch", "import torch.distributed as dist", "", "rank = dist.get_rank()"]
    if fault["test"] is None:
        rows = [*head, "for turn in range(2 + rank):", call]
    else:
        left = "continue" if fault["left"] == "continue" else "break"
        rows = [*head, "for turn in range(3):", "    if turn == 1 and rank == 1:", f"        {left}", call]
    return ProbeRequest(
        program="\n".join(rows) + "\n", expect=Hangs(), kind="ranks", flag=(len(rows), len(rows)), world=2, guesses=True
    )  # fmt: skip


def _no_group(fault: Fault) -> ProbeRequest:
    """Reproduces the call in a process without a group."""
    name = fault["name"]
    does = SIMULATED_AS.get(name, name)
    call = _CALLS_WITHOUT_GROUP.get(name) or (
        f"{COLLECTIVE_CALLS[does].format(size=2)})" if does in COLLECTIVE_CALLS else ""
    )
    if not call or "get_world_size" in call and name != "get_world_size":
        raise NotReproducible(f"{name} without a group")
    rows = ["import torch", "import torch.distributed as dist", "", call]
    return ProbeRequest(
        program="\n".join(rows) + "\n", expect=Raises("has not been initialized", "ValueError"), flag=(len(rows), len(rows))
    )  # fmt: skip


_CALLS_WITHOUT_GROUP = {
    "get_rank": "dist.get_rank()",
    "get_world_size": "dist.get_world_size()",
    "get_backend": "dist.get_backend()",
    "send": "dist.send(torch.ones(2), 1)",
    "recv": "dist.recv(torch.ones(2), 0)",
    "isend": "dist.isend(torch.ones(2), 1)",
    "irecv": "dist.irecv(torch.ones(2), 0)",
    "all_gather": "dist.all_gather([torch.ones(2), torch.ones(2)], torch.ones(2))",
    "all_gather_object": "dist.all_gather_object([None, None], 0)",
    "gather": "dist.gather(torch.ones(2), [torch.ones(2), torch.ones(2)], 0)",
    "scatter": "dist.scatter(torch.ones(2), [torch.ones(2), torch.ones(2)], 0)",
    "broadcast_object_list": "dist.broadcast_object_list([0], 0)",
    "DistributedSampler": "torch.utils.data.DistributedSampler(torch.arange(4))",
    "DistributedDataParallel": "torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 1))",
}


def _buffers(fault: Fault) -> ProbeRequest:
    """Reproduces the collective with such a list or tensor, on as many ranks as are known, else on two."""
    name = fault.op.rpartition(".")[2]
    reason = fault["reason"]
    world = fault.get("expected") or 2
    write = _WRONG_CALLS.get((name, reason))
    if write is None or world > MAX_RANKS:
        raise NotReproducible(f"{name}, which is not simulated")
    dtypes = [
        TORCH_NAMES.get(one.dtype, "float32")
        for one in (fault.get("left"), fault.get("right"))
        if one is not None
    ]
    sizes = _two_sizes(fault) if reason in ("sizes", "whole") else (2, 2)
    call = write.format(
        count=fault.get("got"), left=f"torch.ones({sizes[0]})", right=f"torch.ones({sizes[1]})",
        left_dtype=f"torch.ones(2, dtype=torch.{dtypes[0]})" if dtypes else "", right_dtype=f"torch.ones(2, dtype=torch.{dtypes[-1]})" if dtypes else "",
    )  # fmt: skip
    rows = ["import torch", "import torch.distributed as dist", "", call]
    return ProbeRequest(
        program="\n".join(rows) + "\n", expect=Hangs() if reason in ("everywhere", "nowhere") else Raises("", "Exception"), kind="ranks",
        flag=(len(rows), len(rows)), world=world,
        guesses=True,
    )  # fmt: skip


def _two_sizes(fault: Fault) -> tuple[int, int]:
    """Returns numbers of elements for two tensors that differ as those of the fault do."""
    left, right = (shapes.numel(fault[name].shape) for name in ("left", "right"))
    if isinstance(left, int) and isinstance(right, int) and max(left, right) < 10_000:
        return left, right
    return (2, 2) if fault["reason"] == "whole" else (3, 2)


_LISTED = {"all_gather": "dist.all_gather({}, {right})", "reduce_scatter": "dist.reduce_scatter({right}, {})"}
_WRONG_CALLS = {
    **{(name, "count"): call.format("[torch.ones(2) for _ in range({count})]", right="torch.ones(2)") for name, call in _LISTED.items()},
    **{(name, "items"): call.format("[None, None]", right="torch.ones(2)") for name, call in _LISTED.items()},
    **{(name, "no list"): call.format("torch.ones(4)", right="torch.ones(2)") for name, call in _LISTED.items()},
    **{(name, "dtype"): call.format("[{left_dtype} for _ in range(2)]", right="{right_dtype}") for name, call in _LISTED.items()},
    ("all_gather", "sizes"): "dist.all_gather([{left} for _ in range(2)], {right})",
    ("all_gather_object", "count"): "dist.all_gather_object([None] * {count}, 0)",
    ("all_gather_into_tensor", "whole"): "dist.all_gather_into_tensor({left}, {right})",
    ("all_gather_into_tensor", "dtype"): "dist.all_gather_into_tensor(torch.cat([{left_dtype}, {left_dtype}]), {right_dtype})",
    ("all_reduce", "no tensor"): "dist.all_reduce(1.0)",
    ("broadcast", "no tensor"): "dist.broadcast(1.0, 0)",
    ("reduce", "no tensor"): "dist.reduce(1.0, 0)",
    ("gather", "everywhere"): "dist.gather(torch.ones(2), [torch.ones(2), torch.ones(2)], 0)",
    ("gather", "nowhere"): "dist.gather(torch.ones(2), None, 0)",
    ("scatter", "everywhere"): "dist.scatter(torch.ones(2), [torch.ones(2), torch.ones(2)], 0)",
    ("scatter", "nowhere"): "dist.scatter(torch.ones(2), None, 0)",
}  # fmt: skip
"""The wrong call of each collective."""
OF_KIND: dict[FaultKind, Reproducer] = {
    FaultKind.UNEVEN: _uneven,
    FaultKind.NO_GROUP: _no_group,
    FaultKind.BUFFERS: _buffers,
    FaultKind.NOTHING_USED: _nothing_used,
    FaultKind.UNSHARDED: _unsharded,
}
