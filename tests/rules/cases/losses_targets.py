"""Targets of losses: dtypes, shapes, ranges; losses that are constructed with their arguments; softmax without a dim."""

import torch
import torch.nn as nn
import torch.nn.functional as F


def binary_dtypes(x):
    labels = torch.randint(0, 2, (8,))
    logits = nn.Linear(4, 1)(torch.randn(8, 4)).squeeze(1)
    F.binary_cross_entropy_with_logits(logits, labels.float())
    F.binary_cross_entropy_with_logits(logits, labels.double())
    F.binary_cross_entropy_with_logits(logits, labels.to(logits.dtype))
    F.binary_cross_entropy_with_logits(logits, labels.type_as(logits))
    F.binary_cross_entropy_with_logits(logits, labels)  # expect: TL207
    F.binary_cross_entropy(logits.sigmoid(), labels.double())  # expect: TL207
    return nn.BCEWithLogitsLoss()(logits, labels == 1)  # expect: TL207


def binary_under_autocast(x, y):
    with torch.autocast("cuda"):
        probabilities = nn.Linear(4, 1)(x).sigmoid()
    return F.binary_cross_entropy(probabilities.float(), y.float())


def binary_shapes(batches):
    net, criterion = nn.Linear(4, 1), nn.BCEWithLogitsLoss()
    for _ in batches:
        x, y = torch.randn(8, 4), torch.ones(8)
        criterion(net(x), y)  # expect: TL209
        criterion(net(x).squeeze(), y)
        criterion(net(x).view(-1), y)
        criterion(net(x), y.unsqueeze(1))
        criterion(net(x), y[:, None])
        criterion(net(x).flatten(), y)


def some_columns(x, y, net, wide):
    y = y.view(-1, 1) if wide else y
    return F.binary_cross_entropy_with_logits(net(x), y)


def regression(n):
    net = nn.Linear(4, 1)
    x, y = torch.randn(n, 4), torch.randn(n, 2)[:, 0]
    F.mse_loss(net(x), y)  # expect: TL210
    nn.SmoothL1Loss()(y, net(x))  # expect: TL210
    nn.HuberLoss(reduction="none")(net(x), y).mean()  # expect: TL210
    F.l1_loss(net(x)[:, 0], y)
    F.l1_loss(net(x).flatten(), y)
    F.mse_loss(net(x), y.view(-1, 1))
    F.mse_loss(y[:, None], y[None, :])
    F.mse_loss(y.unsqueeze(1), y, reduction="none")
    F.mse_loss(net(x), torch.tensor(1.0))
    F.mse_loss(torch.ones(1, 1), torch.ones(1))
    return F.mse_loss(net(x), torch.zeros(1))


def sequences(n):
    rnn = nn.Linear(4, 1)
    x, y = torch.randn(n, 7, 4), torch.randn(n, 7)
    F.mse_loss(rnn(x).squeeze(-1), y)
    return F.mse_loss(rnn(x), y)  # expect: TL210


def constructors(output, target):
    logits, y = torch.randn(8, 3), torch.randint(0, 3, (8,))
    nn.CrossEntropyLoss(logits, y)  # expect: TL211
    nn.CrossEntropyLoss(nn.Linear(4, 3)(output), target)  # expect: TL211
    nn.MSELoss(logits, logits, reduction="sum")  # expect: TL211
    loss = nn.MSELoss(output, target)  # expect: TL211
    loss.backward()
    nn.CrossEntropyLoss(torch.ones(3), None, -100)
    nn.CrossEntropyLoss(weight=torch.ones(3), label_smoothing=0.1)(logits, y)
    nn.CrossEntropyLoss(output)
    nn.BCEWithLogitsLoss(output, target)
    nn.TripletMarginLoss(torch.tensor(1.0), 2)
    nn.CosineEmbeddingLoss(torch.tensor(0.5), None)
    return nn.MSELoss(True, False)


class MSELoss(nn.Module):
    def __init__(self, prediction, target):
        super().__init__()


def own_class(a, b):
    return MSELoss(torch.randn(3), torch.randn(3))


def one_hots(labels):
    y = torch.randint(0, 5, (8,))
    F.one_hot(y.int(), 5)  # expect: TL219
    F.one_hot(y.float())  # expect: TL219
    F.one_hot(torch.tensor([1, 2, 3]), 3)  # expect: TL219
    F.one_hot(torch.tensor([1, -1]), num_classes=3)  # expect: TL219
    F.one_hot(y, 4)  # expect: TL219
    F.one_hot(y, 5)
    F.one_hot(y - 1 + 1, 5)
    F.one_hot(torch.tensor([1, 2, 3]) - 1, 3)
    F.one_hot(torch.tensor([1, 2, 3])[:2], 3)
    F.one_hot(torch.tensor([1, 2, 3]).clamp(max=2), 3)
    F.one_hot(torch.where(y > 3, 0, y), 4)
    return F.one_hot(labels, 3)


def ranges(y, unlabelled):
    net = nn.Linear(4, 10)
    x = torch.randn(6, 4)
    F.cross_entropy(net(x), torch.arange(1, 7))
    F.cross_entropy(net(x), torch.randint(1, 11, (6,)))  # expect: TL226
    F.cross_entropy(net(x), torch.randint(1, 11, (6,)) - 1)
    F.cross_entropy(net(x), torch.tensor([0, 1, 2, 3, 4, 10]))  # expect: TL226
    F.cross_entropy(net(x), torch.tensor([0, 1, 2, 3, -1, 9]))  # expect: TL226
    F.cross_entropy(net(x), torch.tensor([0, 1, 2, 3, -1, 9]), ignore_index=-1)
    F.cross_entropy(net(x), torch.tensor([0, 1, 2, 3, -100, 9]))
    nn.CrossEntropyLoss(ignore_index=255)(net(x), torch.tensor([0, 1, 2, 3, 255, 9]))
    labels = torch.full((6,), -1)
    labels[unlabelled] = 3
    F.cross_entropy(net(x), labels)
    filled = torch.full((6,), -1)
    rows = filled.view(2, 3)
    rows[:] = 4
    F.cross_entropy(net(x), filled)
    shuffled = torch.full((6,), -1)
    y.fill(shuffled)
    F.cross_entropy(net(x), shuffled)
    F.cross_entropy(net(y), torch.tensor([0, 1, 12]))  # expect: TL226
    return F.cross_entropy(net(x), torch.full((6,), -100))  # expect: TL226


def one_class(x, y):
    net = nn.Linear(4, 1)
    F.cross_entropy(net(torch.randn(8, 4)), torch.randint(0, 2, (8,)))  # expect: TL226
    F.binary_cross_entropy_with_logits(net(torch.randn(8, 4)).squeeze(1), torch.ones(8))
    many = nn.Conv2d(3, 1, 1)(torch.randn(2, 3, 8, 8))
    return F.cross_entropy(many, torch.zeros(2, 8, 8, dtype=torch.long))  # expect: TL226


class Head(nn.Module):
    def __init__(self, dim, classes):
        super().__init__()
        self.fc = nn.Linear(dim, classes)
        self.classes = classes

    def forward(self, x, y):
        x = self.fc(x)
        if self.classes == 1:
            return F.mse_loss(x.squeeze(-1), y.float())
        return F.cross_entropy(x, y)


Head(4, 1)(torch.randn(8, 4), torch.ones(8))


def guessed(x, dim=None, *args, **options):
    F.softmax(x)  # expect: TL228 (info)
    F.log_softmax(x, dtype=torch.float64)  # expect: TL228 (info)
    nn.Softmax()(x)  # expect: TL228 (info)
    layers = nn.Sequential(nn.Linear(4, 3), nn.LogSoftmax())  # expect: TL228 (info)
    F.softmax(x, None)  # expect: TL228 (info)
    F.softmax(x, dim)
    F.softmax(x, *args)
    F.softmax(x, **options)
    F.softmax(x, -1)
    nn.Softmax(1)(x)
    nn.Softmax2d()(x)
    return torch.softmax(x, dim=1), F.gumbel_softmax(x), layers


def swapped(labels, n):
    net = nn.Linear(4, 3)
    y, x = torch.randint(0, 3, (8,)), torch.randn(8, 4)
    F.cross_entropy(y, net(x))  # expect: TL212
    nn.NLLLoss()(y, net(x).log_softmax(1))  # expect: TL212
    F.cross_entropy(input=net(x), target=y)
    F.binary_cross_entropy(torch.ones(8, 3), net(x).sigmoid())  # expect: TL212
    F.binary_cross_entropy(net(x).sigmoid().detach(), net(x).sigmoid())
    F.binary_cross_entropy(net(x).sigmoid(), net(x).sigmoid())
    F.cross_entropy(F.one_hot(y, 3).float(), net(x))  # expect: TL212
    return F.binary_cross_entropy(labels, net(x).sigmoid())


def divergences(a, b, reduction, **options):
    p, q = torch.softmax(a, -1), torch.softmax(b, -1)
    F.kl_div(p, q, reduction="batchmean")  # expect: TL218
    F.kl_div(p.log(), q)  # expect: TL218
    nn.KLDivLoss(log_target=True)  # expect: TL218
    F.kl_div(p.log(), q, reduction="mean")
    F.kl_div(p.log(), q, reduction=reduction)
    F.kl_div(p.log(), q, None, None, reduction)
    F.kl_div((p + 1e-8).log(), q, reduction="sum")
    return nn.KLDivLoss(**options)
