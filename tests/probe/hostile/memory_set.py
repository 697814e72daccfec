# exchanges the storage of a tensor
import torch

torch.ones(1).set_(torch.ones(2), 1000, (5,), (1,))
