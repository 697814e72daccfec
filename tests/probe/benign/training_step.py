import torch
from torch import nn


model = nn.Linear(4, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
loss = nn.CrossEntropyLoss()(model(torch.randn(8, 4)), torch.randint(0, 3, (8,)))
loss.backward()
optimizer.step()
optimizer.zero_grad(set_to_none=True)
print(f"loss {loss.item():.4f}")
