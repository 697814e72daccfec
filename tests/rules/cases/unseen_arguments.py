import torch
from torch import nn
from torch.optim import Optimizer

def train(model: nn.Module, loader, optimizer: Optimizer):
    for x in loader:
        loss = model(x).sum()
        loss.backward()  # expect: TL501
        optimizer.step()

def train_ok(model: nn.Module, loader, optimizer: torch.optim.Optimizer):
    for x in loader:
        model.zero_grad()
        loss = model(x).sum()
        loss.backward()
        optimizer.step()

def accuracy(output, target, topk=(1,)):
    with torch.no_grad():
        maxk = max(topk)
        _, pred = output.topk(maxk, 1, True, True)
        pred = pred.t()
        correct = pred.eq(target.view(1, -1).expand_as(pred))
        return [correct[:k].view(-1).float().sum(0, keepdim=True) for k in topk]  # expect: TL101

def validate(model, loader):
    for x, y in loader:
        acc1, acc5 = accuracy(model(x), y, topk=(1, 5))
