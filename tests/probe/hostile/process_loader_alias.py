# gives DataLoader another name
from torch.utils.data import DataLoader

d = DataLoader
list(d([1, 2], num_workers=2))
