import torch
from torch import nn


layer = nn.TransformerEncoderLayer(d_model=8, nhead=2, dim_feedforward=16, batch_first=True)
encoder = nn.TransformerEncoder(layer, num_layers=2)
mask = nn.Transformer.generate_square_subsequent_mask(5)
print(encoder(torch.randn(2, 5, 8), mask=mask).shape)
