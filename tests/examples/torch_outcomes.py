"""Run with an example project on the path: what torch says of each part that may hold a bug, as JSON by rule.

The parts are the project's own; what they need beside them is a small model and batch made here.
"""

from __future__ import annotations

import json

import torch
from config import Config
from data import build_loaders
from distributed import pick_device
from evaluate import evaluate
from losses import build_criterion
from model import build_model
from torch import nn
from train import train_one_epoch

from torchlsp.probe.worker.logical import one_logical_cuda_device
from torchlsp.probe.worker.ranks import World

RANK_PROGRAM = """
import torch.distributed as dist
import __main__ as outcomes
dist.init_process_group("gloo")
outcomes.train(outcomes.small_model(), outcomes.Recording)
"""


def small_config():
    return Config(length=8, dim=8, heads=2, depth=1, dropout=0.0, batch_size=4, clip_norm=1e9)


def small_model():
    torch.manual_seed(0)
    return nn.Sequential(nn.Flatten(), nn.Linear(24, 5))


def small_batch():
    torch.manual_seed(0)
    return torch.randn(4, 8, 3), torch.tensor([0, 1, 2, 3])


class Recording(torch.optim.SGD):
    """Keeps each step's gradients instead of using them."""

    def __init__(self, parameters):
        super().__init__(parameters, lr=0.1)
        self.seen = []

    def step(self):
        self.seen.append(self.param_groups[0]["params"][0].grad.clone())


def train(model, optimizer_class):
    """Two steps on the same batch."""
    config, optimizer = small_config(), optimizer_class(model.parameters())
    scheduler = torch.optim.lr_scheduler.StepLR(Recording(model.parameters()), 1)
    criterion = build_criterion(config)
    train_one_epoch(model, [small_batch()] * 2, criterion, optimizer, scheduler, "cpu", config)
    return optimizer


def view() -> None:
    build_model(small_config(), 3, 5)(small_batch()[0])


def targets() -> None:
    loader, _ = build_loaders(small_config())
    windows, labels = next(iter(loader))
    build_criterion(small_config())(small_model()(windows), labels)


def to_numpy() -> None:
    with one_logical_cuda_device():
        device = pick_device()
        evaluate(small_model().to(device), [small_batch()], device)


def gradients() -> str:
    first, second = train(small_model(), Recording).seen
    return f"times {(second.norm() / first.norm()).item():.3f}"


def ranks() -> str:
    result = World(RANK_PROGRAM, "ranks.py", 2).run()
    return str(result.errors or {rank: kind for rank, (kind, _) in result.stuck.items()})


def outcome(part) -> str:
    try:
        return part() or "runs"
    except (RuntimeError, TypeError) as error:
        return f"{type(error).__name__}: {error}"


if __name__ == "__main__":
    torch.set_num_threads(1)
    parts = {"TL101": view, "TL201": targets, "TL301": to_numpy, "TL501": gradients, "TL803": ranks}
    answers = {code: outcome(part) for code, part in parts.items()}
    print("\n" + json.dumps(answers))
