# uses a module that torch holds: torch._C._cuda_init
import torch

torch._C._cuda_init()
