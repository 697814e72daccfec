# goes from a class to its module
import torch

torch.nn.Linear.os
