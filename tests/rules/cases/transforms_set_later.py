"""Transforms that datasets get after they are made: what the samples are is not known then."""

import torchvision.transforms as T
from torch import nn
from torch.utils.data import DataLoader
from torchvision.datasets import CIFAR10, MNIST

head = nn.Linear(28, 3)


def loader_of(dataset):
    return DataLoader(dataset, batch_size=2)


def prepare(dataset):
    setattr(dataset, "transform", T.ToTensor())


def set_by_name():
    dataset = MNIST("data")
    setattr(dataset, "transform", T.ToTensor())
    return DataLoader(dataset, batch_size=2)


def set_in_a_function():
    dataset = MNIST("data")
    prepare(dataset)
    return loader_of(dataset)


def set_on_each():
    sets = [MNIST("data"), CIFAR10("data")]
    for dataset in sets:
        setattr(dataset, "transform", T.ToTensor())
    return [loader_of(dataset) for dataset in sets]


def replaced():
    dataset = MNIST("data", transform=T.ToTensor())
    setattr(dataset, "transform", T.Compose([T.Resize(32), T.ToTensor()]))
    return [head(images) for images, _ in loader_of(dataset)]


def set_on_another():
    dataset, other = MNIST("data"), CIFAR10("data")
    setattr(other, "transform", T.ToTensor())
    loader_of(other)
    return DataLoader(dataset, batch_size=2)  # expect: TL709


def kept():
    dataset = CIFAR10("data", transform=T.ToTensor())
    return [head(images) for images, _ in loader_of(dataset)]  # expect: TL105
