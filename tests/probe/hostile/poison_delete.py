# deletes a function of torch
import torch

del torch.relu
