"""Parameters that come into a model after its optimizer was made: the flagged ones never change."""

import torch
from torch import nn
from torchvision import models

from elsewhere import change, prepare


def step(model, optimizer, features, labels):
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(features), labels).backward()
    optimizer.step()


def pretrained(loader, classes):
    model = models.resnet18(weights="DEFAULT")
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    model.fc = nn.Linear(model.fc.in_features, classes)  # expect: TL512
    for features, labels in loader:
        step(model, optimizer, features, labels)


def an_argument(model, loader, classes):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    model.head.out = nn.Linear(8, classes)  # expect: TL512
    for features, labels in loader:
        step(model, optimizer, features, labels)


def loaded(path, loader):
    model = nn.Linear(4, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model = torch.load(path, weights_only=False)  # expect: TL512
    for features, labels in loader:
        step(model, optimizer, features, labels)


# ok: the optimizer has them, they do not learn, or it is not known


def perhaps(model, loader, classes):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    if classes != 1000:
        model.fc = nn.Linear(8, classes)
    for features, labels in loader:
        step(model, optimizer, features, labels)


def of_a_part(model, loader, classes):
    optimizer = torch.optim.Adam(model.backbone.parameters(), lr=1e-3)
    model.fc = nn.Linear(8, classes)
    for features, labels in loader:
        step(model, optimizer, features, labels)


def frozen(model, loader, classes):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    model.fc = nn.Linear(8, classes).requires_grad_(False)
    model.pool = nn.Identity()
    model.scale = nn.Parameter(torch.ones(3), requires_grad=False)
    model.table = torch.ones(3)
    for features, labels in loader:
        step(model, optimizer, features, labels)


def made_again(model, loader, classes):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for features, labels in loader:
        step(model, optimizer, features, labels)
    model.fc = nn.Linear(8, classes)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
    for features, labels in loader:
        step(model, optimizer, features, labels)


def of_its_own(model, loader, classes):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    model.fc = nn.Linear(8, classes)
    other = torch.optim.Adam(model.fc.parameters(), lr=1e-3)
    for features, labels in loader:
        step(model, optimizer, features, labels)
        other.step()


def handed_on(model, loader, classes):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    model.fc = nn.Linear(8, classes)
    prepare(model, optimizer)
    for features, labels in loader:
        step(model, optimizer, features, labels)


def groups_changed(model, loader, classes):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    model.fc = nn.Linear(8, classes)
    optimizer.param_groups[0]["params"] = list(model.parameters())
    for features, labels in loader:
        step(model, optimizer, features, labels)


def another_model(loader):
    model, teacher = nn.Linear(4, 3), nn.Linear(4, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    teacher = nn.Linear(4, 3)
    for features, labels in loader:
        with torch.no_grad():
            teacher(features)
        step(model, optimizer, features, labels)


def known_already(loader):
    model = nn.Sequential(nn.Linear(4, 8), nn.Linear(8, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model.last = model[1]
    model = nn.Sequential(model[0], model[1])
    model = model.to("cpu")
    for features, labels in loader:
        step(model, optimizer, features, labels)


def wrapped(loader):
    model = nn.Linear(4, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model = nn.DataParallel(model)  # expect: TL818
    model = change(model)
    for features, labels in loader:
        step(model, optimizer, features, labels)


def several_by_name(data):
    nets = {"a": nn.Linear(4, 3), "b": nn.Linear(4, 3)}
    optimizers = {name: torch.optim.SGD(net.parameters(), lr=0.1) for name, net in nets.items()}
    for x, y in data:
        for name, net in nets.items():
            optimizers[name].zero_grad()
            nn.functional.mse_loss(net(x), y).backward()
            optimizers[name].step()


def of_an_optimizer_without_a_name(batches):
    model = nn.Sequential(nn.Linear(3, 3), nn.ReLU())
    kept = {"only": torch.optim.SGD(model.parameters(), lr=0.1)}
    model[0] = nn.Linear(3, 4)  # expect: TL512
    for x in batches:
        kept["only"].zero_grad()
        model(x).sum().backward()
        kept.get("only").step()
