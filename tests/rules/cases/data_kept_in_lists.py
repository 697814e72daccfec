"""What datasets keep of the files that they find."""

import json
import os
from pathlib import Path

import numpy as np
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.dataset import Dataset as Base


class Folder(Dataset[str]):
    def __init__(self, root, transform=None):
        super().__init__()
        self.root = Path(root)
        self.names = sorted(self.root.rglob("*.jpg"))  # expect: TL710
        self.lengths = {name: os.path.getsize(name) for name in os.listdir(root)}  # expect: TL710
        self.transform = transform
        self.files = os.listdir(root)
        self.files = np.array(self.files)
        self.generator = self.root.glob("*.png")

    def __len__(self):
        return len(self.names)

    def __getitem__(self, index):
        return str(self.names[index])


class Records(Base):
    def __init__(self, path, columns):
        with open(path) as file:
            self.records = json.load(file)  # expect: TL710
        self.columns = [name.lower() for name in columns]
        self.names = np.array([name for name in os.listdir(path)])


class Walked(Dataset):
    def __init__(self, root):
        self.pairs, self.sizes = [], []
        self.found = []
        self.few = []
        for name in os.listdir(root):
            self.found.append((name, 0))  # expect: TL710
        for split in ("a", "b"):
            self.few.append(split)

    def __len__(self):
        return len(self.found)

    def __getitem__(self, index):
        return self.found[index]


class Count:
    def __init__(self, root):
        self.names = os.listdir(root)


def loader(root, workers):
    return DataLoader(Folder(root), num_workers=workers)
