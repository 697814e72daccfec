"""A script that moves nothing: what it drops would have split the model from its input."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 3)

    def forward(self, x):
        return self.layer(x)  # expect: TL303


def moved():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x = torch.ones(2, 4)
    x.to(device)  # expect: TL304
    return Net().to(device)(x)


def freed(batches, model):
    total = 0.0
    for inputs in batches:
        label = torch.ones(4, device="cuda")
        total += model(inputs, label).item()
        label.cpu()  # expect: TL304 (info)
    return total


def collected(batches, model):
    kept = []
    for inputs in batches:
        label = torch.ones(4, device="cuda")
        model(inputs, label)
        label.cpu()  # expect: TL304
        kept.append(label)
    return kept


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x = torch.ones(2, 4)
    x.to(device)  # expect: TL304 (info)
    y = torch.ones(2, 4)
    y.double()  # expect: TL304
    print(Net()(x).shape, y)
