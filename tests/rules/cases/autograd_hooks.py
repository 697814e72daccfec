"""What forward hooks keep, of modules that are seen and of those that are not."""

import torch
from torch import nn


def of_unseen_module(model, x):
    out = {}

    def hook(module, inputs, output):
        out["fc"] = output[0]  # expect: TL418

    handle = model.fc.register_forward_hook(hook)
    model(x)
    handle.remove()
    return out


def means(model, x):
    return {name: kept.mean().item() for name, kept in of_unseen_module(model, x).items()}


def without_gradients(model, x):
    out = {}

    def hook(module, inputs, output):
        out["fc"] = output

    model.fc.register_forward_hook(hook)
    with torch.no_grad():
        return model(x), out


def removed_in_time(x):
    net, seen = nn.Linear(4, 3), []
    handle = net.register_forward_hook(lambda m, i, o: seen.append(o))
    with torch.no_grad():
        net(x)
    handle.remove()
    return net(x), seen


def removed_in_a_loop(x):
    net, seen, handles = nn.Linear(4, 3), [], []
    handles.append(net.register_forward_hook(lambda m, i, o: seen.append(o)))
    for handle in handles:
        handle.remove()
    return net(x), seen


def frozen(x):
    net, seen = nn.Linear(4, 3).requires_grad_(False), []
    net.register_forward_hook(lambda m, i, o: seen.append(o))
    return net(x), seen


def under_no_grad(x):
    net, seen = nn.Linear(4, 3), []

    def hook(module, inputs, output):
        with torch.no_grad():
            seen.append(output.mean())

    net.register_forward_hook(hook)
    return net(x), seen


def bound_anew(x):
    net, seen = nn.Linear(4, 3), []

    def hook(module, inputs, output):
        output = float(output.mean())
        seen.append(output)

    net.register_forward_hook(hook)
    return net(x), seen


def of_the_module(x):
    net = nn.Linear(4, 3)

    def hook(module, inputs, output):
        module.last = output

    net.register_forward_hook(hook)
    return net(x)


def never_called():
    net, seen = nn.Linear(4, 3), []
    net.register_forward_hook(lambda m, i, o: seen.append(o))
    return net


def of_a_part(x):
    net, seen = nn.Sequential(nn.Linear(4, 8), nn.Linear(8, 2)), []
    net[0].register_forward_hook(lambda m, i, o: seen.append(o))  # expect: TL418
    return net(x), seen


of_a_part(torch.ones(1, 4))


def for_others(x):
    net, seen = nn.Sequential(nn.Linear(4, 8), nn.Linear(8, 2)), []
    net[0].register_forward_hook(lambda m, i, o: seen.append(o))
    return net(x), seen  # who calls this may go back through it
