"""A dim that is added before the others has the size that it was given, whatever the rank is: 1 lets a view fit."""

import numpy as np
import torch
from torch import nn
from unseen import load

lstm = nn.LSTM(8, 16, batch_first=True)


def read_alone(path):
    out, _ = lstm(torch.from_numpy(np.array([load(path)])).float())
    again, _ = lstm(torch.tensor([load(path)]))
    arrays, _ = lstm(torch.as_tensor(np.asarray([load(path)])))
    return out.view(-1, 16), again.view(-1, 16), arrays.view(-1, 16)


def read_in_pairs(path, other):
    out, _ = lstm(torch.from_numpy(np.array([load(path), load(other)])).float())
    return out.view(-1, 16)  # expect: TL101


def read_all(paths):
    out, _ = lstm(torch.tensor([load(path) for path in paths]))
    return out.view(-1, 16)  # expect: TL101


def of_list(path):
    x = torch.tensor([load(path)])
    batch, steps, size = x.shape
    return x.transpose(0, 1).view(steps * batch, size)


def of_pair(path, other):
    x = torch.tensor([load(path), load(other)])
    batch, steps, size = x.shape
    return x.transpose(0, 1).view(steps * batch, size)  # expect: TL101


def of_array(path):
    x = torch.from_numpy(np.array([load(path)]).astype(np.float32))
    batch, steps, size = x.shape
    return x.transpose(0, 1).view(steps * batch, size)


def of_dim(x: torch.Tensor):
    x = x.unsqueeze(0)
    batch, steps, size = x.shape
    return x.transpose(0, 1).view(steps * batch, size)


def of_other_dim(x: torch.Tensor):
    x = x.unsqueeze(1)
    batch, steps, size = x.shape
    return x.transpose(0, 1).view(steps * batch, size)


def of_either_dim(x: torch.Tensor, is_batch):
    if is_batch:
        y = x.unsqueeze(0)
    else:
        y = x.unsqueeze(1)
    return y.permute(1, 0, 2).view(y.size(0) * y.size(1), -1)[:, 0].view(1, y.size(1), -1)


def of_index(x: torch.Tensor):
    x = x[None].float().to("cpu")
    return x.permute(1, 0, 2).view(x.shape[0] * x.size(1), -1)


def of_stack(x: torch.Tensor):
    h = torch.stack([x])
    return h.permute(1, 0, 2).view(h.shape[1] * h.size(0), -1)


def of_stacked_pair(x: torch.Tensor, y: torch.Tensor):
    h = torch.stack([x, y])
    return h.permute(1, 0, 2).reshape(-1).view(2, -1)[:, :, 0]  # expect: TL122


def of_cat(x: torch.Tensor):
    h = torch.cat([x], 0)
    batch, steps, size = h.shape
    return h.permute(1, 0, 2).view(steps * batch, size)  # expect: TL101


def of_rows(x: torch.Tensor):
    pair = torch.stack([x, x])
    return pair.permute(1, 0, 2).view(3, 2, 5), pair.permute(0, 2, 1).view(2, -1)  # expect: TL101
