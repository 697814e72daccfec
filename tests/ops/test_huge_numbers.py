"""No row counts up to a number that the text gives: huge numbers in every parameter take a moment and little memory."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from torchlsp import ops
from torchlsp.facts.device import CPU
from torchlsp.facts.layout import ROW_MAJOR
from torchlsp.facts.shape import MAX_RANK, TooManyDims, fresh, padded
from torchlsp.facts.tensor import NO_GRAD, Storage, TensorFact
from torchlsp.facts.values import Repeated, TupleValue, Value, integer
from torchlsp.ops import signature as signatures
from torchlsp.ops.call import Call, Context, LayerCall, LayerState
from torchlsp.ops.signature import Arguments
from torchlsp.ops.table import LAYERS, TABLE, LayerRow, Row
from torchlsp.ops.tensor.slicing import MAX_TUPLE_LENGTH

HUGE = 10**9
LIMITED = pytest.mark.skipif(sys.platform == "win32", reason="there is no limit of time and memory to set")


def tensor(shape: tuple[int, ...] | None) -> TensorFact:
    layout = None if shape is None else ROW_MAJOR
    return TensorFact(shape, "f32", CPU, layout, NO_GRAD, Storage(frozenset({"a"})), frozenset())


TENSORS = [tensor(None), tensor((2, 3, 8, 8)), tensor((HUGE, HUGE)), tensor((HUGE,))]
NUMBERS: list[Value] = [
    integer(2**31),
    integer(-(10**30)),
    TupleValue((integer(HUGE),) * 3),
    TupleValue((integer(0), integer(10**30))),
]


class TooSlow(Exception):
    """A call has taken too long."""


def _end(*_: object) -> None:
    raise TooSlow


@contextmanager
def limits() -> Iterator[None]:
    """Leaves 2 GB of memory, and ends whatever takes half a second of processor time when `watched`."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_AS)
    pages = Path("/proc/self/statm")
    if pages.exists():
        used = int(pages.read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + 2_000_000_000, before[1]))
    handler = signal.signal(signal.SIGVTALRM, _end)
    try:
        yield
    finally:
        signal.signal(signal.SIGVTALRM, handler)
        resource.setrlimit(resource.RLIMIT_AS, before)


def failure(call: Callable[[], object]) -> str | None:
    signal.setitimer(signal.ITIMER_VIRTUAL, 0.5)
    try:
        call()
    except (Exception, MemoryError) as error:
        return f"{type(error).__name__} {error}"
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return None


def calls_of(row: Row[Call]) -> Iterator[tuple[str, Callable[[], object]]]:
    params = signatures.parse(row.signature).params
    for first in TENSORS:
        for place, param in enumerate(params[1:] or params):
            for number in NUMBERS:
                for everywhere in (False, True)[: 2 if place == 0 else 1]:
                    bound = {
                        one.name: number
                        if everywhere
                        else tensor((HUGE,))
                        if one.default is signatures.MISSING
                        else one.default
                        for one in params
                    }
                    if param is not params[0]:
                        bound[params[0].name] = first
                    is_items = param.kind == "variadic" and not isinstance(number, TupleValue)
                    bound[param.name] = TupleValue((number,)) if is_items else number
                    yield (
                        f"{row.names[0]} of {first.shape}: {param.name}={number}",
                        lambda bound=bound: row.run(Call(row.names[0], bound, Context(site="9"))),
                    )


def uses_of(layer: LayerRow) -> Iterator[tuple[str, Callable[[], object]]]:
    name, forward = layer.names[0], signatures.parse(layer.forward.signature).params
    params = signatures.parse(layer.signature).params
    for param in params:
        for number in NUMBERS[:3]:
            config = {
                one.name: integer(2) if one.default is signatures.MISSING else one.default for one in params
            }
            config[param.name] = number
            state = LayerState(config)
            label = f"{name} with {param.name}={number}"
            yield label, lambda config=config: layer.refused(name, config, Context(site="9"))
            if layer.parameters is not None:
                yield label, lambda state=state: layer.parameters(state)
            for given in TENSORS[:2]:
                bound = {
                    one.name: given if one.default is signatures.MISSING else one.default for one in forward
                }
                yield (
                    f"{label} of {given.shape}",
                    lambda bound=bound, state=state: layer.forward.run(
                        LayerCall(name, bound, Context(site="9"), state)
                    ),
                )


@LIMITED
@pytest.mark.parametrize("half", [0, 1])
def test_huge_numbers_in_every_parameter_of_every_operator(half: int) -> None:
    ops.load()
    rows = sorted({id(row): row for row in TABLE.rows.values()}.values(), key=lambda row: row.names[0])
    with limits():
        found = [
            f"{label}: {why}"
            for row in rows[half::2]
            for label, call in calls_of(row)
            if (why := failure(call))
        ]
    assert not found, "\n".join(["", *found[:20]])


@LIMITED
def test_huge_numbers_in_every_parameter_of_every_layer() -> None:
    ops.load()
    layers = sorted({id(row): row for row in LAYERS.rows.values()}.values(), key=lambda row: row.names[0])
    with limits():
        found = [
            f"{label}: {why}" for row in layers for label, call in uses_of(row) if (why := failure(call))
        ]
    assert not found, "\n".join(["", *found[:20]])


def result(name: str, *arguments: Value) -> Value:
    row = ops.operator(name)
    assert row is not None
    return row.apply(name, Arguments(arguments), Context(site="9"))[0]


def test_rank_above_the_largest_is_unknown() -> None:
    """torch: "tensor has too many (>64) dims"."""
    assert len(fresh(MAX_RANK, "a")) == len(padded((2,), MAX_RANK)) == 64
    for make in (lambda: fresh(MAX_RANK + 1, "a"), lambda: padded((2,), MAX_RANK + 1)):
        with pytest.raises(TooManyDims):
            make()
    given = result("Tensor.flatten", tensor(None), integer(2))
    assert isinstance(given, TensorFact) and given.rank == 3
    assert not isinstance(result("Tensor.flatten", tensor(None), integer(2**31)), TensorFact)
    made = result("torch.zeros", TupleValue((integer(1),) * 65))
    assert isinstance(made, TensorFact) and made.shape is None


def test_more_parts_than_a_tuple_lists_are_one_repeated_part() -> None:
    for name in ("torch.tensor_split", "torch.chunk"):
        listed = result(name, tensor((HUGE,)), integer(MAX_TUPLE_LENGTH))
        assert isinstance(listed, TupleValue) and len(listed.items) == MAX_TUPLE_LENGTH
        parts = result(name, tensor((HUGE,)), integer(HUGE))
        assert isinstance(parts, Repeated) and parts.element.shape == (1,)
    uneven = result("torch.tensor_split", tensor((HUGE,)), integer(HUGE // 3))
    assert isinstance(uneven, Repeated) and not isinstance(uneven.element.shape[0], int)
    empty = result("torch.chunk", tensor((0,)), integer(HUGE))
    assert isinstance(empty, Repeated) and empty.element.shape == (0,)


@pytest.mark.torch
def test_triangles_have_as_many_elements_as_in_torch() -> None:
    import torch

    for name in ("tril_indices", "triu_indices"):
        for rows in range(5):
            for columns in range(5):
                for offset in range(-6, 7):
                    made = result(f"torch.{name}", integer(rows), integer(columns), integer(offset))
                    assert made.shape == tuple(getattr(torch, name)(rows, columns, offset).shape)
