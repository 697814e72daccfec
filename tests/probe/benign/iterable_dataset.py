import torch

from torch.utils.data import DataLoader, IterableDataset


class Stream(IterableDataset):
    def __iter__(self):
        for i in range(5):
            yield torch.full((2,), float(i))


print([batch.shape for batch in DataLoader(Stream(), batch_size=2)])
