"""What is changed through an unknown value that may be a tensor is not known of this tensor."""

import torch
from torch import nn


def gradients_by_method(test, make):
    t = torch.randn(3)
    x = t if test else make()
    x.requires_grad_()
    (t * 2).sum().backward()


def gradients_by_attribute(test, make):
    t = torch.randn(3)
    x = t
    if test:
        x = make()
    x.requires_grad = True
    (t * 2).sum().backward()


def gradients_after_a_failure(make):
    t = torch.zeros(3)
    try:
        x = make()
    except ValueError:
        x = t
    x.requires_grad_()
    t.sum().backward()


def gradients_in_a_list(make):
    t = torch.randn(3)
    for x in [t, make()]:
        x.requires_grad_()
    (t * 2).sum().backward()


def gradients_of_one_of_two(test):
    t, u = torch.randn(3), torch.randn(4)
    x = t if test else u
    x.requires_grad = True
    (t * 2).sum().backward()


def gradients_of_either(test):
    t, u = torch.randn(3), torch.randn(4)
    x = t if test else u
    t.requires_grad = True
    (x * 2).sum().backward()


def gradient_set(test, make):
    t = torch.randn(3, requires_grad=True)
    x = t if test else make()
    x.grad = torch.zeros(3)
    return t.grad.sum()


def gradients_written(test, make):
    t, u, w = torch.zeros(3), torch.zeros(3), torch.randn(3, requires_grad=True)
    x = t if test else make()
    x += w
    t.sum().backward()
    y = u if test else make()
    y[0] = w[0]
    u.sum().backward()


def gradients_in_a_function(test, make):
    t = torch.randn(3)
    require(t if test else make())
    (t * 2).sum().backward()


def require(x):
    x.requires_grad_()


def gradients_of_an_annotated_one(test, make):
    t = torch.randn(3)
    x: torch.Tensor = t if test else make()
    x.requires_grad_()
    (t * 2).sum().backward()


class Held:
    def __init__(self):
        self.rows = torch.randn(3)


def gradients_of_an_attribute(test, make):
    held = Held()
    one = held if test else make()
    one.rows.requires_grad_()
    (held.rows * 2).sum().backward()


def sizes(test, make):
    t = torch.randn(6)
    x = t if test else make()
    x.resize_(2, 5)
    return t.view(2, 5)


def sizes_of_one_of_two(test):
    t, u = torch.randn(6), torch.randn(8)
    x = t if test else u
    x.unsqueeze_(0)
    return t[:, 0]


def sizes_of_either(test):
    t, u = torch.randn(3), torch.randn(4)
    x = t if test else u
    t.unsqueeze_(0)
    return x[:, 0]


def sizes_in_a_function(test, make):
    t = torch.randn(3)
    widen(t if test else make())
    return t[:, 0]


def widen(x: torch.Tensor):
    x.unsqueeze_(0)


def sizes_of_the_last_turn(count, make):
    t = torch.zeros(3)
    x = make()
    for _ in range(count):
        x.unsqueeze_(0)
        x = t
    return t[:, 0]


def sizes_of_a_result(test, make):
    t = torch.zeros(3)
    x = t if test else make()
    torch.randn(2, 4, out=x)
    return t[:, 0]


def data(test, make):
    t, u = torch.randn(6), torch.randn(3)
    x = t if test else make()
    x.data = torch.randn(10)
    y = u if test else make()
    y.data = torch.randn(3).double()
    return t.view(2, 5), u @ torch.randn(3).double()


def data_of_one_of_two(test):
    t, u = torch.randn(3), torch.randn(4)
    x = t if test else u
    x.data = x.data.double()
    return t @ torch.randn(3).double()


def parameters(test, make):
    m = nn.Linear(3, 3)
    m.requires_grad_(False)
    w = m.weight if test else make()
    w.requires_grad = True
    m(torch.randn(2, 3)).sum().backward()


def plain_alias():
    t = torch.randn(3)
    x = t
    y = x.unsqueeze_(0)
    t.sum().backward()  # expect: TL405
    return t[3], y  # expect: TL122


def unrelated_tensor(test, make):
    t, u = torch.randn(3), torch.randn(6)
    x = t if test else make()
    x.unsqueeze_(0)
    x.requires_grad_()
    u.sum().backward()  # expect: TL405
    return u.view(2, 5)  # expect: TL102


def only_read(test, make):
    t = torch.randn(6)
    x = t if test else make()
    print(x.sum(), x.mean(dim=0), x.shape)
    t.sum().backward()  # expect: TL405
    return t.view(2, 5)  # expect: TL102


def tested_for_none(test):
    t = torch.randn(6)
    x = t if test else None
    if x is None:
        return t.sum(dim=1)  # expect: TL122
    print(x.sum())
    return t.view(2, 5)  # expect: TL102


def values_only(test, make):
    t = torch.randn(6)
    x = t if test else make()
    x.add_(1)
    x[0] = 2
    return t.view(2, 5)  # expect: TL102
