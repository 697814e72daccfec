"""What is known of a result though one of its operands is not."""

import math
import pickle

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import TensorDataset


def unseen(value):
    return pickle.loads(pickle.dumps(value))


net = nn.Linear(5, 1)
p = net(torch.ones(4, 5))
y = unseen(torch.ones(4, 1))
wide = unseen(torch.ones(4, 1, dtype=torch.float64))

a = F.mse_loss(p, y)  # fact: a = tensor[] grad
b = F.mse_loss(p, wide)  # fact: b = tensor[] grad
c = F.l1_loss(p, wide, reduction="none")  # fact: c = tensor[...] grad
d = F.huber_loss(p, wide)  # fact: d = f32[] grad
e = F.smooth_l1_loss(p, y, reduction="sum")  # fact: e = tensor[] grad
f = F.kl_div(F.log_softmax(p, 1), wide, reduction="batchmean")  # fact: f = tensor[] grad
g = F.binary_cross_entropy_with_logits(p, wide)  # fact: g = tensor[] grad
h = F.soft_margin_loss(p, y)  # fact: h = f32[] grad
i = F.hinge_embedding_loss(p, y)  # fact: i = f32[] grad
j = nn.MSELoss()(p, y)  # fact: j = tensor[] grad
k = nn.BCEWithLogitsLoss()(p, unseen(torch.ones(4, 1, dtype=torch.float16)))  # fact: k = tensor[] grad
with torch.no_grad():
    l = F.mse_loss(p, y)  # fact: l = tensor[]

mask = unseen(torch.ones(3, 4, 1) > 0)
m = torch.where(mask, p, 0.0)  # fact: m = f32[...] grad
n = torch.where(mask, 1.0, p.detach())  # fact: n = f32[...]

root = math.sqrt(16)
steps = math.ceil(10 / 4)
o = torch.zeros(steps, math.isqrt(17), math.floor(root))  # fact: o = f32[3, 4, 4]

rows = TensorDataset(torch.ones(11, 2), torch.ones(11))
q = torch.zeros(len(rows), int(0.8 * len(rows)))  # fact: q = f32[11, 8]
