# reaches outside a tensor by computed strides
import torch

far = 2147483647
print(torch.ones(1).as_strided((2,), (far,), far))
