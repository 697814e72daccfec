import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Images(Dataset):
    def __getitem__(self, i):
        return torch.randn(3, 32, 32)

    def __len__(self):
        return 256


def inference(batch_size):
    """Python refuses to unpack the batch, unless it is of two images."""
    net = nn.Sequential(nn.Conv2d(3, 24, 3, 2, 1), nn.BatchNorm2d(24))
    for images, names in DataLoader(Images(), batch_size=batch_size):
        net(images)


def pair():
    net = nn.Sequential(nn.Conv2d(3, 24, 3, 2, 1), nn.BatchNorm2d(24))
    image, other = torch.randn(2, 3, 32, 32)
    net(image)  # expect: TL124
