"""NumPy beside torch: what arrays are, what tensors become of them, and what comes back."""

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, TensorDataset

features = np.random.randn(120, 6)  # fact: features = ndarray f64[120, 6]
labels = (features.sum(axis=1) > 0).astype(int)  # fact: labels = ndarray i64[120]
mean, std = features.mean(axis=0), features.std(axis=0)
scaled = (features - mean) / std  # fact: scaled = ndarray f64[120, 6]
half = scaled.astype(np.float32)  # fact: half = ndarray f32[120, 6]
picture = np.zeros((32, 48, 3), dtype=np.uint8)
planes = picture.transpose(2, 0, 1)  # fact: planes = ndarray u8[3, 32, 48]
floats = planes / 255.0  # fact: floats = ndarray f64[3, 32, 48]
tensor = torch.from_numpy(planes)  # fact: tensor = u8[3, 32, 48] noncontig
copied = torch.from_numpy(planes.copy())  # fact: copied = u8[3, 32, 48]
image = torch.from_numpy(half).float()  # fact: image = f32[120, 6]
double = torch.from_numpy(features)  # fact: double = f64[120, 6]
listed = torch.tensor([1, 2, 3]).numpy()  # fact: listed = ndarray i64[3]
stacked = np.stack([planes, planes])  # fact: stacked = ndarray u8[2, 3, 32, 48]
joined = np.concatenate([features, features[:20]])  # fact: joined = ndarray f64[140, 6]
column = features[:, 0]  # fact: column = ndarray f64[120]
flat = picture.reshape(-1)  # fact: flat = ndarray u8[4608]
one_hot = np.eye(10)[labels]  # fact: one_hot = ndarray f64[120, 10]
grid = np.linspace(0, 1, 11)  # fact: grid = ndarray f64[11]
batch = np.expand_dims(planes, 0)  # fact: batch = ndarray u8[1, 3, 32, 48]
total = np.prod(picture.shape)
wide = torch.zeros(total)  # fact: wide = f32[4608]
number = int(total)
mixed = torch.ones(6) * mean  # fact: mixed = f64[6]
order = np.random.permutation(len(features))
shuffled = features[order]  # fact: shuffled = ndarray f64[120, 6]
split = int(0.8 * len(features))
test = features[split:]
zeros = np.zeros_like(half, dtype=bool)  # fact: zeros = ndarray bool[120, 6]
for i in range(3):
    row = features[i]  # fact: row = ndarray f64[6]
    half[i] = row
losses = []
net = nn.Linear(6, 2)
for x, y in DataLoader(TensorDataset(image, torch.from_numpy(labels)), batch_size=20):
    out = net(x)  # fact: out = f32[B, 2] grad
    loss = nn.functional.cross_entropy(out, y)
    losses.append(loss.item())
    scores = out.detach().numpy()  # fact: scores = ndarray f32[B, 2]
    best = np.argmax(scores, axis=1)  # fact: best = ndarray i64[B]
average = np.mean(losses)


class Rows(Dataset):
    def __init__(self, values, targets):
        self.values = values
        self.targets = targets

    def __len__(self):
        return len(self.values)

    def __getitem__(self, index):
        return {"x": self.values[index], "y": self.targets[index], "weight": 0.5, "name": "row"}


for item in DataLoader(Rows(half, labels), batch_size=10):
    values = item["x"]  # fact: values = f32[B, 6]
    weights = item["weight"]  # fact: weights = f64[B]
with torch.no_grad():
    inside = net(image).numpy()  # fact: inside = ndarray f32[120, 2]
outside = net(image).numpy()  # fault: NUMPY_ON_GRAD
