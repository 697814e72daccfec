# uses a function of its own as a decorator
import torch


def steal(f):
    f(torch.nn.Linear)
    return f


class A:
    @steal
    def g(self):
        self.forward = None
