# uses vars
import torch

vars(torch.nn.Linear(1, 1))
