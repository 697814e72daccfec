"""Methods of an autograd Function run without recording gradients, and so does what they alone call."""

import numpy as np
import torch
from torch import nn
from torch.autograd import Function

table = nn.Parameter(torch.ones(3))
net = nn.Linear(3, 3)


def through_numpy(x):
    scores = net(x)
    return torch.from_numpy(np.sort(scores.numpy()))


class Sorted(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        weights = net.weight.cpu().numpy()
        scores = net(x).numpy()
        t = torch.ones(3, requires_grad=True)
        t.add_(1)
        table.mul_(0.5)
        return torch.from_numpy(scores @ weights) + through_numpy(x)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        slope = (net.weight * 2).numpy()
        return grad_output * torch.from_numpy(slope).sum() * x


class Later(torch.autograd.Function):
    @staticmethod
    def forward(x, scale):
        return torch.from_numpy(net(x).numpy() * scale)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.slope = net(inputs[0]).numpy()

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, grad_output):
        return grad_output * torch.from_numpy(ctx.slope), None

    @staticmethod
    def helper(x):
        return net(x).numpy()  # expect: TL302


class Gated(Function):
    @staticmethod
    def forward(ctx, x):
        with torch.enable_grad():
            y = net(x)
        ctx.y = y
        return y.detach()

    @staticmethod
    def backward(ctx, g):
        with torch.enable_grad():
            x = torch.randn(3, requires_grad=True)
            y = (x * 2).sum()
            z = torch.autograd.grad(y, x)[0]
            y2 = (x * 3).sum()
            y2.backward()
        return g * z


class Plain(nn.Module):
    def forward(self, x):
        return torch.from_numpy(net(x).numpy())  # expect: TL302


x = torch.randn(4, 3, requires_grad=True)
Sorted.apply(x * 1).sum().backward()
Later.apply(x * 1, 2.0).sum().backward()
Gated.apply(x * 1).sum().backward()
