"""Models of torchvision whose head is replaced, frozen or fed with the wrong images. Widths are those of torchvision 0.29."""

import torch
import torchvision
from torch import nn
from torchvision import models
from torchvision.models import vit_b_16

images = torch.randn(4, 3, 224, 224)
labels = torch.zeros(4, dtype=torch.long)


def features_and_head(classes):
    model = models.resnet50(weights="DEFAULT")
    model.fc = nn.Identity()
    narrow = nn.Linear(1000, classes)
    narrow(model(images))  # expect: TL121
    head = nn.Linear(2048, classes)
    return head(model(images))  # ok: 2048


def old_names():
    model = torchvision.models.resnet18(pretrained=True)
    model.fc = nn.Linear(model.fc.in_features, 10)
    model(images)  # ok: 512
    model.fc = nn.Linear(2048, 10)
    return model(images)  # expect: TL121


def last_layer_of_a_sequential():
    model = models.vgg16(num_classes=7)
    model.classifier[6] = nn.Linear(4096, 11)
    model(images)  # ok: 4096
    model.classifier[6] = nn.Linear(512, 11)
    return model(images)  # expect: TL121


def whole_classifier():
    model = models.mobilenet_v2()
    model.classifier = nn.Linear(1280, 10)
    model(images)  # ok: the features are pooled
    other = models.convnext_tiny()
    other.classifier = nn.Linear(768, 10)
    return other(images)  # expect: TL121


def keeps_what_stands_before_the_head():
    model = models.convnext_tiny()
    model.classifier[2] = nn.Linear(768, 10)
    return model(images)  # ok: normalized and flattened before


def transformer():
    model = vit_b_16()
    model.heads.head = nn.Linear(768, 10)
    model(images)  # ok: 768
    model.heads = nn.Linear(1024, 10)
    return model(images)  # expect: TL121


def gray_images():
    model = models.resnet18()
    digits = torch.randn(8, 1, 28, 28)
    model(digits)  # expect: TL120
    model.conv1 = nn.Conv2d(1, 64, 7, 2, 3, bias=False)
    return model(digits)  # ok: made for one channel


def one_image():
    model = models.resnet18().eval()
    return model(torch.randn(3, 224, 224))  # expect: TL124


def all_but_the_head():
    model = models.resnet18()
    trunk = nn.Sequential(*list(model.children())[:-1])
    head = nn.Linear(512, 10)
    head(trunk(images))  # expect: TL121
    return head(trunk(images).flatten(1))  # ok: without the two dims of size 1


def frozen():
    model = models.resnet18()
    for parameter in model.parameters():
        parameter.requires_grad = False
    nn.functional.cross_entropy(model(images), labels).backward()  # expect: TL405


def frozen_before_the_head():
    model = models.resnet18()
    for parameter in model.parameters():
        parameter.requires_grad = False
    model.fc = nn.Linear(512, 10)
    nn.functional.cross_entropy(model(images), labels).backward()  # ok: the head learns


def frozen_by_name():
    model = models.resnet18()
    for name, parameter in model.named_parameters():
        if "fc" not in name:
            parameter.requires_grad = False
    nn.functional.cross_entropy(model(images), labels).backward()  # ok: the head learns


def to_numpy():
    model = torch.hub.load("pytorch/vision:v0.10.0", "resnet18", pretrained=True).eval()
    model(images).numpy()  # expect: TL302
    with torch.no_grad():
        return model(images).numpy()  # ok: nothing is recorded


def two_outputs():
    model = models.inception_v3()
    nn.functional.cross_entropy(model(images), labels)  # expect: TL930
    model.eval()
    return nn.functional.cross_entropy(model(images), labels)  # ok: the logits alone


def one_output_with_weights():
    model = models.googlenet(weights="DEFAULT")
    return nn.functional.cross_entropy(model(images), labels)  # ok: built without its further classifiers


def inner_layers():
    model = models.vgg16()
    model.features[0] = nn.Conv2d(1, 64, 3, padding=1)
    return model(torch.randn(4, 1, 224, 224))  # ok: its first layer is another one


def helper(replace):
    model = models.resnet18()
    replace(model)
    return nn.Linear(64, 10)(model(images))  # ok: what the helper has put there is not known


def other_widths(**options):
    nn.Linear(640, 10)(models.mobilenet_v2(width_mult=0.5)(images))  # ok: not the listed sizes
    return nn.Linear(64, 10)(models.resnet18(**options)(images))  # ok: num_classes may be among them


def bare(name):
    model = models.get_model(name)
    known = models.get_model("resnet18", num_classes=10)
    nn.Linear(64, 10)(known(images))  # expect: TL121
    return nn.Linear(64, 10)(model(images))  # ok: any model


class Encoder(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.trunk = models.resnet34()
        self.trunk.fc = nn.Linear(self.trunk.fc.in_features, width)
        self.again = nn.Linear(1000, width)

    def forward(self, x):
        return self.again(self.trunk(x))  # expect: TL121


def pick(tensor):
    return Encoder(64)(tensor)


pick(images)


def wrong_name():
    model = models.resnet18()
    for parameter in model.parameters():
        parameter.requires_grad = False
    model.classifier = nn.Linear(512, 10)
    optimizer = torch.optim.SGD(model.classifier.parameters(), lr=0.1)
    loss = nn.functional.cross_entropy(model(images), labels)  # expect: TL612
    optimizer.zero_grad()
    loss.backward()  # expect: TL405
    optimizer.step()


def another_head_on_purpose():
    model = models.resnet18()
    model.fc = nn.Identity()
    model.head = nn.Linear(512, 10)
    return model.head(model(images))  # ok: called here


def heads_of_two_tasks():
    model = models.vgg16()
    model.classifier[6] = nn.Linear(4096, 3)
    model.heads = nn.Linear(3, 2)
    return model(images)  # ok: its own head was replaced, too
