"""The textual notation of facts."""

from __future__ import annotations

import re

import pytest

from torchlsp.facts import dim as dims
from torchlsp.facts import values as v
from torchlsp.facts.device import CPU, CUDA_IF_AVAILABLE, Device
from torchlsp.facts.layout import ROW_MAJOR
from torchlsp.facts.notation import dim_text, shape_text, tensor_text, value_text
from torchlsp.facts.tensor import IN_GRAPH, NO_GRAD, TensorFact

B, C, H, T = (dims.symbol(name) for name in "BCHT")


@pytest.mark.parametrize(
    ("dim", "text"),
    [
        (7, "7"),
        (B, "B"),
        (B * 3, "3*B"),
        (B * T + 1, "B*T+1"),
        (B - 1, "B-1"),
        (1 - B, "-B+1"),
        (B * B, "B**2"),
        (C // H, "C//H"),
        ((C + 1) // (H * 2), "(C+1)//(2*H)"),
        (C // H * T, "C//H*T"),
        (2 * H // T + 1, "2*H//T+1"),
        (2 * (H // T), "2*(H//T)"),
        (-(H // T), "-(H//T)"),
        (C // (H // T), "C//(H//T)"),
        (dims.symbol("?a.0"), "?"),
        (2 * dims.symbol("?a:1.0") + 1, "2*?+1"),
        (dims.symbol("?a:1.0") // B, "?//B"),
        (dims.symbol("dim@12"), "dim"),
        (dims.symbol("dim@12") * 2 + dims.symbol("n@3"), "2*dim+n"),
    ],
)
def test_sizes(dim: dims.Dim, text: str) -> None:
    assert dim_text(dim) == text


def test_shapes() -> None:
    assert shape_text(None) == "[...]"
    assert shape_text(()) == "[]"
    assert shape_text((B, 3, dims.symbol("?k"))) == "[B, 3, ?]"


@pytest.mark.parametrize(
    ("fact", "text"),
    [
        (TensorFact((B, 3), "f32", CPU, ROW_MAJOR, NO_GRAD), "f32[B, 3]"),
        (TensorFact((B, 3), None, CPU), "tensor[B, 3]"),
        (TensorFact(), "tensor[...]"),
        (TensorFact((2,), "i64", Device("cuda", 0)), "i64[2] cuda:0"),
        (TensorFact((2,), "i64", CUDA_IF_AVAILABLE), "i64[2] cuda?"),
        (TensorFact((3, 2), "f32", CPU, (1, 3)), "f32[3, 2] noncontig"),
        (TensorFact((T, C), "f32", CPU, (1, T), IN_GRAPH), "f32[T, C] noncontig grad"),
        (TensorFact((), "f32", CPU, ROW_MAJOR, IN_GRAPH), "f32[] grad"),
    ],
)
def test_tensors(fact: TensorFact, text: str) -> None:
    assert tensor_text(fact) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (v.NONE, "None"),
        (v.ELLIPSIS, "..."),
        (v.integer(3), "3"),
        (v.integer(B), "B"),
        (v.Scalar("float", 0.5), "0.5"),
        (v.Scalar("float"), "float"),
        (v.Scalar("str", "a"), "'a'"),
        (v.TRUE, "True"),
        (v.TupleValue((v.integer(1),)), "(1,)"),
        (v.TupleValue((v.integer(1), v.NONE)), "(1, None)"),
        (v.DTypeValue("f16"), "f16"),
        (v.DeviceValue(CPU), "device cpu"),
        (v.UNKNOWN_VALUE, "?"),
        (v.ArrayValue((2,), "f64"), "ndarray f64[2]"),
        (v.Parameter("x@1", "x"), "?x"),
    ],
)
def test_values(value: v.Value, text: str) -> None:
    assert value_text(value) == text


def test_a_size_of_a_tensor_without_a_name_is_shown_as_unknown():
    sizes = (dims.symbol("size0@33"), dims.symbol("size1@33") * 2, dims.symbol("size"))
    assert shape_text(sizes) == "[?, 2*?, size]"


def test_each_notation_of_the_legend_is_written_so():
    from torchlsp.lint.pages import notation

    x, d = dims.symbol("x.0"), dims.symbol("d")
    plain = TensorFact(shape=(8, 3), dtype="f32", layout=ROW_MAJOR, device=CPU, grad=NO_GRAD)
    row = plain.but(shape=(8,))
    facts = [
        plain, plain.but(dtype=None), v.ArrayValue(shape=(8, 3), dtype="f64"), plain.but(shape=()), plain.but(shape=None),
        plain.but(shape=(dims.symbol("?1"), 3)), plain.but(shape=(B, d * 2)), plain.but(shape=(x, 3)),
        plain.but(shape=(dims.symbol("part0@7"), 3)),
        row.but(device=Device("cuda", 0)), row.but(grad=IN_GRAPH), v.Repeated(plain),
    ]  # fmt: skip
    rows = re.findall(r"^\| `([^`]*)` ", notation(), re.MULTILINE)
    assert [value_text(fact) for fact in facts] == [
        row for row in rows if "noncontig" not in row and "(" not in row
    ]
    assert str(CUDA_IF_AVAILABLE) == "cuda?" and "`cuda?`" in notation()
