import torch
from torch import nn

class A:
    def __init__(self):
        self.bank = []
    def add(self, x):
        self.bank.append(x)
    def get(self):
        out = []
        for b in self.bank:
            out.append(b["x"])
        return torch.cat(out)

class B:
    def __init__(self):
        self.bank = []
    def get(self):
        out = []
        for b in self.bank:
            out.append(b["x"])
        return torch.cat(out)

def use(b):
    b.bank.append(3)
    b.get()

class E(nn.ModuleList):
    def forward(self, x):
        y = [m(x)[0] for m in self]
        return torch.cat(y, 2)

def hooks(model, x):
    acts = []
    def hook(m, i, o):
        acts.append(o)
    h = model.register_forward_hook(hook)
    model(x)
    return torch.cat(acts, 2)


class Ensemble(nn.ModuleList):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return torch.cat([m(x)[0] for m in self], 2)


def nothing_at_all():
    parts = []
    return torch.cat(parts)  # expect: TL128


class Fixed:
    def __init__(self):
        self.sizes = [2, 3]

    def join(self):
        return torch.ones(self.sizes[0]) + torch.ones(self.sizes[1])  # expect: TL127


def annotated(matches: torch.Tensor, row: float):
    return torch.zeros(3, 4)[row], torch.zeros(3, 4)[0.5]  # expect: TL128


class Fused:
    """A hook adds to the list."""

    def __init__(self, model):
        self.norms = []
        self.model = model

        def hook(p):
            self.norms.append(p.grad.norm())

        for p in model.parameters():
            p.register_post_accumulate_grad_hook(hook)

    def norm(self, loss):
        self.norms = []
        loss.backward()
        return torch.stack(self.norms).norm()
