"""Tuples, lists, dicts, arrays, images and modules in the place of a tensor, and where torch takes them."""

import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torchvision import transforms as T


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(3, 5, batch_first=True)
        self.head = nn.Linear(5, 2)
        self.both = nn.Sequential(nn.GRU(3, 5, batch_first=True), nn.Linear(5, 2))

    def forward(self, x):
        out = self.lstm(x)
        return self.head(out)  # expect: TL930

    def last(self, x):
        out = self.lstm(x)
        return out[:, -1]  # expect: TL930

    def length(self, x):
        out = self.lstm(x)
        return out.shape[1]  # expect: TL930

    def one_by_one(self, x):
        return self.both(x)  # expect: TL930

    def right(self, x):
        out, (hidden, cell) = self.lstm(x)
        both = self.lstm(x)
        return self.head(out), self.head(both[0]), self.head(hidden[-1]), both[1][0][..., 0]


def several(x):
    return x, 2 * x


def of_functions(x):
    pair = several(x)
    F.relu(pair)  # expect: TL930
    F.softmax([x, x], dim=-1)  # expect: TL930
    torch.mean(nn.ReLU(x))  # expect: TL930
    nn.Linear(3, 2)({"x": x})  # expect: TL930
    torch.stack(several(x))
    torch.cat([x, x])
    torch.is_tensor([x])
    torch.atleast_2d([x, x])
    return F.relu(pair[0])


def batches(x, y):
    for batch in DataLoader(TensorDataset(x, y), batch_size=2):
        batch = batch.cuda()  # expect: TL930
        print(batch)
    for batch in DataLoader(TensorDataset(x, y), batch_size=2):
        batch = [part.cuda() for part in batch]
        print(batch.count(0), batch[0].shape)


def asked(x, parts=None):
    parts = [x, x]
    if torch.is_tensor(parts) and parts.dim() == 1:
        return parts.view(-1)
    if isinstance(parts, torch.Tensor):
        parts = parts[:, 0]
    if hasattr(parts, "shape"):
        return parts.shape
    parts = torch.stack(parts)
    return F.relu(parts).shape


def either(x, flag):
    out = several(x) if flag else x
    return F.relu(out), out.shape


def packed(x, lengths):
    rows = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True)
    out, state = nn.LSTM(3, 5, batch_first=True)(rows)
    return rows.to("cpu"), out.data, state


def sizes(x):
    return x.shape.numel(), x.size()[1:].numel()


def taken_apart(x):
    many = nn.Identity()([x, x])
    return nn.Flatten()(torch.stack(many))


def weighted(x):
    w = [0.0, 0.1, 0.9]
    return (x[:, :3] * w).sum(1), ([1.0] + x).mean()


def scaled(found, w, h):
    boxes = found["boxes"] * [[w, h, w, h]]
    return boxes[..., 0] - boxes[:, 2]


def arrays(x: torch.Tensor):
    rows = x.cpu().numpy()
    F.softmax(rows, dim=1)  # expect: TL930
    nn.Linear(3, 2)(np.zeros((4, 3), np.float32))  # expect: TL930
    torch.round(np.zeros(3))  # expect: TL930
    torch.as_tensor(rows), torch.stack([torch.from_numpy(rows)])
    return nn.Identity()(rows), nn.Linear(3, 2)(torch.from_numpy(rows))  # ok: converted, or handed back as it is


def pictures(path):
    image = Image.open(path).convert("RGB")
    nn.Conv2d(3, 4, 3)(image)  # expect: TL930
    return nn.Conv2d(3, 4, 3)(T.ToTensor()(image))  # ok: converted


def repeated(count):
    rows = [torch.zeros(3)] * count
    return F.relu(rows)  # expect: TL930


class Folds:
    def __init__(self):
        self.rows = [1, 2]
        self.fold = None

    def length(self):
        return self.rows[self.fold]


class OnDevice(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 2)

    def forward(self, x):
        return self.first(x)  # expect: TL930


def devices(x: torch.Tensor, name):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    nn.Linear(3, 2)(x.device)  # expect: TL930
    model = OnDevice().to(device)
    return model(device), model(x.to(device)), nn.Identity()(name)
