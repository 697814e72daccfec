# leaves a file in shared memory
import torch

torch.ones(10).share_memory_()
