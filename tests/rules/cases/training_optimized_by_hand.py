"""Optimizes by hand in a LightningModule: the Trainer calls `training_step` for each batch, and clears nothing then."""

import lightning as L
import pytorch_lightning as pl
import torch
import torch.nn.functional as F
from torch import nn


class ByHand(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.automatic_optimization = False
        self.net = nn.Linear(4, 2)


class WithOne(ByHand):
    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-3)


class NeverCleared(ByHand):
    def training_step(self, batch, batch_idx):
        opt = self.optimizers()
        x, y = batch
        loss = F.cross_entropy(self.net(x), y)
        self.log("loss", loss)
        self.manual_backward(loss)  # expect: TL501
        opt.step()

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-3)


class NeverClearedAndBackwardOfTheLoss(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(4, 2)
        self.automatic_optimization = False

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.cross_entropy(self.net(x), y)
        loss.backward()  # expect: TL501
        self.clip_gradients(self.optimizers(), 1.0, "norm")
        self.optimizers().step()
        self.lr_schedulers().step()
        return loss

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=0.1)
        scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 10)
        return {"optimizer": optimizer, "lr_scheduler": scheduler}


class NeverClearedWhereOneReturns(ByHand):
    def training_step(self, batch, batch_idx):
        opt = self.optimizers()
        loss = self.net(batch).mean()
        self.manual_backward(loss)  # expect: TL501
        opt.step()
        if batch_idx % 100 == 0:
            return loss
        self.log("loss", loss)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-3)


class Cleared(ByHand):
    def training_step(self, batch, batch_idx):
        opt = self.optimizers()
        loss = self.net(batch).mean()
        opt.zero_grad()
        self.manual_backward(loss)  # ok: cleared before
        opt.step()

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-3)


class ClearedAfterTheStep(WithOne):
    def training_step(self, batch, batch_idx):
        opt = self.optimizers()
        self.manual_backward(self.net(batch).mean() / 4)  # ok: every fourth batch clears
        if (batch_idx + 1) % 4 == 0:
            opt.step()
            opt.zero_grad()


class ClearedBeforeItReturns(WithOne):
    def training_step(self, batch, batch_idx):
        opt = self.optimizers()
        loss = self.net(batch).mean()
        self.manual_backward(loss)  # ok: cleared after each step
        opt.step()
        if batch_idx % 100:
            opt.zero_grad()
            return loss
        opt.zero_grad()


class ClearedByTheModule(WithOne):
    def training_step(self, batch, batch_idx):
        opt = self.optimizers()
        self.zero_grad()
        self.manual_backward(self.net(batch).mean())  # ok: the module clears
        opt.step()


class ClearedInAHook(WithOne):
    def on_train_batch_start(self, batch, batch_idx):
        self.optimizers().zero_grad()

    def training_step(self, batch, batch_idx):
        opt = self.optimizers()
        self.manual_backward(self.net(batch).mean())  # ok: cleared in a hook
        opt.step()


class ClearedInAMethod(WithOne):
    def training_step(self, batch, batch_idx):
        opt = self.optimizers()
        self.forget(opt)
        self.manual_backward(self.net(batch).mean())  # ok: cleared in a method
        opt.step()

    def forget(self, opt):
        opt.zero_grad()


class ClearedOutOfSight(WithOne):
    def training_step(self, batch, batch_idx):
        opt = self.optimizers()
        self.toggle_optimizer(opt)
        self.manual_backward(self.net(batch).mean())  # ok: what gets the optimizer may clear
        opt.step()
        self.untoggle_optimizer(opt)


class Two(ByHand):
    def training_step(self, batch, batch_idx):
        first, second = self.optimizers()
        self.manual_backward(self.net(batch).mean())  # ok: which of them clears is not known
        first.step()
        second.step()

    def configure_optimizers(self):
        return [torch.optim.Adam(self.parameters()), torch.optim.Adam(self.parameters())]


class ByAClosure(WithOne):
    def training_step(self, batch, batch_idx):
        opt = self.optimizers()

        def closure():
            opt.zero_grad()
            loss = self.net(batch).mean()
            self.manual_backward(loss)  # ok: cleared in the closure
            return loss

        opt.step(closure=closure)


class Automatic(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(4, 2)

    def training_step(self, batch, batch_idx):
        opt = self.optimizers()
        loss = self.net(batch).mean()
        self.manual_backward(loss)  # ok: refused by Lightning, which clears here itself
        opt.step()

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-3)


class ByAnOption(WithOne):
    def __init__(self, automatic):
        super().__init__()
        self.automatic_optimization = automatic

    def training_step(self, batch, batch_idx):
        opt = self.optimizers()
        self.manual_backward(self.net(batch).mean())  # ok: whether it clears itself is not known
        opt.step()


class ClearedByWhatIsInside(WithOne):
    def training_step(self, batch, batch_idx):
        opt = self.optimizers()
        opt.optimizer.zero_grad()
        self.manual_backward(self.net(batch).mean())  # ok: cleared by the optimizer inside
        opt.step()


class ClearedByTheTrainer(WithOne):
    def training_step(self, batch, batch_idx):
        opt = self.optimizers()
        with opt.toggle_model():
            self.trainer.strategy.zero_grad()
            self.manual_backward(self.net(batch).mean())  # ok: what the Trainer's objects clear is not known
            opt.step()
