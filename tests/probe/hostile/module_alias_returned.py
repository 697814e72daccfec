# returns a module of torch
import torch


def f():
    return torch.nn


f().modules
