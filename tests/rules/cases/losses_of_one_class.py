"""Of one class the loss is 0 for what is normalised, with targets that the loss takes."""

import torch
import torch.nn.functional as F
from torch import nn


def one_class(unseen):
    scores, target = nn.Linear(10, 1)(torch.randn(100, 10)), torch.zeros(100, dtype=torch.long)
    F.nll_loss(unseen(scores).view(100, 1), target)
    F.nll_loss(scores, target)  # expect: TL206
    F.nll_loss(F.log_softmax(scores, dim=1), target)  # expect: TL226
    F.cross_entropy(scores, target)  # expect: TL226
    F.cross_entropy(scores, torch.ones(100, dtype=torch.long))  # expect: TL226
