# asks for a huge product
import torch

torch.zeros(65536 * 65536)
