# reads a pickle, which runs code
import torch

torch.load('/etc/passwd', weights_only=False)
