"""What a class assigns in its body is a default, which subclasses and other code may replace."""

import torch


class NeverMadeHere:
    width = 3

    def project(self, x):
        return torch.zeros(2, self.width) @ torch.zeros(5, 2)

    @classmethod
    def table(cls, x):
        return torch.zeros(2, cls.width) @ torch.zeros(5, 2)


class NeitherIsThis(NeverMadeHere):
    def from_base(self, x):
        return torch.zeros(2, self.width) @ torch.zeros(5, 2)


class MadeHere:
    columns = 3

    def project(self, x):
        return torch.zeros(2, self.columns) @ torch.zeros(5, 2)  # expect: TL105


class Replaced:
    height = 3

    def project(self, x):
        return torch.zeros(2, self.height) @ torch.zeros(5, 2)


def run(replaced: Replaced, x):
    made = MadeHere()
    replaced.height = 5
    return replaced.project(x), made


run(Replaced(), 1)


class ByItsClass:
    dim = 3

    def widen(self):
        self.__class__.dim = 5

    def project(self):
        return torch.zeros(2, self.dim) @ torch.zeros(5, 2)


wide = ByItsClass()
wide.widen()
wide.project()


class FromOptions:
    dim = 3

    def __init__(self, **options):
        vars(self).update(options)

    def project(self):
        return torch.zeros(2, self.dim) @ torch.zeros(5, 2)


class SetPastItsClass(FromOptions):
    def __init__(self, **options):
        for name, value in options.items():
            object.__setattr__(self, name, value)


class Answering(FromOptions):
    def __getattribute__(self, name):
        return 5 if name == "dim" else super().__getattribute__(name)


FromOptions(dim=5).project()
SetPastItsClass(dim=5).project()
Answering().project()
