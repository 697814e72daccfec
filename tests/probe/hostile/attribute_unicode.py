# writes a refused name with other letters
import torch

torch.ones(1).ｄａｔａ_ｐｔｒ()
