"""A lost conversion of what may be so already, or of what is only copied, changes nothing that anybody notices."""

import numpy as np
import torch
from torch import nn


class Patches(nn.Module):
    def forward(self, image):
        rows = image.permute(0, 2, 3, 1).contiguous()
        rows.cuda()  # expect: TL304 (info) # expect: TL314
        return rows

    def cast(self, image, labels: torch.Tensor):
        labels.float()  # expect: TL304 (info)
        labels = labels.long()
        labels.float()  # expect: TL304
        return labels


def table(vectors, size):
    known = torch.from_numpy(np.array([[1.0, 2.0]]))
    known.cuda()  # expect: TL304 (info)
    words = nn.Embedding(1, 2)
    words.weight.data.copy_(known)
    return words


def product(size):
    known = torch.ones(size)
    known.cuda()  # expect: TL304
    words = nn.Embedding(1, 2)
    words.weight.data.copy_(known)
    return words, known
