# leaves files in shared memory through a module
import torch

torch.nn.Linear(2, 2).share_memory()
