"""Weights that one rank changes: when they stay its own, and when nothing comes of it."""

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

from somewhere import evaluate, share, sync_weights


def step(model):
    model(torch.randn(2, 4)).sum().backward()


def inner_test(resume):
    net = nn.Linear(4, 3)
    m = DDP(net)
    if resume:
        if dist.get_rank() == 0:
            net.load_state_dict(torch.load("model.pt"))  # expect: TL812
    step(m)


def both_tests(resume):
    m = DDP(nn.Linear(4, 3))
    if resume and dist.get_rank() == 0:
        nn.init.normal_(m.module.weight)  # expect: TL812
    step(m)


def either_test(everywhere):
    m = DDP(nn.Linear(4, 3))
    if dist.get_rank() == 0 or everywhere:
        nn.init.normal_(m.module.weight)
    step(m)


def logged_loss():
    m = DDP(nn.Linear(4, 3))
    if dist.get_rank() == 0:
        m.load_state_dict(torch.load("model.pt"))
    step(m)
    dist.all_reduce(unseen)


def known_by_name(rank):
    m = DDP(nn.Linear(4, 3))
    if rank == 0:
        nn.init.normal_(m.module.weight)  # expect: TL812
    step(m)


def sent_by_hand():
    m = DDP(nn.Linear(4, 3))
    if dist.get_rank() == 0:
        nn.init.normal_(m.module.weight)
    for p in m.parameters():
        dist.broadcast(p.data, 0)
    step(m)


def sent_unseen():
    m = DDP(nn.Linear(4, 3))
    if dist.get_rank() == 0:
        nn.init.normal_(m.module.weight)
    share(m)
    step(m)


def sent_unseen_without_name():
    m = DDP(nn.Linear(4, 3))
    if dist.get_rank() == 0:
        nn.init.normal_(m.module.weight)
    sync_weights()
    step(m)


def sent_point_to_point():
    m = DDP(nn.Linear(4, 3))
    if dist.get_rank() == 0:
        nn.init.normal_(m.module.weight)
        dist.send(m.module.weight, 1)
    else:
        dist.recv(m.module.weight, 0)
    step(m)


def wrapped_again():
    net = nn.Linear(4, 3)
    m = DDP(net)
    if dist.get_rank() == 0:
        nn.init.normal_(net.weight)
    m = DDP(net)
    step(m)


def wrapped_perhaps(distributed):
    net = nn.Linear(4, 3)
    m = DDP(net) if distributed else net
    if dist.get_rank() == 0:
        nn.init.normal_(net.weight)
    step(m)


def another_group(group):
    m = DDP(nn.Linear(4, 3), process_group=group)
    if dist.get_rank() == 0:
        nn.init.normal_(m.module.weight)
    step(m)


def put_back():
    m = DDP(nn.Linear(4, 3))
    kept = m.module.weight.detach().clone()
    if dist.get_rank() == 0:
        nn.init.normal_(m.module.weight)
        evaluate(3)
        with torch.no_grad():
            m.module.weight.copy_(kept)
    step(m)


def looked_at():
    m = DDP(nn.Linear(4, 3))
    if dist.get_rank() == 0:
        m.load_state_dict(torch.load("best.pt"))
        print(m.module(torch.randn(2, 4)))


def swapped_for_a_look(loader, average):
    m = DDP(nn.Linear(4, 3))
    for x in loader:
        m(x).sum().backward()
        if dist.get_rank() == 0:
            kept = {name: one.clone() for name, one in m.state_dict().items()}
            m.load_state_dict(average)
            m.load_state_dict(kept)


def loaded_on_all():
    m = DDP(nn.Linear(4, 3))
    if dist.get_rank() == 0:
        m.load_state_dict(torch.load("model.pt"))
    else:
        m.load_state_dict(torch.load("model.pt"))
    step(m)


def overwritten_on_all():
    m = DDP(nn.Linear(4, 3))
    if dist.get_rank() == 0:
        nn.init.normal_(m.module.weight)
    nn.init.zeros_(m.module.weight)
    step(m)


def trained_alone():
    m = DDP(nn.Linear(4, 3))
    if dist.get_rank() == 0:
        m.load_state_dict(torch.load("model.pt"))
        step(m.module)


def may_come_back():
    m = DDP(nn.Linear(4, 3))
    if dist.get_rank() == 0:
        nn.init.normal_(m.module.weight)
    return m


def other_model():
    teacher = nn.Linear(4, 3)
    m = DDP(nn.Linear(4, 3))
    if dist.get_rank() == 0:
        teacher.load_state_dict(torch.load("teacher.pt"))
    step(m)


def statistics():
    m = DDP(nn.BatchNorm1d(4))
    if dist.get_rank() == 0:
        m.module.running_mean.fill_(0.0)
    step(m)


def wrapped(module):
    return DDP(module)


class TwoModules:
    """One call wraps both modules, before the method that changes the first of them."""

    def __init__(self):
        self.first, self.second = nn.Linear(4, 3), nn.Linear(3, 1)
        self.model = nn.Sequential(wrapped(self.first), wrapped(self.second))

    def fit(self):
        if dist.get_rank() == 0:
            nn.init.normal_(self.first.weight)  # expect: TL812
        step(self.model)
