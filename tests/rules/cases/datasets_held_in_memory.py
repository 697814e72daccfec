"""Reads the images and classes that torchvision's datasets hold: bytes without a dim of channels, or with it last."""

import torch
import torch.nn.functional as F
from elsewhere import keep_digits
from torch import nn
from torchvision.datasets import CIFAR10, MNIST, SVHN

conv, wide = nn.Conv2d(1, 8, 3), nn.Conv2d(3, 8, 3)
flat = nn.Linear(784, 10)


def digits_without_channels():
    return conv(MNIST("data").data.float())  # expect: TL120


def digits_with_channels():
    return conv(MNIST("data").data.unsqueeze(1).float())  # ok: one channel


def digits_as_bytes():
    images = MNIST("data").data[:64]
    flat(images.view(-1, 784))  # expect: TL214
    return flat(images.view(-1, 784) / 255)  # ok: divided, they are floats


def rows_of_digits():
    flat(MNIST("data").data.float())  # expect: TL105


def classes_of_the_other_part(both: bool):
    train, test = MNIST("data"), MNIST("data", train=False)
    out = flat(train.data.view(-1, 784).float())
    F.cross_entropy(out, test.targets)  # expect: TL202
    either = MNIST("data", train=both)
    F.cross_entropy(out, either.targets)  # ok: they may be those of the training data
    return F.cross_entropy(out, train.targets)  # ok: as many


def one_of_both(both: bool):
    if both:
        dataset = MNIST("data", train=True)
    else:
        dataset = MNIST("data", train=False)
    F.cross_entropy(flat(MNIST("data").data.view(-1, 784).float()), dataset.targets)  # ok: perhaps as many
    return flat(dataset.data.float())  # expect: TL105


def colours_last():
    images = torch.from_numpy(CIFAR10("data", train=False).data)
    wide(images.float())  # expect: TL120
    rows = images.view(-1, 3072)  # expect: TL101
    copied = images.reshape(-1, 3072)  # ok: copies them
    return rows, copied, wide(images.permute(0, 3, 1, 2).float())  # ok: the channels are second


def colours_first():
    house = SVHN("data", split="test")
    F.cross_entropy(torch.randn(26_032, 10), torch.from_numpy(house.labels))  # ok: one for each image
    F.cross_entropy(torch.randn(73_257, 10), torch.from_numpy(house.labels))  # expect: TL202
    return wide(torch.from_numpy(house.data).float())  # ok: the channels are second already


def one_of_two_handed_on(first):
    a, b = MNIST("data"), MNIST("data", train=False)
    keep_digits(a if first else b, 5)
    return conv(a.data.float()), conv(b.data.float())  # ok: one of them may have been changed


def handed_on():
    dataset = MNIST("data")
    keep_digits(dataset, 5)
    return conv(dataset.data.float())  # ok: what it holds may have been replaced
