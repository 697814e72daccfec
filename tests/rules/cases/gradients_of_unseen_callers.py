"""A function that is passed on, or that an unseen base class calls, may run where gradients are off: it is not known that they are on."""

from functools import partial

import torch
from torch import nn
from unseen import Base, trainer

net = nn.Linear(4, 3)


def scores(batch):
    return net(batch).numpy()


def scores_with(batch, scale):
    return (net(batch) * scale).numpy()


def scores_in_lambda(batch):
    return net(batch).numpy()


def scores_in_table(batch):
    return net(batch).numpy()


def scores_wrapped(batch):
    return net(batch).numpy()


def through_helper(batch):
    return helped(batch)


def helped(batch):
    return net(batch).numpy()


def scores_alone(batch):
    return net(batch).numpy()  # expect: TL302


def scores_passed_and_called(batch):
    return net(batch).numpy()  # expect: TL302


def started(layer):
    nn.Linear(4, 3).weight.fill_(0.5)  # expect: TL401


trainer.on_batch(scores)
trainer.on_batch(partial(scores_with, scale=2))
trainer.on_batch(lambda batch: scores_in_lambda(batch))
trainer.on_batch(through_helper)
trainer.on_batch(scores_passed_and_called)
TABLE = {"table": scores_in_table}
scores_wrapped = torch.no_grad()(scores_wrapped)
net.apply(started)


def main():
    return scores_passed_and_called(torch.zeros(2, 4))


class Model(Base):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 3)
        self.layer.bias.fill_(0.5)  # expect: TL401

    def validation_step(self, batch, index):
        return self.layer(batch).numpy()


class Plain(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 3)

    def at_end(self, batch):
        return self.layer(batch).numpy()

    def validation_step(self, batch, index):
        return self.layer(batch).numpy()  # expect: TL302


def registered(plain):
    trainer.on_epoch(plain.at_end)


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 3)

    def forward(self, batch):
        return self.layer(batch).numpy()


def decoded(batch, model):
    with torch.no_grad():
        return model(batch)


trainer.on_epoch(partial(decoded, model=Decoder()))
