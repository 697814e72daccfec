# starts the thread that pins memory
from torch.utils.data import DataLoader

list(DataLoader([1, 2], pin_memory=True))
