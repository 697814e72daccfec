"""Who made the values that losses are given: through layers, models, helpers and shapes."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class Classifier(nn.Module):
    def __init__(self, classes=10):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(16, 32), nn.ReLU())
        self.head = nn.Linear(32, classes)
        self.softmax = nn.Softmax(dim=1)

    def forward(self, x):
        return self.softmax(self.head(self.body(x)))


class Evaluated(nn.Module):
    """Gives probabilities in eval mode only, as many models do."""

    def __init__(self):
        super().__init__()
        self.head = nn.Linear(16, 10)

    def forward(self, x):
        x = self.head(x)
        if not self.training:
            x = F.softmax(x, dim=1)
        return x


class Flagged(nn.Module):
    def __init__(self, final=True):
        super().__init__()
        self.head = nn.Linear(16, 10)
        self.final = final

    def forward(self, x, logits=False):
        x = self.head(x)
        return x if logits else x.softmax(-1)


def train(model, loader, criterion):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for features, labels in loader:
        optimizer.zero_grad()
        loss = criterion(model(features), labels)  # expect: TL205
        loss.backward()
        optimizer.step()


def fit():
    loader = DataLoader(TensorDataset(torch.randn(64, 16), torch.randint(0, 10, (64,))), batch_size=8)
    train(Classifier(), loader, nn.CrossEntropyLoss())


def unknown_batches(batches):
    model, loss_fn = Classifier(), nn.CrossEntropyLoss()
    for features, labels in batches:
        loss = loss_fn(model(features), labels)  # expect: TL205
        loss.backward()


def unknown_model(model, batch):
    probs = model(batch["x"]).softmax(dim=-1)
    accuracy = (probs.argmax(-1) == batch["y"]).float().mean()
    return F.cross_entropy(probs, batch["y"]), accuracy  # expect: TL205


def only_shapes(x, y):
    probs = F.softmax(nn.Conv2d(3, 5, 1)(x), dim=1)
    probs = probs.permute(0, 2, 3, 1).reshape(-1, 5)
    return F.cross_entropy(probs, y)  # expect: TL205


def sigmoid_first(x, y):
    return nn.CrossEntropyLoss()(torch.sigmoid(nn.Linear(4, 3)(x)), y)  # expect: TL205


def evaluated(batches):
    model = Evaluated()
    for x, y in batches:
        F.cross_entropy(model(x), y).backward()  # in training mode these are logits


def flagged(x, y):
    return F.cross_entropy(Flagged()(x, logits=True), y)


def scaled(x, y, scale):
    probs = nn.Linear(4, 3)(x).softmax(1)
    return (
        F.cross_entropy(probs * scale, y)
        + F.cross_entropy(probs.log(), y)
        + F.cross_entropy(torch.log(probs), y)
    )


def either(x, y, normalise):
    out = nn.Linear(4, 3)(x)
    if normalise:
        out = out.softmax(1)
    return F.cross_entropy(out, y)


def written_over(x, y):
    out = nn.Linear(4, 3)(x).softmax(1)
    with torch.no_grad():
        out.mul_(100.0)
    return F.cross_entropy(out, y)


def repeated(x, y, rounds):
    out = nn.Linear(3, 3)(x)
    for _ in range(rounds):
        out = F.softmax(out, dim=1) * 5
    return F.cross_entropy(out, y)


def softmax(x, dim):
    return x


def another_softmax(x, y):
    return F.cross_entropy(softmax(nn.Linear(4, 3)(x), 1), y)


def attention_inside(x, y):
    weights = (x @ x.transpose(-2, -1)).softmax(-1)
    return F.cross_entropy(nn.Linear(4, 3)((weights @ x).mean(1)), y)


def teacher(x, teacher_model, y):
    logits = nn.Linear(4, 3)(x)
    soft = teacher_model(x).softmax(1)
    return F.cross_entropy(logits, soft) + F.kl_div(logits.log_softmax(1), soft, reduction="batchmean")


def likelihoods(x, y):
    net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
    right = F.nll_loss(F.log_softmax(net(x), dim=1), y) + F.nll_loss(
        net(x).softmax(1).clamp_min(1e-8).log(), y
    )
    wrong = F.nll_loss(net(x), y)  # expect: TL206
    return right + wrong + nn.NLLLoss()(F.softmax(net(x), dim=1), y)  # expect: TL206


def likelihoods_of_a_value(x, y):
    log_probs = nn.Linear(4, 3)(x) - torch.logsumexp(nn.Linear(4, 3)(x), 1, keepdim=True)
    return F.nll_loss(log_probs, y) + F.nll_loss(-F.softplus(x), y)


def binary(x, y):
    net = nn.Linear(4, 1)
    F.binary_cross_entropy(net(x).sigmoid(), y)
    F.binary_cross_entropy(net(x).clamp(0, 1), y)
    F.binary_cross_entropy((net(x) + 1) / 2, y)
    F.binary_cross_entropy(torch.tanh(net(x)) * 0.5 + 0.5, y)
    F.binary_cross_entropy_with_logits(net(x), y)
    F.binary_cross_entropy(net(x), y)  # expect: TL208
    F.binary_cross_entropy(torch.tanh(net(x)).squeeze(1), y)  # expect: TL208
    F.binary_cross_entropy_with_logits(torch.sigmoid(net(x)), y)  # expect: TL208
    return nn.BCELoss()(F.relu(net(x)), y)  # expect: TL208


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.main = nn.Sequential(nn.Linear(16, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1), nn.Sigmoid())

    def forward(self, x):
        return self.main(x).view(-1)


def adversarial(batches):
    critic, criterion, with_logits = Discriminator(), nn.BCELoss(), nn.BCEWithLogitsLoss()
    for real in batches:
        label = torch.full((8,), 1.0)
        criterion(critic(real), label).backward()
        with_logits(critic(real), label).backward()  # expect: TL208


def mixed(x, y, parameter):
    weights = parameter.softmax(0)
    return F.binary_cross_entropy((weights * torch.sigmoid(x)).sum(1), y)


def constants():
    F.binary_cross_entropy(torch.tensor([0.2, 1.3]), torch.ones(2))  # expect: TL208
    p = torch.tensor([0.2, 1.3])
    p[1] = 0.9
    return F.binary_cross_entropy(p, torch.ones(2)) + F.binary_cross_entropy(torch.rand(2), torch.ones(2))


def expected_to_fail(net, x):
    try:
        return F.binary_cross_entropy(torch.tensor([2.0]), torch.ones(1))
    except RuntimeError:
        return None


def squeezed_beside_a_table(x: torch.Tensor):
    count, _ = x.shape
    scores, table = torch.rand(count), torch.rand(count, 200)
    F.binary_cross_entropy(scores.squeeze(), table)  # expect: TL209
    F.binary_cross_entropy(torch.rand(count, count).squeeze(), scores)  # ok: may have one row
    return F.binary_cross_entropy(torch.rand(1, count, 200).squeeze(), table)
