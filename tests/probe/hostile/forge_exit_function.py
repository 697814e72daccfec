# ends the process through torch.os
import torch

torch.os.abort()
