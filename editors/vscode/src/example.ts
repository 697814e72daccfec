/** A training script with mistakes, for a first look. It is shown and never run. */

export const EXAMPLE = `import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, dim: int = 64, heads: int = 4):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)

    def forward(self, x):
        batch, steps, dim = x.shape
        q, k, v = self.qkv(x).view(batch, steps, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        mixed = (q @ k.transpose(-2, -1)).softmax(dim=-1) @ v
        # The heads are moved back behind the steps, and what is moved cannot be viewed as one dimension.
        return mixed.transpose(1, 2).view(batch, steps, dim)


def train(model: nn.Module, batches):
    optimizer = torch.optim.AdamW(model.parameters())
    for x, target in batches:
        loss = nn.functional.mse_loss(model(x), target)
        # Gradients of all earlier batches are still there.
        loss.backward()
        optimizer.step()
        print(loss.item())


x = torch.randn(8, 16, 64)
train(Attention(), [(x, torch.zeros_like(x))] * 100)
`;
