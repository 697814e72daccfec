# starts workers by unpacking
from torch.utils.data import DataLoader

list(DataLoader([1, 2], **{'num_workers': 2}))
