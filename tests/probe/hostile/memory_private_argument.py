# reads outside a tensor by a private argument
import torch

torch.nn.functional.fractional_max_pool2d(torch.ones(1, 1, 8, 8), 2, output_size=4, _random_samples=torch.full((1, 1, 2), 1e9))
