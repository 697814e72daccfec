import torch
from torch import nn


def mlp(sizes, activation=nn.ReLU):
    layers = []
    for before, after in zip(sizes[:-1], sizes[1:]):
        layers += [nn.Linear(before, after), activation()]
    return nn.Sequential(*layers[:-1])


print(mlp([4, 8, 2], activation=nn.Tanh)(torch.ones(1, 4)))
