# changes a constant of torch
import torch

torch.pi += 1
