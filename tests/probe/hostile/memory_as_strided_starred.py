# hides strides by unpacking
import torch

print(torch.as_strided(*[torch.ones(1), (2,), (9,), 7]))
