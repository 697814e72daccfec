"""Layers that DistributedDataParallel waits for in vain, and many that only look like it."""

import torch
import torch.nn as nn
import unseen
from torch.nn.parallel import DistributedDataParallel
from torch.nn.parallel import DistributedDataParallel as DDP

# The plain case, with an optimizer.


class M1(nn.Module):
    def __init__(self):
        super().__init__()
        self.used1 = nn.Linear(4, 3)
        self.unused1 = nn.Linear(4, 3)

    def forward(self, t):
        return self.used1(t)


def train1(batches):
    model = M1().cuda()
    model = DistributedDataParallel(model, device_ids=[0])  # expect: TL810
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in batches:
        optimizer.zero_grad()
        loss = model(batch).sum()
        loss.backward()
        optimizer.step()


# A layer that a class with two bases sets up.


class Base2(nn.Module):
    def __init__(self):
        super().__init__()
        self.used2 = nn.Linear(4, 3)
        self.aux2 = nn.ModuleList([nn.Linear(3, 3) for _ in range(2)])


class M2(Base2):
    def forward(self, t):
        return self.used2(t)


def train2(batches):
    model = DDP(M2(), find_unused_parameters=False)  # expect: TL810
    for batch in batches:
        loss = model(batch).sum()
        loss.backward()


# Two calls, one after the other.


class M3(nn.Module):
    def __init__(self):
        super().__init__()
        self.used3 = nn.Linear(4, 3)
        self.unused3 = nn.Linear(4, 3)

    def forward(self, t):
        return self.used3(t)


def train3(x):
    model = DDP(M3())  # expect: TL810
    model(x).sum().backward()
    model(x).sum().backward()


# Two forwards for one backward.


class M4(nn.Module):
    def __init__(self):
        super().__init__()
        self.used4 = nn.Linear(4, 3)
        self.unused4 = nn.Linear(4, 3)

    def forward(self, t):
        return self.used4(t)


def train4(x):
    model = DDP(M4())
    first = model(x)
    (first + model(x)).sum().backward()


# Only evaluated after its one step.


class M5(nn.Module):
    def __init__(self):
        super().__init__()
        self.used5 = nn.Linear(4, 3)
        self.unused5 = nn.Linear(4, 3)

    def forward(self, t):
        return self.used5(t)


def train5(x):
    model = DDP(M5())
    model(x).sum().backward()
    with torch.no_grad():
        model(x)


# Under a test of forward.


class M6(nn.Module):
    def __init__(self):
        super().__init__()
        self.used6 = nn.Linear(4, 3)
        self.unused6 = nn.Linear(4, 3)

    def forward(self, t):
        return self.used6(t) if t.sum() > 0 else self.unused6(t)


def train6(batches):
    model = DDP(M6())
    for batch in batches:
        loss = model(batch).sum()
        loss.backward()


# A method that somebody else calls.


class M7(nn.Module):
    def __init__(self):
        super().__init__()
        self.used7 = nn.Linear(4, 3)
        self.unused7 = nn.Linear(4, 3)

    def forward(self, t):
        return self.used7(t)

    def extra(self, t):
        return self.unused7(t)


def train7(batches):
    model = DDP(M7())
    for batch in batches:
        loss = model(batch).sum()
        loss.backward()


# Weights that are shared.


class M8(nn.Module):
    def __init__(self):
        super().__init__()
        self.used8 = nn.Linear(4, 3)
        self.unused8 = nn.Linear(4, 3)
        self.unused8.weight = self.used8.weight

    def forward(self, t):
        return self.used8(t)


def train8(batches):
    model = DDP(M8())
    for batch in batches:
        loss = model(batch).sum()
        loss.backward()


# One layer under two names.


class M9(nn.Module):
    def __init__(self):
        super().__init__()
        layer = nn.Linear(4, 3)
        self.used9 = layer
        self.alias9 = layer

    def forward(self, t):
        return self.used9(t)


def train9(batches):
    model = DDP(M9())
    for batch in batches:
        loss = model(batch).sum()
        loss.backward()


# A container of what is used.


class M10(nn.Module):
    def __init__(self):
        super().__init__()
        self.used10 = nn.Linear(4, 3)
        self.both10 = nn.Sequential(self.used10, nn.ReLU())

    def forward(self, t):
        return self.used10(t)


def train10(batches):
    model = DDP(M10())
    for batch in batches:
        loss = model(batch).sum()
        loss.backward()


# Frozen by the class, and by the caller.


class M11(nn.Module):
    def __init__(self):
        super().__init__()
        self.used11 = nn.Linear(4, 3)
        self.unused11 = nn.Linear(4, 3)
        self.unused11.requires_grad_(False)

    def forward(self, t):
        return self.used11(t)


def train11(batches):
    model = DDP(M11())
    for batch in batches:
        loss = model(batch).sum()
        loss.backward()


# Nothing is learnt there.


class M13(nn.Module):
    def __init__(self):
        super().__init__()
        self.used13 = nn.Linear(4, 3)
        self.norm13 = nn.BatchNorm1d(4, affine=False)

    def forward(self, t):
        return self.used13(t)


def train13(batches):
    model = DDP(M13())
    for batch in batches:
        loss = model(batch).sum()
        loss.backward()


# Set under a test.


class M14(nn.Module):
    def __init__(self, flag):
        super().__init__()
        self.used14 = nn.Linear(4, 3)
        if flag:
            self.unused14 = nn.Linear(4, 3)

    def forward(self, t):
        return self.used14(t)


def train14(batches, flag):
    model = DDP(M14(flag))
    for batch in batches:
        loss = model(batch).sum()
        loss.backward()


# Handed to something unseen before.


class M15(nn.Module):
    def __init__(self):
        super().__init__()
        self.used15 = nn.Linear(4, 3)
        self.unused15 = nn.Linear(4, 3)

    def forward(self, t):
        return self.used15(t)


def train15(batches):
    model = M15()
    unseen.prepare(model)
    model = DDP(model)
    for batch in batches:
        loss = model(batch).sum()
        loss.backward()


# The refusal is expected.


class M16(nn.Module):
    def __init__(self):
        super().__init__()
        self.used16 = nn.Linear(4, 3)
        self.unused16 = nn.Linear(4, 3)

    def forward(self, t):
        return self.used16(t)


def train16(x):
    model = DDP(M16())
    model(x).sum().backward()
    try:
        model(x)
    except RuntimeError:
        print("refused")


# An option that is not known.


class M17(nn.Module):
    def __init__(self):
        super().__init__()
        self.used17 = nn.Linear(4, 3)
        self.unused17 = nn.Linear(4, 3)

    def forward(self, t):
        return self.used17(t)


def train17(batches, find):
    model = DDP(M17(), find_unused_parameters=find)
    for batch in batches:
        loss = model(batch).sum()
        loss.backward()


# More options.


class M18(nn.Module):
    def __init__(self):
        super().__init__()
        self.used18 = nn.Linear(4, 3)
        self.unused18 = nn.Linear(4, 3)

    def forward(self, t):
        return self.used18(t)


def train18(batches, **options):
    model = DDP(M18(), **options)
    for batch in batches:
        loss = model(batch).sum()
        loss.backward()


# The same graph in every step.


class M19(nn.Module):
    def __init__(self):
        super().__init__()
        self.used19 = nn.Linear(4, 3)
        self.unused19 = nn.Linear(4, 3)

    def forward(self, t):
        return self.used19(t)


def train19(batches):
    model = DDP(M19(), static_graph=True)
    for batch in batches:
        loss = model(batch).sum()
        loss.backward()


# Only wrapped on one of the ways.


class M20(nn.Module):
    def __init__(self):
        super().__init__()
        self.used20 = nn.Linear(4, 3)
        self.unused20 = nn.Linear(4, 3)

    def forward(self, t):
        return self.used20(t)


def train20(batches, distributed):
    model = M20()
    if distributed:
        model = DDP(model)
    for batch in batches:
        loss = model(batch).sum()
        loss.backward()


# Another wrapper.


class M21(nn.Module):
    def __init__(self):
        super().__init__()
        self.used21 = nn.Linear(4, 3)
        self.unused21 = nn.Linear(4, 3)

    def forward(self, t):
        return self.used21(t)


def train21(batches):
    model = nn.DataParallel(M21())  # expect: TL818
    for batch in batches:
        loss = model(batch).sum()
        loss.backward()


# The loop is left after the first step.


class M22(nn.Module):
    def __init__(self):
        super().__init__()
        self.used22 = nn.Linear(4, 3)
        self.unused22 = nn.Linear(4, 3)

    def forward(self, t):
        return self.used22(t)


def train22(batches):
    model = DDP(M22())
    for batch in batches:
        loss = model(batch).sum()
        loss.backward()
        break


# Backward is run in some steps only.


class M23(nn.Module):
    def __init__(self):
        super().__init__()
        self.used23 = nn.Linear(4, 3)
        self.unused23 = nn.Linear(4, 3)

    def forward(self, t):
        return self.used23(t)


def train23(batches, every):
    model = DDP(M23())
    for step, batch in enumerate(batches):
        loss = model(batch).sum()
        if step % every == 0:
            loss.backward()


# A model of a class with a base that is not seen.


class M24(unseen.Model):
    def __init__(self):
        super().__init__()
        self.used24 = nn.Linear(4, 3)
        self.unused24 = nn.Linear(4, 3)

    def forward(self, t):
        return self.used24(t)


def train24(batches):
    model = DDP(M24())
    for batch in batches:
        loss = model(batch).sum()
        loss.backward()


# A wrapper of the program's own.


class M25(nn.Module):
    def __init__(self):
        super().__init__()
        self.used25 = nn.Linear(4, 3)
        self.unused25 = nn.Linear(4, 3)

    def forward(self, t):
        return self.used25(t)


class Local25(nn.Module):
    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, t):
        return self.module(t)


def train25(batches):
    model = Local25(M25())
    for batch in batches:
        loss = model(batch).sum()
        loss.backward()


# The name is a part of a string.


class M26(nn.Module):
    def __init__(self):
        super().__init__()
        self.used26 = nn.Linear(4, 3)
        self.unused26 = nn.Linear(4, 3)

    def forward(self, t):
        return self.used26(t)


def train26(batches):
    model = DDP(M26())
    print("unused26.weight")
    for batch in batches:
        loss = model(batch).sum()
        loss.backward()


# A decorated class.


@unseen.register
class M27(nn.Module):
    def __init__(self):
        super().__init__()
        self.used27 = nn.Linear(4, 3)
        self.unused27 = nn.Linear(4, 3)

    def forward(self, t):
        return self.used27(t)


def train27(batches):
    model = DDP(M27())
    for batch in batches:
        loss = model(batch).sum()
        loss.backward()


# Two wrapped models that are trained by turns.


class M28(nn.Module):
    def __init__(self):
        super().__init__()
        self.used28 = nn.Linear(4, 3)
        self.unused28 = nn.Linear(4, 3)

    def forward(self, t):
        return self.used28(t)


def train28(batches):
    model, other = DDP(M28()), DDP(M28())
    for batch in batches:
        score = (model(batch) + other(batch)).sum()
        score.backward()
