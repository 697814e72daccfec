import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, heads: int = 8, size: int = 64):
        super().__init__()
        self.heads, self.size = heads, size
        self.query = nn.Linear(heads * size, heads * size)

    def forward(self, tokens):
        batch, steps, width = tokens.shape
        q = self.query(tokens).view(batch, steps, self.heads, self.size)
        q = q.transpose(1, 2) * self.size**-0.5
        return q.view(batch, steps, width)


model = Attention()
out = model(torch.randn(4, 16, 512))
