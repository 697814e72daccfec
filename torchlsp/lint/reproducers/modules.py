"""Reproduces faults with modules: the class, container or call without everything else.

What is wrong in these does not depend on sizes, so the layers are small ones.
"""

from __future__ import annotations

from torchlsp.core.finding import ProbeRequest, ProofFails, Raises
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.lint.reproducers.outline import NotReproducible, Reproducer
from torchlsp.lint.reproducers.program_text import _FLAG, with_flags

_LAYER = "torch.nn.Linear(2, 2)"


def _module_not_ready(fault: Fault) -> ProbeRequest:
    sets = {
        "module": f"self.child = {_LAYER}",
        "parameter": "self.weight = torch.nn.Parameter(torch.zeros(2))",
        "buffer": 'self.register_buffer("table", torch.zeros(2))',
    }[fault["what"]]
    late = "        super().__init__()\n" if fault["late"] is not None else ""
    return with_flags(
        f"""
import torch

class Model(torch.nn.Module):
    def __init__(self):
        {sets}{_FLAG}
{late}
Model()
""",
        Raises(r"before Module\.__init__", "AttributeError"),
    )


def _container_called(fault: Fault) -> ProbeRequest:
    made = {
        "torch.nn.ModuleList": f"torch.nn.ModuleList([{_LAYER}])",
        "torch.nn.ModuleDict": f'torch.nn.ModuleDict({{"first": {_LAYER}}})',
        "torch.nn.ParameterList": "torch.nn.ParameterList([torch.zeros(2)])",
    }.get(fault["container"])
    if made is None:
        raise NotReproducible("a container that the probe has")
    return with_flags(
        f"""
import torch

container = {made}
container(torch.zeros(1, 2)){_FLAG}
""",
        Raises('missing the required "forward"', "NotImplementedError"),
    )


def _container_arguments(fault: Fault) -> ProbeRequest:
    children = _LAYER if fault["count"] == 1 else f"{_LAYER}, {_LAYER}"
    return with_flags(
        f"""
import torch

{fault["container"]}({children}){_FLAG}
""",
        Raises("positional arguments but|not iterable|has no len|should be called with", "TypeError"),
    )


def _not_a_module(fault: Fault) -> ProbeRequest:
    child = {
        "list": f"[{_LAYER}]",
        "tuple": f"({_LAYER},)",
        "generator": f"({_LAYER} for _ in range(2))",
        "class": "torch.nn.ReLU",
        "function": "torch.relu",
        "str": '"relu"',
        "int": "2",
        "float": "0.5",
        "bool": "True",
        "ellipsis": "...",
        "Tensor": "torch.zeros(2)",
    }[fault["what"]]
    given = child if fault["container"] == "torch.nn.Sequential" else f"[{child}]"
    return with_flags(
        f"""
import torch

{fault["container"]}({given}){_FLAG}
""",
        Raises("is not a Module subclass", "TypeError"),
    )


def _plain_container(fault: Fault) -> ProbeRequest:
    child = _LAYER if fault["what"] == "modules" else "torch.nn.Parameter(torch.zeros(2))"
    held = {"list": f"[{child}]", "tuple": f"({child},)", "dict": f'{{"first": {child}}}'}[fault["container"]]
    return with_flags(
        f"""
import torch

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = {held}{_FLAG}

model = Model()

assert len(list(model.parameters())) > 0, "the model has no parameters"
""",
        ProofFails(),
    )


def _forward_called(fault: Fault) -> ProbeRequest:
    return with_flags(
        f"""
import torch

runs = torch.zeros(())

def hook(module, args, output):
    runs.add_(1)

layer = {_LAYER}
layer.register_forward_hook(hook)
layer.forward(torch.zeros(1, 2)){_FLAG}

assert runs == 1, "the hook of the module did not run"
""",
        ProofFails(),
    )


def _layer_in_forward(fault: Fault) -> ProbeRequest:
    return with_flags(
        f"""
import torch

class Model(torch.nn.Module):
    def forward(self, x):
        return {_LAYER}(x){_FLAG}

model = Model()
first, second = model(torch.ones(1, 2)), model(torch.ones(1, 2))

assert torch.equal(first, second), "the same input gives another output in each call"
""",
        ProofFails(),
    )


def _dropout_always_on(fault: Fault) -> ProbeRequest:
    if fault["parameter"] == "dropout_p":
        dropped = "torch.nn.functional.scaled_dot_product_attention(x, x, x, dropout_p=0.5)"
    else:
        dropped = f"{fault.op}(x, 0.5)"
    return with_flags(
        f"""
import torch

class Model(torch.nn.Module):
    def forward(self, x):
        return {dropped}{_FLAG}

model = Model().eval()
x = torch.ones(1, 64, 64, 2)
first, second = model(x), model(x)

assert torch.equal(first, second), "the model drops although it is in eval mode"
""".replace(
            "torch.ones(1, 64, 64, 2)",
            "torch.ones(1, 64, 64)" if fault.op.endswith("1d") else "torch.ones(1, 64, 64, 2)",
        ),
        ProofFails(),
    )


def _loaded_keys_used(fault: Fault) -> ProbeRequest:
    used = "report(torch.zeros(1, 2))" if fault["name"] is None else "report.eval()"
    return with_flags(
        f"""
import torch

layer = {_LAYER}
report = layer.load_state_dict(layer.state_dict())
{used}{_FLAG}
""",
        Raises("_IncompatibleKeys' object", "Exception"),
    )


def _state_dict_argument(fault: Fault) -> ProbeRequest:
    given = {
        "str": '"checkpoint.pt"',
        "NoneType": "None",
        "int": "1",
        "float": "0.5",
        "bool": "True",
        "list": "[1]",
    }
    return with_flags(
        f"""
import torch

layer = {_LAYER}
layer.load_state_dict({given.get(fault["what"], "layer")}){_FLAG}
""",
        Raises("Expected state_dict to be dict-like", "TypeError"),
    )


def _state_dict_alias(fault: Fault) -> ProbeRequest:
    return with_flags(
        f"""
import torch

model = {_LAYER}
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
best = model.state_dict(){_FLAG}
kept = model.weight.detach().clone()
model(torch.ones(1, 2)).sum().backward()
optimizer.step()

assert torch.equal(best["weight"], kept), "the state dict has changed with the model"
""",
        ProofFails(),
    )


def _parameter_overwritten(fault: Fault) -> ProbeRequest:
    return with_flags(
        f"""
import torch

layer = {_LAYER}
layer.weight = torch.zeros(2, 2){_FLAG}
""",
        Raises("as parameter .* expected", "TypeError"),
    )


def _module_attribute(fault: Fault) -> ProbeRequest:
    if fault["name"] not in ("device", "dtype", "shape", "requires_grad", "grad", "is_cuda", "ndim"):
        raise NotReproducible("a name that the probe knows")
    return with_flags(
        f"""
import torch

layer = {_LAYER}
layer.{fault["name"]}{_FLAG}
""",
        Raises("has no attribute", "AttributeError"),
    )


def _no_forward(fault: Fault) -> ProbeRequest:
    return with_flags(
        f"""
import torch

class Model(torch.nn.Module):
    def step(self, x):
        return x

model = Model()
model(torch.zeros(1, 2)){_FLAG}
""",
        Raises('missing the required "forward"', "NotImplementedError"),
    )


def _unread_part(fault: Fault) -> ProbeRequest:
    return with_flags(
        f"""
import torch

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.used = {_LAYER}
        self.extra = {_LAYER}{_FLAG}

    def forward(self, x):
        return self.used(x)

model = Model()
model(torch.ones(1, 2)).sum().backward()
assert model.extra.weight.grad is not None, "no gradient comes here"
""",
        ProofFails(),
    )


_LISTED = {"named_parameters": "bias", "named_buffers": "running_mean", "named_modules": "inner"}


def _bare_name(fault: Fault) -> ProbeRequest:
    method = fault["method"]
    name = _LISTED[method]
    return with_flags(
        f"""
import torch

inner = torch.nn.Sequential(torch.nn.ModuleDict({{"inner": torch.nn.BatchNorm1d(2)}}))
found = [name for name, _ in inner.{method}() if name == "{name}"]{_FLAG}
assert found, "no name is equal to this"
""",
        ProofFails(),
    )


def _part_changed(fault: Fault) -> ProbeRequest:
    """Reproduces a layer of the same kind, changed in the same way: its sizes do not matter."""
    rows = ["import torch", "", "layer = torch.nn.Linear(2, 3)"]
    if fault["reason"] == "bias":
        rows += ["layer.weight = torch.nn.Parameter(torch.zeros(4, 2))", "layer(torch.zeros(1, 2))"]
        return ProbeRequest("\n".join(rows) + "\n", Raises("", "Exception"), flag=(5, 5))
    if fault["reason"] == "unread":
        return ProbeRequest(_OTHER_HEAD, ProofFails(), flag=(9, 9))
    rows += ["layer.out_features = 4", "assert layer(torch.zeros(1, 2)).size(1) == 4"]
    return ProbeRequest("\n".join(rows) + "\n", ProofFails(), flag=(4, 4))


_OTHER_HEAD = """
import torch

class Model(torch.nn.Sequential):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(2, 3)

model = Model()
model.forward = lambda x: model.fc(x)
model.classifier = torch.nn.Linear(2, 4)
assert model(torch.zeros(1, 2)).size(1) == 4, "the model calls its own head"
"""

OF_KIND: dict[FaultKind, Reproducer] = {
    FaultKind.PART_CHANGED: _part_changed,
    FaultKind.MODULE_NOT_READY: _module_not_ready,
    FaultKind.UNREAD_PART: _unread_part,
    FaultKind.BARE_NAME: _bare_name,
    FaultKind.CONTAINER_CALLED: _container_called,
    FaultKind.CONTAINER_ARGUMENTS: _container_arguments,
    FaultKind.NOT_A_MODULE: _not_a_module,
    FaultKind.FORWARD_CALLED: _forward_called,
    FaultKind.PLAIN_CONTAINER: _plain_container,
    FaultKind.LAYER_IN_FORWARD: _layer_in_forward,
    FaultKind.DROPOUT_ALWAYS_ON: _dropout_always_on,
    FaultKind.LOADED_KEYS_USED: _loaded_keys_used,
    FaultKind.MODULE_ATTRIBUTE: _module_attribute,
    FaultKind.NO_FORWARD: _no_forward,
    FaultKind.PARAMETER_OVERWRITTEN: _parameter_overwritten,
    FaultKind.STATE_DICT_ALIAS: _state_dict_alias,
    FaultKind.STATE_DICT_ARGUMENT: _state_dict_argument,
}
