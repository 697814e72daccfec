import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import Dataset, DataLoader
import pandas as pd

class Csv(Dataset):
    def __init__(self, path):
        df = pd.read_csv(path)
        self.x = torch.tensor(df.values[:, 1:], dtype=torch.float32)
        self.y = torch.tensor(df["label"].values, dtype=torch.float32)
    def __len__(self):
        return len(self.y)
    def __getitem__(self, i):
        return self.x[i], self.y[i]

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(20, 5)
    def forward(self, x):
        return F.relu(self.fc(x))

def train():
    net = Net()
    criterion = nn.CrossEntropyLoss()
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for x, y in DataLoader(Csv("a.csv"), batch_size=8):
        opt.zero_grad()
        loss = criterion(net(x), y)  # expect: TL201
        loss.backward()
        opt.step()

def onehot(logits: torch.Tensor):
    target = F.one_hot(torch.randint(0, 5, (8,)), num_classes=5)
    out = nn.Linear(3, 5)(torch.randn(8, 3))
    return F.cross_entropy(out, target)  # expect: TL203

def seq():
    emb = nn.Embedding(100, 32)
    head = nn.Linear(32, 100)
    tokens = torch.randint(0, 100, (4, 12))
    logits = head(emb(tokens))
    return F.cross_entropy(logits, tokens)  # expect: TL204

def col():
    out = nn.Linear(3, 5)(torch.randn(8, 3))
    y = torch.randint(0, 5, (8, 1))
    return F.cross_entropy(out, y)  # expect: TL202

def good(batch):
    out = nn.Linear(3, 5)(torch.randn(8, 3))
    y = torch.from_numpy(np.zeros(8, dtype=np.int64))
    soft = torch.rand(8, 5)
    return F.cross_entropy(out, y) + F.cross_entropy(out, soft) + F.cross_entropy(out, y.int().long())
if __name__ == "__main__":
    train()
