"""Annotations hold in every recorded call, and sizes have one name where they were equal in each."""

from __future__ import annotations

import pytest

from torchlsp.engine.annotating import signature_of
from torchlsp.recorder.described import (
    Observed,
    ObservedNothing,
    ObservedNumber,
    ObservedSequence,
    ObservedTensor,
)
from torchlsp.recorder.reading import ObservedCall
from torchlsp.syntax.annotated import TensorType


def tensor(*sizes: int, dtype: str = "float32", name: str = "Tensor") -> ObservedTensor:
    return ObservedTensor(name, sizes, dtype, "cpu", None, False, True, "strided")


def call(
    parameters: dict[str, Observed],
    returned: Observed | None = None,
    raised: str | None = None,
    is_ended: bool = True,
    is_late: bool = False,
) -> ObservedCall:
    return ObservedCall(
        "run", None, parameters, {}, None, None, True, False, None, None, None, is_ended, is_late,
        returned, raised, None, None, {},
    )  # fmt: skip


def parameters(*calls: ObservedCall) -> dict[str, str]:
    found = signature_of(("x", "y"), calls).parameters
    return {name: f"{one.kind} {one.sizes}".rstrip() for name, one in found.items()}


def test_sizes_that_were_equal_in_each_call_have_one_name() -> None:
    found = signature_of(
        ("x", "y"),
        [
            call({"x": tensor(8, 3, 5), "y": tensor(8, 7)}, tensor(7, 5)),
            call({"x": tensor(4, 3, 6), "y": tensor(4, 9)}, tensor(9, 5)),
        ],
    )
    assert found.parameters == {"x": TensorType("Float32", "N 3 M"), "y": TensorType("Float32", "N K")}
    assert found.returned == TensorType("Float32", "K 5")


def test_a_size_that_was_1_is_no_name() -> None:
    calls = [call({"x": tensor(1, 3), "y": tensor(1)}), call({"x": tensor(4, 3), "y": tensor(1)})]
    assert parameters(*calls) == {"x": "Float32 _ 3", "y": "Float32 1"}


@pytest.mark.parametrize(
    ("dtypes", "kind"),
    [
        (["float32"], "Float32"),
        (["float32", "bfloat16"], "Float"),
        (["int64", "int32"], "Int"),
        (["int64", "uint8"], "Integer"),
        (["int64", "float16"], "Real"),
        (["complex64", "complex128"], "Complex"),
        (["complex64", "float32"], "Inexact"),
        (["complex64", "int8"], "Num"),
        (["bool"], "Bool"),
        (["bool", "int64"], "Shaped"),
        (["uint16"], "UInt"),
        (["float8_e4m3fn"], "Float"),
        (["qint8"], "Shaped"),
    ],
)
def test_classes_of_dtypes(dtypes: list[str], kind: str) -> None:
    assert parameters(*(call({"x": tensor(2, dtype=one)}) for one in dtypes)) == {"x": f"{kind} 2"}


@pytest.mark.parametrize(
    "seen",
    [
        [tensor(2), tensor(2, 3)],
        [tensor(2), ObservedNothing()],
        [ObservedNumber(1)],
        [tensor(2, name="a.Image")],
    ],
)
def test_what_is_no_tensor_of_one_rank_has_no_annotation(seen: list[Observed]) -> None:
    calls = [call({"x": one}, one) for one in seen]
    found = signature_of(("x",), calls)
    assert found.parameters == {} and found.returned is None


def test_a_parameter_that_some_calls_do_not_describe_has_none() -> None:
    assert parameters(call({"x": tensor(2), "y": tensor(3)}), call({"x": tensor(2)})) == {"x": "Float32 2"}


def test_only_calls_that_began_and_did_not_raise_count() -> None:
    good = call({"x": tensor(2)}, tensor(2))
    bad = call({"x": tensor(7, 7)}, raised="RuntimeError")
    late = call({"x": tensor(7)}, is_late=True)
    found = signature_of(("x",), [good, bad, late])
    assert found.parameters == {"x": TensorType("Float32", "2")} and found.returned is not None
    assert signature_of(("x",), [bad]).parameters == {}


def test_a_call_that_did_not_end_leaves_the_result_of_the_others() -> None:
    calls = [call({"x": tensor(8)}, tensor(8, 2)), call({"x": tensor(4)}, is_ended=False)]
    assert signature_of(("x",), calls).returned == TensorType("Float32", "N 2")
    assert signature_of(("x",), [calls[0], call({"x": tensor(4)})]).returned is None


def test_a_tuple_of_tensors_is_returned() -> None:
    pair = ObservedSequence(True, (tensor(8), tensor(8, 2, dtype="int64")), 2, None)
    found = signature_of(("x",), [call({"x": tensor(8)}, pair)])
    assert found.returned == (TensorType("Float32", "8"), TensorType("Int64", "8 2"))
    mixed = ObservedSequence(True, (tensor(8), ObservedNumber(2)), 2, None)
    assert signature_of(("x",), [call({}, mixed)]).returned is None
