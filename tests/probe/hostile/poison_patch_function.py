# replaces a function of torch
import torch

torch.relu = torch.sigmoid
