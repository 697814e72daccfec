"""Tensors that are followed through named tuples, `map`, lists of dicts, and rows that are transposed."""

import random
from collections import deque, namedtuple
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import nn


class Output(NamedTuple):
    logits: torch.Tensor
    loss: torch.Tensor | None = None

    def classes(self):
        return self.logits.argmax(-1)


Step = namedtuple("Step", "state action reward")
Pair = namedtuple("Pair", ["left", "right"])


def of_a_class(ids, tags):
    out = Output(logits=torch.randn(3, 7, 5))
    F.cross_entropy(out.logits.transpose(1, 2), tags)  # ok: classes in dim 1
    out.classes().float()
    if out.loss is not None:
        out.loss.backward()
    return F.cross_entropy(out.logits, tags)  # expect: TL204


of_a_class(None, torch.zeros(3, 7, dtype=torch.long))


def of_a_call():
    step = Step(torch.ones(4), 1, torch.tensor(0.5))
    state, action, reward = step
    state + step.reward  # ok: a number
    changed = step._replace(state=torch.ones(2, 3))
    changed.state @ torch.ones(3)
    left, right = Pair(left=torch.ones(2, 3), right=torch.ones(2, 3))
    left @ right.T
    return left @ right  # expect: TL105


def drawn(k):
    memory = [Step(torch.ones(4), 1, 0.5) for _ in range(100)]
    states, actions, rewards = zip(*random.sample(memory, k))
    batch = torch.stack(states)
    nn.Linear(4, 2)(batch)
    picked = batch.gather(1, torch.tensor(actions).unsqueeze(1))
    nn.Linear(5, 2)(batch)  # expect: TL105
    return picked


def mapped():
    encoder = nn.Linear(8, 4)
    anchor, positive = map(encoder, (torch.randn(2, 8), torch.randn(3, 8)))
    anchor @ positive.T
    first, second = map(lambda one, two: torch.cat([one, two]), [anchor, anchor], [positive, positive])
    first + second
    return anchor + positive  # expect: TL127


def of_dicts():
    batches = [{"x": torch.randn(4, 3), "y": torch.randn(4)} for _ in range(3)]
    net = nn.Linear(3, 1)
    for batch in batches:
        moved = {key: value.float() for key, value in batch.items()}
        F.mse_loss(net(moved["x"]).squeeze(1), batch["y"])
        F.mse_loss(net(moved["x"]), batch["y"])  # expect: TL210


def changed_afterwards(rows):
    rows = sorted([torch.ones(3), torch.ones(3)], key=len)
    rows.append(torch.ones(4))
    return torch.stack(rows[:2])  # ok: which these are is not known


def remembered():
    memory = deque(maxlen=1000)
    for _ in range(20):
        memory.append((torch.ones(4), 1))
    states, _ = zip(*random.sample(memory, 8))
    recent = deque(maxlen=2)
    recent.append(torch.ones(3))
    recent.append(torch.ones(4))
    recent.append(torch.ones(4))
    torch.stack(list(recent))  # ok: the first one has fallen out
    turned = deque([torch.ones(3)])
    turned.appendleft(torch.ones(4))
    nn.Linear(4, 2)(turned.popleft())  # ok: the one at the left
    return nn.Linear(5, 2)(torch.stack(states))  # expect: TL105


def inserted(count):
    rows = [torch.ones(3) for _ in range(count)]
    rows.insert(0, torch.ones(4))
    return nn.Linear(4, 2)(rows[0])  # ok: the one that was put there
