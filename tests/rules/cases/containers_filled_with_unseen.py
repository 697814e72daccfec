"""Containers of modules that are filled with modules which are not seen: what they hold is not known then."""

import torch
from torch import nn
from torchvision import models


class FromAnotherModel(nn.Module):
    def __init__(self, features):
        super().__init__()
        other = models.alexnet(pretrained=True)
        self.classifier = nn.Sequential()
        for i in range(6):
            self.classifier.add_module("classifier" + str(i), other.classifier[i])
        self.head = nn.Linear(4096, features)

    def forward(self, x):
        return self.head(self.classifier(x.view(x.size(0), 256 * 6 * 6)))


class Empty(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.classifier = nn.Sequential(nn.ReLU())
        self.classifier.add_module("last", nn.Linear(9216, 512))
        self.head = nn.Linear(4096, features)

    def forward(self, x):
        return self.head(self.classifier(x.view(x.size(0), 256 * 6 * 6)))  # expect: TL121


class FromParts(nn.Sequential):
    def __init__(self, first):
        super().__init__()
        self.first = first


head = nn.Linear(4096, 3)
x = torch.randn(2, 9216)


def added(layer):
    stages = nn.Sequential()
    stages.add_module("layer", layer)
    return head(stages(x))


def added_by_keywords(layer):
    stages = nn.Sequential()
    stages.add_module(name="layer", module=layer)
    return head(stages(x))


def registered(layers):
    stages = nn.Sequential()
    for i in range(6):
        stages.register_module(str(i), layers[i])
    return head(stages(x))


def appended(layers):
    stages = nn.Sequential()
    for i in range(6):
        stages.append(layers[i])
    return head(stages(x))


def extended(layers):
    stages = nn.Sequential()
    stages.extend(layers)
    return head(stages(x))


def inserted(layers):
    stages = nn.Sequential()
    for i in range(6):
        stages.insert(i, layers[i])
    return head(stages(x))


def replaced(layer):
    stages = nn.Sequential(nn.Linear(9216, 9216))
    stages[0] = layer
    return head(stages(x))


def set_by_name(layers):
    stages = nn.Sequential()
    for i in range(6):
        setattr(stages, str(i), layers[i])
    return head(stages(x))


def set_as_attribute(layer):
    stages = nn.Sequential()
    stages.first = layer
    return head(stages(x))


def set_by_the_special_method(layer):
    stages = nn.Sequential()
    stages.__setattr__("first", layer)
    return head(stages(x))


def set_in_the_dict_of_modules(layer):
    stages = nn.Sequential(nn.Linear(9216, 9216))
    stages._modules["0"] = layer
    return head(stages(x))


def added_past_the_object(layer):
    stages = nn.Sequential()
    nn.Module.add_module(stages, "layer", layer)
    return head(stages(x))


def filled_elsewhere(fill):
    stages = nn.Sequential()
    fill(stages)
    return head(stages(x))


def of_a_subclass(layer):
    return head(FromParts(layer)(x))


def seen_attribute():
    stages = nn.Sequential()
    stages.first = nn.Linear(9216, 512)
    return head(stages(x))  # expect: TL121


def nothing_added():
    stages = nn.Sequential()
    return head(stages(x))  # expect: TL105
