"""Tensors of objects whose base is not seen, or is torch's class of scripted modules: a method of the base may move them."""

import torch
from lib import Base


class Scripted(torch.jit.ScriptModule):
    def __init__(self, size):
        super().__init__()
        self.n = torch.nn.Parameter(torch.ones(size))

    def forward(self, x):
        return self.n * x


class Runner(Base):
    def __init__(self, size):
        super().__init__()
        self.n = torch.ones(size)

    def run(self, x):
        return self.n * x


class Plain:
    def __init__(self, size):
        self.n = torch.ones(size)

    def run(self, x):
        return self.n * x  # expect: TL303


x = torch.ones(4).cuda()
scripted = Scripted(4)
scripted.cuda()
scripted(x)
runner = Runner(4)
runner.start()
runner.run(x)
Plain(4).run(x)
