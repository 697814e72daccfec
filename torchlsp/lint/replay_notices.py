"""What torch warns of, as programs in which warnings are raised: the function is what warns, whatever it is given.

Functions that are deprecated in the documentation alone (`torch.norm`) have no program, nor have those that the gate does not
let in (`torch.jit`, quantization).
"""

from __future__ import annotations

from collections.abc import Callable

from torchlsp.core.finding import ProbeRequest, ProofFails, Raises
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.lint.replay_calls import of_fault
from torchlsp.lint.replay_outline import Unreplayable

_DEPRECATED = "deprecated|will be removed"
_INIT = "uniform normal eye xavier_uniform xavier_normal kaiming_uniform kaiming_normal orthogonal"
_IMAGE = "torch.ones(1, 1, 2, 2)"

CALLS = {
    **{f"torch.{name}": f"torch.{name}(torch.eye(2))" for name in ("qr", "cholesky", "lu")},
    **{f"torch.Tensor.{name}": f"torch.eye(2).{name}()" for name in ("qr", "cholesky", "lu")},
    "torch.chain_matmul": "torch.chain_matmul(torch.eye(2), torch.eye(2))",
    "torch.range": "torch.range(0, 3)",
    **{f"torch.{name}": f"torch.{name}(torch.eye(2))" for name in ("symeig", "eig")},
    **{f"torch.{name}": f"torch.{name}(torch.eye(2), torch.eye(2))" for name in ("lstsq", "solve")},
    **{f"torch.nn.init.{name}": f"torch.nn.init.{name}(torch.ones(2, 2))" for name in _INIT.split()},
    "torch.nn.init.constant": "torch.nn.init.constant(torch.ones(2), 0)",
    "torch.nn.init.sparse": "torch.nn.init.sparse(torch.ones(2, 2), 0.5)",
    "torch.nn.init.dirac": "torch.nn.init.dirac(torch.ones(2, 2, 2))",
    "torch.nn.utils.clip_grad_norm": "torch.nn.utils.clip_grad_norm([torch.ones(2, requires_grad=True)], 1.0)",
    **{
        f"torch.nn.functional.{name}": f"torch.nn.functional.{name}({_IMAGE}, scale_factor=2)"
        for name in ("upsample", "upsample_nearest", "upsample_bilinear")
    },
    "torch.cuda.amp.autocast": "with torch.cuda.amp.autocast():",
    "torch.cpu.amp.autocast": "with torch.cpu.amp.autocast():",
    "torch.cuda.amp.GradScaler": "torch.cuda.amp.GradScaler()",
    "torch.meshgrid": "torch.meshgrid(torch.ones(2), torch.ones(3))",
    "torch.nn.functional.grid_sample": f"torch.nn.functional.grid_sample({_IMAGE}, torch.ones(1, 2, 2, 2))",
    "torch.nn.functional.affine_grid": "torch.nn.functional.affine_grid(torch.ones(1, 2, 3), (1, 1, 2, 2))",
}
"""The shortest calls that torch 2.13 warns of, or refuses."""


def of_name(fault: Fault) -> ProbeRequest:
    """A function that will go."""
    return _warned(_call(fault["name"]), _DEPRECATED)


def of_removed(fault: Fault) -> ProbeRequest:
    """A function that only says that it is gone."""
    if fault["name"] not in CALLS and fault.called is not None:
        return of_fault(fault, fault.called)
    rows = ["import torch", "", _call(fault["name"])]
    return ProbeRequest("\n".join(rows) + "\n", Raises("is now removed"), flag=(3, 3))


def of_unsaid(fault: Fault) -> ProbeRequest:
    """A call without the argument that torch wants to be told."""
    return _warned(_call(fault["name"]), fault["argument"])


def of_flag(fault: Fault) -> ProbeRequest:
    """An argument of losses that `reduction` has replaced: all of them have it from the same base."""
    return _warned(f"torch.nn.MSELoss({fault['keyword']}=True)", _DEPRECATED)


def of_copied(fault: Fault) -> ProbeRequest:
    """A tensor made of a tensor."""
    made = "torch.ones(2).new_tensor(torch.ones(2))" if fault["method"] else "torch.tensor(torch.ones(2))"
    return _warned(made, "copy construct")


def of_arrays(fault: Fault) -> ProbeRequest:
    """Two arrays in a list."""
    return _warned(f"{fault['name']}([torch.ones(2).numpy(), torch.ones(2).numpy()])", "list of numpy")


def of_variable(fault: Fault) -> ProbeRequest:
    """What is wrapped is as much of a tensor as before."""
    rows = [
        "import torch",
        "",
        "wrapped = torch.autograd.Variable(torch.ones(2))",
        'assert not isinstance(wrapped, torch.Tensor), "what is wrapped is a plain tensor"',
    ]
    return ProbeRequest("\n".join(rows) + "\n", ProofFails(), flag=(3, 3))


def _call(name: str) -> str:
    if name not in CALLS:
        raise Unreplayable("a call that warns")
    return CALLS[name]


def _warned(call: str, pattern: str) -> ProbeRequest:
    rows = ["import torch", "", call]
    if call.startswith("with "):
        rows.append("    pass")
    return ProbeRequest("\n".join(rows) + "\n", Raises(pattern, "Warning"), flag=(3, 3))


OF_NOTICES: dict[FaultKind, Callable[[Fault], ProbeRequest | None]] = {
    FaultKind.DEPRECATED_NAME: of_name,
    FaultKind.DEPRECATED_AMP: of_name,
    FaultKind.DEPRECATED_KEYWORD: of_flag,
    FaultKind.LIST_OF_ARRAYS: of_arrays,
    FaultKind.REMOVED_NAME: of_removed,
    FaultKind.UNSAID_ARGUMENT: of_unsaid,
    FaultKind.TENSOR_OF_TENSOR: of_copied,
    FaultKind.VARIABLE: of_variable,
}
