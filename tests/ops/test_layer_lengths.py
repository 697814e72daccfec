"""How many numbers layers take for each dim that they slide over, as torch has it."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from torchlsp.core.text import Document
from torchlsp.lint.runner import run
from torchlsp.syntax.parse import parse

pytestmark = pytest.mark.torch

LAYERS = [f"{name}{rank}d" for rank in (1, 2, 3) for name in ("Conv", "ConvTranspose", "MaxPool", "AvgPool")]
ARGUMENTS = ("kernel_size", "stride", "padding", "dilation")


class NoOtherFiles:
    def module(self, dotted_name: str, importing_path: str) -> None:
        return None


def refused(call: str) -> bool:
    document = Document("layer.py", f"from torch import nn\n\nlayer = {call}\n")
    return bool(run(parse(document), NoOtherFiles(), frozenset({"TL922"}), strict=True).findings)


@pytest.mark.parametrize("argument", ARGUMENTS)
@pytest.mark.parametrize("layer", LAYERS)
def test_torch_refuses_the_same_counts(layer: str, argument: str) -> None:
    if layer.startswith("AvgPool") and argument == "dilation":
        pytest.skip("it has no dilation")
    rank = int(layer[-2])
    for count in (1, 2, 3):
        number = "3" if argument == "kernel_size" else "1"
        numbers = f"({', '.join([number] * count)},)"
        kernel = "" if argument == "kernel_size" else "kernel_size=3, "
        channels = "4, 4, " if layer.startswith("Conv") else ""
        call = f"nn.{layer}({channels}{kernel}{argument}={numbers})"
        made = eval(call, {"nn": nn})
        try:
            made(torch.zeros(1, 4, *[9] * rank))
        except RuntimeError:
            assert refused(call), call
        else:
            assert not refused(call), call
