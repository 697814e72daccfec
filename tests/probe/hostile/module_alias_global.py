# replaces an imported module through global
import torch


def f():
    global torch
    torch = 1


f()
