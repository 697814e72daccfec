# packs a sequence with sizes that are wrong
import torch

x = torch.nn.utils.rnn.PackedSequence(torch.ones(2, 1), torch.tensor([9999]))
torch.nn.RNN(1, 1)(x)
