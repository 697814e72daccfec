import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 1)

    def forward(self, x):
        return self.fc(x)


class Squeezed(Net):
    def forward(self, x):
        return super().forward(x).squeeze(-1)


def loops(data):
    net, other = Net(), Squeezed()
    loader = DataLoader(TensorDataset(torch.randn(40, 4), torch.randn(40)), batch_size=8)
    for x, y in loader:
        out = net(x)
        bad = (out - y).abs().mean()  # expect: TL123
        worse = torch.square(torch.sub(y, out)).sum()  # expect: TL123
        hits = (torch.sigmoid(out).round() == y).sum()  # expect: TL123
        good = (other(x) - y).abs().mean()
        also = (out - y[:, None]).abs().mean()
        rows = (out[:, 0] - y).abs().mean()
        flat = (out.flatten() - y).abs().mean()
        if out.dim() > 1:
            out = out.squeeze(1)
        late = (out - y).abs().mean()
        weights = torch.ones(8)
        scaled = net(x) * weights  # expect: TL123
    for x, y in data:
        unknown = (net(x) - y).abs().mean()
    return bad, worse, hits, good, also, rows, flat, late, scaled, unknown


def pairs(scores, n):
    a = torch.rand(n, 1)
    b = torch.rand(n)
    table = a + b
    ranks = torch.arange(n)
    upper = torch.arange(n).view(-1, 1) <= ranks
    margins = scores.view(-1, 1) - scores.view(-1)
    d = np.ones((4, 1)) - np.ones(4)
    e = torch.from_numpy(np.ones((4, 1))) - torch.ones(4)
    f = torch.randn(4, 1) - torch.arange(4)
    g = torch.randn(4, 1) - torch.randn(5)
    h = torch.randn(4, 1) - torch.randn(4)  # expect: TL123
    return table, upper, margins, d, e, f, g, h


class Tagger(nn.Module):
    def __init__(self, batch_first=False):
        super().__init__()
        self.first = nn.LSTM(8, 8)
        self.second = nn.GRU(8, 8, batch_first=batch_first)
        self.third = nn.LSTM(8, 8, bidirectional=True)

    def forward(self, x, lengths):
        packed = pack_padded_sequence(x, lengths)
        out, _ = self.first(packed)
        out, _ = pad_packed_sequence(out)
        a = out[:, -1]
        out, _ = self.second(x)
        return a, out[:, -1]

    def last(self, x):
        out, (h, c) = self.third(x)
        return out[-1], h[-1], out[:, 0], out[:, :, -1], out[:, -1:]

    def wrong(self, x):
        out, _ = self.third(x)  # expect: TL125
        return out[:, -1, :]

    def transposed(self, x, first):
        if first:
            x = x.transpose(0, 1)
        out, _ = self.third(x)
        if first:
            out = out.transpose(0, 1)
        return out[0]

    def states(self, x):
        h = torch.zeros(2, x.size(1), 8)
        return self.third(x, (h, h))

    def wrong_states(self, x):
        h = torch.zeros(2, x.size(0), 8)
        return self.third(x, (h, h))  # expect: TL125

    def steps(self, x):
        h = torch.zeros(1, 1, 8)
        outs = []
        for i in range(len(x)):
            out, h = self.second(x[i].view(1, 1, -1), h)
            outs.append(out[:, -1])
        return outs


def one_by_one(loader):
    rnn = nn.RNN(8, 8)
    for x, y in DataLoader(TensorDataset(torch.randn(9, 5, 8), torch.randn(9)), batch_size=3):
        rnn(x)  # expect: TL125
        rnn(x.transpose(0, 1))
        rnn(x.permute(1, 0, 2))
        rnn(x[0])
        nn.RNN(8, 8, batch_first=True)(x)
        nn.RNN(8, 8, batch_first=True)(x.transpose(0, 1))  # expect: TL125
    for x in loader:
        rnn(x)
    steps = torch.stack([torch.randn(3, 8) for _ in range(5)])
    return rnn(steps)


class Table(dict):
    def __getitem__(self, index):
        return 0


def counted(labels, loader):
    counts, grid = torch.zeros(5), torch.zeros(5, 5)
    counts[labels] += 1
    counts[torch.randint(0, 5, (20,))] += 1  # expect: TL126
    counts[torch.randint(0, 5, (1,))] += 1
    counts[[0, 1, 0]] -= 2.0  # expect: TL126
    counts[[0, 1]] += 1
    counts[torch.tensor([1, 1])] = 3
    counts[torch.tensor([1, 1])] *= 1
    counts[torch.tensor([True, True, False, False, True])] += 1
    counts[torch.zeros(20, dtype=torch.long)] += 1  # expect: TL126
    counts[labels.unique()] += 1
    counts[0] += 1
    grid[:, [2, 2]] += 1  # expect: TL126
    grid[torch.arange(5), torch.randint(0, 5, (5,))] += 1
    grid[0, [1, 2]] += 1
    t = Table()
    t[[1, 1]] += 1
    for x, y in loader:
        grid[y, x.argmax(dim=1)] += 1
    a = np.zeros(3)
    a[[0, 0]] += 1
    return counts, grid


class Swapped(nn.Module):
    def __init__(self, features, hidden):
        super().__init__()
        self.hidden = hidden
        self.gru = nn.GRU(features, hidden, batch_first=True)

    def initial(self, batch):
        return torch.zeros(batch, 1, self.hidden)

    def forward(self, x):
        return self.gru(x, self.initial(x.size(0)))  # expect: TL125

    def right(self, x):
        return self.gru(x, self.initial(x.size(0)).transpose(0, 1))


def padded(sequences):
    known = [torch.randn(5, 8), torch.randn(3, 8)]
    rnn, first = nn.RNN(8, 8), nn.RNN(8, 8, batch_first=True)
    rnn(nn.utils.rnn.pad_sequence(known))
    rnn(nn.utils.rnn.pad_sequence(known, batch_first=True))  # expect: TL125
    rnn(nn.utils.rnn.pad_sequence(known, batch_first=True).transpose(0, 1))
    first(nn.utils.rnn.pad_sequence(known, batch_first=True))
    first(nn.utils.rnn.pad_sequence(known))  # expect: TL125
    first(nn.utils.rnn.pad_sequence(sequences))


class OneStep(nn.Module):
    """`-1` stands for 1 where the argument is one step."""

    def __init__(self):
        super().__init__()
        self.widen = nn.Linear(5, 8)
        self.state = torch.zeros(2, 1, 4)
        self.gru = nn.GRU(8, 4, 2)

    def forward(self, x):
        x = torch.sigmoid(self.widen(torch.tensor(x, device=self.widen.weight.device)))
        out, self.state = self.gru(x.view(1, -1, 8), self.state.data)
        return out


def act(env):
    return OneStep()(env.reset())
