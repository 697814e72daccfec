"""Patterns of einops: shapes, strides and refusals. The expected values are einops 0.8.2's on torch 2.13."""

import pytest

from torchlsp.facts.dim import symbol
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.layout import ROW_MAJOR
from torchlsp.facts.tensor import TensorFact
from torchlsp.ops.call import Broken, Call, Context
from torchlsp.ops.libraries.patterns import applied, parsed, summed

IMAGES = (2, 3, 8, 8)


def result(kind, shape, text, **sizes):
    call = Call(f"einops.{kind}", {"input": TensorFact(shape, "f32", layout=ROW_MAJOR)}, Context())
    return applied(call, kind, parsed(text), sizes, False)


@pytest.mark.parametrize(
    ("kind", "shape", "text", "sizes", "expected"),
    [
        ("rearrange", IMAGES, "b c h w -> b (c h w)", {}, (2, 192)),
        ("rearrange", IMAGES, "b c h w -> b c h w 1", {}, (2, 3, 8, 8, 1)),
        ("rearrange", IMAGES, "b c h w -> b () c h w", {}, (2, 1, 3, 8, 8)),
        ("rearrange", IMAGES, "b ... -> b (...)", {}, (2, 192)),
        ("rearrange", IMAGES, "b ... c -> ... b c", {}, (3, 8, 2, 8)),
        ("rearrange", IMAGES, "(b k) ... -> b k ...", {"k": 1}, (2, 1, 3, 8, 8)),
        ("rearrange", IMAGES, "b c (h p1) (w p2) -> b (h w) (p1 p2 c)", {"p1": 4, "p2": 4}, (2, 4, 48)),
        ("rearrange", (3, 1, 2), "b 1 c -> b c", {}, (3, 2)),
        ("reduce", IMAGES, "b c h w -> b c", {}, (2, 3)),
        ("reduce", IMAGES, "b c (h 2) (w 2) -> b c h w", {}, (2, 3, 4, 4)),
        ("reduce", IMAGES, "b c h w -> b c 1 1", {}, (2, 3, 1, 1)),
        ("repeat", IMAGES, "b c h w -> b c (h 2) w", {}, (2, 3, 16, 8)),
        ("repeat", IMAGES, "b c h w -> b c (h r) w", {"r": 2}, (2, 3, 16, 8)),
        ("repeat", (3,), "d -> b d", {"b": 4}, (4, 3)),
    ],
)
def test_shapes(kind, shape, text, sizes, expected):
    assert result(kind, shape, text, **sizes).shape == expected


def test_a_permutation_is_a_view_with_its_strides():
    assert result("rearrange", IMAGES, "b c h w -> c b h w").strides == (64, 192, 8, 1)
    assert result("rearrange", IMAGES, "b c h w -> b (h w) c").strides == (192, 1, 64)
    assert result("rearrange", IMAGES, "b c (h p) (w q) -> b (h w) (p q c)", p=4, q=4).layout is ROW_MAJOR


def test_sizes_may_be_symbols():
    batch, heads = symbol("B"), symbol("H")
    made = result("rearrange", (batch, 10, 4 * heads), "b n (h d) -> b h n d", h=heads)
    assert made.shape == (batch, heads, 10, 4)


def test_the_left_side_tells_the_rank():
    made = result("rearrange", None, "b c h w -> b (h w) c")
    assert made.rank == 3
    assert result("rearrange", None, "b ... c -> b c ...").rank is None


@pytest.mark.parametrize(
    ("kind", "shape", "text", "sizes", "reason"),
    [
        ("rearrange", IMAGES, "b c h -> b (c h)", {}, "rank"),
        ("rearrange", IMAGES, "b c (h p) w -> b c h w p", {"p": 3}, "parts"),
        ("rearrange", IMAGES, "b c (h p) w -> b c h w p", {"p": 3, "h": 3}, "parts"),
        ("rearrange", IMAGES, "b c (h p) w -> b c h w p", {}, "open"),
        ("rearrange", IMAGES, "b c h w -> b c h", {}, "left only"),
        ("rearrange", IMAGES, "b c h w -> b c h w k", {}, "right only"),
        ("rearrange", IMAGES, "b c h w -> b c h w", {"c": 4}, "parts"),
        ("rearrange", IMAGES, "b c h w -> b c h w", {"k": 4}, "unused"),
        ("rearrange", (3, 2, 2), "b b c -> b c", {}, "twice"),
        ("rearrange", (3, 2, 2), "b 1 c -> b c", {}, "parts"),
        ("reduce", IMAGES, "b c h w -> b k", {}, "right only"),
        ("repeat", IMAGES, "b c h w -> b c h w r", {}, "right only"),
        ("repeat", (3,), "() d -> b d", {"b": 4}, "rank"),
    ],
)
def test_refusals(kind, shape, text, sizes, reason):
    with pytest.raises(Broken) as refused:
        result(kind, shape, text, **sizes)
    assert refused.value.fault.kind is FaultKind.EINSUM
    assert refused.value.fault["reason"] == reason


@pytest.mark.parametrize(
    "text", ["a b c  b c", "a b c -> c (a b", "a b c -> c) (a b", "a -> b -> c", "a-b -> a"]
)
def test_what_is_no_pattern_is_not_read(text):
    assert parsed(text) is None


def test_words_stand_for_letters():
    call = Call("einops.einsum", {}, Context())
    left, right = TensorFact((2, 3), "f32"), TensorFact((3, 4), "f32")
    assert summed(call, "row inner, inner column -> row column", [left, right]).shape == (2, 4)
