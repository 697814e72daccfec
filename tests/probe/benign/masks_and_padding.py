import torch
import torch.nn.functional as F
from torch import nn


lengths = torch.tensor([3, 1])
mask = torch.arange(4)[None, :] < lengths[:, None]
x = torch.randn(2, 4, 5).masked_fill(~mask.unsqueeze(-1), 0)
pooled = x.sum(1) / mask.sum(1, keepdim=True).clamp(min=1)
padded = F.pad(x, (0, 1, 0, 0), value=-1.0)
attended = F.scaled_dot_product_attention(x, x, x, attn_mask=mask[:, None, :])
mha, weights = nn.MultiheadAttention(5, 1, batch_first=True)(x, x, x, key_padding_mask=~mask)
print(pooled.shape, padded.shape, attended.shape, weights.shape)
