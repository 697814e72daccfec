"""Loaders, samplers and datasets as programs build them, with what is not known left alone."""

import torch
from torch.utils.data import (
    BatchSampler,
    DataLoader,
    Dataset,
    IterableDataset,
    RandomSampler,
    Sampler,
    Subset,
    TensorDataset,
    WeightedRandomSampler,
    random_split,
)
from torch.utils.data.distributed import DistributedSampler


class Rows(Dataset):
    def __init__(self, n=8):
        self.rows = torch.zeros(n, 3)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index]


class Mine(Sampler):
    def __iter__(self):
        return iter(range(8))


def by_options(args):
    data = Rows()
    sampler = None
    if args.distributed:
        sampler = DistributedSampler(data)
    DataLoader(data, shuffle=True, sampler=sampler)  # a fault on one way only
    DataLoader(data, shuffle=not args.distributed, sampler=RandomSampler(data))
    DataLoader(data, shuffle=args.shuffle, sampler=RandomSampler(data))
    DataLoader(data, num_workers=args.workers, persistent_workers=True)
    DataLoader(data, num_workers=0 if args.debug else 4, persistent_workers=True)
    DataLoader(data, **vars(args), persistent_workers=True)
    DataLoader(data, **vars(args), shuffle=True, sampler=Mine(data))  # expect: TL701
    options = dict(batch_size=4, num_workers=2)
    DataLoader(data, persistent_workers=True, **options)


def weighted(data, weights, workers=0):
    sampler = WeightedRandomSampler(weights, len(weights))
    loader = DataLoader(data, 4, True, sampler)  # expect: TL701
    other = DataLoader(data, 4, False, sampler, num_workers=workers, persistent_workers=True)
    return loader, other


def batched(data):
    batches = BatchSampler(RandomSampler(data), 4, False)
    DataLoader(data, batch_sampler=batches, num_workers=0, timeout=0)
    DataLoader(data, batch_sampler=[[0, 1]], drop_last=True)  # expect: TL701
    DataLoader(data, batch_sampler=[[0, 1]], sampler=None, shuffle=None, drop_last=False)
    DataLoader(data, 4, num_workers=0, prefetch_factor=None, timeout=30)  # expect: TL703
    DataLoader(data, 4, some_new_argument=True)
    DataLoader(data, batchsize=4)  # expect: TL703
    try:
        DataLoader(data, shuffle=True, sampler=RandomSampler(data))
    except ValueError:
        pass


class Bare(Dataset):
    def __getitem__(self, index):
        return index


class Borrowing(Bare):
    pass


class Wrapped(Dataset):
    """Everything else is the inner dataset's."""

    def __init__(self, inner):
        self.inner = inner

    def __getattr__(self, name):
        return getattr(self.inner, name)

    def __getitem__(self, index):
        return self.inner[index]


class Chunks(IterableDataset):
    def __init__(self):
        self.__len__ = lambda: 3

    def __iter__(self):
        yield from range(3)


def sized(cls):
    cls.__len__ = lambda self: 4
    return cls


@sized
class Decorated(Dataset):
    def __getitem__(self, index):
        return index


class Patched(Dataset):
    def __getitem__(self, index):
        return index


Patched.__len__ = lambda self: 4


class Assigned(Bare):
    __len__ = Rows.__len__


DataLoader(Assigned())
DataLoader(Borrowing())  # expect: TL704
DataLoader(Wrapped(Rows()))  # expect: TL704
DataLoader(Decorated())
DataLoader(Patched())
DataLoader(Chunks())
DataLoader(Bare(), sampler=range(4))
DataLoader(Bare(), batch_sampler=[[0]])
DataLoader(Subset(Rows(), [0, 1]))
DataLoader(random_split(Rows(), [4, 4])[0])


class Growing(Dataset):
    def __init__(self, whole):
        self.whole = whole

    def __len__(self):
        return 6

    def __getitem__(self, index):
        if self.whole:
            return torch.zeros(6)
        return torch.zeros(index + 1)


class Drawn(Dataset):
    def __len__(self):
        return 6

    def __getitem__(self, index):
        n = torch.randint(1, 5, ()).item()
        return torch.zeros(n), [0] * n, index


DataLoader(Growing(True), batch_size=2)
DataLoader(Growing(False), batch_size=2)  # expect: TL708
DataLoader(Growing(False), batch_size=2, shuffle=True)  # which two meet is drawn
DataLoader(Growing(False), batch_size=6, shuffle=True)  # expect: TL708
DataLoader(Growing(False), batch_size=8, drop_last=True)  # there is no batch
DataLoader(Growing(False), batch_size=2, collate_fn=list)
DataLoader(Growing(False), batch_size=1)
DataLoader(Drawn(), batch_size=2)


class Settings:
    def __init__(self, batch_size=16):
        self.batch_size = batch_size
        self.data = TensorDataset(torch.zeros(1003, 3), torch.zeros(1003))

    def loader(self):
        batches = BatchSampler(RandomSampler(self.data), self.batch_size, drop_last=False)
        return DataLoader(self.data, batch_size=self.batch_size, batch_sampler=batches)  # expect: TL701

    def parts(self, share, exactly):
        first, second = int(len(self.data) * share), int(len(self.data) * (1 - share))
        if exactly:
            return random_split(self.data, [first, len(self.data) - first])
        return random_split(self.data, [first, second])  # expect: TL711


Settings().loader()
Settings().parts(0.8, True)
Settings().parts(0.8, False)


class Batched(Dataset):
    """What is derived from it says what a sample is."""

    def loader(self):
        return DataLoader(self, batch_size=None)


DataLoader(Batched(), batch_size=2)  # expect: TL704
