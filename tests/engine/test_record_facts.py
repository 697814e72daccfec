"""Facts of recorded calls hold in each of the calls, and say no more than all of them have in common."""

from __future__ import annotations

import pytest

from torchlsp.engine.record_facts import entry_facts
from torchlsp.facts import values as v
from torchlsp.facts.dim import Poly
from torchlsp.facts.layout import ROW_MAJOR
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE
from torchlsp.interp.store.entry_facts import EntryDict, EntryFacts, EntryList, EntryTuple, EntryValue
from torchlsp.recorder.described import (
    Observed,
    ObservedArray,
    ObservedDevice,
    ObservedDType,
    ObservedFlag,
    ObservedMapping,
    ObservedModule,
    ObservedNothing,
    ObservedNumber,
    ObservedSequence,
    ObservedTensor,
    ObservedWord,
)
from torchlsp.recorder.reading import ObservedCall, ObservedFunction


def strides_of(sizes: tuple[int, ...]) -> tuple[int, ...]:
    found, step = [], 1
    for size in reversed(sizes):
        found.append(step)
        step *= size
    return tuple(reversed(found))


def tensor(
    *sizes: int,
    dtype: str = "float32",
    device: str = "cpu",
    strides: tuple[int, ...] | None = None,
    grad: bool = False,
    name: str = "Tensor",
    layout: str = "strided",
) -> ObservedTensor:
    return ObservedTensor(name, sizes, dtype, device, strides or strides_of(sizes), grad, True, layout)


def call(
    parameters: dict[str, Observed],
    attributes: dict[str, Observed] | None = None,
    grad: bool | None = True,
    inference: bool | None = False,
    is_late: bool = False,
) -> ObservedCall:
    return ObservedCall(
        "run", None, parameters, attributes or {}, None, None, grad, inference, None, None, None, True, is_late,
        None, None, None, None, {},
    )  # fmt: skip


def facts(*calls: ObservedCall, name: str = "f") -> tuple[EntryFacts, dict[str, tuple[int, int]]]:
    names = tuple(calls[0].parameters)
    return entry_facts(ObservedFunction("/a.py", name, name, 7, 9, names, "d", "l", calls, len(calls)))


def joined(*seen: Observed) -> EntryValue:
    return facts(*(call({"x": one}) for one in seen))[0].parameters["x"]


def test_a_size_that_differs_is_one_symbol_wherever_it_is_the_same() -> None:
    entry, ranges = facts(
        call({"x": tensor(8, 5), "y": tensor(3, 8), "n": ObservedNumber(8), "m": ObservedNumber(40)}),
        call({"x": tensor(32, 5), "y": tensor(3, 32), "n": ObservedNumber(32), "m": ObservedNumber(160)}),
    )
    x, y = entry.parameters["x"], entry.parameters["y"]
    assert (
        isinstance(x, TensorFact)
        and isinstance(y, TensorFact)
        and x.shape is not None
        and y.shape is not None
    )
    assert (x.shape[1], y.shape[0]) == (5, 3) and x.shape[0] == y.shape[1]
    assert entry.parameters["n"] == v.integer(x.shape[0])
    assert entry.parameters["m"] != entry.parameters["n"]
    assert ranges == {"N": (8, 32), "M": (40, 160)}


@pytest.mark.parametrize("sizes", [(1, 8), (0, 3)])
def test_a_size_that_was_0_or_1_is_not_generic(sizes: tuple[int, int]) -> None:
    x = joined(*(tensor(size, 5) for size in sizes))
    assert isinstance(x, TensorFact) and x.shape is not None
    assert isinstance(x.shape[0], Poly) and "?" in str(x.shape[0])


def test_objects_of_one_class_may_have_other_sizes_each() -> None:
    entry, ranges = facts(
        call({"dim": ObservedNumber(8)}), call({"dim": ObservedNumber(16)}), name="__init__"
    )
    dim = entry.parameters["dim"]
    assert isinstance(dim, v.Scalar) and "?" in str(dim.value) and ranges == {}


@pytest.mark.parametrize(
    "seen, shape, dtype, device",
    [
        ([tensor(2, 3), tensor(2, 3)], (2, 3), "f32", "cpu"),
        ([tensor(2, 3), tensor(6)], None, "f32", "cpu"),
        ([tensor(2, dtype="float16"), tensor(2)], (2,), None, "cpu"),
        ([tensor(2), tensor(2, device="cuda:0")], (2,), "f32", "None"),
        ([tensor(2, device="cuda:1")], (2,), "f32", "cuda:1"),
    ],
)
def test_columns_of_tensors(seen: list[ObservedTensor], shape: object, dtype: object, device: str) -> None:
    x = joined(*seen)
    assert isinstance(x, TensorFact) and (x.shape, x.dtype, str(x.device)) == (shape, dtype, device)


def test_layout_and_gradients() -> None:
    x = joined(tensor(2, 3), tensor(4, 3))
    assert isinstance(x, TensorFact) and x.layout is ROW_MAJOR and x.grad.requires is Tri.NO
    turned = joined(tensor(2, 3, strides=(1, 2)), tensor(2, 3, strides=(1, 2)))
    assert isinstance(turned, TensorFact) and turned.layout == (1, 2)
    mixed = joined(tensor(2, 3, strides=(1, 2), grad=True), tensor(2, 3))
    assert isinstance(mixed, TensorFact) and mixed.layout is None and mixed.grad.requires is Tri.UNKNOWN
    several = joined(tensor(2, 3, strides=(1, 2)), tensor(4, 3, strides=(1, 4)))
    assert isinstance(several, TensorFact) and several.layout is None


@pytest.mark.parametrize(
    "seen, value",
    [
        ([ObservedNumber(3)], v.integer(3)),
        ([ObservedNumber(0.5)], v.Scalar("float", 0.5)),
        ([ObservedNumber(0.5), ObservedNumber(0.25)], v.Scalar("float")),
        ([ObservedNumber(1), ObservedNumber(0.25)], UNKNOWN_VALUE),
        ([ObservedFlag(True)], v.TRUE),
        ([ObservedFlag(True), ObservedFlag(False)], v.Scalar("bool")),
        ([ObservedNothing()], v.NONE),
        ([ObservedNothing(), tensor(3)], UNKNOWN_VALUE),
        ([tensor(3), ObservedNothing()], UNKNOWN_VALUE),
        ([ObservedWord("mean")], v.Scalar("str", "mean")),
        ([ObservedWord("mean"), ObservedWord("sum")], UNKNOWN_VALUE),
        ([ObservedDType("float64")], v.DTypeValue("f64")),
        ([ObservedModule("torch.nn.Linear")], UNKNOWN_VALUE),
        ([tensor(3, name="torchvision.Image")], UNKNOWN_VALUE),
        ([tensor(3, layout="sparse_coo")], UNKNOWN_VALUE),
        ([ObservedSequence(True, (ObservedNumber(1),), 1, None)], EntryTuple((v.integer(1),))),
        ([ObservedSequence(True, (ObservedNumber(1),), 1, "torch.Size")], EntryTuple((v.integer(1),), True)),
        ([ObservedSequence(True, (ObservedNumber(1),), 1, "a.Named")], UNKNOWN_VALUE),
        ([ObservedSequence(False, (ObservedNumber(1),), 1, None)], EntryList((v.integer(1),))),
        ([ObservedSequence(False, (ObservedNumber(1),), 12, None)], UNKNOWN_VALUE),
        ([ObservedMapping((("k", ObservedNumber(1)),), 1, None)], EntryDict((("k", v.integer(1)),))),
        ([ObservedMapping((("k", ObservedNumber(1)),), 2, None)], UNKNOWN_VALUE),
    ],
)
def test_other_values(seen: list[Observed], value: EntryValue) -> None:
    assert joined(*seen) == value


def test_devices_and_arrays() -> None:
    device = joined(ObservedDevice("cuda:0"))
    assert isinstance(device, v.DeviceValue) and str(device.device) == "cuda:0"
    array = joined(ObservedArray("float64", (2, 3), (3, 1)))
    assert isinstance(array, v.ArrayValue) and (array.shape, array.dtype) == ((2, 3), "f64")


@pytest.mark.parametrize(
    "calls, grad",
    [
        ([call({}, grad=True)], Tri.YES),
        ([call({}, grad=False)], Tri.NO),
        ([call({}, grad=True), call({}, grad=False)], Tri.UNKNOWN),
        ([call({}, grad=True, inference=True)], Tri.NO),
        ([call({}, grad=None)], Tri.UNKNOWN),
    ],
)
def test_whether_gradients_are_recorded(calls: list[ObservedCall], grad: Tri) -> None:
    assert facts(*calls)[0].grad is grad


def test_a_parameter_that_some_calls_do_not_describe_is_left_out() -> None:
    entry, _ = facts(call({"x": tensor(2), "y": tensor(3)}), call({"x": tensor(2)}))
    assert list(entry.parameters) == ["x"]


def test_calls_that_were_recorded_late_do_not_count() -> None:
    entry, _ = facts(call({"x": tensor(2)}), call({"x": tensor(7, 7)}, is_late=True))
    x = entry.parameters["x"]
    assert isinstance(x, TensorFact) and x.shape == (2,)
    assert facts(call({"x": tensor(7, 7)}, is_late=True))[0] == EntryFacts()


def test_floats_are_constants_only_where_each_call_was_recorded() -> None:
    calls = (call({"x": ObservedNumber(0.5)}),)
    for count, value in ((1, 0.5), (2, None)):
        entry, _ = entry_facts(ObservedFunction("/a.py", "f", "f", 7, 9, ("x",), "d", "l", calls, count))
        assert entry.parameters["x"] == v.Scalar("float", value)


def test_where_not_every_call_was_recorded_only_kinds_are_known() -> None:
    calls = (
        call(
            {
                "x": tensor(2, 3),
                "n": ObservedNumber(4),
                "flag": ObservedFlag(True),
                "mode": ObservedWord("mean"),
            }
        ),
    )
    names = tuple(calls[0].parameters)
    entry, ranges = entry_facts(
        ObservedFunction("/a.py", "f", "f", 7, 9, names, "d", "l", calls, 900, False, False)
    )
    x, n = entry.parameters["x"], entry.parameters["n"]
    assert isinstance(x, TensorFact) and x.shape is not None and (len(x.shape), x.dtype) == (2, "f32")
    assert all("?" in str(size) for size in x.shape) and ranges == {}
    assert isinstance(n, v.Scalar) and "?" in str(n.value)
    assert entry.parameters["flag"] == v.Scalar("bool") and entry.parameters["mode"] == UNKNOWN_VALUE


def test_where_calls_that_differ_in_ints_were_not_recorded_only_tensors_are_constant() -> None:
    calls = (call({"x": tensor(4, 3), "n": ObservedNumber(4), "mode": ObservedWord("mean")}),)
    function = ObservedFunction(
        "/a.py", "f", "f", 7, 9, tuple(calls[0].parameters), "d", "l", calls, 900, True, False
    )
    entry, _ = entry_facts(function)
    x, n = entry.parameters["x"], entry.parameters["n"]
    assert isinstance(x, TensorFact) and x.shape == (4, 3)
    assert (
        isinstance(n, v.Scalar)
        and "?" in str(n.value)
        and entry.parameters["mode"] == v.Scalar("str", "mean")
    )
