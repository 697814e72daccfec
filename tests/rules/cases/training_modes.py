"""Training and evaluation mode: the flagged calls run in the wrong one, all others do not, or may be meant so."""

import copy

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self, p=0.5):
        super().__init__()
        self.fc = nn.Linear(4, 3)
        self.drop = nn.Dropout(p)

    def forward(self, x):
        return self.drop(self.fc(x))


class Plain(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)
        self.drop = nn.Dropout(0.0)

    def forward(self, x):
        return self.drop(self.fc(x))


def train_epoch(model, loader, opt):
    model.train()
    for x, y in loader:
        opt.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        opt.step()


def accuracy(model, loader):
    right = 0
    with torch.no_grad():
        for x, y in loader:
            right += (model(x).argmax(1) == y).sum().item()  # expect: TL504
    return right


def accuracy_right(model, loader):
    model.eval()
    right = 0
    with torch.no_grad():
        for x, y in loader:
            right += (model(x).argmax(1) == y).sum().item()
    return right


def main(path):
    data = DataLoader(TensorDataset(torch.load(path), torch.load(path + ".y")), batch_size=8)
    model = Net()
    opt = torch.optim.SGD(model.parameters(), 0.1)
    for _ in range(3):
        train_epoch(model, data, opt)
        accuracy(model, data)
    other = Net()
    opt = torch.optim.SGD(other.parameters(), 0.1)
    for _ in range(3):
        train_epoch(other, data, opt)
        accuracy_right(other, data)


main("data.pt")


def only_once(loader, path):
    model = Net()
    opt = torch.optim.SGD(model.parameters(), 0.1)
    model.train()
    for epoch in range(3):
        for x, y in loader:
            opt.zero_grad()
            nn.functional.cross_entropy(model(x), y).backward()  # expect: TL505
            opt.step()
        accuracy_right(model, loader)


def last_epoch_only(loader):
    model = Net()
    opt = torch.optim.SGD(model.parameters(), 0.1)
    for epoch in range(3):
        for x, y in loader:
            opt.zero_grad()
            nn.functional.cross_entropy(model(x), y).backward()
            opt.step()
        if epoch == 2:
            model.eval()


def folds(loader):
    for fold in range(5):
        model = Net()
        opt = torch.optim.SGD(model.parameters(), 0.1)
        for x, y in loader:
            opt.zero_grad()
            nn.functional.cross_entropy(model(x), y).backward()
            opt.step()
        accuracy_right(model, loader)


def gan(loader, noise):
    generator, critic = Net(), nn.Sequential(nn.Linear(3, 1), nn.Dropout())
    opt_g, opt_c = torch.optim.Adam(generator.parameters()), torch.optim.Adam(critic.parameters())
    for x, _ in loader:
        with torch.no_grad():
            fake = generator(x)
        opt_c.zero_grad()
        critic(fake).mean().backward()
        opt_c.step()
        opt_g.zero_grad()
        critic(generator(x)).mean().backward()
        opt_g.step()
        with torch.no_grad():
            shown = generator(noise)
        print(shown)


def monte_carlo(x, loader):
    model = Net()
    opt = torch.optim.SGD(model.parameters(), 0.1)
    train_epoch(model, loader, opt)
    model.train()
    with torch.no_grad():
        samples = [model(x) for _ in range(20)]
        for _ in range(20):
            samples.append(model(x))
        for batch, _ in loader:
            samples.append(model(batch))
    return samples


def dropout_stays_on(loader, x):
    model = Net()
    train_epoch(model, loader, torch.optim.SGD(model.parameters(), 0.1))
    model.eval()
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.train()
    with torch.no_grad():
        return model(x)


def switched_by_apply(loader, x):
    model = Net()
    train_epoch(model, loader, torch.optim.SGD(model.parameters(), 0.1))

    def off(module):
        module.eval()

    model.apply(off)
    with torch.no_grad():
        return model(x)


def statistics(loader):
    model = nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3))
    train_epoch(model, loader, torch.optim.SGD(model.parameters(), 0.1))
    with torch.no_grad():
        for x, _ in loader:
            model(x)  # only for the running statistics


def shapes():
    for size in (8, 16):
        net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4))
        with torch.no_grad():
            print(net(torch.zeros(2, 3, size, size)).shape)


def loaded(path, x):
    model = Net()
    model.load_state_dict(torch.load(path))
    with torch.no_grad():
        return model(x)  # expect: TL504


def loaded_and_set(path, x):
    model = Net()
    model.load_state_dict(torch.load(path))
    model.requires_grad_(False).eval()
    with torch.no_grad():
        return model(x)


def loaded_elsewhere(path, x, prepare):
    model = Net()
    model.load_state_dict(torch.load(path))
    prepare(model)
    with torch.no_grad():
        return model(x)


def loaded_part(path, x, prepare):
    model = Net()
    model.load_state_dict(torch.load(path))
    prepare(model.drop)
    with torch.no_grad():
        return model(x)


def no_dropout(path, x):
    model = Plain()
    model.load_state_dict(torch.load(path))
    with torch.no_grad():
        return model(x)


def unknown_dropout(path, x, cfg):
    model = Net(cfg.dropout)
    model.load_state_dict(torch.load(path))
    with torch.no_grad():
        return model(x)


def copied(loader, x):
    model = Net()
    train_epoch(model, loader, torch.optim.SGD(model.parameters(), 0.1))
    best = copy.deepcopy(model).eval()
    with torch.no_grad():
        return best(x)


class Trainer:
    def __init__(self):
        self.model = Net()
        self.teacher = Net()

    def predict(self, loader):
        with torch.no_grad():
            return [self.model(x) for x in loader]

    def evaluate(self, loader):
        with torch.no_grad():
            for x in loader:
                yield self.model(x)


class Frozen(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = Net(), nn.Linear(3, 3)

    def train(self, mode=True):
        super().train(mode)
        self.body.eval()
        return self

    def forward(self, x):
        return self.head(self.body(x))


def frozen(loader):
    model = Frozen()
    opt = torch.optim.SGD(model.head.parameters(), 0.1)
    for _ in range(3):
        train_epoch(model, loader, opt)
        accuracy_right(model, loader)


@torch.inference_mode()
def scores(model, loader):
    return [model(x).softmax(1) for x in loader]


def flag(loader, evaluate_first):
    model = Net()
    model.train(not evaluate_first)
    with torch.no_grad():
        for x, _ in loader:
            print(model(x))


def one_sample(prepare, x):
    net = nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3))
    net(torch.zeros(1, 4))  # expect: TL509
    prepare(net)
    net(torch.zeros(1, 4))
    other = nn.BatchNorm1d(4)
    other(x)
    other(x[:1])
    other.eval()
    return other(torch.zeros(1, 4))


def evaluated_on_made_up_data():
    net = Net()
    data = TensorDataset(torch.randn(8, 4), torch.randint(0, 3, (8,)))
    hits = 0
    with torch.no_grad():
        for x, y in DataLoader(data, batch_size=4):
            hits += (net(x.float()).argmax(1) == y).sum().item()  # expect: TL504
    with torch.no_grad():
        for _ in range(3):
            net(torch.randn(8, 4)).sum()
    return hits


def validated_in_training_mode():
    net = Net()
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    rows = [torch.randn(2, 4)] * 3
    for _ in range(3):
        net.train()
        for x in rows:
            opt.zero_grad()
            net(x).sum().backward()
            opt.step()
        net.eval()
        with torch.no_grad():
            for x in rows:
                net.train()
                print(net(x).mean())  # expect: TL504


class Validated:
    def __init__(self, rows):
        self.net = Net()
        self.rows = rows

    def validate(self):
        self.net.eval()
        total = 0.0
        self.net.train()
        with torch.no_grad():
            for x in self.rows:
                total += self.net(x).mean().item()  # expect: TL504
        return total

    def validate_well(self):
        self.net.eval()
        with torch.no_grad():
            total = sum(self.net(x).mean().item() for x in self.rows)
        self.net.train()
        return total


def samples_of_dropout(x):
    net = Net()
    net.eval()
    for part in net.modules():
        if isinstance(part, nn.Dropout):
            part.train()
    with torch.no_grad():
        net(x), net(x)
    net.eval()
    net.drop.train()
    with torch.no_grad():
        return torch.stack([net(x) for _ in range(10)]).var(0)


def statistics_after_predictions(rows):
    net = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4))
    net.eval()
    with torch.no_grad():
        net(torch.randn(3, 4))
    net.train()
    with torch.no_grad():
        for x in rows:
            net(x)
