"""Unknown is silent: what little is known of an argument never makes a fault; and layers, like rows, never raise."""

from __future__ import annotations

import random

import pytest

from torchlsp import ops
from torchlsp.facts import dim as dims
from torchlsp.facts.device import CPU
from torchlsp.facts.layout import ROW_MAJOR
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import (
    NONE,
    UNKNOWN_VALUE,
    Parameter,
    Repeated,
    Scalar,
    TupleValue,
    Unknown,
    Value,
    integer,
)
from torchlsp.ops import signature as signatures
from torchlsp.ops.call import Call, Context, LayerState
from torchlsp.ops.signature import Arguments
from torchlsp.ops.table import LAYERS, TABLE

ops.load()
B, H, N = dims.symbol("B"), dims.symbol("H"), dims.symbol("?n")
SILENT: tuple[Value, ...] = (UNKNOWN_VALUE, TensorFact(), Parameter("p@1", "p"))
"""Values of which nothing is known: no call can be wrong for certain because of them."""
LITTLE: tuple[Value, ...] = (
    *SILENT,
    Unknown(dims.symbol("n")),
    NONE,
    Scalar("int"),
    Scalar("str"),
    integer(2),
    integer(B),
    TupleValue((UNKNOWN_VALUE, integer(3))),
    TupleValue((TensorFact(), TensorFact((2, 3)))),
    Repeated(UNKNOWN_VALUE),
    TensorFact(dtype="f32"),
    TensorFact(device=CPU, layout=ROW_MAJOR),
    TensorFact((N, N, N)),
    TensorFact((B, 3, H, H), "f32", CPU, ROW_MAJOR),
    TensorFact((4, 5), "i64", CPU, (1, 4)),
)

NEEDED = frozenset({"min", "size"})
"""Parameters with a default that takes another one's place: clamp wants min or max, interpolate size or scale_factor."""


def _required(signature: str, value: Value) -> dict[str, Value]:
    """The required arguments are this value, the others their defaults."""
    return {
        param.name: value if param.default is signatures.MISSING or param.name in NEEDED else param.default
        for param in signatures.parse(signature).params
    }


def _all(signature: str, draw: random.Random, values: tuple[Value, ...]) -> dict[str, Value]:
    return {param.name: draw.choice(values) for param in signatures.parse(signature).params}


def test_a_row_is_silent_about_what_it_does_not_know() -> None:
    wrong = []
    for name, row in sorted(TABLE.rows.items()):
        for value in SILENT:
            bound = _required(row.signature, value)
            for autocast in (Tri.NO, Tri.UNKNOWN):
                _, faults = row.run(Call(name, bound, Context(autocast=autocast)))
                wrong += [(name, fault.kind, bound) for fault in faults]
    assert TABLE.rows and not wrong


def test_a_layer_is_silent_about_what_it_does_not_know() -> None:
    wrong = []
    for name, row in sorted(LAYERS.rows.items()):
        for option in (UNKNOWN_VALUE, Parameter("p@1", "p")):
            config = _required(row.signature, option)
            every = dict.fromkeys(config, option)
            for value in SILENT:
                bound = _required(row.forward.signature, value)
                for given in (config, every):
                    _, faults = row.forward.run(Call(name, bound, Context(), LayerState(given)))
                    wrong += [(name, fault.kind, given, bound) for fault in faults]
    assert LAYERS.rows and not wrong


@pytest.mark.parametrize("name", sorted(LAYERS.rows))
def test_a_layer_answers_every_call(name: str) -> None:
    row = LAYERS.rows[name]
    draw = random.Random(name)
    for _ in range(120):
        state = LayerState(
            _all(row.signature, draw, LITTLE),
            draw.choice([None, CPU]),
            draw.choice([None, "f32", "bf16"]),
            draw.choice(list(Tri)),
            draw.choice(list(Tri)),
            draw.choice([None, "row-major", "channels_last"]),
        )
        if row.parameters is not None:
            row.parameters(state)
        context = Context(autocast=draw.choice(list(Tri)), grad_mode=draw.choice(list(Tri)))
        row.forward.run(Call(name, _all(row.forward.signature, draw, LITTLE), context, state))


def test_symbols_make_the_output_formula() -> None:
    image = TensorFact((B, 3, H, 28), "f32", CPU, ROW_MAJOR)
    row = ops.layer("torch.nn.Conv2d")
    config = row.configure(Arguments(tuple(integer(n) for n in (3, 6, 5, 2, 1))))
    result, faults = row.call("torch.nn.Conv2d", Arguments((image,)), Context(), LayerState(config))
    assert not faults
    assert [str(size) for size in result.shape] == ["B", "6", "(H+1)//2-1", "13"]
    assert result.layout is ROW_MAJOR
