"""Devices that are compared, attributes and new tensors that stay behind, arrays that tensors cannot be made of."""

import numpy as np
import torch
from torch import nn

chosen = "cuda" if torch.cuda.is_available() else "cpu"
device = torch.device(chosen)
tensor = torch.ones(2, 3, device="cuda")

if chosen == "cuda" or device.type == "cuda" or str(device) == "cuda":
    pass
if device == "cpu":  # expect: TL306 (info)
    pass
if tensor.device == device or tensor.device == torch.device("cuda", 0):
    pass
same = tensor.device == torch.device("cuda")  # expect: TL306
same = tensor.device == tensor.clone().device
same = torch.device(tensor.device) == tensor.device


def moved(inputs, other, where=torch.device("cuda")):
    if inputs.device != tensor.device or tensor.device != torch.device("cuda"):  # expect: TL306
        inputs = inputs.to(where)
    if tensor.device != torch.device("cuda"):
        inputs = tensor.to(where)
    if tensor.device != torch.device("cuda"):  # expect: TL306
        inputs = inputs.to(where)
        other.report("moved")
    return inputs


class Options:
    device = "cuda"


def asks(options, module, where=None):
    if options.device == "cuda" or where == "cpu" or Options.device == "cuda":
        return None
    return module.device == "cuda"


class Follows(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.places = torch.arange(4)  # expect: TL308
        self.register_buffer("ramp", torch.linspace(0, 1, 4))
        self.sizes = torch.tensor([1, 2]).tolist()
        self.lazy = None
        self.counts = torch.zeros(4)

    def forward(self, x, lengths, flags=None):
        h = self.fc(x) * self.ramp + self.places
        h = h + torch.zeros(4)  # expect: TL313
        h = h + torch.zeros(4, device=h.device) + torch.zeros(4).to(h) + torch.tensor(1.0)
        mask = torch.arange(10)[None, :] < lengths
        if self.lazy is None:
            self.lazy = torch.ones(4).to(x.device)
        h = h * self.lazy
        self.counts += 1
        rows = h[torch.arange(2)]
        sizes = torch.tensor([2, 3]).prod().item()
        return h.reshape(-1), rows, mask, sizes, self.sizes

    def elsewhere(self, x):
        return self.fc(x) + torch.zeros(4)


def outside(x):
    x = x.permute(1, 0)
    return x + torch.zeros(3)


class NotAModule:
    def __init__(self):
        self.fc = nn.Linear(4, 4)
        self.places = torch.arange(4)

    def forward(self, x):
        return self.fc(x) + self.places + torch.zeros(4)


image = np.zeros((4, 4, 3), dtype=np.uint8)
torch.from_numpy(image[..., ::-1])  # expect: TL309
torch.from_numpy(image[..., ::-1].copy())
torch.from_numpy(image[..., ::-1] / 255)
torch.from_numpy(image[::-1][::-1])
torch.from_numpy(np.flip(image, 1))  # expect: TL309
torch.from_numpy(np.flip(image, 1).astype(np.float32))
torch.tensor([3, 2, 1][::-1])


def converted(path, words, frame):
    torch.tensor(words[::-1])
    torch.from_numpy(frame[:, ::-1, :].transpose(2, 0, 1))  # expect: TL309
    try:
        return torch.from_numpy(frame[:, ::-1])
    except ValueError:
        return torch.from_numpy(frame[:, ::-1].copy())


def mean(values):
    return values


scores = torch.ones(3)
np.mean(scores)  # expect: TL310
np.mean(scores.numpy()), np.mean(scores.tolist()), mean(scores), np.median(scores), np.exp(scores)
np.sum([score.item() for score in scores])
np.ones(3) * scores  # expect: TL310
scores * np.ones(3)
np.float32(2) * scores
np.prod(scores.shape)


def to_numpy(x: torch.Tensor):
    place = torch.device("cuda")
    if place != "cpu":
        x = x.cpu().numpy()
    return x


def elsewhere(x: torch.Tensor):
    place = torch.device("cuda")
    if place != "cpu":  # expect: TL306
        x = x.half()
    return x
