# hands torch to a function
import torch


def f(t):
    t.data = 1


f(torch)
