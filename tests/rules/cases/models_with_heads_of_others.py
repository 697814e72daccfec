"""Models of torchvision that are given a layer under the name of another model's head. ResNet's is `fc`, VGG's `classifier[6]`."""

import torch
from torch import nn
from torchvision import models

images = torch.randn(2, 3, 224, 224)


def vgg_has_no_fc():
    model = models.vgg16()
    model.fc = nn.Linear(4096, 10)
    return model(images)  # expect: TL612


def densenet_has_no_fc(train):
    model = models.densenet121()
    model.fc = nn.Linear(1024, 10)
    for images, labels in train:
        nn.functional.cross_entropy(model(images), labels).backward()  # expect: TL612


def no_layer():
    model = models.vgg16()
    model.fc = 10
    return model(images)  # ok: a number of the user's


def on_some_paths(name):
    model = models.resnet18() if name == "resnet" else models.vgg16()
    if name == "resnet":
        model.fc = nn.Linear(512, 10)
    return model(images)  # ok: resnet18 has it


def of_its_own_forward(forward):
    model = models.vgg16()
    model.fc = nn.Linear(4096, 10)
    model.forward = forward
    return model(images)  # ok: another forward
