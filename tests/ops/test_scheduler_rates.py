"""Which schedulers compute the current rate whenever they are asked for it, as torch has it."""

from __future__ import annotations

import warnings

import pytest
import torch

from torchlsp.interp.checks.training.scheduler_arguments import COMPUTES_CURRENT_RATE, COMPUTES_FIRST_RATE

pytestmark = pytest.mark.torch

S = torch.optim.lr_scheduler
MADE = {
    "LambdaLR": lambda optimizer: S.LambdaLR(optimizer, lambda epoch: 1 / (epoch + 1)),
    "MultiplicativeLR": lambda optimizer: S.MultiplicativeLR(optimizer, lambda epoch: 0.9),
    "StepLR": lambda optimizer: S.StepLR(optimizer, 2),
    "MultiStepLR": lambda optimizer: S.MultiStepLR(optimizer, [1, 3, 5]),
    "ConstantLR": lambda optimizer: S.ConstantLR(optimizer, 0.5, 3),
    "LinearLR": S.LinearLR,
    "ExponentialLR": lambda optimizer: S.ExponentialLR(optimizer, 0.9),
    "PolynomialLR": lambda optimizer: S.PolynomialLR(optimizer, 8),
    "CosineAnnealingLR": lambda optimizer: S.CosineAnnealingLR(optimizer, 8),
    "CosineAnnealingWarmRestarts": lambda optimizer: S.CosineAnnealingWarmRestarts(optimizer, 4),
    "CyclicLR": lambda optimizer: S.CyclicLR(optimizer, 0.1, 1.0, 3, cycle_momentum=False),
    "OneCycleLR": lambda optimizer: S.OneCycleLR(optimizer, 1.0, 20),
}


@pytest.mark.parametrize("name", MADE)
def test_get_lr_is_the_current_rate(name: str) -> None:
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scheduler = MADE[name](optimizer)
        equal = []
        for _ in range(8):
            optimizer.step()
            scheduler.step()
            equal.append(scheduler.get_lr() == pytest.approx(scheduler.get_last_lr()))
    assert all(equal) is (f"torch.optim.lr_scheduler.{name}" in COMPUTES_CURRENT_RATE)


@pytest.mark.parametrize(
    "name", ["StepLR", "MultiStepLR", "ExponentialLR", "MultiplicativeLR", "CosineAnnealingLR", "LinearLR"]
)
def test_get_lr_of_a_new_scheduler_is_the_current_rate(name: str) -> None:
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scheduler = MADE[name](optimizer)
        equal = scheduler.get_lr() == pytest.approx(scheduler.get_last_lr())
    assert equal is (f"torch.optim.lr_scheduler.{name}" in COMPUTES_FIRST_RATE)
