"""NumPy writes `a op= b` into an array: it keeps its dtype and shape. A NumPy scalar is replaced."""

import numpy as np
import torch
from torch import nn

conv = nn.Conv2d(3, 4, 3)
frame = np.zeros((1, 3, 8, 8), dtype=np.float32)
frame -= np.array([0.4914, 0.4822, 0.4465]).reshape(-1, 1, 1)
conv(torch.from_numpy(frame))

frame = frame - np.array([0.4914, 0.4822, 0.4465]).reshape(-1, 1, 1)
conv(torch.from_numpy(frame))  # expect: TL213
