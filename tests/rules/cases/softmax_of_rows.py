import torch
import torch.nn.functional as F


def of_rows(layer_input):
    """The dim that torch takes is that of the classes."""
    logits = layer_input.view(-1, 10)
    F.softmax(logits)
    F.log_softmax(torch.randn(10))


def of_others(x):
    F.softmax(torch.randn(2, 5, 10))  # expect: TL228
    F.softmax(torch.randn(2, 4, 5, 5))  # expect: TL228
    return F.softmax(x)  # expect: TL228
