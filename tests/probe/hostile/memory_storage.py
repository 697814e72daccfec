# takes the storage of a tensor
import torch

kept = torch.ones(1).untyped_storage()
