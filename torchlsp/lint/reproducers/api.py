"""Reproduces names and calls that torch refuses, warns of, or whose result is lost.

Where torch warns, the function is what warns, whatever it is given: the program is the shortest call. Functions that are
deprecated in the documentation alone (`torch.norm`) have no program, nor have those that the gate does not let in
(`torch.jit`, quantization).
"""

from __future__ import annotations

from torchlsp.core.finding import ProbeRequest, ProofFails, Raises
from torchlsp.core.records import replace
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.lint.reproducers.outline import NotReproducible, Reproducer
from torchlsp.lint.reproducers.program_text import expecting_warning
from torchlsp.lint.reproducers.refused_names import (
    lacking_name,
    refused_count,
    refused_keyword,
    uncallable,
)
from torchlsp.lint.reproducers.single_call import reproduce_fault, with_assertion

_DEPRECATED = "deprecated|will be removed"
_INIT = "uniform normal eye xavier_uniform xavier_normal kaiming_uniform kaiming_normal orthogonal"
_IMAGE = "torch.ones(1, 1, 2, 2)"
WARNING_CALLS = {
    **{f"torch.{name}": f"torch.{name}(torch.eye(2))" for name in ("qr", "cholesky", "lu")},
    **{f"torch.Tensor.{name}": f"torch.eye(2).{name}()" for name in ("qr", "cholesky", "lu")},
    "torch.chain_matmul": "torch.chain_matmul(torch.eye(2), torch.eye(2))",
    "torch.range": "torch.range(0, 3)",
    **{f"torch.{name}": f"torch.{name}(torch.eye(2))" for name in ("symeig", "eig", "matrix_rank")},
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


def _deprecated_function(fault: Fault) -> ProbeRequest:
    """Reproduces a call of a function that will be removed."""
    return expecting_warning(_shortest_call(fault["name"]), _DEPRECATED)


def _documented_deprecation(fault: Fault) -> ProbeRequest:
    """Raises NotReproducible: torch says nothing when such a function is called."""
    raise NotReproducible


def _removed_name(fault: Fault) -> ProbeRequest:
    """Reproduces a name that is gone, or a call of a function that only says that it was removed."""
    if fault.get("namespace") is not None:
        return lacking_name(fault)
    shown = f"no longer has `{fault['name']}`"
    if fault["name"] not in WARNING_CALLS and fault.called is not None:
        return replace(reproduce_fault(fault, fault.called), shown=shown)
    rows = ["import torch", "", _shortest_call(fault["name"])]
    return ProbeRequest("\n".join(rows) + "\n", Raises("is now removed"), flag=(3, 3), shown=shown)


def _unsaid_argument(fault: Fault) -> ProbeRequest:
    """Reproduces a call without the argument that torch wants to be explicit."""
    return expecting_warning(_shortest_call(fault["name"]), fault["argument"])


def _deprecated_keyword(fault: Fault) -> ProbeRequest:
    """Reproduces an argument of losses that `reduction` has replaced: all of them have it from the same base."""
    return expecting_warning(f"torch.nn.MSELoss({fault['keyword']}=True)", _DEPRECATED)


def _tensor_of_tensor(fault: Fault) -> ProbeRequest:
    """Reproduces a tensor constructed from a tensor."""
    made = "torch.ones(2).new_tensor(torch.ones(2))" if fault["method"] else "torch.tensor(torch.ones(2))"
    return expecting_warning(made, "copy construct")


def _layer_arguments(fault: Fault) -> ProbeRequest:
    """Reproduces the constructor; of numbers that are too many or too few, a call of such a layer."""
    if fault["reason"] != "length":
        if fault.called is None:
            raise NotReproducible("the call")
        return reproduce_fault(fault, fault.called)
    layer, argument, rank = fault.op, fault["argument"], fault["other_value"]
    given = {"kernel_size": "3"} | {
        argument: f"({'3' if argument == 'kernel_size' else '1'},) * {fault['value']}"
    }
    channels = "4, 4, " if "Conv" in layer else ""
    arguments = channels + ", ".join(f"{name}={value}" for name, value in given.items())
    rows = ["import torch", "", f"layer = {layer}({arguments})", f"layer(torch.zeros(1, 4{', 9' * rank}))"]
    message = r"to be a single integer|-dimensional input for|must be|must either|should contain one int"
    return ProbeRequest(
        "\n".join(rows) + "\n", Raises(message, "RuntimeError"), flag=(4, 4), shown="is refused"
    )


def _variable(fault: Fault) -> ProbeRequest:
    """Reproduces a `Variable`: what is wrapped is as much of a tensor as before."""
    rows = [
        "import torch",
        "",
        "wrapped = torch.autograd.Variable(torch.ones(2))",
        'assert not isinstance(wrapped, torch.Tensor), "what is wrapped is a plain tensor"',
    ]
    return ProbeRequest("\n".join(rows) + "\n", ProofFails(), flag=(3, 3))


def _shortest_call(name: str) -> str:
    if name not in WARNING_CALLS:
        raise NotReproducible("a call that warns")
    return WARNING_CALLS[name]


def _result_discarded(fault: Fault) -> ProbeRequest:
    """Reproduces a method whose result is discarded: the tensor itself was to be changed.

    Where too little is known of it, the method is called on another tensor, with arguments that change something.
    """
    try:
        return with_assertion(fault, "result[0] is x" if fault["is_pair"] else "result is x")
    except NotReproducible:
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


def _pair_as_tensor(fault: Fault) -> ProbeRequest:
    """Reproduces the same use of another pair: what a tuple refuses does not depend on its content."""
    if fault["again"] is None:
        raise NotReproducible("the other arguments")
    rows = ["import torch", "", "x = torch.ones(3, 3)", "pair = x.max(dim=1)", fault["again"]]
    return ProbeRequest(
        "\n".join(rows) + "\n", Raises("", "Exception"), flag=(5, 5), assumes=tuple(sorted(fault.assumptions))
    )


def _float_size(fault: Fault) -> ProbeRequest:
    """Reproduces the same kind of call: what is refused is the float, whatever its value."""
    name = fault["name"]
    call = "torch.zeros(4 / 2)"
    if name.startswith("torch.nn.") and not name.startswith("torch.nn.functional."):
        call = "torch.nn.Linear(4 / 2, 3)"
    elif not name.startswith("torch."):
        call = "torch.ones(4).view(4 / 2, 2)"
    return ProbeRequest(f"import torch\n\n{call}\n", Raises("", "TypeError"), flag=(3, 3))


OF_KIND: dict[FaultKind, Reproducer] = {
    FaultKind.RESULT_DISCARDED: _result_discarded,
    FaultKind.PAIR_AS_TENSOR: _pair_as_tensor,
    FaultKind.FLOAT_SIZE: _float_size,
    FaultKind.DEPRECATED_NAME: _deprecated_function,
    FaultKind.DISCOURAGED_NAME: _documented_deprecation,
    FaultKind.DEPRECATED_AMP: _deprecated_function,
    FaultKind.DEPRECATED_KEYWORD: _deprecated_keyword,
    FaultKind.NO_SUCH_NAME: lacking_name,
    FaultKind.REMOVED_NAME: _removed_name,
    FaultKind.WRONG_KEYWORD: refused_keyword,
    FaultKind.REMOVED_KEYWORD: refused_keyword,
    FaultKind.ARGUMENT_COUNT: refused_count,
    FaultKind.LAYER_ARGUMENTS: _layer_arguments,
    FaultKind.NOT_CALLABLE: uncallable,
    FaultKind.UNSAID_ARGUMENT: _unsaid_argument,
    FaultKind.TENSOR_OF_TENSOR: _tensor_of_tensor,
    FaultKind.VARIABLE: _variable,
}
