"""Modules that are set up late, by mixins, by helpers or not at all, and containers that are filled and called."""

import abc
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn


class Late(nn.Module):
    def __init__(self, width):
        self.width = width
        if width > 4:
            self.inner = nn.Linear(width, width)  # expect: TL601
        super().__init__()


class Buffered(nn.Module):
    def __init__(self):
        self.register_buffer("table", torch.zeros(3))  # expect: TL601
        super().__init__()


class OneWayOnly(nn.Module):
    def __init__(self, early):
        if early:
            super().__init__()
        self.inner = nn.Linear(2, 2)  # one way is fine: no finding


class Abstract(nn.Module, abc.ABC):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(2, 2)


class Named(abc.ABC):
    def __init__(self, name):
        super().__init__()
        self.name = name


class Both(Named, nn.Module):
    def __init__(self):
        Named.__init__(self, "both")
        self.inner = nn.Linear(2, 2)


class Skipping(Late):
    def __init__(self):
        super(Late, self).__init__()
        self.inner = nn.Linear(2, 2)


@dataclass(eq=False)
class Config(nn.Module):
    width: int = 4

    def __post_init__(self):
        super().__init__()
        self.inner = nn.Linear(self.width, self.width)


class OwnSetattr(nn.Module):
    def __init__(self):
        self.inner = nn.Linear(2, 2)
        super().__init__()

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)


class Delegating(nn.Module):
    def __init__(self, *args, **kwargs):
        self.setup = lambda: nn.Module.__init__(self)
        self.setup()
        self.inner = nn.Linear(2, 2)


class NotAModule:
    def __init__(self):
        self.inner = nn.Linear(2, 2)


class Tried(nn.Module):
    def __init__(self):
        try:
            self.inner = nn.Linear(2, 2)
        except AttributeError:
            super().__init__()
            self.inner = nn.Linear(2, 2)


def stack(depth, act):
    layers = []
    for _ in range(depth):
        layers += [nn.Linear(4, 4), act]
    return nn.Sequential(*layers)


def wrap(function):
    class Wrapped(nn.Module):
        def forward(self, x):
            return function(x)

    return Wrapped()


@wrap
def doubled(x):
    return 2 * x


nn.Sequential(nn.Linear(2, 2), doubled)  # a decorator may make a module of a function
nn.Sequential(stack(2, nn.ReLU()), nn.Sequential(), nn.Identity())
nn.Sequential(nn.Linear(2, 2), "relu")  # expect: TL605
nn.Sequential(nn.Flatten(), nn.Linear(2, 2), lambda x: x)  # expect: TL605
blocks = [nn.Linear(4, 4), nn.ReLU]
nn.Sequential(*blocks)  # expect: TL605



def deep(width, depth, given):
    layers = (nn.Linear(width, width) for _ in range(depth))
    made = (given for _ in range(depth))
    made = nn.Linear(width, width)
    nn.Sequential(layers)  # expect: TL605
    nn.Sequential(given(width) for _ in range(depth))  # expect: TL605
    return nn.Sequential(*(nn.Linear(width, width) for _ in range(depth)), made)


try:
    nn.Sequential([nn.Linear(2, 2)])
except TypeError:
    pass


class Sequence(nn.ModuleList):
    def forward(self, x):
        for one in self:
            x = one(x)
        return x


class Listed(nn.ModuleList):
    pass


class CalledList(nn.ModuleList):
    def __call__(self, x):
        return [one(x) for one in self]


Sequence([nn.Linear(4, 4)])(torch.randn(2, 4))
CalledList([nn.Linear(4, 4)])(torch.randn(2, 4))
Listed([nn.Linear(4, 4)])(torch.randn(2, 4))  # expect: TL604


class Heads(nn.Module):
    def __init__(self, several):
        super().__init__()
        self.heads = nn.ModuleList([nn.Linear(4, 2)]) if several else nn.Linear(4, 2)
        self.tail = nn.ModuleList([nn.Linear(4, 2)])

    def forward(self, x):
        if isinstance(self.heads, nn.ModuleList):
            return [head(x) for head in self.heads]
        return self.heads(x)

    def last(self, x):
        return self.tail(x)  # expect: TL604


class Shapes(nn.Module):
    """Layers made in `forward` for its own use."""

    def __init__(self):
        super().__init__()
        self.cache = {}
        self.parts = []

    def forward(self, x):
        if x.shape not in self.cache:
            layer = nn.Linear(x.shape[-1], 4)
            self.cache[x.shape] = layer
            x = layer(x)
        try:
            extra = self.extra
        except AttributeError:
            self.extra = extra = nn.Linear(4, 4)
        with torch.no_grad():
            noise = nn.Conv1d(1, 1, 3)(torch.randn(1, 1, 8))
        fixed = nn.Linear(4, 4, bias=False)
        nn.init.eye_(fixed.weight)
        return extra(fixed(x)) + noise.mean() + nn.LayerNorm(4)(x) + nn.BatchNorm1d(4, track_running_stats=False)(x)


class Fresh(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.width = width

    def forward(self, x):
        self.inner = nn.Linear(self.width, self.width)  # expect: TL608
        x = self.inner(x)
        if x.sum() > 0:
            return nn.Sequential(nn.Linear(4, 4), nn.ReLU())(x)
        return nn.BatchNorm1d(4)(x)


class Dropping(nn.Module):
    def __init__(self, p=0.1):
        super().__init__()
        self.p = p
        self.inner = nn.Linear(4, 4)

    def forward(self, x, options=None):
        options = options or {}
        x = F.dropout(self.inner(x), **options)
        x = F.dropout(x, self.p, True)  # the third argument says so
        x = F.dropout2d(x, self.p)  # expect: TL609
        return F.alpha_dropout(x, self.p)  # off unless it is switched on

    def uncertain(self, x):
        return F.dropout(self.inner(x), self.p)


class Deterministic(nn.Module):
    def forward(self, x, deterministic=True):
        if deterministic:
            return x
        return F.dropout(x, 0.1)


class Inner(nn.Module):
    def forward(self, x):
        return x


class Outer(nn.Module):
    def __init__(self, given):
        super().__init__()
        self.inner = Inner()
        self.given = given

    def forward(self, x):
        x = self.given.forward(x)  # nothing is known of it
        x = Inner.forward(self.inner, x)
        return self.inner.forward(x)  # expect: TL603

    def extra(self, x):
        return self.forward(x) + super().forward(x)


def replaced(net):
    net = Inner()
    plain = net.forward
    net.forward = lambda x: plain(x) + 1
    return net(torch.ones(2))


def restore(net, state):
    net = nn.Linear(2, 2)
    outcome = net.load_state_dict(state, strict=False)
    if outcome.missing_keys or len(outcome) != 2:
        print(outcome, outcome[0], outcome._asdict())
    kept = net.load_state_dict(state) and net
    return kept.eval()


def restored_optimizer(optimizer, state):
    optimizer = optimizer.load_state_dict(state)
    return optimizer.step()  # an optimizer of one's own may return itself


def loss_of(x):
    inner = Inner()
    return inner.forward(x)  # nobody can have hooked what was made just now


class Standardised(nn.Module):
    """A part of other modules, which run `Module.__init__` before."""

    def __init__(self, size):
        self.gain = nn.Parameter(torch.ones(size))


class StandardisedLinear(Standardised, nn.Linear):
    def __init__(self, size):
        nn.Linear.__init__(self, size, size)
        Standardised.__init__(self, size)


class StandardisedConv(Standardised, nn.Conv1d):
    def __init__(self, size):
        self.bounds = nn.Parameter(torch.ones(size))  # expect: TL601
        nn.Conv1d.__init__(self, size, size, 1)
        Standardised.__init__(self, size)


StandardisedLinear(3)
