# opens a socket with TCPStore
import torch

torch.distributed.TCPStore('127.0.0.1', 29500, 1, True)
