# replaces a function under an alias
import torch.nn.functional as F

F.relu = print
