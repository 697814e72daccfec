# hides isinstance inside a class
import torch


class A:
    def isinstance(self, kind):
        kind.forward = None

    x = isinstance(1, torch.nn.Linear)
