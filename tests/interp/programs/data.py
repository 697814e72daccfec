import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, TensorDataset


class Points(Dataset):
    def __init__(self, n):
        self.x = np.random.rand(n, 4)
        self.y = np.arange(n) % 3

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return torch.from_numpy(self.x[i]).float(), int(self.y[i])


class Dicts(Points):
    def __getitem__(self, i):
        x, y = super().__getitem__(i)
        return {"x": x, "y": y}


def collate(samples):
    xs, ys = zip(*samples)
    return torch.stack(xs), torch.tensor(ys)


ds = Points(10)
s, t = ds[0]  # fact: s = f32[4]
for x, y in DataLoader(ds, batch_size=4):
    a = x  # fact: a = f32[B, 4]
    b = y  # fact: b = i64[B]
for batch in DataLoader(Dicts(10), batch_size=5, drop_last=True):
    c = batch["x"]  # fact: c = f32[5, 4]
    d = batch["y"]
for x, y in DataLoader(ds, batch_size=2, collate_fn=collate):
    e = x
    f = y
td = TensorDataset(torch.ones(6, 3), torch.zeros(6).long())
for x, y in DataLoader(td, batch_size=2, shuffle=True):
    g = x  # fact: g = f32[B, 3]
    h = y
for i, (x, y) in enumerate(DataLoader(td)):
    k = x
x, y = next(iter(DataLoader(td, batch_size=2)))
n = len(ds)
arr = np.ones((2, 3))
u = torch.from_numpy(arr)  # fact: u = f64[2, 3]
v = u.float().numpy()
w = torch.tensor(arr.astype(np.float32))  # fact: w = f32[2, 3]
z = torch.as_tensor(v * 2)
item = u.sum().item()
lst = u.tolist()
q = u[0, 0].item()
train, val = torch.utils.data.random_split(td, [4, 2])
xx, yy = train[0]
lam = DataLoader(ds, batch_size=2, collate_fn=lambda s: torch.stack([p[0] for p in s]))
for m in lam:
    mm = m
for batch2 in DataLoader(ds, batch_size=2):
    is_list = isinstance(batch2, list)
    is_tuple = isinstance(batch2, tuple)
    xs, ys = [t.double() for t in batch2]  # fact: xs = f64[B, 4]
    first = batch2[0]  # fact: first = f32[B, 4]
