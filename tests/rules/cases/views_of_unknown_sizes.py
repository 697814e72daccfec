"""A lost view of a tensor may give the sizes that it has."""

import torch
from torch import nn


class Transform(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.randn(8, 8))

    def forward(self, image):
        result = self.scale * torch.tensordot(image, self.scale, dims=2)
        result.view(image.shape)  # expect: TL901 (info)
        return result

    def same(self):
        result = self.scale * 2
        result.view(8, 8)  # expect: TL901 (info)
        return result

    def flat(self):
        result = self.scale * 2
        result.view(-1)  # expect: TL901
        return result


def best_of_each(outputs):
    _, best = outputs.topk(1, 1, True)
    best = best.t()
    return best.view(-1)


def best_of_several(outputs, target, ks=(1, 5)):
    _, best = outputs.topk(max(ks), 1, True, True)
    best = best.t()
    right = best.eq(target.view(1, -1).expand_as(best))
    return right[:5].view(-1)  # expect: TL101
