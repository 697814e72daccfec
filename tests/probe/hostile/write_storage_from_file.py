# maps a new file through a storage
import torch

torch.UntypedStorage.from_file('escaped.bin', True, 10).fill_(1)
