import torch


x = torch.empty_strided((2, 3), (1, 2), dtype=torch.float64).fill_(1)
y = torch.arange(12.0).as_strided((2, 2), (3, 1), 4)
z = torch.as_strided(torch.arange(6.0), size=(2, 3), stride=(1, 2))
print(x.stride(), y.tolist(), z.is_contiguous())
