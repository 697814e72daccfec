"""What is drawn on axes, given by keyword, or kept in a list until it is drawn."""

import matplotlib.pyplot as plt
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def one_axis(x, n):
    y = torch.sin(torch.linspace(0, 3, 50)).to(device)
    fig, ax = plt.subplots()
    ax.plot(y.cpu())
    ax.plot(y)  # expect: TL301
    ax.set_title(y)
    ax.scatter(y.cpu(), y.cpu(), c=y)  # expect: TL301
    plt.scatter(y.cpu(), y.cpu(), c=y, s=4)  # expect: TL301
    plt.hist(y.cpu(), weights=y)  # expect: TL301
    plt.plot(y.cpu(), c="red", label=y)
    fig, axes = plt.subplots(n, n)
    axes.plot(y)  # ok: not known to be axes
    fig = plt.figure()
    fig.add_subplot(1, 2, 1).hist(y)  # expect: TL301
    return plt.gca().imshow(y.view(5, 10))  # expect: TL301


def several_axes():
    images = torch.rand(6, 8, 8, device="cuda")
    fig, axes = plt.subplots(2, 3)
    for image, ax in zip(images, axes.flat):
        ax.imshow(image, cmap="gray")  # expect: TL301
    for image, ax in zip(images.cpu(), axes.ravel()):
        ax.imshow(image, cmap="gray")
    axes[0, 1].imshow(images[0])  # expect: TL301
    fig, (left, right) = plt.subplots(1, 2, figsize=(8, 4))
    left.bar(range(8), images[0, 0])  # expect: TL301
    right.bar(range(8), images[0, 0].tolist())
    return right.plot(nn.Linear(8, 8)(torch.rand(8)))  # expect: TL302


def history(steps):
    model = nn.Linear(4, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    losses, numbers = [], []
    for _ in range(steps):
        loss = model(torch.randn(8, 4).to(device)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
        numbers.append(loss.item())
    plt.plot(numbers)
    np.mean(numbers)
    return plt.plot(losses)  # expect: TL301


class Shown:
    def imshow(self, image):
        return image.cpu().numpy()


def own_class():
    ax = Shown()
    return ax.imshow(torch.rand(8, 8, device="cuda"))
