# sets the number of workers afterwards
from torch.utils.data import DataLoader

loader = DataLoader([1, 2])
loader.num_workers = 2
list(loader)
