"""Losses that share a graph: what one network made and another one is run on twice, and what is only like it."""

import torch
from torch import nn


def pair():
    return nn.Sequential(nn.Linear(4, 4), nn.Tanh()), nn.Sequential(nn.Linear(4, 4), nn.ReLU())


def trained_together():
    encoder, head = pair()
    optimizer = torch.optim.SGD([*encoder.parameters(), *head.parameters()], 0.1)
    codes = encoder(torch.randn(2, 4))
    head(codes).mean().backward()
    head(codes).sum().backward()  # expect: TL403
    optimizer.step()


def two_heads():
    body, kind = pair()
    _, size = pair()
    codes = body(torch.randn(2, 4))
    kind(codes).mean().backward()
    size(codes).mean().backward()  # expect: TL403


def of_one_run():
    generator, critic = pair()
    scores = critic(generator(torch.randn(2, 4)))
    scores.mean().backward()
    scores.sum().backward()  # expect: TL403


def frozen():
    generator, critic = pair()
    generator.requires_grad_(False)
    fake = generator(torch.randn(2, 4))
    critic(fake).mean().backward()
    critic(fake).mean().backward()


def kept_for_the_first_only():
    generator, critic = pair()
    fake = generator(torch.randn(2, 4))
    critic(fake).mean().backward()
    (critic(fake).mean() + critic(torch.randn(2, 4)).mean()).backward()  # expect: TL516


def several_critics(n):
    generator, critic = pair()
    for _ in range(3):
        fake = generator(torch.randn(2, 4))
        kept = fake.detach()
        critic(kept).mean().backward()
        critic(fake).mean().backward()


def caught():
    generator, critic = pair()
    fake = generator(torch.randn(2, 4))
    critic(fake).mean().backward()
    try:
        critic(fake).mean().backward()
    except RuntimeError as error:
        print(error)


def on_some_ways(flag):
    generator, critic = pair()
    fake = generator(torch.randn(2, 4))
    if flag:
        fake = fake.detach()
    critic(fake).mean().backward()
    critic(fake).mean().backward()
