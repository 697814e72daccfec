"""Reproduces names that torch lacks and arguments that it does not take. What else a call is given does not matter."""

from __future__ import annotations

import re

from torchlsp import ops
from torchlsp.core.finding import ProbeRequest, Raises
from torchlsp.core.records import replace
from torchlsp.facts import values as v
from torchlsp.facts.dtype import TORCH_NAMES
from torchlsp.facts.fault import Fault
from torchlsp.facts.torch_names import MODULES
from torchlsp.lint.reproducers.outline import NotReproducible
from torchlsp.lint.reproducers.single_call import reproduce_fault
from torchlsp.lint.reproducers.single_call.call_program import CallProgram
from torchlsp.lint.reproducers.training.one_layer_model import MODEL_AND_OPTIMIZER
from torchlsp.ops.signature import MISSING, parse

_SCHEDULERS = "torch.optim.lr_scheduler."
_OPTIMIZERS = "torch.optim."
_OF_SCHEDULERS = {
    "StepLR": ["1"],
    "MultiStepLR": ["[1]"],
    "ExponentialLR": ["0.5"],
    "LambdaLR": ["lambda epoch: 1.0"],
    "MultiplicativeLR": ["lambda epoch: 1.0"],
    "CosineAnnealingLR": ["2"],
    "CosineAnnealingWarmRestarts": ["2"],
    "OneCycleLR": ["0.1", "total_steps=2"],
    "CyclicLR": ["0.1", "0.2"],
}
"""The fewest arguments that schedulers take, after the optimizer."""


def lacking_name(fault: Fault) -> ProbeRequest:
    """Reproduces that a module is not found, or has nothing of this name."""
    name, statement = fault["name"], fault["statement"]
    owner, _, last = name.rpartition(".")
    if fault["namespace"] == MODULES:
        row, expect = f"import {name}", Raises(f"No module named '{re.escape(name)}'", "ModuleNotFoundError")
    elif statement is not None:
        row, expect = f"from {owner} import {last}", Raises(f"cannot import name '{last}'", "ImportError")
    else:
        row, expect = name, Raises(f"has no attribute '{last}'", "AttributeError")
    what = "module " if fault["namespace"] == MODULES else ""
    return ProbeRequest(f"import torch\n\n{row}\n", expect, flag=(3, 3), shown=f"has no {what}`{name}`")


def refused_keyword(fault: Fault) -> ProbeRequest:
    """Reproduces the call as far as it is known, else one with the fewest operands that has the argument."""
    name, keyword = fault["function"], fault["keyword"]
    # Python names the argument that is too much before one that is missing.
    expect = Raises(f"unexpected keyword argument '{keyword}'|takes no keyword arguments", "TypeError")
    shown = f"refuses the argument `{keyword}`"
    if fault.called is not None and not name.startswith(_OPTIMIZERS):
        try:
            made = reproduce_fault(fault, fault.called)
            return replace(made, expect=made.expect or expect, shown=shown)
        except NotReproducible:
            pass
    if name.startswith("torch.Tensor."):
        raise NotReproducible("the tensor")
    if not name.startswith("torch."):
        raise NotReproducible("the module")
    before, operands = _fewest(name)
    owner = name.removesuffix(".forward")
    rows = [*(before or ["import torch", ""])]
    if owner != name:
        rows.append(f"layer = {owner}({', '.join(_fewest(owner)[1])})")
        name, operands = "layer", []
    rows.append(f"{name}({', '.join([*operands, f'{keyword}={_given(fault, keyword)}'])})")
    return ProbeRequest("\n".join(rows) + "\n", expect, flag=(len(rows), len(rows)), shown=shown)


def refused_count(fault: Fault) -> ProbeRequest:
    """Reproduces the call with None for each argument: Python counts them before anything looks at them."""
    name, missing = fault["function"], fault["missing"]
    if not name.startswith("torch."):
        raise NotReproducible("the module")
    operands = ["None"] * fault["given"]
    operands += [f"{keyword}=None" for keyword in fault["named"]]
    owner = name.removesuffix(".forward")
    rows = ["import torch", ""]
    if owner != name:
        rows.append(f"layer = {owner}({', '.join(_fewest(owner)[1])})")
    rows.append(f"{name if owner == name else 'layer'}({', '.join(operands)})")
    if missing:
        message = "missing .*required.* argument"
        shown = f"needs {' and '.join(f'`{one}`' for one in missing)}"
    else:
        message, shown = "takes .* positional argument", f"refuses {fault['given']} arguments by position"
    flag = (len(rows), len(rows))
    return ProbeRequest("\n".join(rows) + "\n", Raises(message, "TypeError"), flag=flag, shown=shown)


_CALLS = {"shape": "torch.ones(2).shape(0)", "tensor": "torch.ones(2)(0)", "method": "torch.ones(2).size[0]"}


def uncallable(fault: Fault) -> ProbeRequest:
    """Reproduces the call of something of the same kind."""
    kind, name = fault["value"], fault["name"]
    if kind == "module":
        raise NotReproducible("a module, which the probe does not let in")
    row = f"torch.{TORCH_NAMES[name]}(torch.ones(2))" if kind == "dtype" else _CALLS[kind]
    rows = ["import torch", "", row]
    expect = Raises("is not callable|is not subscriptable", "TypeError")
    return ProbeRequest("\n".join(rows) + "\n", expect, flag=(len(rows), len(rows)), shown="is refused")


def _fewest(name: str) -> tuple[list[str], list[str]]:
    """Returns the rows before a call, and the fewest operands that it takes, as far as they are known."""
    if name.startswith(_SCHEDULERS):
        return MODEL_AND_OPTIMIZER, ["optimizer", *_OF_SCHEDULERS.get(name.removeprefix(_SCHEDULERS), ())]
    if name.startswith(_OPTIMIZERS):
        return MODEL_AND_OPTIMIZER[:3], ["model.parameters()"]
    row = ops.layer(name)
    params = parse(row.signature).params if row is not None else ()
    return [], ["1" for param in params if param.kind == "positional" and param.default is MISSING]


def _given(fault: Fault, keyword: str) -> str:
    """Writes the value of the argument where it is a plain one."""
    value = dict(fault.called.keywords).get(keyword) if fault.called is not None else None
    if not isinstance(value, v.Scalar):
        return "None"
    try:
        return CallProgram().value(value, keyword)
    except NotReproducible:
        return "None"
