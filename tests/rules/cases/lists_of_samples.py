"""Samples that come out of lists: repeated, sliced, put together in loops, drawn at random; the dtype of their labels."""

import random
from collections import deque

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset, TensorDataset


def of_repeated_list():
    features = np.random.randn(120, 6).astype(np.float32)
    labels = np.array([0.0, 1.0, 2.0] * 40)
    whole = np.array([0, 1, 2] * 40)
    net = nn.Linear(6, 3)
    for x, y in DataLoader(
        TensorDataset(torch.from_numpy(features), torch.from_numpy(labels)), batch_size=16
    ):
        F.cross_entropy(net(x), y)  # expect: TL201
        F.cross_entropy(net(x), y.long())
    for x, y in DataLoader(TensorDataset(torch.from_numpy(features), torch.from_numpy(whole)), batch_size=16):
        F.cross_entropy(net(x), y)  # ok: NumPy's whole numbers are int64


class Rows(Dataset):
    def __init__(self, rows):
        self.x = torch.Tensor([row[:4] for row in rows])  # expect: TL911 (info)
        self.y = torch.Tensor([row[4] for row in rows])  # expect: TL911 (info)
        self.index = torch.LongTensor([row[4] for row in rows])  # expect: TL911 (info)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, place):
        return self.x[place], self.y[place], self.index[place]


def of_rows():
    net = nn.Linear(4, 3)
    rows = [[5.1, 3.5, 1.4, 0.2, 0], [6.2, 3.4, 5.4, 2.3, 2], [5.9, 3.0, 4.2, 1.5, 1]] * 10
    for x, y, index in DataLoader(Rows(rows), batch_size=5):
        F.cross_entropy(net(x), y)  # expect: TL201
        F.cross_entropy(net(x), index)


def of_lines(lines):
    features, labels, classes, shares = [], [], [], []
    for line in lines:
        values = [float(word) for word in line.split(",")]
        features.append(values[:-1])
        labels.append(values[-1])
        classes.append(int(values[-1]))
        shares.append([values[-1], 1 - values[-1]])
    logits = nn.Linear(3, 2)(torch.tensor(features))
    F.cross_entropy(logits, torch.tensor(labels))  # expect: TL201
    F.cross_entropy(logits, torch.tensor(classes))
    return F.cross_entropy(logits, torch.tensor(shares))  # ok: probabilities of two classes


class Memory:
    def __init__(self, size):
        self.buffer = deque(maxlen=size)
        self.seen = []

    def push(self, state, action):
        self.buffer.append((state, action))
        self.seen.append(action)

    def sample(self, count):
        states, actions = zip(*random.sample(self.buffer, count))
        return torch.stack(states), torch.tensor(actions, dtype=torch.float), torch.tensor(actions)


def of_memory():
    memory = Memory(1000)
    policy = nn.Linear(4, 2)
    for _ in range(50):
        memory.push(torch.randn(4), random.randrange(2))
    states, actions, chosen = memory.sample(16)
    F.cross_entropy(policy(states), actions)  # expect: TL201
    F.cross_entropy(policy(states), chosen)


class Callbacks:
    """What a function adds that is only handed on is not seen."""

    def __init__(self, net):
        self.kept = []
        net.register_forward_hook(self.keep)

    def keep(self, module, args, output):
        self.kept.append(output.detach())


def of_callbacks():
    net = nn.Linear(4, 3)
    callbacks = Callbacks(net)
    net(torch.randn(2, 4))
    return torch.cat(callbacks.kept)  # ok: the hook has added an output


def collate(batch):
    xs = [torch.tensor(x) for x, _ in batch]
    ys = [torch.Tensor(y) for _, y in batch]  # expect: TL911 (info)
    whole = [torch.tensor(y) for _, y in batch]
    return (
        pad_sequence(xs, batch_first=True),
        pad_sequence(ys, batch_first=True, padding_value=-100),
        pad_sequence(whole, batch_first=True, padding_value=-100),
    )


def of_tags():
    data = [([1, 4, 2], [0, 1, 1]), ([3, 2], [2, 0]), ([5, 5, 1, 2], [1, 1, 2, 0])]
    net = nn.Sequential(nn.Embedding(10, 8), nn.Linear(8, 3))
    for x, y, tags in DataLoader(data, batch_size=3, collate_fn=collate):
        F.cross_entropy(net(x).permute(0, 2, 1), y)  # expect: TL201
        F.cross_entropy(net(x).permute(0, 2, 1), tags)


class Texts(Dataset):
    def __init__(self, encodings, labels):
        self.encodings = encodings
        self.labels = labels

    def __getitem__(self, place):
        item = {key: torch.tensor(value[place]) for key, value in self.encodings.items()}
        item["labels"] = torch.tensor(self.labels[place], dtype=torch.float)
        return item

    def __len__(self):
        return len(self.labels)


class WholeTexts(Texts):
    def __getitem__(self, place):
        return {"input_ids": torch.tensor([1, 2]), "labels": torch.tensor(self.labels[place])}


class Classifier(nn.Module):
    def __init__(self, num_labels=3):
        super().__init__()
        self.embed = nn.Embedding(100, 12)
        self.score = nn.Linear(12, num_labels)
        self.num_labels = num_labels

    def forward(self, input_ids, labels=None):
        logits = self.score(self.embed(input_ids).mean(1))
        loss = None
        if labels is not None:
            loss = nn.CrossEntropyLoss()(logits.view(-1, self.num_labels), labels.view(-1))  # expect: TL201
        return loss, logits


def of_encodings():
    model = Classifier()
    for batch in DataLoader(Texts({"input_ids": [[1, 2, 3, 0]] * 12}, [0, 1, 2] * 4), batch_size=4):
        model(**batch)
    for batch in DataLoader(WholeTexts({}, [0, 1, 2] * 4), batch_size=4):
        model(**batch)


def changed_afterwards(more):
    """A list that is one of several keeps what is added to it."""
    rows = [[1, 2], [3, 4]]
    for row in rows:
        row.append("text")
    first = [1, 2]
    second = [3.0, 4.0]
    either = first if more else second
    F.cross_entropy(nn.Linear(2, 3)(torch.randn(2, 2)), torch.tensor(either))  # ok: ints, perhaps
    taken = [0, 1] * 40
    taken.pop()
    F.cross_entropy(nn.Linear(2, 3)(torch.randn(79, 2)), torch.tensor(taken))  # ok: 79 of 80
    return torch.tensor([row[0] for row in rows])


of_repeated_list()
of_rows()
of_memory()
of_callbacks()
of_tags()
of_encodings()


BOXES = {"a": [[0.0, 0.0, 4.0, 4.0]], "b": [], "c": [[1.0, 1.0, 3.0, 5.0], [2.0, 2.0, 6.0, 6.0]]}


def of_an_empty_picture(name):
    """A list without rows becomes a tensor of one dim, whatever the other lists hold."""
    return torch.tensor(BOXES[name]) @ torch.ones(0)


of_an_empty_picture("b")
