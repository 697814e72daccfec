# maps a new file into memory
import torch

torch.from_file('escaped.bin', shared=True, size=10).fill_(1)
