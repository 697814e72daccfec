"""Tests that replace functions by mocks: what the program defines is not what is called there."""

import os
from unittest import mock
from unittest.mock import patch

import torch
from torch import optim


def made(momentum):
    return lambda *args, **kwargs: optim.SGD(*args, momentum=momentum, **kwargs)


def no_grad_context():
    return torch.no_grad()


@mock.patch("torch.optim.SGD")
def test_decorated(sgd):
    made(0.2)("parameters", param1=1)
    sgd.assert_called_with("parameters", momentum=0.2, param1=1)


def test_entered():
    with patch.object(torch, "no_grad") as no_grad:
        no_grad_context()
        no_grad.assert_called_once()
    no_grad_context()  # expect: TL415


@patch.dict(os.environ, {"HOME": "/"})
def test_of_the_environment():
    no_grad_context()  # expect: TL415


test_decorated()
