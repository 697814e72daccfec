"""Regression losses of class indices, and of the results of all steps; class weights that are whole numbers; lists of tensors."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, TensorDataset


class Digits(Dataset):
    def __len__(self):
        return 40

    def __getitem__(self, index):
        return torch.rand(1, 8, 8), index % 10


net = nn.Sequential(nn.Flatten(), nn.Linear(64, 10))
criterion = nn.MSELoss()
for images, labels in DataLoader(Digits(), batch_size=16):
    loss = criterion(net(images), labels)  # expect: TL210


class Forecast(nn.Module):
    def __init__(self, features, width):
        super().__init__()
        self.rnn = nn.LSTM(features, width, batch_first=True)
        self.head = nn.Linear(width, 1)

    def forward(self, x):
        steps, _ = self.rnn(x)
        return self.head(steps)


model = Forecast(3, 8)
rows = TensorDataset(torch.randn(64, 20, 3), torch.randn(64, 1))
for x, y in DataLoader(rows, batch_size=16):
    loss = nn.functional.mse_loss(model(x), y)  # expect: TL210


def class_weights(labels, classes):
    counts = [labels.tolist().count(c) for c in range(classes)]
    most = max(counts)
    return torch.tensor([most // count for count in counts], dtype=torch.long)


labels = torch.tensor([0, 0, 0, 1])
criterion = nn.CrossEntropyLoss(weight=class_weights(labels, 2))
net = nn.Linear(5, 2)
weighted = criterion(net(torch.randn(4, 5)), labels)  # expect: TL230


def projected(rows, matrix):
    return torch.tensor([row @ matrix for row in rows])  # expect: TL128


projected(torch.randn(5, 2), torch.eye(2))
