"""The conversion to NumPy, against what torch itself does."""

from __future__ import annotations

import itertools

import pytest
import torch
from real_facts import SHORT_NAMES, Facts

from torchlsp.facts.device import CPU, CUDA, CUDA_IF_AVAILABLE, META
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import LEAF, NO_GRAD, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import ArrayValue
from torchlsp.ops.call import Broken, Call, Context
from torchlsp.ops.tensor.hostcopy import numpy_conversion

pytestmark = pytest.mark.torch


def converted(fact: TensorFact, grad_mode: Tri = Tri.YES) -> ArrayValue | Fault:
    try:
        return numpy_conversion(
            Call("Tensor.numpy", {"input": fact}, Context(grad_mode=grad_mode)), fact, "Tensor.numpy"
        )
    except Broken as broken:
        return broken.fault


DTYPES = sorted(SHORT_NAMES, key=str)
CASES = [
    (dtype, device, grad, mode)
    for dtype, device, grad, mode in itertools.product(DTYPES, ("cpu", "meta"), (False, True), (False, True))
    if not grad or dtype.is_floating_point or dtype.is_complex
]


@pytest.mark.filterwarnings("ignore:ComplexHalf")
@pytest.mark.parametrize("dtype, device, grad, mode", CASES)
def test_conversion_faults_exactly_where_torch_raises(dtype, device, grad, mode):
    tensor = torch.empty(2, 3, dtype=dtype, device=device, requires_grad=grad)
    found = converted(Facts().of_tensor(tensor), Tri.of(mode))
    with torch.set_grad_enabled(mode):
        try:
            real = tensor.numpy()
        except (TypeError, RuntimeError) as error:
            kinds = {"can't convert": FaultKind.NUMPY_ON_DEVICE, "Can't call": FaultKind.NUMPY_ON_GRAD}
            assert isinstance(found, Fault)
            assert found.kind is next(
                (k for start, k in kinds.items() if str(error).startswith(start)), FaultKind.NUMPY_DTYPE
            )
            assert not found.assumptions
            if device == "cpu":
                for method in found["missing"]:
                    tensor = getattr(tensor, method)()
                tensor.numpy()
        else:
            assert isinstance(found, ArrayValue)
            assert found.shape == real.shape and found.dtype == SHORT_NAMES[torch.from_numpy(real).dtype]


def test_all_missing_calls_are_named_at_once():
    on_gpu = TensorFact((2,), "bf16", CUDA, grad=LEAF)
    assert converted(on_gpu)["missing"] == ("detach", "cpu", "float")
    assert converted(on_gpu, Tri.NO)["missing"] == ("cpu", "float")
    assert converted(on_gpu.but(dtype="f32", grad=NO_GRAD))["missing"] == ("cpu",)
    assert converted(TensorFact(device=CUDA))["missing"] == ("detach", "cpu")


def test_cuda_if_available_is_an_assumption_unless_grad_fails_anyway():
    relative = TensorFact((2,), "f32", CUDA_IF_AVAILABLE, grad=NO_GRAD)
    assert converted(relative).kind is FaultKind.NUMPY_ON_DEVICE
    assert converted(relative).assumptions == {"cuda"}
    both = converted(relative.but(grad=LEAF))
    assert both.kind is FaultKind.NUMPY_ON_GRAD and not both.assumptions
    assert both["missing"] == ("detach", "cpu")


def test_unknown_is_silent():
    assert isinstance(converted(TensorFact()), ArrayValue)
    assert isinstance(converted(TensorFact(device=CPU, grad=LEAF), Tri.UNKNOWN), ArrayValue)
    assert converted(TensorFact(device=META)).kind is FaultKind.NUMPY_ON_DEVICE
