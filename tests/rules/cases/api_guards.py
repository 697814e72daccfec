"""Names and arguments of another torch, reached only where that torch is: and a few that are not."""

import importlib.util
import inspect
import unittest
import warnings

import pytest
import torch
from torch import nn

IS_NEW = tuple(map(int, torch.__version__.split(".")[:2])) >= (9, 0)
HAS_FLUX = importlib.util.find_spec("flux") is not None

if IS_NEW:
    from torch.nn import FluxCapacitor
else:
    FluxCapacitor = None

try:
    from torch.cuda.amp import autocast
except ImportError:
    autocast = None


def kernel(x):
    if "fused" in inspect.signature(torch.optim.SGD).parameters:
        torch.optim.SGD([x], lr=0.1, fused_twice=True)
    return torch.flux(x) if HAS_FLUX else x


def early(x):
    if not hasattr(torch, "warp"):
        return x
    return torch.warp(x)


def operands(x, flag):
    if torch.__version__ > "9" and flag and torch.travel(x):
        return x
    return torch.__version__ > "9" and flag and torch.travel(x)


@unittest.skipIf(not IS_NEW, "needs another torch")
def test_new():
    torch.travel(88)


def test_refused():
    with pytest.raises(AttributeError):
        torch.unheard_of(1)
    with pytest.raises(TypeError):
        torch.zeros(2, colour=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.range(0, 3)


def dead():
    if False:
        torch.never_there()


def options(x, **kwargs):
    torch.sum(x, **kwargs)
    return torch.sum(x, *[0], keepdims=True)


def broken(x: torch.Tensor):
    nn.Linear(2, 3, biass=False)  # expect: TL903
    torch.from_array([1])  # expect: TL902
    return torch.cholesky(x)  # expect: TL907


def loaded(path, model):
    state = torch.load(path)
    if "model" in state:
        model = state["model"].eval()
    return model


class Holder:
    def eval(self):
        return self


def own(load):
    return load("x.pt").eval(), Holder().eval()
