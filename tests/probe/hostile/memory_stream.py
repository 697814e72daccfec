# makes a stream of an address
import torch

torch.cuda.ExternalStream(4096)
