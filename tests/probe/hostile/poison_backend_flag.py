# changes a flag of a backend
import torch

torch.backends.cudnn.enabled = False
