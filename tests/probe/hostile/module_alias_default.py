# keeps torch as a default value
import torch


def f(t=torch.nn):
    t.data = 1


f()
