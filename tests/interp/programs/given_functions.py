import functools
import threading

import torch
from torch import nn

of_file = []
last = torch.ones(4)
total = 0


def note(module, args, out):
    global last, total
    of_file.append(out)
    last = out
    total += 1


def cleared(layer, x):
    feats = []
    layer.register_forward_hook(lambda m, i, o: feats.append(o))
    for _ in range(2):
        feats.clear()
        layer(x)
    count = torch.ones(2, len(feats))
    return count


def bound_again(run):
    feats, shape = [], torch.ones(3)

    def add(o):
        nonlocal shape
        feats.append(o)
        shape = o

    run(add)
    feats, shape = [], torch.ones(3)
    run(add)
    count, kept = torch.ones(2, len(feats)), shape
    return count, kept


def through_another(run):
    size = 2
    feats = []

    def add():
        nonlocal size
        size += 1
        feats.append(size)

    def give(o):
        add()

    run(give)
    count = torch.ones(size, len(feats))
    return count


def by_default_and_partial(layer, x):
    first, second = [], []

    def hook(m, i, o, store=first):
        store.append(o)

    def other(store, m, i, o):
        store.append(o)

    layer.register_forward_hook(hook)
    layer.register_forward_hook(functools.partial(other, second))
    layer(x)
    count = torch.ones(len(first), len(second), 1)
    return count


def of_gradients():
    grads = []
    x = torch.ones(2, requires_grad=True)
    x.register_hook(grads.append)
    x.sum().backward()
    count = torch.ones(2, len(grads))
    return count


class Kept:
    def __init__(self):
        self.items = []
        self.value = torch.ones(7)

    def __call__(self, m, i, o):
        self.items.append(o)
        self.value = o

    def take(self, m, i, o):
        self(m, i, o)


def on_objects(layer, x):
    held, called, bound = Kept(), Kept(), Kept()

    def hook(m, i, o):
        held.value = o

    layer.register_forward_hook(hook)
    layer.register_forward_hook(called)
    layer.register_forward_hook(bound.take)
    layer(x)
    a, b, c = held.value, called.value, bound.value
    count = torch.ones(2, len(called.items), len(bound.items))
    return a, b, c, count


def by_local_class(run):
    feats = []

    class Adding:
        def __call__(self, o):
            feats.append(o)

    run(Adding())
    count = torch.ones(2, len(feats))
    return count


def in_container(layer, x):
    state = {"feats": []}
    feats = state["feats"]
    layer.register_forward_hook(lambda m, i, o: state["feats"].append(o))
    layer(x)
    count = torch.ones(2, len(feats))
    return count


def in_thread():
    feats = []
    thread = threading.Thread(target=lambda: feats.append(1))
    thread.start()
    thread.join()
    count = torch.ones(2, len(feats))
    return count


def by_functions_of_python(layer):
    keys, applied = [], []

    def key(number):
        keys.append(number)
        return number

    order = sorted([2, 1], key=key)
    layer.apply(lambda m: applied.append(m))
    count = torch.ones(2, len(keys), len(applied))
    return order, count


def recursive(depth):
    feats = []

    def walk(left):
        feats.append(left)
        if left:
            walk(left - 1)

    walk(depth)
    count = torch.ones(2, len(feats))
    return count


class Store:
    items = []
    by_name = {}
    value = torch.ones(7)
    fixed = torch.ones(6)


def in_class(layer, x):
    def hook(m, i, o):
        Store.items.append(o)
        Store.by_name["out"] = o
        Store.value = o

    layer.register_forward_hook(hook)
    layer(x)
    count, value = torch.ones(2, len(Store.items), len(Store.by_name)), Store.value
    fixed = Store.fixed  # fact: fixed = f32[6]
    return count, value, fixed


class Listing:
    items = []

    def take(self, m, i, o):
        self.items.append(o)


def in_class_of_receiver(layer, x):
    listing = Listing()
    layer.register_forward_hook(listing.take)
    layer(x)
    count = torch.ones(2, len(listing.items))
    return count


class Set:
    def __init__(self):
        self.value = torch.ones(7)


def by_name(layer, x):
    held = Set()
    layer.register_forward_hook(lambda m, i, o: setattr(held, "value", o))
    layer(x)
    value = held.value
    return value


def of_scheduler():
    rates = []
    optimizer = torch.optim.SGD([torch.ones(2, requires_grad=True)], 0.1)

    def rate(step):
        rates.append(step)
        return 1.0

    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, rate)
    count = torch.ones(2, len(rates))
    return scheduler, count


def not_touched(run):
    own, others = [torch.ones(1)], []

    def add(o):
        others.append(o)

    run(add)
    count = torch.ones(2, len(own))  # fact: count = f32[2, 1]
    return count


layer = nn.Linear(2, 3)
x = torch.ones(2, 2)
cleared(nn.Linear(2, 3), x)
unseen = {"run": lambda f: f(torch.ones(5))}
bound_again(eval("unseen['run']"))
through_another(eval("unseen['run']"))
by_default_and_partial(nn.Linear(2, 3), x)
of_gradients()
on_objects(nn.Linear(2, 3), x)
by_local_class(eval("unseen['run']"))
in_container(nn.Linear(2, 3), x)
in_thread()
by_functions_of_python(nn.Linear(2, 3))
recursive(3)
not_touched(eval("unseen['run']"))
in_class(nn.Linear(2, 3), x)
in_class_of_receiver(nn.Linear(2, 3), x)
by_name(nn.Linear(2, 3), x)
of_scheduler()
layer.register_forward_hook(note)
layer(x)
a, b = torch.ones(2, len(of_file)), torch.ones(2, total)
c = last
