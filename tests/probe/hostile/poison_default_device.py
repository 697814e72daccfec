# changes the default device
import torch

torch.set_default_device('meta')
