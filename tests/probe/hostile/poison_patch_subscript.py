# changes a table of torch
import torch

torch.nn.functional.__dict__['relu'] = None
