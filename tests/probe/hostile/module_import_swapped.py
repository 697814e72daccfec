# takes the name of a checked import away
import torch
import math as torch

torch.tensor
