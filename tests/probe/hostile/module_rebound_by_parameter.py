# hides torch behind a parameter of that name
import torch


def f(torch):
    return torch.zeros(1)


f(1)
