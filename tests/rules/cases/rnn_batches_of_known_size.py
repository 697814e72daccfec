"""Batches of a loader whose size is a number: with drop_last, or since there are as many samples."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

tokens = TensorDataset(torch.randint(0, 50, (24, 12)), torch.randint(0, 2, (24,)))
series = TensorDataset(torch.randn(24, 12, 3), torch.randn(24, 1))
embedding, encoder = nn.Embedding(50, 8), nn.LSTM(8, 5)

for words, _ in DataLoader(tokens, batch_size=6, drop_last=True):
    embedded = embedding(words)
    encoder(embedded)  # expect: TL125
    encoder(nn.functional.dropout(embedded, 0.1).float())  # expect: TL125
    encoder(embedding(words).transpose(0, 1))  # ok: time comes first now
    encoder(embedding(words.t()))  # ok: time comes first now

for values, _ in DataLoader(series, batch_size=6, drop_last=True):
    nn.GRU(3, 5)(values)  # expect: TL125
    nn.GRU(3, 5, batch_first=True)(values)
    nn.GRU(3, 5)(values.permute(1, 0, 2))
    nn.GRU(3, 5)(values[0].unsqueeze(1))  # ok: one sequence of the batch

for values, _ in DataLoader(series, batch_size=1):
    nn.GRU(3, 5)(values)  # ok: a batch of one is not told from a step


def together(batch):
    return torch.stack([values for values, _ in batch], dim=1)


for values in DataLoader(series, batch_size=6, drop_last=True, collate_fn=together):
    nn.GRU(3, 5)(values)  # ok: the function puts time first
