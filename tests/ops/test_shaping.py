"""Reshaping tensors of symbolic or unknown shape: what is certain, and what stays unknown."""

from __future__ import annotations

import pytest

from torchlsp import ops
from torchlsp.facts import dim as dims
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.layout import ROW_MAJOR
from torchlsp.facts.notation import shape_text
from torchlsp.facts.tensor import Origin, Storage, TensorFact
from torchlsp.facts.values import UNKNOWN_VALUE, MemoryFormat, Repeated, Scalar, TupleValue, Value, integer
from torchlsp.ops.call import Context
from torchlsp.ops.signature import Arguments

B, T, C, H, W = (dims.symbol(name) for name in "BTCHW")
HEADS, WIDTH = dims.symbol("h"), dims.symbol("d")
PARAMETER = TensorFact(
    layout=ROW_MAJOR,
    storage=Storage(frozenset({"x@12"})),
    assumed=frozenset({"layout"}),
    origin=Origin(12, 13, "parameter"),
)


def fact(*shape, layout=ROW_MAJOR) -> TensorFact:
    return TensorFact(shape, "f32", layout=layout)


def call(tensor: TensorFact, name: str, *args, **kwargs):
    """(result, faults) of a method; ints and sizes are wrapped."""

    def wrapped(value) -> Value:
        if isinstance(value, (int, dims.Poly)) and not isinstance(value, bool):
            return integer(value)
        if isinstance(value, (list, tuple)):
            return TupleValue(tuple(wrapped(item) for item in value))
        return value

    arguments = Arguments(
        (tensor, *(wrapped(arg) for arg in args)), tuple((k, wrapped(value)) for k, value in kwargs.items())
    )
    row = ops.operator(f"Tensor.{name}")
    return row.apply(f"Tensor.{name}", arguments, Context(site="77"))


def after(tensor: TensorFact, *calls) -> TensorFact:
    """The result of a chain of calls that are all right: `after(x, ("permute", 0, 2, 1), ("view", -1))`."""
    for name, *args in calls:
        tensor, faults = call(tensor, name, *args)
        assert not faults, (name, args, faults)
    return tensor


def kinds(tensor: TensorFact, name: str, *args) -> list[FaultKind]:
    return [fault.kind for fault in call(tensor, name, *args)[1]]


CROSSES = [FaultKind.VIEW_STRIDES]
PERMUTED = after(PARAMETER, ("permute", 0, 2, 3, 1))


@pytest.mark.parametrize("target", [(-1, C), (B, -1), (-1,), (B, -1, C, 5)[:2]])
def test_a_permuted_parameter_cannot_be_viewed_in_fewer_sizes(target) -> None:
    _, faults = call(PERMUTED, "view", *target)
    assert [fault.kind for fault in faults] == CROSSES
    assert faults[0].assumptions == {"layout"}
    assert faults[0]["target"] == target


@pytest.mark.parametrize("target", [(B, H, W, C), (B, -1, C), (-1, HEADS, C, 1)])
def test_a_permuted_parameter_may_be_viewed_in_as_many_sizes_as_it_has_runs(target) -> None:
    assert not kinds(PERMUTED, "view", *target)


def test_a_permuted_parameter_is_fine_once_contiguous() -> None:
    result = after(PERMUTED, ("contiguous",), ("view", -1, C))
    assert result.layout is ROW_MAJOR
    assert not result.assumed


def test_permute_and_size_speak_of_the_same_sizes() -> None:
    size, _ = call(PARAMETER, "size", 2)
    assert size.value == PERMUTED.shape[1]
    assert shape_text(PERMUTED.shape) == "[x.0, x.2, x.3, x.1]"


def test_transpose_does_not_tell_the_rank() -> None:
    result = after(PARAMETER, ("transpose", 1, 2))
    assert (result.shape, result.layout) == (None, None)
    assert not kinds(result, "view", B, -1)


@pytest.mark.parametrize(
    ("split", "merged", "expected"),
    [
        ((B, T, HEADS, WIDTH), (B, T, HEADS * WIDTH), CROSSES),
        ((B, T, HEADS, C // HEADS), (B, T, C), CROSSES),
        ((B, -1, HEADS, WIDTH), (B, -1, HEADS * WIDTH), CROSSES),
        ((B, T, 8, 64), (B, -1, 512), CROSSES),
        ((B, T, 1, 64), (B, T, 64), []),
        ((B, 1, 8, 64), (B, 1, 512), []),
        ((B, T, HEADS, WIDTH), (B, HEADS, T, WIDTH), []),
        ((B, T, HEADS, WIDTH), (B, HEADS, T, WIDTH, 1), []),
        ((B, T, 8, 64), (B, 8, T, 2, 32), []),
    ],
)
def test_merging_attention_heads(split, merged, expected) -> None:
    heads = after(PARAMETER, ("view", *split), ("transpose", 1, 2))
    assert kinds(heads, "view", *merged) == expected
    if expected:
        assert not kinds(after(heads, ("transpose", 1, 2)), "view", *merged)
        assert not kinds(after(heads, ("transpose", 1, 2), ("contiguous",)), "view", *merged)


@pytest.mark.parametrize("name", ["reshape", "flatten", "unflatten"])
def test_what_copies_where_it_must_never_faults(name: str) -> None:
    args = {"reshape": (-1, C), "flatten": (), "unflatten": (3, (2, -1))}[name]
    assert not kinds(PERMUTED, name, *args)


@pytest.mark.parametrize(
    ("shape", "target", "reason"),
    [
        ((2, 3), (4, 2), "count"),
        ((2, 3), (-1, -1), "two -1"),
        ((2, 3), (4, -1), "not divisible"),
        ((B, 6), (B, 5), "count"),
        ((B, 3, 7), (B, 2, -1), "not divisible"),
        ((2, 0), (0, -1), "ambiguous"),
    ],
)
def test_wrong_element_counts(shape, target, reason) -> None:
    for name in ("view", "reshape"):
        _, faults = call(fact(*shape), name, *target)
        assert [(fault.kind, fault["reason"]) for fault in faults] == [(FaultKind.VIEW_NUMEL, reason)]


@pytest.mark.parametrize(
    ("shape", "target", "expected"),
    [
        ((B, C, H, W), (B, -1), (B, C * H * W)),
        ((B, T, C), (-1, C), (B * T, C)),
        ((B, T, 6), (B, T, 2, -1), (B, T, 2, 3)),
        ((B, T, C), (B * T, -1), (B * T, C)),
        ((B, T, C), (-1, 7), (B * T * C // 7, 7)),
    ],
)
def test_inferred_sizes(shape, target, expected) -> None:
    assert after(fact(*shape), ("view", *target)).shape == expected


def test_flattening_an_unknown_rank_tells_the_rank() -> None:
    assert len(after(PARAMETER, ("flatten",)).shape) == 1
    assert len(after(PARAMETER, ("flatten", 1)).shape) == 2
    assert after(PARAMETER, ("flatten", 0, 1)).shape is None


def test_squeeze_needs_to_know_which_sizes_are_one() -> None:
    assert after(fact(B, 1, 3), ("squeeze", 1)).shape == (B, 3)
    assert after(fact(B, 1, 3), ("squeeze", 2)).shape == (B, 1, 3)
    assert after(fact(B, 1, 3), ("squeeze", 0)).shape is None
    assert after(fact(B, 1, 3), ("squeeze",)).shape is None
    assert after(fact(2, 1, 3), ("squeeze",)).shape == (2, 3)


def test_chunks_of_a_symbolic_size() -> None:
    thirds = after(fact(B, T, 3 * C), ("chunk", 3, -1))
    assert [part.shape for part in thirds.items] == [(B, T, C)] * 3
    unknown = after(fact(B, T, C), ("chunk", 3, -1))
    assert isinstance(unknown, Repeated)
    assert unknown.length is None
    assert shape_text(unknown.element.shape) == "[B, T, part]"
    assert kinds(unknown.element, "view", -1) == CROSSES
    assert not kinds(unknown.element, "view", B * T, -1)


def test_parts_that_do_not_sum_to_the_size() -> None:
    assert kinds(fact(5, 2), "split", (2, 2)) == [FaultKind.SPLIT_SIZES]
    assert not kinds(fact(C, 2), "split", (2, 2))
    assert kinds(fact(2 * C + 1, 2), "split", (C, C)) == [FaultKind.SPLIT_SIZES]


def test_expanding_sizes() -> None:
    result = after(fact(B, 1, C), ("expand", -1, T, C))
    assert (result.shape, result.layout) == ((B, T, C), (C, 0, 1))
    assert kinds(fact(2, 3), "expand", 4, 3) == [FaultKind.EXPAND]
    assert kinds(fact(2, 3), "expand", 3) == [FaultKind.EXPAND]
    assert not kinds(fact(B, 3), "expand", 4, 3)


def test_channels_last_crosses_a_flat_view() -> None:
    turned, faults = call(fact(B, C, H, W), "contiguous", memory_format=MemoryFormat("channels_last"))
    assert not faults
    assert turned.layout == (C * H * W, 1, C * W, C)
    assert kinds(turned, "view", B, -1) == CROSSES
    assert after(turned, ("contiguous",), ("view", B, -1)).shape == (B, C * H * W)
    assert after(turned, ("permute", 0, 2, 3, 1), ("view", B, -1)).layout is ROW_MAJOR


def test_wrong_permutations() -> None:
    assert kinds(fact(2, 3, 4), "permute", 0, 1) == [FaultKind.PERMUTE_DIMS]
    assert kinds(fact(2, 3, 4), "permute", 0, 1, 1) == [FaultKind.PERMUTE_DIMS]
    assert kinds(fact(2, 3, 4), "permute", 0, 1, 3) == [FaultKind.DIM_RANGE]
    assert kinds(fact(2, 3, 4), "t") == [FaultKind.RANK]
    assert kinds(fact(2, 3, 4), "transpose", 0, 3) == [FaultKind.DIM_RANGE]


def test_unknown_arguments_are_silent() -> None:
    for name in (
        "view",
        "reshape",
        "permute",
        "expand",
        "repeat",
        "squeeze",
        "flatten",
        "unsqueeze",
        "split",
        "chunk",
    ):
        result, faults = call(fact(B, 3, 4), name, UNKNOWN_VALUE)
        assert not faults, name
        assert not isinstance(result, TensorFact) or result.shape is None or name == "flatten", name
    result, faults = call(fact(B, 3, 4), "view", B, Scalar("int"))
    assert not faults
    assert result.shape[0] == B
    assert dims.is_fresh(result.shape[1])


def test_t_takes_a_tensor_of_unknown_rank_for_a_matrix() -> None:
    turned = after(PARAMETER, ("t",))
    assert shape_text(turned.shape) == "[x.1, x.0]"
    _, faults = call(turned, "view", -1)
    assert [fault.kind for fault in faults] == CROSSES
    assert faults[0].assumptions == {"layout", "matrix"}
    _, faults = call(turned, "unsqueeze", 5)
    assert faults[0].assumptions == {"matrix"}


def test_sizes_that_both_have_leave_a_quotient() -> None:
    assert after(fact(B, T, C), ("view", B, T, HEADS, -1)).shape == (B, T, HEADS, C // HEADS)
