import torch
from torch import nn

class P(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
    def forward(self, x):
        return self.fc(x)
    def embed(self, x):
        return self.fc(x).numpy()
    def other(self, x):
        return self.fc(x).numpy()  # expect: TL302

m = P()
with torch.no_grad():
    e = m.embed(torch.ones(2, 3))
o1 = torch.optim.SGD(m.parameters(), 0.1)
o2 = torch.optim.SGD(m.parameters(), 0.1)
for i in range(10):
    m(torch.ones(2, 3)).sum().backward()  # expect: TL501
    for o in [o1, o2]:
        o.step()

for i in range(10):
    o1.zero_grad()  # clears the same gradients for both
    m(torch.ones(2, 3)).sum().backward()
    o1.step()
    o2.step()
head = torch.optim.SGD(m.fc.parameters(), 0.1)
p = P()
both = torch.optim.SGD([*m.parameters(), *p.parameters()], 0.1)
for i in range(10):
    head.zero_grad()  # only a part of them
    (m(torch.ones(2, 3)) + p(torch.ones(2, 3))).sum().backward()  # expect: TL501
    both.step()


def two_rates(model, loader, loss_fn):
    fast = torch.optim.SGD(model.parameters(), lr=0.1)
    slow = torch.optim.SGD(model.parameters(), lr=0.01)
    for x, y in loader:
        fast.zero_grad()  # clears what slow steps on, too
        loss_fn(model(x), y).backward()
        fast.step()
        slow.step()


def two_networks(generator, critic, loader, loss_fn):
    first = torch.optim.SGD(generator.parameters(), lr=0.1)
    second = torch.optim.SGD(critic.parameters(), lr=0.01)
    for x, y in loader:
        second.zero_grad()
        loss_fn(critic(generator(x)), y).backward()  # expect: TL501
        second.step()
        first.step()
