"""What is asked for on a device on which it is, or may be."""

import torch
from torch import nn

embedding = nn.Embedding(20, 20)
embedding.weight.to("cpu")  # ok: it is on the CPU
embedding.weight.to("cuda")  # expect: TL304


def masked(loader, device):
    for mask in loader:
        mask = torch.from_numpy(mask).type(torch.cuda.FloatTensor)
        mask.to(device)  # expect: TL304 (info)
        print(mask + 1)


def on_the_cpu(device):
    mask = torch.zeros(3)
    mask.to(device)  # expect: TL304
    return mask + 1


def fetched():
    mask = torch.zeros(3).cuda()
    mask.to("cpu")  # expect: TL304
    return mask + 1


def biased(query, key):
    bias = torch.zeros(query.size(-2), key.size(-2), dtype=query.dtype)
    bias.to(query.dtype)  # expect: TL304 (info)
    return query @ key + bias
