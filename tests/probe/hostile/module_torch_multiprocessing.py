# uses a module that torch holds: torch.multiprocessing.spawn
import torch

torch.multiprocessing.spawn(print, nprocs=2)
