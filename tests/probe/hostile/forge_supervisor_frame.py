# changes the answer in the frame of its caller
import torch

frame = torch.sys._getframe(1)
