"""The parameter of a layer is the same tensor each time that it is read."""

from torch import nn

embedding = nn.Embedding(20, 20)
embedding.weight.to("cpu")  # ok: it is on the CPU
embedding.weight.to("cuda")  # expect: TL304
