"""A method that `__init__` calls before it moves the module, and nothing else mentions, runs on the device on which the module was made."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, input_dims):
        super().__init__()
        self.conv = nn.Conv2d(input_dims[0], 8, 3)
        self.fc = nn.Linear(self.count(input_dims), 2)
        self.device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
        self.to(self.device)

    def count(self, input_dims):
        return self.conv(torch.zeros(1, *input_dims)).numel()

    def forward(self, x):
        return self.fc(self.conv(x).flatten(1))


class Again(nn.Module):
    def __init__(self, input_dims):
        super().__init__()
        self.conv = nn.Conv2d(input_dims[0], 8, 3)
        self.fc = nn.Linear(self.sizes(input_dims), 2)
        self.device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
        self.to(self.device)

    def sizes(self, input_dims):
        return self.conv(torch.zeros(1, *input_dims)).numel()  # expect: TL303

    def forward(self, x):
        print(self.sizes(x.shape[1:]))
        return self.fc(self.conv(x).flatten(1))
