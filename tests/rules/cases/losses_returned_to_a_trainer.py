"""Returns losses from `training_step`: Lightning runs backward on what it returns."""

import lightning as L
import pytorch_lightning as pl
import torch
import torch.nn.functional as F
from elsewhere import Base
from torch import nn


class Model(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(4, 2)


class Detached(Model):
    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.cross_entropy(self.net(x), y)
        return loss.detach()  # expect: TL405

    def validation_step(self, batch, batch_idx):
        x, y = batch
        return F.cross_entropy(self.net(x), y).detach()  # ok: nothing goes back from here


class DetachedInADict(Model):
    def training_step(self, batch, batch_idx):
        loss = self.net(batch).mean()
        return {"loss": loss.detach(), "kept": loss}  # expect: TL405


class DetachedBeside(Model):
    def training_step(self, batch, batch_idx):
        loss = self.net(batch).mean()
        return {"loss": loss, "shown": loss.detach()}  # ok: the loss has a graph


class ComputedWithoutGradients(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(4, 2)

    def training_step(self, batch, batch_idx):
        with torch.no_grad():
            loss = self.net(batch).mean()
        return loss  # expect: TL405


class WithAGraph(Model):
    def training_step(self, batch, batch_idx):
        loss = self.net(batch).mean()
        self.log("loss", loss.detach())
        return loss  # ok: it has a graph


class ByHand(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.automatic_optimization = False
        self.net = nn.Linear(4, 2)

    def training_step(self, batch, batch_idx):
        opt = self.optimizers()
        loss = self.net(batch).mean()
        opt.zero_grad()
        self.manual_backward(loss)
        opt.step()
        return loss.detach()  # ok: the Trainer does nothing with it


class WithItsOwnBackward(Model):
    def training_step(self, batch, batch_idx):
        return self.net(batch).mean().detach()  # ok: what goes back is decided below

    def backward(self, loss):
        pass


class OfAnUnseenBase(Base):
    def training_step(self, batch, batch_idx):
        return self.net(batch).mean().detach()  # ok: what calls it is not known


class Plain(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(4, 2)

    def training_step(self, batch, batch_idx):
        return self.net(batch).mean().detach()  # ok: no Trainer calls it


class CalledElsewhere(Model):
    def shared(self, batch):
        x, y = batch
        return F.cross_entropy(self.net(x), y)

    def training_step(self, batch, batch_idx):
        return self.shared(batch)  # ok: without a graph only where it is called below

    @torch.no_grad()
    def validation_step(self, batch, batch_idx):
        return self.training_step(batch, batch_idx)


def score(loader):
    model = CalledElsewhere()
    with torch.inference_mode():
        return [model.training_step(batch, 0) for batch in loader]
