"""Layers in models: recurrent outputs, attention, embeddings, losses, lazy layers and shapes of symbols."""

import torch
import torch.nn.functional as F
from torch import nn


class Tagger(nn.Module):
    def __init__(self, words, width, tags):
        super().__init__()
        self.embed = nn.Embedding(words, width, padding_idx=0)
        self.drop = nn.Dropout(0.2)
        self.rnn = nn.LSTM(width, width, num_layers=2, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * width, tags)

    def forward(self, words, state=None):
        embedded = self.drop(self.embed(words))  # fact: embedded = f32[2, 5, 8] grad
        output, (hidden, cell) = self.rnn(embedded, state)  # fact: output = f32[2, 5, 16] noncontig grad
        last = torch.cat([hidden[-2], hidden[-1]], dim=-1)  # fact: last = f32[2, 16] grad
        return self.out(output), last, cell


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.attend = nn.MultiheadAttention(width, heads, batch_first=True)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        y = self.norm(x)
        attended, weights = self.attend(y, y, y)  # fact: attended = f32[2, 5, 8] noncontig grad
        x = x + attended
        return x + self.mlp(x), weights


class Classifier(nn.Module):
    def __init__(self, classes=3):
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(3, 8, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU(inplace=True)
        )
        self.pool = nn.MaxPool2d(2, ceil_mode=True)
        self.head = nn.LazyLinear(classes)
        self.up = nn.ConvTranspose2d(8, 4, 2, stride=2)

    def forward(self, images):
        x = self.stem(images)  # fact: x = f32[2, 8, 8, 8] grad
        x = self.pool(x)  # fact: x = f32[2, 8, 4, 4] grad
        wide = self.up(x)  # fact: wide = f32[2, 4, 8, 8] grad
        larger = nn.Upsample(scale_factor=2)(wide)  # fact: larger = f32[2, 4, 16, 16] grad
        logits = self.head(torch.flatten(x, 1))  # fact: logits = f32[2, 3] grad
        return logits, larger


def main():
    words = torch.zeros(2, 5, dtype=torch.long)
    tagger = Tagger(10, 8, 4)
    scores, last, cell = tagger(words)  # fact: scores = f32[2, 5, 4] grad
    loss = F.cross_entropy(scores.flatten(0, 1), words.flatten())  # fact: loss = f32[] grad
    each = nn.CrossEntropyLoss(reduction="none")(scores.transpose(1, 2), words)  # fact: each = f32[2, 5] grad
    block = Block(8, 2)
    out, weights = block(torch.randn(2, 5, 8))  # fact: weights = f32[2, 5, 5] grad
    logits, larger = Classifier()(torch.randn(2, 3, 16, 16))
    soft = nn.BCEWithLogitsLoss()(logits, torch.ones(2, 3))  # fact: soft = f32[] grad
    gru = nn.GRUCell(3, 6)
    state = torch.zeros(2, 6)
    for _ in range(3):
        state = gru(logits, state)
    return loss, each, out, larger, soft, state, last, cell


main()
tagger, words = Tagger(10, 8, 4).eval(), torch.ones(2, 5, dtype=torch.long)
F.cross_entropy(tagger(words)[0], words)  # fault: CE_CLASS_DIM
