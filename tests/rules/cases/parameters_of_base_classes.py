"""`self.parameters()` in a base class: subclasses in other files make the layers."""

import lightning.pytorch as pl
import torch
from torch import nn


class ModelBase(pl.LightningModule):
    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), self.args.lr)


class Scaled(nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.scale = scale

    def optimizer(self):
        return torch.optim.AdamW(self.parameters())


torch.optim.AdamW(Scaled(2).parameters())  # expect: TL513
