# derives from DataLoader
from torch.utils.data import DataLoader


class A(DataLoader):
    pass


list(A([1, 2], num_workers=2))
