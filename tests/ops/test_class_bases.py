"""Which classes of torch.nn derive from which: as Python says of the installed torch."""

from __future__ import annotations

import inspect

import pytest

from torchlsp.facts.tri import Tri
from torchlsp.ops.modules.class_bases import BASES, derives

pytestmark = pytest.mark.torch
torch = pytest.importorskip("torch")
nn = torch.nn
LAZY_OR_WRAPPER = ("Lazy", "DataParallel", "Container")


def test_all_are_as_in_torch():
    classes = [one for _, one in inspect.getmembers(nn, inspect.isclass) if issubclass(one, nn.Module)]
    real = {
        one.__name__: {base.__name__ for base in one.__mro__[1:] if issubclass(base, nn.Module)} - {"Module"}
        for one in classes
        if one is not nn.Module and not one.__name__.startswith(LAZY_OR_WRAPPER)
    }
    assert {name: set(bases) for name, bases in BASES.items()} == real


def test_every_pair_is_answered_as_python_does():
    layers = [getattr(nn, name) for name in BASES]
    asked = {base for layer in layers for base in layer.__mro__ if issubclass(base, nn.Module)}
    for layer in layers:
        for base in asked:
            public = f"torch.nn.{base.__name__}"
            name = (
                public if getattr(nn, base.__name__, None) is base else f"{base.__module__}.{base.__name__}"
            )
            assert derives(f"torch.nn.{layer.__name__}", name) is Tri.of(issubclass(layer, base)), (
                layer,
                base,
            )


@pytest.mark.parametrize(
    ("name", "base"),
    [
        ("torch.nn.LazyConv2d", "torch.nn.Conv2d"),  # it becomes one at its first call
        ("torch.nn.LazyConv2d", "torch.nn.LazyConv2d"),
        ("torch.nn.Conv2d", "torch.nn.LazyConv2d"),
        ("torch.nn.Conv2d", "torchvision.ops.Conv2d"),
        ("torch.nn.Linear", "torch.nn.parallel.DistributedDataParallel"),
    ],
)
def test_of_others_nothing_is_said(name, base):
    assert derives(name, base) is Tri.UNKNOWN
