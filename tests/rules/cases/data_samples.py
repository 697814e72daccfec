"""What loaders make of samples, and code that only looks like it."""

import csv
from typing import NamedTuple

import torch
import torchvision.transforms as T
from torch import nn
from torch.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset, default_collate, get_worker_info
from torchvision import datasets

# ---- samples that cannot be collated --------------------------------------------------------------------------------


class Box:
    def __init__(self, corners):
        self.corners = corners


class Pair(NamedTuple):
    image: torch.Tensor
    label: int


class Boxes(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return torch.zeros(3, 8, 8), Box([0, 0, index, index])


class Pairs(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return Pair(torch.zeros(3), index)


class Broken(Dataset):
    def __init__(self, paths):
        self.paths = paths

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        try:
            return torch.load(self.paths[index])
        except OSError:
            return None


class Forgets(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        sample = torch.zeros(3)
        sample[0] = index


class Described(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return {"image": torch.zeros(3), "mask": None}


class Fetches(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        if index > 2:
            return None
        return torch.zeros(3)

    def __getitems__(self, indices):
        return [one for one in map(self.__getitem__, indices) if one is not None]


def present(batch):
    return default_collate([one for one in batch if one is not None])


DataLoader(Boxes(), batch_size=2)  # expect: TL709
DataLoader(Broken(["a", "b"]), batch_size=2)  # expect: TL709
DataLoader(Forgets())  # expect: TL709
DataLoader(Described(), batch_size=2, shuffle=True)  # expect: TL709
DataLoader([(1, None), (2, None)])  # expect: TL709
DataLoader(datasets.CIFAR10("data", train=True), batch_size=8)  # expect: TL709
DataLoader(Boxes(), batch_size=None)
DataLoader(Boxes(), collate_fn=list)
DataLoader(Broken(["a", "b"]), batch_size=2, collate_fn=present)
DataLoader(Broken(["a", "b"]), batch_size=None)
DataLoader(Pairs(), batch_size=2)
DataLoader(Fetches(), batch_size=2)
DataLoader([1, None], sampler=[0])
DataLoader(datasets.CIFAR10("data", transform=T.ToTensor()), batch_size=8)
DataLoader(datasets.CIFAR10("data"), batch_size=8, collate_fn=lambda batch: batch)
DataLoader([{"a": 1, "name": "s"}, {"a": 2, "name": "t"}])


def loaders(dataset, **options):
    return DataLoader(dataset), DataLoader(Boxes(), **options)


# ---- samples that require grad --------------------------------------------------------------------------------------


class Encoded(Dataset):
    def __init__(self, images):
        self.images = images
        self.encoder = nn.Linear(4, 2)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return self.encoder(self.images[index])


class EncodedOnce(Encoded):
    @torch.no_grad()
    def __getitem__(self, index):
        return self.encoder(self.images[index])


class EncodedInside(Encoded):
    def __getitem__(self, index):
        with torch.no_grad():
            codes = self.encoder(self.images[index])
        return {"codes": codes, "index": index}


class EncodedInPairs(Encoded):
    def __getitem__(self, index):
        return {"codes": self.encoder(self.images[index]), "index": index}


images = torch.randn(8, 4)
DataLoader(Encoded(images), num_workers=2)  # expect: TL712
DataLoader(EncodedInPairs(images), num_workers=1, batch_size=4)  # expect: TL712
DataLoader(Encoded(images), num_workers=2, batch_size=None)  # expect: TL712
DataLoader(Encoded(images))
DataLoader(Encoded(images), num_workers=0)
DataLoader(EncodedOnce(images), num_workers=2)
DataLoader(EncodedInside(images), num_workers=2)
DataLoader(TensorDataset(images, images.clone()), num_workers=2)


def by_option(workers):
    return DataLoader(Encoded(images), num_workers=workers)


# ---- the same samples from every worker: this file asks for the worker somewhere ------------------------------------


class Rows(IterableDataset):
    def __init__(self, path):
        self.path = path

    def __iter__(self):
        with open(self.path) as file:
            for number, row in enumerate(csv.reader(file)):
                if is_mine(number):
                    yield torch.tensor([float(cell) for cell in row])


def is_mine(number):
    worker = get_worker_info()
    return worker is None or number % worker.num_workers == worker.id


DataLoader(Rows("train.csv"), num_workers=2)


# ---- a dataset that is still to be written ---------------------------------------------------------------------------


class ToBeWritten(torch.utils.data.Dataset):
    def __len__(self):
        """Number of samples."""
        pass

    def __getitem__(self, index):
        """One sample."""
        pass


class GivesNothing(torch.utils.data.Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        print(index)


DataLoader(ToBeWritten(), batch_size=2)
DataLoader(GivesNothing(), batch_size=2)  # expect: TL709
