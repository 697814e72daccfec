"""Losses and layers of samples that the program lists itself, as lists of numbers."""

import numpy as np
import torch
from torch import nn


class Bag(nn.Module):
    def __init__(self, words, width):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.project = nn.Linear(width, words)

    def forward(self, context):
        return self.project(self.embed(context).mean(dim=0))


class Trainer:
    def __init__(self, samples, words):
        self.samples, self.words = samples, words
        self.model = Bag(words, 16)

    def one_hot(self):
        criterion = nn.CrossEntropyLoss()
        for context, word in self.samples:
            target = np.zeros(self.words)
            target[word] = 1
            target = torch.tensor(target, dtype=torch.long)
            criterion(self.model(torch.tensor(context)), target).backward()  # expect: TL203

    def indices(self):
        criterion = nn.CrossEntropyLoss()
        for context, word in self.samples:
            criterion(self.model(torch.tensor(context)), torch.tensor(word)).backward()


pairs = [([1, 2, 4, 5], 3), ([2, 3, 5, 6], 4), ([3, 4, 6, 7], 5)]
Trainer(pairs, words=50).one_hot()
Trainer(pairs, words=50).indices()


def look_up(table: nn.Embedding, sentences):
    return [table(torch.tensor(words)) for words in sentences]


def read(sentences, size):
    table = nn.Embedding(size, 4)
    for words in sentences:
        table(torch.tensor(words))  # expect: TL225


read([[0, 1, 2], [3, 5]], 5)
