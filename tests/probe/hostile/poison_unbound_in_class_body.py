# calls a method on a class of torch inside a class
import torch.nn as nn


class A:
    def f(self):
        self.forward = None

    x = f(nn.Linear)
