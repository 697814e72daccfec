"""Names and uses that torch refuses, as small programs: those that need more than the one call."""

from __future__ import annotations

from collections.abc import Callable

from torchlsp.core.finding import ProbeRequest, ProofFails, Raises
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.lint.replay_outline import Unreplayable
from torchlsp.lint.replay_results import with_proof


def of_unused(fault: Fault) -> ProbeRequest:
    """A method whose result is lost: the tensor itself was to be changed.

    Where too little is known of it, the method is called on another tensor, with arguments that change something.
    """
    try:
        return with_proof(fault, "result[0] is x" if fault["is_pair"] else "result is x")
    except Unreplayable:
        if fault["method"] not in _CHANGING:
            raise
    call = f"result = x.{fault['method']}({_CHANGING[fault['method']]})"
    rows = ["import torch", "", "x = torch.ones(1, 3).t()", call, "assert result is x"]
    return ProbeRequest("\n".join(rows) + "\n", ProofFails(), flag=(4, 4), guesses=True)


_CHANGING = {
    **dict.fromkeys(("squeeze", "t", "flatten", "neg", "exp", "abs", "sqrt"), ""),
    **dict.fromkeys(("view", "reshape"), "1, 3"),
    **dict.fromkeys(("clamp", "clip"), "min=2.0"),
    **dict.fromkeys(("add", "sub", "mul", "div", "pow"), "2.0"),
    **dict.fromkeys(("transpose", "swapaxes", "permute"), "1, 0"),
    "expand": "3, 2",
    "masked_fill": "x > 0, 0.0",
    "repeat": "2, 2",
    "unsqueeze": "0",
}
"""Methods of a column of ones, with arguments."""


def of_pair(fault: Fault) -> ProbeRequest:
    """The same use of another pair: what a tuple refuses does not depend on what is in it."""
    if fault["again"] is None:
        raise Unreplayable("the other arguments")
    rows = ["import torch", "", "x = torch.ones(3, 3)", "pair = x.max(dim=1)", fault["again"]]
    return ProbeRequest(
        "\n".join(rows) + "\n", Raises("", "Exception"), flag=(5, 5), assumes=tuple(sorted(fault.assumptions))
    )


def of_shared(fault: Fault) -> ProbeRequest:
    """A list of the same kind; what it holds is one object, whatever it is."""
    if fault["what"] == "module":
        rows = ["layers = [torch.nn.Linear(2, 2)] * 2", "assert layers[0].weight is not layers[1].weight"]
    else:
        rows = ["states = [torch.zeros(2)] * 2", "states[0] += 1", "assert states[1].sum() == 0"]
    return ProbeRequest("\n".join(["import torch", "", *rows]) + "\n", ProofFails(), flag=(3, 3))


def of_part(fault: Fault) -> ProbeRequest:
    """A layer of the same kind, changed in the same way: its sizes do not matter."""
    rows = ["import torch", "", "layer = torch.nn.Linear(2, 3)"]
    if fault["reason"] == "bias":
        rows += ["layer.weight = torch.nn.Parameter(torch.zeros(4, 2))", "layer(torch.zeros(1, 2))"]
        return ProbeRequest("\n".join(rows) + "\n", Raises("", "Exception"), flag=(5, 5))
    rows += ["layer.out_features = 4", "assert layer(torch.zeros(1, 2)).size(1) == 4"]
    return ProbeRequest("\n".join(rows) + "\n", ProofFails(), flag=(4, 4))


def of_float(fault: Fault) -> ProbeRequest:
    """The same kind of call: what is refused is the float, whatever its value."""
    name = fault["name"]
    call = "torch.zeros(4 / 2)"
    if name.startswith("torch.nn.") and not name.startswith("torch.nn.functional."):
        call = "torch.nn.Linear(4 / 2, 3)"
    elif not name.startswith("torch."):
        call = "torch.ones(4).view(4 / 2, 2)"
    return ProbeRequest(f"import torch\n\n{call}\n", Raises("", "TypeError"), flag=(3, 3))


OF_API: dict[FaultKind, Callable[[Fault], ProbeRequest | None]] = {
    FaultKind.RESULT_DISCARDED: of_unused,
    FaultKind.PAIR_AS_TENSOR: of_pair,
    FaultKind.SHARED_ITEMS: of_shared,
    FaultKind.FLOAT_SIZE: of_float,
    FaultKind.PART_CHANGED: of_part,
}
