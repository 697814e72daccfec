# writes a file with ndarray.tofile
import torch

torch.ones(3).numpy().tofile('escaped.bin')
