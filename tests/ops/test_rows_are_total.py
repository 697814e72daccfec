"""Every row answers every call: whatever the arguments are, a row gives a value and faults, and never raises."""

from __future__ import annotations

import random

import pytest

from torchlsp import ops
from torchlsp.facts import dim as dims
from torchlsp.facts.device import CPU, CUDA, CUDA_IF_AVAILABLE
from torchlsp.facts.layout import ROW_MAJOR
from torchlsp.facts.tensor import IN_GRAPH, LEAF, NO_GRAD, Storage, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import (
    ELLIPSIS,
    FALSE,
    NONE,
    TRUE,
    UNKNOWN_VALUE,
    ArrayValue,
    DeviceValue,
    DTypeValue,
    Parameter,
    RankValue,
    Repeated,
    Scalar,
    SliceValue,
    TupleValue,
    Unknown,
    Value,
    integer,
)
from torchlsp.ops import signature as signatures
from torchlsp.ops.call import Call, Context
from torchlsp.ops.table import TABLE

B, T, C = dims.symbol("B"), dims.symbol("T"), dims.symbol("C")
SHAPES = [None, (), (0,), (3,), (B,), (2, 3), (B, T), (2, 0), (1, 4), (B, 3, T), (2, 3, 4), (B, C, 7, 7)]
SHAPES += [(2, 3, 4, 4), (2, 3, 4, 5, 6), (dims.symbol("?1"), 4), (T * C, B), (C // 2, C)]


def _tensor() -> TensorFact:
    shape = random.choice(SHAPES)
    layout = random.choice([ROW_MAJOR, None])
    if shape is not None and random.random() < 0.2:
        layout = tuple(random.choice([0, 1, 3, T]) for _ in shape)
    return TensorFact(
        shape,
        random.choice([None, "f32", "f64", "bf16", "i64", "i32", "bool", "u8", "c64", "f16"]),
        random.choice([None, CPU, CUDA, CUDA_IF_AVAILABLE]),
        layout,
        random.choice([NO_GRAD, LEAF, IN_GRAPH]),
        random.choice([Storage(), Storage(frozenset({"a"})), Storage(frozenset({"a", "b"}))]),
        random.choice([frozenset(), frozenset({"layout"})]),
    )


def _value(depth: int = 0) -> Value:
    simple = [
        lambda: integer(random.choice([-7, -2, -1, 0, 1, 2, 3, 64])),
        lambda: integer(random.choice([B, T - 1, -T, C // 4])),
        lambda: random.choice([NONE, TRUE, FALSE, ELLIPSIS, UNKNOWN_VALUE, RankValue()]),
        lambda: Unknown(B),
        lambda: Parameter("p@1", "p"),
        lambda: random.choice([Scalar("int"), Scalar("float", 0.5), Scalar("float"), Scalar("bool")]),
        lambda: Scalar(
            "str", random.choice(["sum", "none", "xy", "reflect", "ij,jk->ik", "cuda:0", "bilinear"])
        ),
        lambda: random.choice([DTypeValue("f16"), DTypeValue(None), DeviceValue(CUDA), DeviceValue(None)]),
        lambda: ArrayValue(random.choice(SHAPES), random.choice([None, "f32", "i64", "bool"])),
        lambda: SliceValue(
            *(random.choice([NONE, integer(1), integer(-1), UNKNOWN_VALUE]) for _ in range(3))
        ),
    ]
    if random.random() < 0.4:
        return _tensor()
    if depth < 2 and random.random() < 0.3:
        items = tuple(_value(depth + 1) for _ in range(random.randint(0, 4)))
        return random.choice([TupleValue(items), TupleValue(items), Repeated(_value(depth + 1))])
    if random.random() < 0.2:
        return TupleValue(
            tuple(integer(random.choice([-1, 0, 1, 2, 3, B])) for _ in range(random.randint(0, 4)))
        )
    return random.choice(simple)()


def _rows():
    ops.load()
    return sorted({id(row): row for row in TABLE.rows.values()}.values(), key=lambda row: row.names[0])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_no_row_raises(seed: int) -> None:
    broken = []
    for row in _rows():
        random.seed(f"{seed} {row.names[0]}")
        params = signatures.parse(row.signature).params
        for _ in range(40):
            bound: dict[str, Value] = {}
            for i, param in enumerate(params):
                if param.default is not signatures.MISSING and random.random() < 0.5:
                    bound[param.name] = param.default
                else:
                    bound[param.name] = _tensor() if i == 0 and random.random() < 0.8 else _value()
            context = Context(
                site="9",
                grad_mode=random.choice(list(Tri)),
                autocast=random.choice([Tri.NO, Tri.YES, Tri.UNKNOWN]),
            )
            try:
                row.run(Call(row.names[0], bound, context))
            except Exception as error:
                broken.append(f"{row.names[0]}: {type(error).__name__} {error} {bound}"[:600])
                break
    assert not broken, "\n".join(broken[:20])
