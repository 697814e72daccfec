"""Losses of discriminators that leave gradients in the generator, and those that do not matter there."""

import torch
import torch.nn.functional as F
from torch import nn


def networks():
    maker, judge = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 4)), nn.Linear(4, 1)
    return maker, judge, torch.optim.Adam(maker.parameters()), torch.optim.Adam(judge.parameters())


def left_in_the_maker(batches):
    maker, judge, maker_opt, judge_opt = networks()
    for real in batches:
        maker_opt.zero_grad()
        judge_opt.zero_grad()
        fake = maker(torch.randn(8, 4))
        loss = F.softplus(judge(fake)).mean() + F.softplus(-judge(real)).mean()
        loss.backward()  # expect: TL521
        judge_opt.step()
        F.softplus(-judge(maker(torch.randn(8, 4)))).mean().backward()
        maker_opt.step()


def cleared_for_the_maker(batches):
    maker, judge, maker_opt, judge_opt = networks()
    for real in batches:
        judge_opt.zero_grad()
        fake = maker(torch.randn(8, 4))
        (F.softplus(judge(fake)).mean() + F.softplus(-judge(real)).mean()).backward()
        judge_opt.step()
        maker_opt.zero_grad()
        F.softplus(-judge(maker(torch.randn(8, 4)))).mean().backward()
        maker_opt.step()


def cleared_by_the_module(batches):
    maker, judge, maker_opt, judge_opt = networks()
    for real in batches:
        maker.zero_grad()
        judge.zero_grad()
        fake = maker(torch.randn(8, 4))
        (F.softplus(judge(fake)).mean() + F.softplus(-judge(real)).mean()).backward()
        judge_opt.step()
        maker.zero_grad()
        F.softplus(-judge(maker(torch.randn(8, 4)))).mean().backward()
        maker_opt.step()


def cleared_by_hand(batches):
    maker, judge, maker_opt, judge_opt = networks()
    for real in batches:
        maker_opt.zero_grad()
        judge_opt.zero_grad()
        fake = maker(torch.randn(8, 4))
        (F.softplus(judge(fake)).mean() + F.softplus(-judge(real)).mean()).backward()
        judge_opt.step()
        for p in maker.parameters():
            p.grad = None
        F.softplus(-judge(maker(torch.randn(8, 4)))).mean().backward()
        maker_opt.step()


def detached(batches):
    maker, judge, maker_opt, judge_opt = networks()
    for real in batches:
        maker_opt.zero_grad()
        judge_opt.zero_grad()
        fake = maker(torch.randn(8, 4))
        (F.softplus(judge(fake.detach())).mean() + F.softplus(-judge(real)).mean()).backward()
        judge_opt.step()
        F.softplus(-judge(fake)).mean().backward()
        maker_opt.step()


def an_encoder(batches):
    encoder, head, encoder_opt, head_opt = networks()
    for x in batches:
        encoder_opt.zero_grad()
        head_opt.zero_grad()
        head(encoder(x)).mean().backward()
        head_opt.step()
        head(encoder(-x)).abs().mean().backward()
        encoder_opt.step()


def with_a_helper(batches, clear):
    maker, judge, maker_opt, judge_opt = networks()
    for real in batches:
        maker_opt.zero_grad()
        judge_opt.zero_grad()
        fake = maker(torch.randn(8, 4))
        (F.softplus(judge(fake)).mean() + F.softplus(-judge(real)).mean()).backward()
        judge_opt.step()
        clear(maker)
        F.softplus(-judge(maker(torch.randn(8, 4)))).mean().backward()
        maker_opt.step()
