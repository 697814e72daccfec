"""Terms of a loss that no gradient flows through, and losses of which parts are left out on purpose."""

import torch
import torch.nn.functional as F
from pytorch_lightning import LightningModule
from torch import nn

net = nn.Linear(3, 3)
teacher = nn.Linear(3, 3)
scaler = torch.amp.GradScaler("cuda")


class Solver:
    def __init__(self):
        self.model = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
        self.optimizer = torch.optim.Adam(self.model.parameters())

    def residual(self, x):
        x = x.clone().requires_grad_(True)
        u = self.model(x)
        (slope,) = torch.autograd.grad(u, x, torch.ones_like(u))  # expect: TL426
        return (slope - 1).square().mean()

    def with_graph(self, x):
        x = x.clone().requires_grad_(True)
        (slope,) = torch.autograd.grad(self.model(x).sum(), x, create_graph=True)
        return (slope - 1).square().mean()

    def as_asked(self, x, training):
        x = x.clone().requires_grad_(True)
        (slope,) = torch.autograd.grad(self.model(x).sum(), x, create_graph=training)
        return (slope - 1).square().mean()

    def step(self, x: torch.Tensor, y: torch.Tensor):
        self.optimizer.zero_grad()
        loss = F.mse_loss(self.model(x), y)
        loss = loss + 0.1 * self.residual(x) + self.with_graph(x) + self.as_asked(x, self.model.training)
        loss.backward()
        self.optimizer.step()


Solver().step(torch.rand(4, 1), torch.rand(4, 1))


def slopes_of_unseen(critic, real):
    real.requires_grad_(True)
    scores = critic(real)
    found = torch.autograd.grad(outputs=[scores.sum()], inputs=[real], retain_graph=True)  # expect: TL426
    return found[0].flatten(1).norm(2, dim=1).sub(1).pow(2).mean()


def critic_step(critic, real, fake, optimizer, accelerator):
    loss = critic(fake).mean() - critic(real).mean()
    loss += 10 * slopes_of_unseen(critic, real)
    optimizer.zero_grad()
    accelerator.backward(loss)
    optimizer.step()


def some_may_be_missing(critic, real, others):
    found = torch.autograd.grad(critic(real).sum(), others, allow_unused=True)
    if found[0] is None:
        return critic(real).sum()
    return found[0]


def in_a_dict(x: torch.Tensor, y: torch.Tensor):
    scores = net(x)
    losses = {}
    losses["ce"] = F.cross_entropy(scores, y)
    losses["kd"] = F.kl_div(
        scores.detach().log_softmax(1),  # expect: TL426
        teacher(x).detach().softmax(1),
        reduction="batchmean",
    )
    sum(losses.values()).backward()


def of_weights(x: torch.Tensor, y: torch.Tensor):
    loss = F.cross_entropy(net(x), y) + 0.1 * net.weight.data.pow(2).sum()  # expect: TL426
    loss.backward()


def scaled(x: torch.Tensor, y: torch.Tensor):
    scores = net(x)
    loss = 0
    loss += F.cross_entropy(scores, y)
    loss += 0.1 * (scores.argmax(1) != y).float().mean()  # expect: TL426
    scaler.scale(loss).backward()


def in_a_list(x: torch.Tensor, y: torch.Tensor):
    scores = net(x)
    losses = [F.cross_entropy(scores, y), F.l1_loss(scores.data, torch.zeros(4, 3))]  # expect: TL426
    torch.stack(losses).mean().backward()


def a_teacher(x: torch.Tensor, y: torch.Tensor):
    scores = net(x)
    kd = F.kl_div(scores.log_softmax(1), teacher(x).detach().softmax(1), reduction="batchmean")
    (F.cross_entropy(scores, y) + kd).backward()


def to_be_logged(x: torch.Tensor, y: torch.Tensor):
    scores = net(x)
    other = F.l1_loss(scores, torch.zeros(4, 3))
    loss = F.cross_entropy(scores, y) + other.detach()
    loss.backward()


def straight_through(x: torch.Tensor, y: torch.Tensor):
    scores = net(x)
    hard = F.one_hot(scores.argmax(1), 3).float()
    scores = scores + (hard - scores).detach()
    F.cross_entropy(scores, y).backward()


def both_networks(x: torch.Tensor):
    codes = net(x)
    commitment = F.mse_loss(codes, teacher(x).detach())
    embedding = F.mse_loss(codes.detach(), teacher(x))
    (commitment + 0.25 * embedding).backward()


def consistency(weak: torch.Tensor, strong: torch.Tensor, y: torch.Tensor):
    aim = net(weak).detach().softmax(1)
    entropy = -(aim * aim.log()).sum(1).mean()
    cross = -(aim * net(strong).log_softmax(1)).sum(1).mean()
    (F.cross_entropy(net(weak), y) + cross - entropy).backward()


def fixed_part(x: torch.Tensor, y: torch.Tensor):
    with torch.no_grad():
        aim = teacher(x)
        offset = F.mse_loss(aim, torch.zeros(4, 3))
    (F.mse_loss(net(x), aim) + offset).backward()


class Adversarial(LightningModule):
    def __init__(self, critic):
        super().__init__()
        self.critic = critic

    def training_step(self, batch, index):
        real, fake = batch
        loss = self.critic(fake).mean() - self.critic(real).mean()
        mixed = (real + fake).requires_grad_()
        slope = torch.autograd.grad(self.critic(mixed).sum(), mixed)[0]  # expect: TL426
        loss = loss + 10 * ((slope.norm(2, dim=1) - 1) ** 2).mean()
        return {"loss": loss}

    def validation_step(self, batch, index):
        mixed = batch.requires_grad_()
        slope = torch.autograd.grad(self.critic(mixed).sum(), mixed)[0]
        return self.critic(batch).mean() + slope.norm()


def forces(model, loader, optimizer):
    for positions, energy, force in loader:
        positions.requires_grad_(True)
        predicted = model(positions)
        slope = -torch.autograd.grad(predicted.sum(), positions, retain_graph=True)[0]  # expect: TL426
        loss = F.mse_loss(predicted, energy) + 100 * F.mse_loss(slope, force.to("cpu"))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def forces_of_a_batch(model, loader, optimizer):
    for batch in loader:
        x = batch["x"].requires_grad_(True)
        aim = batch["force"]
        slope = torch.autograd.grad(model(x).sum(), x, retain_graph=True)[0]  # expect: TL426
        loss = F.mse_loss(model(x), batch["energy"]) + F.l1_loss(slope, target=aim)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def slope_of_a_teacher(model, other, loader, optimizer):
    for x, y in loader:
        x.requires_grad_(True)
        aim = torch.autograd.grad(other(x).sum(), x)[0]
        slope = torch.autograd.grad(model(x).sum(), x, create_graph=True)[0]
        guess = model(x)
        loss = F.mse_loss(guess, y) + F.mse_loss(slope, aim) + F.mse_loss(aim, guess)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
