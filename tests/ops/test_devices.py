"""What moving tensors and mixing devices does: facts about CUDA that no CPU machine can run."""

from __future__ import annotations

import pytest

from torchlsp import ops
from torchlsp.facts.device import CPU, CUDA, CUDA_IF_AVAILABLE, Device
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.layout import ROW_MAJOR
from torchlsp.facts.tensor import IN_GRAPH, LEAF, NO_GRAD, REFUSED, Storage, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import (
    TRUE,
    UNKNOWN_VALUE,
    ArrayValue,
    Condition,
    DeviceValue,
    DTypeValue,
    Parameter,
    Scalar,
    Value,
)  # fmt: skip
from torchlsp.ops.call import Context
from torchlsp.ops.signature import Arguments

HERE = Context(site="call")
OWN = Storage(frozenset({"x"}))


def tensor(device: Device | None = CPU, shape=(2, 3), dtype="f32", grad=NO_GRAD, storage=OWN) -> TensorFact:
    return TensorFact(shape, dtype, device, ROW_MAJOR, grad, storage)


def called(name: str, *args: Value, context: Context = HERE, **kwargs: Value) -> tuple[Value, list[Fault]]:
    row = ops.operator(name)
    assert row is not None, name
    return row.apply(name, Arguments(args, tuple(kwargs.items())), context)


def result(name: str, *args: Value, **kwargs: Value) -> Value:
    made, faults = called(name, *args, **kwargs)
    assert not faults
    return made


def fault(name: str, *args: Value, **kwargs: Value) -> Fault:
    made, faults = called(name, *args, **kwargs)
    assert made in (UNKNOWN_VALUE, TensorFact(assumed=frozenset({REFUSED}))) and len(faults) == 1
    return faults[0]


def test_moving_to_another_device_copies() -> None:
    x = tensor()
    for moved in (
        result("Tensor.cuda", x),
        result("Tensor.to", x, Scalar("str", "cuda")),
        result("Tensor.to", x, DeviceValue(CUDA)),
        result("Tensor.to", x, device=Scalar("str", "cuda")),
    ):
        assert (
            moved.device == CUDA
            and moved.storage.ids == {"call"}
            and moved.shape == x.shape
            and moved.layout is ROW_MAJOR
        )
    assert result("Tensor.to", x, Scalar("int", 1)).device == Device("cuda", 1)
    assert result("Tensor.cuda", x, Scalar("int", 1)).device == Device("cuda", 1)


def test_a_tensor_that_is_there_already_comes_back_itself() -> None:
    for device, name in ((CPU, "cpu"), (Device("cuda", 0), "cuda:0")):
        x = tensor(device)
        assert result("Tensor.to", x, Scalar("str", name)) is x
    assert result("Tensor.cpu", tensor()) is not None


def test_cuda_without_index_may_be_where_the_tensor_is() -> None:
    moved = result("Tensor.cuda", tensor(Device("cuda", 0)))
    assert moved.device == CUDA and moved.storage.ids == {"call", "x"}


def test_moving_to_cuda_if_available_may_copy() -> None:
    moved = result("Tensor.to", tensor(grad=LEAF), DeviceValue(CUDA_IF_AVAILABLE))
    assert moved.device == CUDA_IF_AVAILABLE
    assert moved.storage.ids == {"call", "x"}
    assert moved.grad.requires is Tri.YES and moved.grad.leaf is Tri.UNKNOWN
    assert result("Tensor.cpu", moved).device == CPU


def test_an_unknown_target_leaves_dtype_and_device_unknown() -> None:
    for target in (UNKNOWN_VALUE, Parameter("d@1", "d")):
        moved = result("Tensor.to", tensor(), target)
        assert moved.dtype is None and moved.device is None and moved.shape == (2, 3)
    assert result("Tensor.to", tensor(), device=UNKNOWN_VALUE).dtype == "f32"
    assert result("Tensor.to", tensor(), dtype=UNKNOWN_VALUE).device == CPU


def test_a_dtype_leaves_the_device() -> None:
    moved = result("Tensor.to", tensor(CUDA), DTypeValue("f16"))
    assert moved.device == CUDA and moved.dtype == "f16"
    both = result("Tensor.to", tensor(), Scalar("str", "cuda"), DTypeValue("f16"))
    assert both.device == CUDA and both.dtype == "f16"
    assert result("Tensor.type", tensor(), Scalar("str", "torch.cuda.HalfTensor")).device == CUDA


@pytest.mark.parametrize("name", ["Tensor.add", "Tensor.mul", "torch.where", "Tensor.lt", "torch.maximum"])
def test_two_devices_are_a_fault(name: str) -> None:
    args = (tensor(CUDA), tensor(CPU))
    if name == "torch.where":
        args = (tensor(CUDA, dtype="bool"), *args)
    assert fault(name, *args).kind is FaultKind.DEVICE_MISMATCH


def test_an_in_place_write_from_another_device_is_a_fault() -> None:
    assert fault("Tensor.add_", tensor(CPU), tensor(CUDA)).kind is FaultKind.DEVICE_MISMATCH
    assert result("Tensor.copy_", tensor(CPU), tensor(CUDA)).device == CPU


def test_a_cpu_number_goes_with_every_device() -> None:
    number = tensor(CPU, shape=())
    assert result("Tensor.add", tensor(CUDA), number).device == CUDA
    assert result("Tensor.add", number, tensor(CUDA)).device == CUDA
    assert result("Tensor.add", tensor(CUDA), Scalar("float", 1.0)).device == CUDA
    assert fault("Tensor.add", tensor(CPU), tensor(CUDA, shape=())).kind is FaultKind.DEVICE_MISMATCH


def test_the_cpu_beside_cuda_if_available_is_a_fault_where_there_is_cuda() -> None:
    found = fault("Tensor.add", tensor(CUDA_IF_AVAILABLE), tensor(CPU))
    assert found.kind is FaultKind.DEVICE_MISMATCH and found.assumptions == {"cuda"}
    assert (
        result("Tensor.add", tensor(CUDA_IF_AVAILABLE), tensor(CUDA_IF_AVAILABLE)).device == CUDA_IF_AVAILABLE
    )
    assert result("Tensor.add", tensor(CUDA_IF_AVAILABLE), tensor(CPU, shape=())).device == CUDA_IF_AVAILABLE
    assert result("Tensor.add", tensor(CUDA_IF_AVAILABLE), tensor(CPU, shape=None)).device is None
    assert result("Tensor.add", tensor(CUDA_IF_AVAILABLE), tensor(CUDA)).device is None
    assert result("Tensor.add", tensor(None), tensor(CPU)).device is None


def test_factories_follow_the_default_device() -> None:
    context = Context(site="call", default_device=CUDA)
    assert called("torch.zeros", Scalar("int", 3), context=context)[0].device == CUDA
    assert result("torch.zeros_like", tensor(CUDA)).device == CUDA
    assert result("Tensor.new_zeros", tensor(CUDA), Scalar("int", 3)).device == CUDA
    assert result("torch.zeros", Scalar("int", 3), device=Scalar("str", "cuda:1")).device == Device("cuda", 1)


def test_where_a_tensor_is() -> None:
    assert result("Tensor.is_cuda", tensor(CUDA)) == TRUE
    assert result("Tensor.is_cuda", tensor(CUDA_IF_AVAILABLE)) == Condition("cuda")
    assert result("Tensor.is_cpu", tensor(CUDA_IF_AVAILABLE)) == Condition("cuda", negated=True)
    assert result("Tensor.device", tensor(CUDA)) == DeviceValue(CUDA, of="tensor")


def test_numpy_needs_the_host() -> None:
    def kinds(x: TensorFact) -> list[tuple[FaultKind, frozenset[str]]]:
        return [(found.kind, found.assumptions) for found in called("Tensor.numpy", x)[1]]

    assert kinds(tensor(CUDA)) == [(FaultKind.NUMPY_ON_DEVICE, frozenset())]
    assert kinds(tensor(CUDA_IF_AVAILABLE)) == [(FaultKind.NUMPY_ON_DEVICE, frozenset({"cuda"}))]
    assert kinds(tensor(CPU, grad=IN_GRAPH)) == [(FaultKind.NUMPY_ON_GRAD, frozenset())]
    forced = result("Tensor.numpy", tensor(CUDA, grad=IN_GRAPH), force=TRUE)
    assert isinstance(forced, ArrayValue) and forced.storage.ids is None
    shared = result("Tensor.numpy", tensor())
    assert isinstance(shared, ArrayValue) and shared.storage == OWN
    assert result("torch.from_numpy", shared).storage == OWN
