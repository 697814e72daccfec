# compares modules
import torch

torch == torch.nn
