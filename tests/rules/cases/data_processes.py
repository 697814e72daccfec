"""What goes into workers, and code that only looks like it."""

import functools
import threading

import h5py
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

samples = [torch.ones(2), torch.ones(2)]
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def stack(batch):
    return torch.stack(batch)


class Stored(Dataset):
    def __init__(self, path, transform=None):
        self.file = h5py.File(path)
        self.transform = transform

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return self.file["x"][index]


class Locked(Dataset):
    def __init__(self):
        self.lock = threading.Lock()

    def __len__(self):
        return 4

    def __getitem__(self, index):
        with self.lock:
            return index


class SendsItself(Locked):
    pass


class Reopens(Dataset):
    def __init__(self, path):
        self.path = path
        self.file = open(path)

    def __getstate__(self):
        return {"path": self.path}

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return index


class Transformed(Dataset):
    def __init__(self, transform):
        self.transform = transform

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return self.transform(torch.zeros(3))


DataLoader(samples, num_workers=2, collate_fn=lambda batch: batch)  # expect: TL706
DataLoader(samples, num_workers=2, worker_init_fn=lambda worker: None)  # expect: TL706
DataLoader(samples, num_workers=2, collate_fn=functools.partial(lambda n, b: b, 2))  # expect: TL706
DataLoader(Stored("x.h5"), num_workers=2)  # expect: TL706
DataLoader(Locked(), num_workers=2)  # expect: TL706
DataLoader(Transformed(lambda x: x + 1), num_workers=2)  # expect: TL706
DataLoader(Transformed(torch.relu), num_workers=2)
DataLoader(Reopens("x"), num_workers=2)
DataLoader(Locked())
DataLoader(samples, num_workers=2, collate_fn=stack)
DataLoader(samples, num_workers=2, collate_fn=functools.partial(stack))
DataLoader(samples, num_workers=2, multiprocessing_context="fork", collate_fn=lambda batch: batch)
DataLoader(samples, collate_fn=lambda batch: batch)


class Collated:
    def __init__(self, workers):
        self.workers = workers

    def collate(self, batch):
        return torch.stack(batch)

    def loader(self, context):
        return (
            DataLoader(samples, num_workers=2, collate_fn=self.collate),
            DataLoader(samples, num_workers=self.workers, collate_fn=lambda batch: batch),
            DataLoader(samples, num_workers=2, multiprocessing_context=context, collate_fn=lambda b: b),
        )


class Moved(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return {"x": torch.zeros(3).to(device), "index": index}


class Encoded(Dataset):
    def __init__(self):
        self.model = nn.Linear(3, 2).cuda()

    def __len__(self):
        return 4

    @torch.no_grad()
    def __getitem__(self, index):
        return self.model(torch.zeros(3, device="cuda")).cpu()


class OnHost(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return torch.zeros(3)


def moved(batch):
    return torch.stack(batch).cuda()


def train():
    for batch in DataLoader(Moved(), num_workers=2):  # expect: TL707
        print(batch["x"])
    for batch in DataLoader(Encoded(), num_workers=2):  # expect: TL707
        print(batch)
    for batch in DataLoader(OnHost(), num_workers=2, collate_fn=moved):  # expect: TL707
        print(batch)
    for batch in DataLoader(OnHost(), num_workers=2, pin_memory=True):
        print(batch.cuda())
    for batch in DataLoader(OnHost(), collate_fn=moved):
        print(batch)
    for batch in DataLoader(Moved()):
        print(batch["x"])
    for batch in DataLoader(Moved(), num_workers=2, multiprocessing_context="spawn"):
        print(batch["x"])
