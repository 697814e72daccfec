# changes the number of threads
import torch

torch.set_num_threads(64)
