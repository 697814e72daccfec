"""The tree of modules, their modes and their parameters are those of torch."""

from __future__ import annotations

from typing import Any

import pytest
from small_programs import after_running, in_python

from torchlsp.facts import values as v
from torchlsp.facts.device import CPU, CUDA, Device
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import Value
from torchlsp.interp.model import module_tree
from torchlsp.interp.run.interpreter import Interpreter
from torchlsp.interp.store.heap_keys import RESIZED

NET = """
import torch
from torch import nn

class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.layers = nn.Sequential(nn.Linear(width, 4), nn.ReLU())

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([Block(2), Block(3)])
        self.heads = nn.ModuleDict({"a": nn.Linear(4, 1), "b": nn.Dropout(0.5)})
        self.first = self.blocks[0]
        self.scale = nn.Parameter(torch.ones(2))

net = Net()
"""


def class_name(module: Value) -> str:
    return module.cls.ir.name if isinstance(module, v.InstanceValue) else module.qualname.rpartition(".")[2]  # type: ignore[union-attr]


def both(more: str = "") -> tuple[Interpreter, Value, Any]:
    it = after_running(NET + more)
    return it, it.main.scope.variables["net"], in_python(NET + more)["net"]


@pytest.mark.torch
def test_submodules_are_the_modules_of_torch_each_once() -> None:
    it, net, real = both()
    modules = module_tree.submodules(it, net)
    assert sorted(map(class_name, modules)) == sorted(type(one).__name__ for one in real.modules())
    assert module_tree.owned_refs(it, net) == {module.ref for module in modules}
    assert len({module.ref for module in modules}) == len(modules)


@pytest.mark.torch
@pytest.mark.parametrize(
    "more", ["", "net.eval()", "net.eval().train()", "net.blocks.eval()", "net.train(False)"]
)
def test_training_mode_of_each_layer_is_that_of_torch(more: str) -> None:
    it, net, real = both(more)
    modes = sorted(
        (class_name(layer), module_tree.layer_state(it, layer).training is Tri.YES)
        for layer in module_tree.submodules(it, net)
        if isinstance(layer, v.LayerValue)
    )
    expected = [(type(one).__name__, one.training) for one in real.modules()]
    assert modes == sorted(one for one in expected if one[0] not in ("Net", "Block"))


@pytest.mark.torch
@pytest.mark.parametrize(
    "more", ["", "net.requires_grad_(False)", "net.heads.requires_grad_(False)", "net.double()"]
)
def test_parameters_of_linear_layers_are_those_of_torch(more: str) -> None:
    it, net, real = both(more)
    states = [
        module_tree.layer_state(it, layer)
        for layer in module_tree.submodules(it, net)
        if isinstance(layer, v.LayerValue) and layer.qualname == "torch.nn.Linear"
    ]
    found = sorted(
        (v.as_int(state.value("in_features")), state.requires_grad is Tri.YES, state.dtype)
        for state in states
    )
    expected = sorted(
        (
            one.in_features,
            one.weight.requires_grad,
            {"float32": "f32", "float64": "f64"}[str(one.weight.dtype)[6:]],
        )
        for one in real.modules()
        if type(one).__name__ == "Linear"
    )
    assert found == expected


@pytest.mark.torch
def test_requires_grad_reaches_parameters_that_are_attributes() -> None:
    it, net, real = both()
    module_tree.require_grad(it, net, Tri.NO)
    real.requires_grad_(False)
    assert isinstance(net, v.InstanceValue)
    scale = it.state.heap[(net.ref, "scale")]
    assert (scale.grad.requires is Tri.YES) == real.scale.requires_grad
    assert scale.grad.requires is Tri.NO


def test_some_frozen_parameters_leave_the_layer_undecided() -> None:
    it = after_running("from torch import nn\na = nn.Linear(2, 3)\nb = nn.Linear(2, 3)\n")
    a, b = it.main.scope.variables["a"], it.main.scope.variables["b"]
    assert isinstance(a, v.LayerValue) and isinstance(b, v.LayerValue)
    module_tree.freeze_some(it, frozenset({f"{a.ref}.weight"}), Tri.NO)
    grads = [module_tree.layer_state(it, layer).requires_grad for layer in (a, b)]
    assert grads == [Tri.UNKNOWN, Tri.YES]
    module_tree.freeze_some(it, None, Tri.NO)
    assert module_tree.layer_state(it, b).requires_grad is Tri.UNKNOWN


def test_sizes_of_a_layer_are_unknown_once_its_parameters_may_be_others() -> None:
    it = after_running("from torch import nn\na = nn.Linear(2, 3)\n")
    layer = it.main.scope.variables["a"]
    assert isinstance(layer, v.LayerValue)
    before = module_tree.config_of(it, layer)
    assert (before["in_features"], before["out_features"]) == (v.integer(2), v.integer(3))
    it.state.set(it.state.heap, (layer.ref, RESIZED), True)
    after = module_tree.config_of(it, layer)
    assert {name for name in before if before[name] != after[name]} == {"in_features", "out_features"}


def test_what_is_no_module_has_no_submodules() -> None:
    it = after_running("")
    for value in (v.UNKNOWN_VALUE, v.integer(1), v.External("torch.nn.Linear")):
        assert module_tree.submodules(it, value) == []
        assert module_tree.owned_refs(it, value) is None


@pytest.mark.parametrize(
    ("value", "device"),
    [
        (v.Scalar("str", "cpu"), CPU),
        (v.Scalar("str", "cuda:1"), Device("cuda", 1)),
        (v.integer(1), Device("cuda", 1)),
        (v.DeviceValue(CUDA), CUDA),
        (v.Scalar("str"), None),
        (v.UNKNOWN_VALUE, None),
    ],
)
def test_a_device_is_named_by_an_object_a_text_or_an_index(value: Value, device: Device | None) -> None:
    assert module_tree.device_of(after_running(""), value) == device


@pytest.mark.torch
def test_texts_and_devices_name_the_same_device_in_torch() -> None:
    import torch

    for text in ("cpu", "cuda", "cuda:1", "meta"):
        real = torch.device(text)
        found = module_tree.device_of(after_running(""), v.Scalar("str", text))
        assert found is not None and (found.kind, found.index) == (real.type, real.index)
