import torch


x = torch.arange(24).view(2, 3, 4).float()
y = torch.einsum("bij,bkj->bik", x, x)
rows = torch.tensor([0, 1])
print(y[..., None, 0].shape, x[:, rows].shape, x[x > 5].numel(), x[0, :, -1], x[:, ::2, 1:3].stride())
x[0, 0] = 7.0
x[:, 1] += 1
x[rows, rows] = torch.zeros(2, 4)
print(torch.gather(x, 2, torch.zeros(2, 3, 1, dtype=torch.long)).squeeze(-1))
