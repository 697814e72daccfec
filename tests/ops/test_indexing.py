"""Indexing against torch: random indexings of random tensors, read and written, with numbers and with symbols as sizes."""

from __future__ import annotations

import random
import warnings

import pytest

pytest.importorskip("torch")

import torch
from real_facts import SITE, Comparison, Facts, symbols_of, tensors_in

from torchlsp import ops
from torchlsp.facts import dim as dims
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.layout import ROW_MAJOR
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.values import ELLIPSIS, NONE, Scalar, SliceValue, TupleValue, Unknown, Value, integer
from torchlsp.ops.call import Context
from torchlsp.ops.signature import Arguments

pytestmark = pytest.mark.torch

B, T, C = dims.symbol("B"), dims.symbol("T"), dims.symbol("C")
ALL = SliceValue(NONE, NONE, NONE)


def _random_item(size: int):
    low = min(size - 1, 0)
    kind = random.choice(["int", "slice", "all", "list", "tensor", "mask", "bools", "scalar tensor"])
    match kind:
        case "int":
            return random.randrange(-size, size + 1)
        case "slice":
            step = random.choice([None, 1, 2, 3])
            return slice(random.choice([None, 0, 1, -1, -2]), random.choice([None, 1, 2, -1, 9]), step)
        case "list":
            return [random.randint(low, size - 1) for _ in range(random.choice([1, 2, 3]))]
        case "tensor":
            made = torch.randint(0, max(size, 1), random.choice([(2,), (2, 3), (1, 2)]))
            return made.t().contiguous().t() if random.random() < 0.3 else made
        case "mask":
            return torch.rand(size) > 0.3
        case "bools":
            return [random.random() > 0.3 for _ in range(size)]
        case "scalar tensor":
            return torch.tensor(random.randint(low, size - 1))
    return slice(None)


def _random_index(shape: tuple[int, ...]) -> tuple:
    items: list = []
    at = 0
    for _ in range(random.randint(0, len(shape) + 1)):
        choice = random.random()
        if choice < 0.12:
            items.append(None)
        elif choice < 0.2 and Ellipsis not in [item for item in items if item is Ellipsis]:
            items.append(Ellipsis)
            at = len(shape)
        elif choice < 0.25:
            items.append(random.random() < 0.7)
        elif at < len(shape):
            items.append(_random_item(shape[at]))
            at += 1
    if random.random() < 0.1 and len(shape) > 1:
        items = [torch.rand(shape[:2]) > 0.5, *items[2:]]
    return tuple(items)


def _random_tensor() -> torch.Tensor:
    shape = tuple(random.choice([1, 2, 3, 4, 5, 7]) for _ in range(random.randint(0, 4)))
    made = torch.randn(shape, requires_grad=random.random() < 0.3) * 1
    if len(shape) > 1 and random.random() < 0.3:
        made = made.transpose(0, 1)
    return made


@pytest.mark.parametrize("seed", range(8))
def test_reading_agrees_with_torch(seed: int) -> None:
    random.seed(seed)
    torch.manual_seed(seed)
    row = ops.operator("Tensor.__getitem__")
    caught = refused = 0
    for _ in range(400):
        tensor = _random_tensor()
        where = _random_index(tuple(tensor.shape))
        try:
            real, error = tensor[where], None
        except (IndexError, RuntimeError, ValueError, TypeError) as raised:
            real, error = None, raised
        for symbols in ({}, symbols_of(list(tensors_in((tensor, where))))):
            facts = Facts(symbols)
            arguments = Arguments((facts.of(tensor), facts.of(where)))
            claimed, faults = row.apply(
                "Tensor.__getitem__", arguments, Context(site=SITE, elements=facts.elements)
            )
            if error is not None:
                if "shape mismatch" in str(error):
                    continue  # how many elements a mask takes is in its values
                refused += not symbols
                caught += bool(faults) and not symbols
                continue
            assert not faults, (tensor.shape, where, faults)
            if _takes_more_than_there_is(tensor, where) and symbols:
                continue
            comparison = Comparison(facts)
            comparison.compare(claimed, real)
            assert not comparison.wrong, (tensor.shape, tensor.stride(), where, symbols, comparison.wrong)
    assert caught == refused


def _takes_more_than_there_is(tensor: torch.Tensor, where: tuple) -> bool:
    """A slice that is cut short at the end of a dim: with symbols, sizes are taken to be large enough."""
    return (
        any(isinstance(item, slice) and item != slice(None) for item in where)
        and min(tensor.shape, default=9) < 4
    )


@pytest.mark.parametrize("seed", range(4))
def test_writing_agrees_with_torch(seed: int) -> None:
    random.seed(seed)
    torch.manual_seed(seed)
    row = ops.operator("Tensor.__setitem__")
    caught = refused = aliased = 0
    warnings.simplefilter("ignore")
    for _ in range(400):
        tensor = torch.zeros(tuple(random.choice([1, 2, 3, 4]) for _ in range(random.randint(0, 3))))
        if random.random() < 0.2:
            tensor = tensor.expand(3, *tensor.shape)
        if random.random() < 0.2:
            tensor = tensor.clone().requires_grad_()
            tensor = tensor if random.random() < 0.5 else tensor * 1
        where = _random_index(tuple(tensor.shape))
        sizes = tuple(random.choice([1, 2, 3]) for _ in range(random.randint(0, 3)))
        try:
            target = tuple(tensor[where].shape)
            sizes = random.choice([sizes, target, target[1:], (1, *target)])
        except (IndexError, RuntimeError, ValueError, TypeError):
            pass
        dtype = random.choice([torch.float32, torch.float32, torch.float64])
        value = random.choice([1.0, torch.ones(sizes, dtype=dtype), torch.ones(sizes, requires_grad=True)])
        facts = Facts()
        arguments = Arguments((facts.of(tensor), facts.of(where), facts.of(value)))
        claimed, faults = row.apply(
            "Tensor.__setitem__", arguments, Context(site=SITE, elements=facts.elements)
        )
        try:
            tensor[where] = value
        except (IndexError, RuntimeError, ValueError, TypeError):
            refused += 1
            caught += bool(faults)
            continue
        reached = int((tensor != 0).sum())  # ones were written to zeros
        if any(fault.kind is FaultKind.INPLACE_ALIASED for fault in faults):
            aliased += 1
            assert reached > tensor[where].numel(), (tensor.shape, tensor.stride(), where)
            continue
        assert not faults, (tensor.shape, where, value, faults)
        comparison = Comparison(facts)
        comparison.compare(claimed, tensor)
        assert not comparison.wrong, (tensor.shape, where, value, comparison.wrong)
    assert caught >= 0.9 * refused
    assert aliased


def _read(tensor: TensorFact, *items: Value):
    index = items[0] if len(items) == 1 else TupleValue(items)
    return ops.operator("Tensor.__getitem__").apply(
        "Tensor.__getitem__", Arguments((tensor, index)), Context(site="7")
    )


def _sliced(start=None, stop=None, step=None) -> SliceValue:
    def one(bound):
        return NONE if bound is None else integer(bound)

    return SliceValue(one(start), one(stop), one(step))


@pytest.mark.parametrize(
    ("item", "size"),
    [
        (_sliced(1), T - 1),
        (_sliced(None, -1), T - 1),
        (_sliced(None, 1), 1),
        (_sliced(-1), 1),
        (_sliced(None, T), T),
        (_sliced(None, T // 2), T // 2),
        (_sliced(T // 2), T - T // 2),
        (_sliced(C, C + 1), 1),
        (_sliced(None, None, 2), (T + 1) // 2),
        (_sliced(None, T - 1), T - 1),
        (_sliced(T - 2), 2),
        (_sliced(None, 5), None),
        (_sliced(-5), None),
        (_sliced(None, C), None),
        (_sliced(C), None),
        (SliceValue(Unknown(), NONE, NONE), None),
    ],
)
def test_slices_of_a_symbolic_size(item: SliceValue, size) -> None:
    result, faults = _read(TensorFact((B, T), layout=ROW_MAJOR), ALL, item)
    assert not faults
    assert result.shape[0] == B
    if size is None:  # a size of its own: what is left of T is not known
        assert not dims.symbols_of(result.shape[1]) & {"B", "T", "C"}
    else:
        assert result.shape[1] == size


def test_a_row_of_a_contiguous_tensor_of_unknown_rank_is_contiguous() -> None:
    unknown = TensorFact(layout=ROW_MAJOR, assumed=frozenset({"layout"}))
    for items, layout in [
        ((integer(0),), ROW_MAJOR),
        ((integer(0), _sliced(1, 3)), ROW_MAJOR),
        ((_sliced(1, 3), ALL), ROW_MAJOR),
        ((NONE, ELLIPSIS), ROW_MAJOR),
        ((ALL, integer(0)), None),
        ((ELLIPSIS, integer(0)), None),
        ((_sliced(None, None, 2),), None),
        ((_sliced(1, 3), _sliced(1, 3)), None),
    ]:
        result, faults = _read(unknown, *items)
        assert not faults
        assert result.shape is None
        assert result.layout is layout, items


def test_a_negative_step_is_a_fault() -> None:
    _, faults = _read(TensorFact((B, T)), _sliced(None, None, -1))
    assert [fault.kind for fault in faults] == [FaultKind.NEGATIVE_STEP]


def test_a_float_as_index_is_a_fault() -> None:
    _, faults = _read(TensorFact((B, T)), Scalar("float", 1.0))
    assert [fault.kind for fault in faults] == [FaultKind.INDEX]


def test_an_unknown_index_gives_an_unknown_shape() -> None:
    result, faults = _read(TensorFact((B, T), "f32", layout=ROW_MAJOR), Unknown())
    assert not faults
    assert (result.shape, result.layout, result.dtype, result.storage.ids) == (None, None, "f32", None)
