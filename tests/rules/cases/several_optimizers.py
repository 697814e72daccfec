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
