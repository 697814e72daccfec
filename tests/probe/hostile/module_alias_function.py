# gives a function the name of a module
import torch


def torch():
    pass
