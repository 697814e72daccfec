"""What a function that was given away has filled or rebound is not what it was; what it cannot reach still is."""

import torch
from torch import nn

history = []
steps = 0


def log(out):
    global steps
    history.append(out)
    steps += 1


def hooked(images, handles):
    feats = {}
    model = nn.Sequential(nn.Linear(2, 3), nn.ReLU())

    def of_layer(name):
        def hook(module, args, out):
            feats[name] = out.detach()

        return hook

    handles.append(model[0].register_forward_hook(of_layer("first")))
    for batch in images:
        feats.clear()
        model(batch)
        print(torch.cat(list(feats.values())))  # ok: the hook runs in the call


def walked(model):
    found = []

    def walk(module):
        for child in module.children():
            walk(child)
        found.append(torch.ones(2))

    walk(model)
    return torch.cat(found)  # ok: a recursive function is not followed


def decorated(timed, images):
    found = []

    @timed
    def add(image):
        found.append(image)

    add(images)
    return torch.cat(found)  # ok: what an unknown decorator returns may call it


def by_methods(run):
    found, others = [], []

    class Adding:
        def add(self, image):
            found.append(image)

    class Other:
        def add(self, image):
            others.append(image)

    run(Adding().add)
    run(Other)
    return torch.cat(found), torch.cat(others)  # ok: methods see the variables around their class


def through_another(run):
    found, count = [], 0

    def add(image):
        nonlocal count
        found.append(image)
        count += 1

    def give(images):
        for image in images:
            add(image)

    run(give)
    return torch.cat(found), torch.ones(1).view(count)  # ok: what is given calls what adds


def sorted_by(rows):
    keys = []

    def key(row):
        keys.append(torch.ones(row))
        return row

    return sorted(rows, key=key), torch.cat(keys)  # ok: `sorted` calls it


class Recorder:
    def __init__(self, module):
        self.kept, self.last, self.count = {}, None, 0
        module.register_forward_hook(self.take)

    def take(self, module, args, out):
        self.kept["out"] = out.detach()
        self.last = out.detach()
        self.count += 1

    def all(self):
        return torch.cat(list(self.kept.values()))


def record(x):
    layer = nn.Linear(2, 3)
    recorder = Recorder(layer)
    layer(x)
    kept = torch.cat(list(recorder.kept.values()))  # ok: its method is the hook
    return recorder.all(), kept, torch.ones(1).view(recorder.count), recorder.last.shape


def other_list(run):
    found, others = [], []

    def add(image):
        others.append(image)

    run(add)
    found.append(torch.ones(2, 3))
    found.append(torch.ones(2, 4))
    return torch.cat(found)  # expect: TL109


def own_parameter(run):
    out = []

    def hook(module, args, out):
        out.append(1)

    run(hook)
    out.extend([])
    return torch.cat(out)  # expect: TL128


def before_it_is_given(run):
    found = []
    first = torch.cat(found)  # expect: TL128

    def add(image):
        found.append(image)

    run(add)
    return first


def followed():
    found = []

    def add(image):
        found.append(image)

    add(torch.ones(2, 3))
    add(torch.ones(3, 4))
    return torch.cat(found)  # expect: TL109


print(torch.cat(history))  # expect: TL128
layer = nn.Linear(2, 3)
layer.register_forward_hook(lambda module, args, out: log(out.detach()))
layer(torch.ones(2, 2))
print(torch.cat(history), torch.ones(2).view(2, steps))  # ok: so does the lambda that is the hook
