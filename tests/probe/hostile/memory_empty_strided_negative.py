# makes a tensor with negative strides
import torch

torch.empty_strided((4,), (-1,))
