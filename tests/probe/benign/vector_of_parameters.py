import torch
from torch import nn


from torch.nn.utils import parameters_to_vector, vector_to_parameters

model = nn.Linear(2, 1)
vector = parameters_to_vector(model.parameters())
vector_to_parameters(vector * 0, model.parameters())
assert model.weight.abs().sum() == 0
first = next(model.parameters())
print(first.shape, sum(1 for _ in model.buffers()))
