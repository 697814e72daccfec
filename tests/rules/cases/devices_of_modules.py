"""What moves with a module and what stays, and modules that other code moves."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DataParallel


class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)
        self.register_buffer("shift", torch.zeros(3))
        self.frozen = nn.Buffer(torch.ones(3))
        self.scale = torch.ones(3)  # expect: TL308
        self.blocks = [nn.Linear(3, 3)]  # expect: TL602


class Registered(Base):
    def forward(self, x):
        return self.fc(x) + self.shift * self.frozen


class Plain(Base):
    def forward(self, x):
        return self.fc(x) * self.scale  # expect: TL303


class Hidden(Base):
    def forward(self, x):
        return self.blocks[0](self.fc(x))  # expect: TL303


class MovesItself(Base):
    def forward(self, x):
        self.scale = self.scale.to(x.device)
        return self.fc(x) * self.scale


class MovesWhenNeeded(Base):
    def forward(self, x):
        if self.scale.device != x.device:
            self.scale = self.scale.to(x.device)
        return self.fc(x) * self.scale


class Overridden(Base):
    def to(self, *args, **kwargs):
        moved = super().to(*args, **kwargs)
        moved.scale = moved.scale.to(*args, **kwargs)
        return moved

    def forward(self, x):
        return self.fc(x) * self.scale


batch = torch.ones(2, 4, device="cuda")
Registered().to("cuda")(batch)
Plain().to("cuda")(batch)
Hidden().to("cuda")(batch)
MovesItself().to("cuda")(batch)
MovesWhenNeeded().to("cuda")(batch)
Overridden().to("cuda")(batch)


class MovesItsInput(nn.Module):
    """Analysed alone: whoever uses it moves it."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)
        self.w = nn.Parameter(torch.ones(3))
        self.criterion = nn.CrossEntropyLoss(weight=torch.ones(3))

    def forward(self, x, labels):
        x = torch.cat([x, x]).cuda()
        noise = torch.randn(6, 4, device="cuda")
        loss = self.criterion(self.fc(noise) * self.w, labels.long())
        return loss + self.fc(noise).sum() + (noise @ self.fc.weight.t()).sum()


class Runner:
    def __init__(self):
        self.model = nn.Linear(4, 3)
        self.fixed = nn.Linear(4, 3).to("cuda")

    def prepare(self):
        self.model.cuda()

    def run(self):
        self.fixed(torch.ones(2, 4))  # expect: TL303
        return self.model(torch.ones(2, 4, device="cuda"))


shared = nn.Linear(4, 3)


def use_shared():
    return shared(torch.ones(2, 4, device="cuda"))


def memory_exchanged():
    one, two, three = nn.Linear(4, 3), nn.Linear(4, 3), nn.Linear(4, 3)
    x = torch.ones(2, 4, device="cuda")
    for p in one.parameters():
        p.data = p.data.cuda()
    two.weight = nn.Parameter(torch.ones(3, 4, device="cuda"))
    two.bias = nn.Parameter(torch.ones(3, device="cuda"))
    three._apply(lambda t: t.cuda())
    return one(x) + two(x) + three(x)


def scattered(batch):
    model = DataParallel(nn.Linear(4, 3).cuda())  # expect: TL818
    return model(torch.ones(2, 4)) + model(batch)


def chosen_by_option(options):
    device = "cuda" if options.gpu else "cpu"
    model = nn.Linear(4, 3).to(device)
    return model(torch.ones(2, 4))


def numbers_and_indices():
    x = torch.ones(8, 3, device="cuda")
    y = x * torch.tensor(2.0) + torch.tensor(1)
    y[torch.tensor([0, 1])] = 0.0
    y[0] = torch.zeros(3)
    z = torch.zeros(8, 3)
    z[y.argmax(dim=1).cpu() > 0] = 1.0
    z[y.argmax(dim=1)]  # expect: TL303
    with torch.device("cuda"):
        w = torch.ones(3)
    return y * w


def weights_of_losses():
    logits, labels = torch.ones(8, 3, device="cuda"), torch.zeros(8, dtype=torch.long, device="cuda")
    weight = torch.ones(3)
    moved = nn.CrossEntropyLoss(weight=weight).cuda()
    moved(logits, labels)
    nn.CrossEntropyLoss(weight=weight.cuda())(logits, labels)
    F.cross_entropy(logits, labels, weight=weight)  # expect: TL303
    nn.BCEWithLogitsLoss(pos_weight=torch.tensor(2.0))(logits, logits)
    nn.BCEWithLogitsLoss(pos_weight=torch.tensor([2.0]))(logits, logits)  # expect: TL303


def only_without_a_gpu():
    if torch.cuda.is_available():
        raise SystemExit("this is about the CPU")
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    return torch.ones(3, device=device) + torch.ones(3)


def tried(x):
    try:
        return torch.ones(2, device="cuda") + torch.ones(2)
    except RuntimeError:
        return x
