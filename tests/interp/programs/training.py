import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.optim import SGD


class Net(nn.Module):
    def __init__(self, classes=3):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3, padding=1)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(4, classes)
        self.register_buffer("scale", torch.ones(1))
        self.alpha = nn.Parameter(torch.zeros(4))

    def forward(self, x):
        x = F.relu(self.conv(x)) + self.alpha.view(1, -1, 1, 1)
        x = self.pool(x).flatten(1)
        return self.fc(x) * self.scale


def train(model, optimizer, criterion, batches):
    model.train()
    running = 0.0
    history = []
    for x, y in batches:
        optimizer.zero_grad()
        out = model(x)  # fact: out = f32[8, 3] grad
        loss = criterion(out, y)  # fact: loss = f32[] grad
        loss.backward()
        optimizer.step()
        running += loss.item()
        history.append(loss.detach())
    avg = running / len(history)
    best = torch.stack(history).min()
    return avg


@torch.no_grad()
def evaluate(model, batches):
    model.eval()
    correct, n = 0, 0
    for x, y in batches:
        pred = model(x).argmax(dim=1)  # fact: pred = i64[8]
        correct += (pred == y).sum().item()
        n += y.size(0)
    acc = correct / n
    return acc


batches = [(torch.randn(8, 1, 6, 6), torch.randint(0, 3, (8,))) for _ in range(4)]
model = Net()
opt = SGD(model.parameters(), lr=0.1)
for epoch in range(2):
    loss = train(model, opt, nn.CrossEntropyLoss(), batches)
    acc = evaluate(model, batches)
    if acc > 2:
        break
mode = model.training
grad = model.fc.weight.grad
scale = model.scale
out = model(batches[0][0])  # fact: out = f32[8, 3] grad
sched = torch.optim.lr_scheduler.StepLR(opt, 1)
sched.step()
best = float("inf")
if loss < best:
    best = loss
state = model.state_dict()
model.load_state_dict(state)
lr = opt.param_groups[0]["lr"]
