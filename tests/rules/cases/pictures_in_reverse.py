"""ToTensor refuses a negative stride; what it would have given of bytes is a float, which Normalize takes."""

import cv2
from torchvision.transforms import transforms

prepare = transforms.Compose([transforms.ToTensor(), transforms.Normalize([0.5, 0.5, 0.5], [0.5, 0.5, 0.5])])


def picture(path):
    image = cv2.imread(path)[:, :, ::-1]
    return prepare(image)  # expect: TL309
