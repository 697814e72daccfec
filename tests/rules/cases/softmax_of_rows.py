import torch
import torch.nn.functional as F
from torch import nn


def of_rows(layer_input):
    """The dim that torch takes is that of the classes."""
    logits = layer_input.view(-1, 10)
    F.softmax(logits)
    F.log_softmax(torch.randn(10))


def of_unknown_dims(x):
    """Most of them are rows of classes, and torch warns at run time."""
    return F.softmax(x)  # expect: TL228 (info)


def of_samples():
    """torch takes dim 0 of three."""
    return F.softmax(torch.randn(2, 5, 10))  # expect: TL228


def of_images():
    """torch takes the channels."""
    images = nn.Conv2d(3, 4, 3)(torch.randn(2, 3, 8, 8))
    F.softmax(images)  # expect: TL228 (info)
    F.softmax(images[0])  # expect: TL228 (info)
    F.softmax(images[:1].squeeze(0))  # expect: TL228 (info)
    return F.softmax(nn.Conv2d(3, 4, 3)(torch.randn(3, 8, 8)))  # expect: TL228 (info)


def of_part_of_samples():
    steps = torch.randn(2, 5, 10)
    return F.softmax(steps[:, 1:])  # expect: TL228


def of_what_is_put_first():
    """The samples are no longer the first dim."""
    steps = torch.randn(2, 5, 10)
    F.softmax(steps.transpose(1, 2))  # expect: TL228
    return F.softmax(steps.transpose(0, 2)).transpose(0, 2)  # expect: TL228 (info)


def of_joined(one, other):
    """Branches are weighed against each other."""
    one, other = one.view(-1, 10), other.view(-1, 10)
    return F.softmax(torch.stack([one, other]))  # expect: TL228 (info)


class Heads(nn.Module):
    def __init__(self):
        super().__init__()
        self.query = nn.Linear(8, 8)
        self.weigh = nn.Softmax()  # expect: TL228
        self.classify = nn.Softmax()  # expect: TL228 (info)

    def forward(self, x, mask):
        b, n, d = x.shape
        heads = self.query(x).view(b, n, 2, 4).transpose(1, 2)
        scores = (heads @ heads.transpose(-1, -2) / 2).masked_fill(mask, -1e9)
        return self.weigh(scores), self.classify(self.query(x[:, 0]))
