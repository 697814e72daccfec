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


class Windows(torch.utils.data.Dataset):
    def __init__(self, length, size):
        self.size = size
        self.numbers = [(7 * i) % 50 for i in range(length)]

    def __len__(self):
        return len(self.numbers) - self.size

    def __getitem__(self, index):
        window = self.numbers[index : index + self.size + 1]
        return torch.tensor(window[:-1]), torch.tensor(window[1:])


def train(model, loader):
    for x, y in loader:
        scores = model(x)
        nn.functional.cross_entropy(scores.view(-1, 50), y)  # expect: TL202
        nn.functional.cross_entropy(scores.view(-1, 50), y.view(-1))
        nn.functional.cross_entropy(scores.transpose(1, 2), y)


train(
    nn.Sequential(nn.Embedding(50, 8), nn.Linear(8, 50)),
    torch.utils.data.DataLoader(Windows(600, 4), batch_size=16),
)


def slices(count):
    numbers = list(range(20))
    torch.zeros(4, 3) @ torch.tensor(numbers[2:7]).float()  # expect: TL105
    torch.zeros(4, 5) @ torch.tensor(numbers[2:7]).float()
    torch.zeros(4, 5) @ torch.tensor(numbers[count:]).float()  # ok: of unknown length
    torch.zeros(4, 3) @ torch.tensor(numbers[-3:]).float()
