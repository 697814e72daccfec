"""A call with operands on two devices raises: what comes after it proves no device."""

import torch
import torch.nn.functional as F
from torch import nn

images = torch.randn(2, 3, 8, 8, device="cuda")
rows = torch.ones(8, device="cuda")
conv = nn.Conv2d(3, 8, 3)
mix = nn.Conv2d(8, 8, 1)
square = nn.Linear(8, 8)

maps = nn.ReLU()(conv(images))  # expect: TL303
mix(torch.reshape(maps, (2, 8, 6, 6))) + torch.ones(2, 8, 6, 6, device="cuda")

joined = F.softmax(torch.cat([images, torch.ones(2, 3, 8, 8)]), -1)  # expect: TL303
square(joined.view(-1, 8)) + rows

product = torch.relu(images @ torch.ones(8, 8))  # expect: TL303
square(product.view(-1, 8)) + rows

upper, lower = torch.chunk(F.linear(images, torch.ones(8, 8)), 2, 0)  # expect: TL303
square(F.relu(upper).view(-1, 8)) + rows

named = square(F.gelu(nn.Embedding(10, 8)(torch.zeros(3, dtype=torch.long, device="cuda"))).view(3, 8))  # expect: TL303
named + rows

right = square(torch.ones(4, 8))
right + rows  # expect: TL303
