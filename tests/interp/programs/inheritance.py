import torch
import torch.nn as nn


class Base(nn.Module):
    width = 4

    def __init__(self, n):
        super().__init__()
        self.n = n
        self.setup()

    def setup(self):
        self.fc = nn.Linear(self.n, self.width)

    def features(self, x):
        return self.fc(x)

    def forward(self, x):
        return self.head(self.features(x))

    def head(self, x):
        return x


class Wide(Base):
    width = 16

    def head(self, x):
        return super().head(x).sum(-1)


class Deep(Wide):
    def setup(self):
        super().setup()
        self.extra = nn.Linear(self.width, 3)

    def features(self, x):
        x = super().features(x)
        return self.extra(x)


class A:
    def who(self):
        return 1


class B(A):
    pass


class C(A):
    def who(self):
        return 2


class D(B, C):
    pass


class Left(Base):
    def head(self, x):
        return super().head(x).unsqueeze(0)


class Right(Base):
    def head(self, x):
        return x.double()


class Both(Left, Right):
    pass


base = Base(2)(torch.ones(5, 2))  # fact: base = f32[5, 4] grad
wide = Wide(3)(torch.ones(5, 3))  # fact: wide = f32[5] grad
deep = Deep(3)
out = deep(torch.ones(5, 3))
w = deep.fc.weight  # fact: w = f32[16, 3] grad
d = D().who()
both = Both(2)(torch.ones(5, 2))  # fact: both = f64[1, 5, 4] grad
is_base = isinstance(deep, Base)
is_left = isinstance(deep, Left)
sub = issubclass(Deep, Wide)
name = type(deep).__name__
