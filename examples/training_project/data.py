"""Windows of a three-axis accelerometer, labelled with what the wearer was doing."""

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler

ACTIVITIES = ("sitting", "walking", "running", "cycling", "climbing")
AXES = 3


class Standardize:
    def __init__(self, eps=1e-6):
        self.eps = eps

    def __call__(self, window):
        mean = window.mean(dim=0, keepdim=True)
        std = window.std(dim=0, keepdim=True)
        return (window - mean) / (std + self.eps)


class RandomScale:
    def __init__(self, low=0.8, high=1.2):
        self.low = low
        self.high = high

    def __call__(self, window):
        factor = torch.empty(1, window.shape[1]).uniform_(self.low, self.high)
        return window * factor


class Compose:
    def __init__(self, transforms):
        self.transforms = transforms

    def __call__(self, window):
        for transform in self.transforms:
            window = transform(window)
        return window


def simulate(count, length, seed):
    """Noisy sine waves whose frequency and amplitude depend on the activity."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, len(ACTIVITIES), size=count)
    time = np.linspace(0.0, 4.0, length)
    frequency = (1.0 + labels)[:, None, None]
    phase = rng.uniform(0.0, 2.0 * np.pi, size=(count, 1, AXES))
    signal = np.sin(frequency * time[None, :, None] + phase)
    noise = rng.normal(scale=0.3, size=(count, length, AXES))
    return (signal + noise).astype(np.float32), labels.astype(np.int32)


class ActivityWindows(Dataset):
    def __init__(self, count, length=64, seed=0, transform=None):
        windows, labels = simulate(count, length, seed)
        self.windows = torch.from_numpy(windows)
        self.labels = torch.from_numpy(labels)
        self.transform = transform

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        window = self.windows[index]
        if self.transform is not None:
            window = self.transform(window)
        return window, self.labels[index]


def build_loaders(config, world_size=1):
    train_set = ActivityWindows(
        config.train_windows, config.length, seed=0, transform=Compose([Standardize(), RandomScale()])
    )
    val_set = ActivityWindows(config.val_windows, config.length, seed=1, transform=Standardize())
    sampler = DistributedSampler(train_set) if world_size > 1 else None
    train_loader = DataLoader(
        train_set, batch_size=config.batch_size, shuffle=sampler is None, sampler=sampler, drop_last=True
    )
    val_loader = DataLoader(val_set, batch_size=config.batch_size)
    return train_loader, val_loader
