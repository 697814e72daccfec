# yields torch
import torch


def g():
    yield torch


next(g()).state = 1
