# frees the memory of an array under a tensor
import torch

a = torch.ones(4).numpy().copy()
t = torch.from_numpy(a)
a.resize((100000,), refcheck=False)
t.fill_(1)
