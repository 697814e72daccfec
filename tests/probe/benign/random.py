import torch


torch.manual_seed(0)
g = torch.Generator().manual_seed(1)
print(torch.rand(2, generator=g), torch.randperm(4), torch.empty(2).uniform_(-1, 1), torch.multinomial(torch.ones(3), 2))
