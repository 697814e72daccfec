"""A comparison that one call makes constant has another answer where other calls pass something else."""

from typing import Optional, Union

import torch
from torch import nn


def annotated(device: torch.device | str):
    return device == "cuda"


def by_default(device="cpu"):
    return torch.randn(4, device=device if device != "cpu" else "cpu")


def optional(device: Optional[Union[str, torch.device]] = None):
    return device in ("cuda", "mps")


def quoted(device: "str | torch.device"):
    return device == "cuda"


def by_two_calls(device):
    return device == "cuda"


def by_calls_of_devices(device):
    return device == "cuda"  # expect: TL306


def by_one_call(device: torch.device):
    return device != "cuda"  # expect: TL306


def by_an_unseen_call(device, name):
    return device == "cpu", name == "cpu"


def of_a_tensor(tensor, other):
    return tensor.device == "cpu", other.device == "cpu"  # expect: TL306


class Trainer(nn.Module):
    def __init__(self, device):
        super().__init__()
        self.device = device

    def pinned(self):
        return self.device == "cuda"


gpu = torch.device("cuda")
annotated(gpu)
by_default(gpu)
optional(gpu)
quoted(gpu)
by_two_calls("cuda")
by_two_calls(gpu)
by_calls_of_devices(gpu)
by_calls_of_devices(torch.device("cpu"))
by_one_call(gpu)
of_a_tensor(torch.zeros(2), gpu)
Trainer(gpu).pinned()
Trainer("cuda").pinned()


def main(options):
    by_an_unseen_call(gpu, "cpu")
    by_an_unseen_call(options.device, gpu)
    of_a_tensor(options.tensor, options)
