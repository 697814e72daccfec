"""What is moved to a GPU without being seen: batches of an unseen loader, outputs of an unseen model."""

import matplotlib.pyplot as plt
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def shown(model, loader):
    for images, labels in loader:
        images = images.to(device)
        plt.imshow(images[0].numpy())  # expect: TL301
        plt.imshow(images[0].cpu().numpy())


def predictions(model, loader):
    found = []
    for images, labels in loader:
        out = model(images.to(device)).to(device)
        found.append(out.argmax(1).numpy())  # expect: TL301
    return np.concatenate(found)


def an_array(dataset):
    image, _ = dataset[0]
    return np.asarray(image.to("cuda"))  # expect: TL301


def noisy(model, batch):
    batch = batch.cuda()
    noise = torch.randn(8, 3)
    return model(batch + noise)  # expect: TL303


class Scorer(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model.to(device)
        self.model.eval()

    @torch.no_grad()
    def forward(self, batch):
        scores = torch.sigmoid(self.model(batch).to(device))
        return scores.numpy()  # expect: TL301


# ok: what is moved is a module, a batch with names, or comes back


def a_module(build, x):
    model = build().to("cuda")
    model.train()
    model.float()
    for p in model.parameters():
        p.requires_grad_(False)
    return model(x).numpy()


def a_batch(tokenizer, model, texts):
    inputs = tokenizer(texts, return_tensors="pt").to("cuda")
    kept = inputs["offsets"].numpy()
    return model(**inputs), kept, inputs.offsets.numpy()


def moved_back(model, images):
    images = images.to(device)
    out = model(images).detach().cpu()
    images = images.to("cpu")
    return images.numpy(), out.numpy()


def moved_on_one_way(images, gpu):
    if gpu:
        images = images.cuda()
    return images.numpy()


def only_cast(images):
    return images.to(torch.float32).numpy()


def another_place(images, where):
    return images.to(where).numpy()


def both_there(model, images, labels):
    images, labels = images.to(device), labels.to(device)
    weights = torch.ones(3, device=device)
    return (model(images) * weights).sum() + (images * weights).sum() - labels.sum()


def of_its_class(boxes):
    boxes = boxes.to("cuda")
    boxes.clip(0, 1, anything=True)
    return boxes.area().sum(), boxes.convert("xyxy")


def moved_twice(image, device):
    x = torch.from_numpy(image).float().to(device)
    x = x / 255
    x.to(device)
    return x


def moved_to_another_dtype(image, device):
    x = torch.from_numpy(image).float().to(device)
    x.double()  # expect: TL304 (info)
    return x
