"""Results of collectives that are used, as small programs of two ranks."""

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


OF_COLLECTIVES = {FaultKind.NOTHING_USED: of_nothing}
