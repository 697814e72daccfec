"""What `.numpy()` of an unknown value gives is no tensor, whatever the annotation of the function says that takes it."""

import numpy as np
import torch
from torch import Tensor, nn


class Scale:
    def __init__(self, path):
        self.mean, self.std = np.load(path)

    def undo(self, batch: Tensor) -> Tensor:
        assert batch.shape[-1] == 3
        return batch * self.std + self.mean


def predictions(model, images, path):
    scale = Scale(path)
    with torch.no_grad():
        for image in images:
            scores = model(image).cpu().detach().numpy()
            yield scale.undo(scores)


def best(model: nn.Module, images, path):
    scores = next(predictions(model, images, path))
    return scores.take(indices=3, axis=0), np.min(scores)


def refused(model):
    scores = model(torch.ones(2, 3)).cpu().detach().numpy()
    return nn.functional.cross_entropy(scores, torch.zeros(2, dtype=torch.long))  # expect: TL930


def of_a_tensor(model: nn.Module, path):
    scores = Scale(path).undo(torch.ones(3))
    return scores.take(indices=3, axis=0)  # expect: TL903


def cropped(data: Tensor, size: int) -> Tensor:
    return data[..., :size]


def error(target: np.ndarray, output: np.ndarray):
    return np.mean((target - output) ** 2)  # ok: `evaluate` passes arrays


def evaluate(reader, file):
    target = reader(file)["target"][()]
    output = reader(file)["output"][()]
    return error(cropped(target, 8), cropped(output, 8))


def error_of_tensors(target, output):
    return np.mean((target - output) ** 2)  # expect: TL310


def evaluate_tensors(reader, file):
    output = torch.relu(reader(file)["output"])
    return error_of_tensors(cropped(output, 8), output)


def pooled(arr, s):
    _, nx, nt = arr.shape
    best = arr.reshape(1, nx // s, s, nt).max(axis=2)
    return best[:, :, ::s]  # ok: of an array, `max` returns no pair


def pooled_tensor(x: Tensor):
    best = torch.relu(x).max(dim=2)
    return best[:, :, ::2]  # expect: TL916
