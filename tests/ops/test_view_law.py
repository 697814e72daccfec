"""The law of `view` against torch: random strides and targets, with numbers and with symbols as sizes."""

from __future__ import annotations

import random
from math import prod

import pytest

pytest.importorskip("torch")

import torch

from torchlsp.facts import dim as dims
from torchlsp.facts import layout as layouts
from torchlsp.facts.layout import ROW_MAJOR, ViewAnswer

pytestmark = pytest.mark.torch


def _viewed(tensor: torch.Tensor, target: tuple[int, ...]) -> torch.Tensor | None:
    try:
        return tensor.view(target)
    except RuntimeError:
        return None


def _random_strided() -> torch.Tensor:
    shape = [random.choice([1, 2, 2, 3, 4, 6]) for _ in range(random.randint(1, 4))]
    tensor = torch.empty(shape).permute(random.sample(range(len(shape)), len(shape)))
    for dim in range(tensor.dim()):
        kind = random.random()
        if kind < 0.1:
            tensor = tensor.narrow(dim, 0, max(1, tensor.shape[dim] - 1))
        elif kind < 0.2 and tensor.shape[dim] == 1:
            tensor = tensor.expand([3 if i == dim else -1 for i in range(tensor.dim())])
    return tensor


def _random_split(total: int) -> tuple[int, ...]:
    """Sizes whose product is the total."""
    sizes = []
    while total > 1 and random.random() < 0.8:
        size = random.choice([factor for factor in range(1, total + 1) if total % factor == 0])
        sizes.append(size)
        total //= size
    return (*sizes, total)


@pytest.mark.parametrize("seed", range(4))
def test_numbers(seed: int) -> None:
    random.seed(seed)
    for _ in range(3000):
        tensor = _random_strided()
        target = random.choice([_random_split(tensor.numel()), tuple(tensor.shape)])
        answer, layout = layouts.view_strides(
            tuple(tensor.shape), layouts.of_strides(tuple(tensor.shape), tensor.stride()), target
        )
        real = _viewed(tensor, target)
        where = (tuple(tensor.shape), tensor.stride(), target)
        if answer is ViewAnswer.VIEWABLE:
            assert real is not None, where
            if layout is ROW_MAJOR:
                assert real.is_contiguous(), where
            else:
                for claimed, stride, size in zip(layout, real.stride(), real.shape, strict=True):
                    assert size == 1 or claimed == stride, where
        elif answer is ViewAnswer.SPLIT_ACROSS_BORDER:
            assert real is None, where
        if real is None:
            assert answer is ViewAnswer.SPLIT_ACROSS_BORDER, where


NAMES = "BTHWC"


def _merged(shape: tuple) -> tuple:
    """A target that merges neighbours of a shape, splits off factors, or is fewer sizes of the same product."""
    sizes = list(shape)
    for _ in range(random.randint(0, 2)):
        if len(sizes) > 1:
            at = random.randrange(len(sizes) - 1)
            sizes[at : at + 2] = [sizes[at] * sizes[at + 1]]
    if random.random() < 0.2:
        sizes.insert(random.randrange(len(sizes) + 1), 1)
    if random.random() < 0.3:
        random.shuffle(sizes)
    return tuple(sizes)


@pytest.mark.parametrize("seed", range(4))
def test_symbols(seed: int) -> None:
    """What is said of symbols holds for all sizes of two and more."""
    random.seed(seed)
    decided = 0
    for _ in range(1500):
        rank = random.randint(2, 4)
        base = tuple(random.choice([dims.symbol(random.choice(NAMES)), 2, 3]) for _ in range(rank))
        order = random.sample(range(rank), rank)
        shape, layout = layouts.permuted(base, layouts.row_major_strides(base), order)
        target = _merged(shape)
        answer, found = layouts.view_strides(shape, layout, target)
        decided += answer is not ViewAnswer.UNKNOWN
        for _ in range(3):
            values = {name: random.choice([2, 3, 4, 5, 6]) for name in NAMES}
            numbers = [dims.substitute(size, values) for size in base]
            tensor = torch.empty(numbers).permute(order)
            wanted = tuple(dims.substitute(size, values) for size in target)
            assert prod(wanted) == tensor.numel()
            real = _viewed(tensor, wanted)
            where = ([str(size) for size in shape], order, [str(size) for size in target], values)
            if answer is ViewAnswer.SPLIT_ACROSS_BORDER:
                assert real is None, where
            elif answer is ViewAnswer.VIEWABLE:
                assert real is not None, where
                if found is ROW_MAJOR:
                    assert real.is_contiguous(), where
                else:
                    strides = [dims.substitute(stride, values) for stride in found]
                    assert all(
                        s == 1 or a == b for a, b, s in zip(strides, real.stride(), wanted, strict=True)
                    ), where
    assert decided > 1200
