"""channels_last: of a model, of images, and what `view` makes of the result."""

import torch
from torch import nn


def features(model, images):
    out = model(images)
    return out


def main(flag=False):
    images = torch.zeros(2, 3, 8, 8)
    plain = nn.Conv2d(3, 4, 3)
    turned = nn.Conv2d(3, 4, 3).to(memory_format=torch.channels_last)
    a = plain(images)  # fact: a = f32[2, 4, 6, 6] grad
    a.view(2, -1)
    b = turned(images)  # fact: b = f32[2, 4, 6, 6] noncontig grad
    c = plain(images.to(memory_format=torch.channels_last))
    d = nn.functional.max_pool2d(b, 2)  # fact: d = f32[2, 4, 3, 3] noncontig grad
    e = d.contiguous().view(2, -1)  # fact: e = f32[2, 36] grad
    turned.to(memory_format=torch.contiguous_format)
    f = turned(images)  # fact: f = f32[2, 4, 6, 6] grad
    f.view(-1)
    if flag:
        plain.to(memory_format=torch.channels_last)
    g = plain(images)
    g.view(-1)
    gray = nn.Conv2d(1, 4, 3).to(memory_format=torch.channels_last)
    h = gray(torch.zeros(2, 1, 8, 8))
    return c, e, h


main()
layer = nn.Conv2d(3, 4, 3).to(memory_format=torch.channels_last)
layer(torch.zeros(2, 3, 8, 8)).view(-1)  # fault: VIEW_STRIDES
