"""What a method that does nothing returns is what subclasses make of it; a progress bar is no tensor."""

import lightning as L
import torch
from tqdm import tqdm


def kept(outputs, values: torch.Tensor, process):
    outputs.append(values.detach())
    return process(values)


class Base(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.outputs = []

    def step(self, batch):
        """Returns the loss."""

    def training_step(self, batch, batch_idx):
        return kept(self.outputs, self.step(batch), torch.mean)  # ok: a subclass computes it


def watched(x):
    bar = tqdm(torch.ones(x).unique())
    for value in bar:
        bar.set_description(str(value.item()))  # ok: a method of the bar
        value.view(7)  # expect: TL102


def moved():
    return torch.tensor([1.0]).npu()  # ok: a package of that device adds it
