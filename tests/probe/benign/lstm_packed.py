import torch
from torch import nn


from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

lstm = nn.LSTM(3, 5, num_layers=2, batch_first=True, bidirectional=True)
packed = pack_padded_sequence(torch.randn(2, 4, 3), [4, 2], batch_first=True)
out, (h, c) = lstm(packed)
padded, lengths = pad_packed_sequence(out, batch_first=True)
print(padded.shape, lengths.tolist(), h.shape, c[0].norm())
