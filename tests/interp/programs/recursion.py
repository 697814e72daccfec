# calls: not all followed
import torch
import torch.nn as nn


def halve(x):
    if x.shape[0] <= 1:
        return x
    return halve(x[: x.shape[0] // 2])


def depth(tree):
    if not isinstance(tree, list):
        return 1
    return 1 + max(depth(t) for t in tree)


def even(n):
    return True if n == 0 else odd(n - 1)


def odd(n):
    return False if n == 0 else even(n - 1)


class Node:
    def __init__(self, value, child=None):
        self.value = value
        self.child = child

    def total(self):
        if self.child is None:
            return self.value
        return self.value + self.child.total()

    def push(self, n):
        self.value = self.value.unsqueeze(0)
        if n:
            self.push(n - 1)
        return self.value


def fill(acc, n):
    acc.append(n)
    if n:
        fill(acc, n - 1)
    return acc


a = halve(torch.ones(8))
b = depth([[1], 2])
c = even(4)
tree = Node(torch.ones(2), Node(torch.ones(2)))
d = tree.total()
e = Node(torch.ones(3))
f = e.push(2)
g = e.value
h = fill([], 3)
i = len(h)


class Tree(nn.Module):
    def __init__(self, depth):
        super().__init__()
        self.lin = nn.Linear(4, 4)
        self.sub = Tree(depth - 1) if depth > 0 else None

    def forward(self, x):
        x = self.lin(x)
        if self.sub is not None:
            x = self.sub(x)
        return x


net = Tree(2)
j = net(torch.ones(2, 4))
k = net.sub
