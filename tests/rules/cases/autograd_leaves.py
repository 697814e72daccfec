"""Leaves, parameters and their gradients, as they are written in training scripts."""

import copy
import threading

import torch
from torch import nn


class Prompted(nn.Module):
    def __init__(self, dim, device):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(dim), requires_grad=False)
        self.shift = nn.Parameter(torch.zeros(dim))
        self.prompt = nn.Parameter(torch.randn(2, dim)).half()  # expect: TL411
        self.device_prompt = nn.Parameter(torch.randn(2, dim)).to(device)
        self.layer = nn.Linear(dim, dim)
        self.scale += 1
        self.scale[0] = 3
        self.shift.data.fill_(0.5)
        self.shift.data = torch.ones(dim)

    def reset(self):
        self.shift.zero_()  # expect: TL401

    @torch.no_grad()
    def clear(self):
        self.shift.zero_()
        self.shift[0] += 1

    def nudged(self):
        shift = self.shift
        shift = shift + 1
        shift += 1
        return shift

    def rows(self):
        rows = self.shift[:2]
        rows *= 2  # expect: TL401
        return rows.clone().mul_(2)

    def quietly(self):
        try:
            self.layer.bias += 1
        except RuntimeError:
            self.layer.bias.data.add_(1)

    def forward(self, x):
        return self.layer(x) * self.scale + self.shift


class Flag:
    requires_grad = False


def freeze(model, names):
    for name, parameter in model.named_parameters():
        if name in names:
            parameter.requires_grads = False  # expect: TL412
        parameter.requires_grad_norm = 1.0
        parameter.requires_grad = False
    for child in model.children():
        child.requires_grad = False
    Flag.requires_grad = True
    flag = Flag()
    flag.require_grad = True


def freeze_built():
    layer = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    layer[0].requires_grad = False  # expect: TL412
    layer[0].bias.require_grad = False  # expect: TL412
    layer[0].weight.requires_grad = False
    setattr(layer, "note", True)
    return layer


def evaluate(model, x, training):
    with torch.set_grad_enabled(training):
        loss = model(x).mean()
    if training:
        loss.backward()
    return loss.item()


def switched(model, x):
    torch.set_grad_enabled(False)
    loss = nn.Linear(4, 1)(x).mean()
    torch.set_grad_enabled(True)
    return loss.backward()  # expect: TL405


def maybe_cut(x, cut):
    out = nn.Linear(4, 3)(x)
    if cut:
        out = out.detach()
    out.sum().backward()


def saliency():
    image = torch.rand(1, 3, 8, 8)
    image.requires_grad = True
    scaled = image * 2
    scaled.sum().backward()
    print(image.grad, scaled.grad)  # expect: TL406
    if scaled.is_leaf:
        print(scaled.grad)
    other = image * 3
    other.grad = torch.zeros_like(other)
    return other.grad


def retained(tensors):
    h = torch.ones(2, requires_grad=True) * 2
    kept = [h]
    for tensor in kept:
        tensor.retain_grad()
    h.sum().backward()
    return h.grad


def read_only():
    out = nn.Linear(2, 2)(torch.ones(2))
    shown = out.data.tolist()  # expect: TL424
    with torch.no_grad():
        quiet = nn.Linear(2, 2)(torch.ones(2))
        quiet.data += 1
    return shown, quiet.data


def no_grad(function):
    return function


def worker(model, x):
    no_grad(model)
    mode = torch.no_grad()
    mode.__enter__()
    model(x)
    mode.__exit__(None, None, None)
    torch.enable_grad()  # expect: TL415
    threading.Thread(target=model).start()
    return copy.deepcopy(model)


@torch.no_grad
def predict(model, x):
    with torch.autocast("cpu"), torch.inference_mode():
        return model(x)


def scaled_by_hand(loss):
    torch.autocast("cpu")  # expect: TL415
    torch.autocast("cpu", enabled=False)
    copied = nn.Linear(2, 2).weight.clone()
    first = next(nn.Linear(2, 2).parameters()).clone()
    print(copied, first)
    loss.backward(torch.ones_like(loss))


def per_row(x, weights):
    errors = nn.functional.l1_loss(nn.Linear(4, 2)(torch.ones(3, 4)), torch.ones(3, 2), reduction="none")
    try:
        errors.backward()
    except RuntimeError:
        errors.mean().backward()
    errors = nn.functional.l1_loss(nn.Linear(4, 2)(torch.ones(3, 4)), torch.ones(3, 2), reduction="none")
    errors.sum(1).backward()  # expect: TL404
    errors.mean(1).backward(gradient=weights)


def retained_after_conversion():
    x = torch.randn(3, 7, requires_grad=True).double()
    y = (x * 2).sum()
    x.retain_grad()
    y.backward()
    return x.grad


def not_retained():
    x = torch.randn(3, 7, requires_grad=True).double()  # expect: TL411
    y = torch.randn(3, 7, requires_grad=True)
    y.retain_grad()
    return x, y


class Quantizer(nn.Module):
    """A product with a weight is a value, whatever the other operand is."""

    def __init__(self):
        super().__init__()
        self.embeddings = nn.Embedding(8, 4)

    def forward(self, x):
        quantized = x.float() @ self.embeddings.weight
        return quantized.movedim(-1, 1)


Quantizer()(torch.nn.functional.one_hot(torch.zeros(2, 5, 5).long(), num_classes=8))


class Grid:
    def __init__(self, width):
        self.columns = torch.arange(width)
        self.columns.required_grad = False  # expect: TL412 (info)
        self.scale = torch.ones(width, requires_grad=True)
        self.scale.required_grad = False  # expect: TL412
