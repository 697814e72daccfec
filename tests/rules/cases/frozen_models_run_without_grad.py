"""Models that are not frozen as meant, in a file that runs them without gradients and trains nothing."""

import torch
from torch import nn


def loaded(path):
    model = nn.Sequential(nn.Linear(3, 2))
    model.load_state_dict(torch.load(path))
    model.requires_grad = False  # expect: TL412 (info)
    return model


def evaluate(model, loader):
    model.eval()
    for x in loader:
        with torch.no_grad():
            print(model(x).argmax(1))


class Judge:
    def __init__(self):
        self.net = nn.Linear(3, 2)
        self.net.requires_grad = False  # expect: TL412 (info)
        self.head = nn.Linear(3, 2)
        self.head.requires_grad = False  # expect: TL412
        self.given = nn.Linear(3, 2)
        self.given.requires_grad = False  # expect: TL412
        self.tail = nn.Linear(3, 2)
        self.tail.requires_grad = True  # expect: TL412

    @torch.inference_mode()
    def judge(self, x):
        return self.net(x), self.tail(x)

    def score(self, x, other):
        with torch.no_grad():
            self.given(x)
        other(self.given)
        return self.head(x)


def unused():
    other = nn.Linear(3, 2)
    other.requires_grad = False  # expect: TL412
    return other


if __name__ == "__main__":
    model = loaded("weights.pt")
    evaluate(model, [torch.ones(4, 3)])
