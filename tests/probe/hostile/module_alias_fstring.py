# puts a module into a text
import torch

f'{torch.nn!r}'
