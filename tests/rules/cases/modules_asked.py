"""Attributes that modules may have after all, and calls of classes whose forward comes from elsewhere."""

import torch
from torch import nn
from transformers import PreTrainedModel

from somewhere import attach, make_forward, wrap


class Plain(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(4, 3)

    def forward(self, x):
        return self.inner(x)


class Sized(Plain):
    dtype = torch.float32

    def __init__(self, shape):
        super().__init__()
        self.shape = shape


class ByName(nn.Module):
    def __init__(self, **options):
        super().__init__()
        for key, value in options.items():
            setattr(self, key, value)


class Delegating(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(self.inner, name)


class Tuned(PreTrainedModel):
    def __init__(self, config):
        super().__init__(config)
        self.inner = nn.Linear(4, 3)


class NoForward(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(4, 3)

    def step(self, x):
        return self(x)  # expect: TL615


class Assigned(nn.Module):
    def __init__(self):
        super().__init__()
        self.forward = make_forward()


def asked(given, x):
    Sized((3,)).shape
    Sized((3,)).dtype
    ByName(device="cpu").device
    Delegating(given).device
    Tuned(None).device
    given.device
    wrapped = Plain()
    wrap(wrapped)
    wrapped.device
    layer = nn.Linear(4, 3)
    attach(layer, "dtype")
    layer.dtype
    Assigned()(x)
    NoForward().step(x)
    try:
        Plain().device
    except AttributeError:
        pass
    nn.Linear(4, 3).weight.device
    nn.Linear(4, 3).requires_grad_(False)


def asked_first(model):
    model = Plain()
    if hasattr(model, "device"):
        return model.device
    return getattr(model, "dtype", None)


def wrong(x):
    model = Plain()
    x = x.to(model.device)  # expect: TL615
    return nn.Sequential(model, nn.ReLU()).params()  # expect: TL615


def called(x):
    return NoForward()(x)  # expect: TL615
