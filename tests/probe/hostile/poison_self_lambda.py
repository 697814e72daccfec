# takes the name self for a lambda's parameter
import torch.nn as nn

(lambda self: [None for self.forward in [1]])(nn.Linear)
