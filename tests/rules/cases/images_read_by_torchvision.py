"""Images that torchvision reads from a file: uint8 [C, H, W] in main memory, of as many channels as the mode says."""

from pathlib import Path

import torch
import torchvision
from torch import nn
from torchvision import transforms
from torchvision.io import ImageReadMode, decode_image, read_image

folder = Path("images")
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Sequential(nn.Conv2d(3, 10, 3, padding=1), nn.ReLU(), nn.MaxPool2d(4)).to(device)
classifier = nn.Sequential(nn.Flatten(), nn.Linear(10 * 16 * 16, 3)).to(device)
to_size = transforms.Compose([transforms.Resize((64, 64))])

raw = torchvision.io.read_image(str(folder / "one.jpeg"))
model(raw.to(device))  # expect: TL214

image = to_size(raw.type(torch.float32) / 255)
features = model(image.to(device))
classifier(features)  # expect: TL121
print(model(image.unsqueeze(0).to(device)))

grey = to_size(read_image(str(folder / "two.png"), mode=ImageReadMode.GRAY).float())
model(grey.to(device))  # expect: TL120
model(to_size(decode_image(str(folder / "three.png"), ImageReadMode.RGB).float()).to(device))


def of_any_mode(path, mode):
    picture = read_image(path, mode)
    print(picture[0], picture.permute(1, 2, 0), picture[:3].float().mean(dim=(1, 2)))
    return model(to_size(picture.float()).to(device))
