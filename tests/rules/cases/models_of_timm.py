"""Models of timm without a head, with another number of classes, frozen. Widths are those of timm 1.0.20."""

import timm
import torch
from timm import create_model
from torch import nn

images = torch.randn(2, 3, 224, 224)


def features():
    model = timm.create_model("resnet50", pretrained=True, num_classes=0)
    nn.Linear(512, 10)(model(images))  # expect: TL121
    nn.Linear(2048, 10)(model(images))  # ok: its width
    return nn.Linear(model.num_features, 10)(model(images))  # ok: as many as it has


def width_of_another():
    small, large = create_model("resnet18", num_classes=0), create_model("resnet50.a1_in1k", num_classes=0)
    return nn.Linear(small.num_features, 10)(large(images))  # expect: TL121


def classes():
    model = create_model("vit_base_patch16_224", num_classes=7)
    model(images).numpy()  # expect: TL302
    nn.Linear(768, 10)(model(images))  # expect: TL121
    model.reset_classifier(0)
    return nn.Linear(768, 10)(model(images))  # ok: no head any more


def gray():
    create_model("resnet18")(torch.randn(2, 1, 28, 28))  # expect: TL120
    return create_model("resnet18", in_chans=1)(torch.randn(2, 1, 28, 28))  # ok: built for one channel


def frozen():
    model = create_model("convnext_tiny", num_classes=10)
    for parameter in model.parameters():
        parameter.requires_grad = False
    model(images).sum().backward()  # expect: TL405


def with_a_new_head():
    model = create_model("resnet18", num_classes=10)
    for parameter in model.parameters():
        parameter.requires_grad = False
    model.fc = nn.Linear(model.num_features, 5)
    model(images).sum().backward()  # ok: the head learns
    return nn.Linear(5, 2)(model(images))  # ok: the new head's width


def other_options(name, **options):
    create_model("resnet50", features_only=True)(images)[0].shape  # ok: a list of features
    nn.Linear(64, 10)(create_model("resnet50", num_classes=0, global_pool="")(images))  # ok: not pooled
    nn.Linear(64, 10)(create_model("resnet50", **options)(images))  # ok: any options
    return nn.Linear(64, 10)(create_model(name, num_classes=0)(images))  # ok: any model
