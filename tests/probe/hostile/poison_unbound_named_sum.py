# calls a method named like a builtin inside a class
import torch.nn as nn


class A:
    def sum(self):
        self.forward = None

    x = sum(nn.Linear)
