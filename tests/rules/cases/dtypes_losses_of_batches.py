"""Regression losses whose batch meets another dim than that of the other side."""

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, Dataset, TensorDataset
from views import load


class Readings(Dataset):
    def __init__(self):
        self.files = load()

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        return {"x": torch.rand(20, 3), "y": torch.rand(1), "z": torch.rand(()), "label": index % 10}


class Forecast(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(3, 8, batch_first=True)
        self.out = nn.Linear(8, 1)

    def forward(self, x):
        steps, _ = self.rnn(x)
        return self.out(steps)


def train(model, classifier):
    for batch in DataLoader(Readings(), batch_size=16):
        every = model(batch["x"])
        F.mse_loss(every, batch["y"])  # expect: TL210
        F.smooth_l1_loss(every, batch["z"])  # expect: TL210
        F.l1_loss(every.squeeze(-1), batch["z"])  # expect: TL210
        F.mse_loss(every[:, -1], batch["y"])  # ok: of the last step
        F.mse_loss(every.mean(1).squeeze(-1), batch["z"])
        F.mse_loss(every.squeeze(-1), batch["y"])  # ok: one target for all steps may be meant
        scores = classifier(batch["x"])
        nn.HuberLoss()(scores, batch["label"])  # expect: TL210
        F.mse_loss(scores.argmax(1).float(), batch["label"])
        F.mse_loss(scores, F.one_hot(batch["label"], 10).float())


train(Forecast(), nn.Sequential(nn.Flatten(), nn.Linear(60, 10)))


def one_prediction(net, cells):
    criterion = nn.MSELoss()
    for images, labels in DataLoader(cells, batch_size=8):
        outputs = net(images.view(-1, 8 * 12))
        loss = criterion(outputs, labels)  # expect: TL210
        loss.backward()


one_prediction(nn.Linear(96, 5), TensorDataset(torch.randn(16, 12), torch.rand(16, 5)))


def alike(net, x, weights):
    rows, columns = x.shape
    F.mse_loss(net(torch.randn(rows, 7)), torch.zeros(7))  # ok: a target for all rows
    F.mse_loss(torch.randn(rows, rows), torch.randn(rows))  # ok: may be of the columns
    F.l1_loss(torch.randn(1, 5), torch.randn(8, 5))  # ok: of no network
    F.mse_loss(net(torch.randn(8, 7)), torch.randn(1, 7))  # ok: one picture that all are like


alike(nn.Linear(7, 7), torch.randn(4, 4), torch.ones(4))
