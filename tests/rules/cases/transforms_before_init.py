"""Transforms of torchvision before Module.__init__: some of their classes are modules, some are not."""

import functools

import torchvision.transforms as T
from torch import nn
from torchvision.transforms import v2


class Detector(nn.Module):
    def __init__(self):
        self.transform = T.Compose([T.Resize((640, 640)), T.ToTensor()])
        self.tensor = T.ToTensor()
        super().__init__()


class Resizer(nn.Module):
    def __init__(self):
        self.resize = T.Resize((640, 640))  # expect: TL601
        super().__init__()


class Newer(nn.Module):
    def __init__(self):
        self.transform = v2.Compose([v2.Resize((640, 640))])  # expect: TL601
        super().__init__()


Detector(), Resizer(), Newer()


def initialises_first(init):
    @functools.wraps(init)
    def wrapper(self, *args, **kwargs):
        nn.Module.__init__(self)
        return init(self, *args, **kwargs)

    return wrapper


class Decorated(nn.Module):
    @initialises_first
    def __init__(self, size):
        self.layer = nn.Linear(size, size)


class NotDecorated(nn.Module):
    def __init__(self, size):
        self.layer = nn.Linear(size, size)  # expect: TL601
