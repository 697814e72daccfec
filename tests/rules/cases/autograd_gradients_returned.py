"""Tensors that are converted after they require gradients: a mistake where `.grad` is read, none where gradients are returned."""

import torch
from torch import autograd, nn
from torch.autograd import gradcheck, gradgradcheck

inputs = torch.randn((1, 10), requires_grad=True).double()
linear = nn.Linear(10, 3).double()
assert gradcheck(lambda x: linear(x), (inputs,))


def checked_twice(function):
    x = torch.rand(3, requires_grad=True).double()
    return gradgradcheck(func=function, inputs=[x])


def by_its_long_name(function):
    x = torch.rand(3, requires_grad=True).double()
    return torch.autograd.gradcheck(function, x)


def asked_for(function):
    x = torch.rand(3, requires_grad=True).double()
    (found,) = autograd.grad(function(x).sum(), x)
    return found


def also_read(function):
    x = torch.rand(3, requires_grad=True).double()  # expect: TL411
    gradcheck(function, x)
    return x.grad  # expect: TL406


def also_run_backward(function):
    x = torch.rand(3, requires_grad=True).double()  # expect: TL411 (info)
    gradcheck(function, x)
    function(x).sum().backward()


def of_another(function, gradcheck):
    x = torch.rand(3, requires_grad=True).double()  # expect: TL411 (info)
    return gradcheck(function, x)


def asked_for_another(function):
    x = torch.rand(3, requires_grad=True).double()  # expect: TL411
    y = torch.rand(3, dtype=torch.float64, requires_grad=True)
    return gradcheck(function, y), x


def asked_for_a_parameter(function):
    x = nn.Parameter(torch.rand(3)).double()  # expect: TL411 (info)
    return gradcheck(function, x)


def one_of_several_results(scores, margin):
    if margin > 0:
        loss = (scores - margin).clamp(min=0).mean()
    else:
        loss = torch.zeros(1, requires_grad=True).cuda()  # expect: TL411 (info)
    return loss


def the_only_result():
    noise = torch.zeros(1, requires_grad=True).cuda()  # expect: TL411
    return noise


def filled_in_place(x, y):
    table = torch.zeros((x.size(0), y.size(0)), requires_grad=True).cuda()  # expect: TL411 (info)
    for i in range(x.size(0)):
        for j in range(y.size(0)):
            table[i, j] = (x[i] - y[j]).abs().sum()
    return table
