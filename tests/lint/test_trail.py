"""Where a column was decided, and how facts and source text are cut to a message's length."""

from __future__ import annotations

import pytest

from torchlsp.facts.device import CPU, CUDA
from torchlsp.facts.layout import ROW_MAJOR
from torchlsp.facts.tensor import IN_GRAPH, NO_GRAD, Origin, TensorFact
from torchlsp.lint.message_text import shortened, shown
from torchlsp.lint.trail import because, first_origin


def fact(op: str, *parents: TensorFact, **columns) -> TensorFact:
    first = parents[0] if parents else TensorFact((2, 3), "f32", CPU, ROW_MAJOR, NO_GRAD)
    place = 10 * (1 + len(op))
    return first.but(**columns, origin=Origin(place, place + 1, op, parents))


MADE = fact("torch.ones")
PARAMETER = fact("parameter")


@pytest.mark.parametrize(
    ("newest", "column", "expected"),
    [
        (
            fact("Tensor.relu", fact("Tensor.cuda", MADE, device=CUDA)),
            "device",
            ["moved to cuda here: f32[2, 3] cuda"],
        ),
        (fact("torch.zeros", device=CUDA), "device", ["created on cuda here: f32[2, 3] cuda"]),
        (
            fact("Tensor.float", fact("torch.ones", dtype="i64"), dtype="f32"),
            "dtype",
            ["becomes f32 here: f32[2, 3]"],
        ),
        (
            fact("torch.nn.Linear", MADE, grad=IN_GRAPH),
            "grad",
            ["requires grad from here on: f32[2, 3] grad"],
        ),
        (
            fact("Tensor.unsqueeze", MADE, shape=(2, 3, 1)),
            "shape",
            ["unsqueezed here: f32[2, 3, 1]", "created here: f32[2, 3]"],
        ),
        (fact("torch.nn.Linear", PARAMETER, shape=(2, 5)), "shape", ["result of Linear here: f32[2, 5]"]),
        (TensorFact(), "shape", []),
        (None, "shape", []),
    ],
)
def test_the_trail_names_what_decided_the_column(newest, column: str, expected: list[str]):
    assert [text for _, text in because(newest, column)] == expected


def test_a_long_history_is_cut():
    newest = MADE
    for size in range(4, 60):
        newest = fact("Tensor.repeat", newest, shape=(size, 3))
    assert len(list(because(newest, "shape"))) == 3
    assert len(list(because(newest, "device"))) <= 1


def test_the_oldest_origin_is_the_parameter():
    origin = first_origin(fact("Tensor.t", fact("Tensor.relu", PARAMETER)))
    assert origin is not None and origin.op == "parameter"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (MADE, "f32[2, 3]"),
        ((2, None, 3), "[2, ?, 3]"),
        ((), "[]"),
        (7, "7"),
        (None, "?"),
    ],
)
def test_facts_are_shown_in_the_one_notation(value: object, text: str):
    assert shown(value) == text


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("a.b(\n    c,\n)", "a.b(c)"),
        (
            "torch.zeros(8, dtype=torch.int32).reshape(4, 2)",
            "torch.zeros(8, dtype=torch.int32).reshape(4, 2)",
        ),
        (
            "torch.utils.data.something(one, two, three).reshape(4)",
            "torch.utils.data.something(...).reshape(4)",
        ),
        (
            "torch.from_numpy(np.load(os.path.join(root, 'image.npy'))).unsqueeze(0)",
            "torch.from_numpy(np.load(...)).unsqueeze(0)",
        ),
        ("first(second(third, fourth), 'a ) in a text', fifth_argument)", "first(...)"),
        (
            "first(second(third, fourth), 'a ) in a text', fifth)",
            "first(second(...), 'a ) in a text', fifth)",
        ),
        ("a_name_that_is_long_enough.to_be.cut_somewhere_in_the.middle", None),
    ],
)
def test_a_long_expression_keeps_its_names_and_loses_what_is_in_its_innermost_brackets(source, text):
    assert shortened(source) == (text or source)
