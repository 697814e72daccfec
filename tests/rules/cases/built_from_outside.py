"""What real projects do that looked like a fault: containers filled by loops, arrays taken for tensors, sizes of lists."""

from abc import ABC, abstractmethod

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

from elsewhere import Base, traced


class Ensemble(nn.ModuleList):
    def forward(self, x):
        return torch.cat([module(x)[0] for module in self], 1)


def filled_in_a_loop(weights):
    model = Ensemble()
    for w in weights:
        model.append(w)
    return torch.argmax(torch.tensor([m.stride for m in model]))


def filled_by_addition(weights):
    model = Ensemble()
    model += [nn.Linear(3, 3)]
    plain = nn.ModuleList()
    for w in weights:
        plain += [w]
    return torch.argmax(torch.tensor([1.0 for m in model])) + torch.argmax(torch.tensor([1.0 for m in plain]))


def never_filled():
    model = Ensemble()
    return torch.argmax(torch.tensor([1.0 for m in model]))  # expect: TL128


class Mirror:
    def __call__(self, image, boxes):
        _, width, _ = image.shape
        return image[:, ::-1], width - boxes[:, 2::-2]


def mirrored(image: torch.Tensor):
    _, width, _ = image.shape
    return image[:, ::-1]  # expect: TL103


class AddBias(nn.Module):
    def __init__(self, bias):
        super().__init__()
        self.bias = nn.Parameter(bias.unsqueeze(1))

    def forward(self, x):
        return x + self.bias.t().view(1, -1)


class Frequencies(nn.Module):
    def __init__(self, count: int):
        super().__init__()
        self.freq = nn.Parameter(torch.empty(count))
        self.reset_parameters()

    def reset_parameters(self):
        with torch.no_grad():
            torch.arange(1, self.freq.numel() + 1, out=self.freq).mul_(3.14)
        self.freq.requires_grad_()

    def forward(self, d):
        return (self.freq * d).sin()


def on_the_gpu():
    return Frequencies(3).cuda()(torch.ones(3).cuda())


class Spoken(Dataset):
    def __init__(self, texts):
        self.texts = texts

    def __len__(self):
        return len(self.texts)

    def __getitem__(self, i):
        return torch.IntTensor([ord(c) for c in self.texts[i]]), torch.zeros(4, 5)  # expect: TL911 (info)


class Collate:
    def __call__(self, batch):
        lengths, order = torch.sort(torch.LongTensor([len(one[0]) for one in batch]), descending=True)  # expect: TL911 (info)
        padded = torch.LongTensor(len(batch), lengths[0])  # expect: TL911 (info)
        mels = torch.FloatTensor(len(batch), batch[0][1].size(0), 5)  # expect: TL911 (info)
        counts = torch.LongTensor(len(batch))  # expect: TL911 (info)
        for i in range(len(order)):
            padded[i, :2] = 1
            mels[i, :, :2] = 0
            counts[i] = 2
        return padded, mels, counts


def spoken(texts):
    for padded, mels, counts in DataLoader(Spoken(texts), 4, collate_fn=Collate()):
        print(padded, mels[:, :, :1], counts[:1])


class Operators(nn.Module):
    def __init__(self, vit, kernel):
        super().__init__()
        self.vit = vit
        self.kernel = kernel

    def forward(self, x):
        x = self.vit.norm(x)
        return x[:, 0], self.vit.relu(x)[:, 1]

    def solved(self, mask: torch.Tensor, labels):
        kernel = self.kernel * mask
        again = kernel.add_jitter(1e-3)
        covariance = self.kernel.covariance
        return kernel.solve(labels), again, covariance.cholesky().to_dense(), covariance.solve(labels)


class Replay:
    def __init__(self, capacity):
        self.capacity = capacity
        self.idx = 0
        self.full = False

    def add(self, n):
        self.idx = (self.idx + n) % self.capacity
        self.full = self.full or self.idx == 0

    def sample(self, batch_size):
        return torch.randint(0, self.capacity if self.full else self.idx, (batch_size,))


class Learner:
    def __init__(self):
        self.replay = Replay(1000)

    def play(self):
        self.replay.add(4)

    def learn(self):
        return self.replay.sample(32)


class Gates(ABC, nn.Module):
    def forward(self, x):
        gates = torch.clamp(self.sample(x.size(0)), min=0, max=1)
        return torch.gather(gates, 1, x.reshape(4, -1))

    @abstractmethod
    def sample(self, n: int) -> torch.Tensor:
        """One gate for each of n examples."""
        pass


def of_a_distribution(kind: str, logits: torch.Tensor, criterion):
    if kind == "mean":
        out = criterion.mean(logits)
    else:
        out = criterion.mode(logits)
    return out.cpu()


class Shifted(nn.Module):
    def __init__(self, heads: int, size: int, input_layer: str = "conv"):
        super().__init__()
        self.attn = nn.Parameter(torch.FloatTensor(size=(1, heads, size)))
        self.bias = nn.Parameter(torch.randn(size, heads))
        self.mix = nn.Parameter(torch.empty(1, 1, size))
        self.mix.data = torch.clamp(self.mix.data, min=0)
        nn.init.xavier_normal_(self.attn, gain=1.4)
        if isinstance(input_layer, nn.Module):
            self.embed = nn.Sequential(input_layer, nn.ReLU())

    def forward(self, x):
        b, h, q, k = x.shape
        padded = torch.cat([torch.zeros(b, h, q, 1, device=x.device), x], -1)
        return padded.view(b, h, k + 1, q)[:, :, 1:].view_as(x), self.mix * x

    def biased(self, heads, size):
        return self.bias.view(1, 1, heads, size)


def bytes_again(scales: torch.Tensor, kinds, cache: torch.Tensor):
    pages, size, _ = cache.shape
    flat = cache.view(-1, size * 4)
    packed = torch.randint(110, 120, (8, 4), dtype=torch.uint8).view(torch.float8_e8m0fnu)
    return flat[..., : size * 3].view(kinds.fp8), packed.repeat_interleave(2, 1)


class RelativeShift(nn.Module):
    def forward(self, x):
        b, h, q, p = x.shape
        x = torch.nn.functional.pad(x, pad=(1, 0))
        x = x.view(b, h, -1, q)
        return x[:, :, 1:].view(b, h, q, p)


def gradients_of(log_probs, beta):
    T, U, _ = log_probs.shape
    grads = np.full(log_probs.shape, -1.0)
    return np.exp(grads + log_probs - beta), np.mean(log_probs[:, 0])


class Storage:
    def __init__(self, device=None):
        self.device = torch.device(device) if device != "auto" else "auto"

    def init(self, data):
        if self.device == "auto":
            self.device = data.device


class Generating(Base):
    def step(self, durations):
        self.durations.append(durations)

    def generate(self, inputs):
        self.durations = []
        out = super().generate(inputs)
        return out, torch.stack(self.durations, dim=1)


def drawn(config, sizes):
    count, shape = config.get("count"), config.get("shape")
    tokens = torch.randint(0, count, shape), torch.randint(low=0, high=config.most, size=sizes.of_all())
    nothing = torch.randint(0, (2,))  # expect: TL128
    return tokens, nothing, torch.randint(3, (2,)), torch.randint(0, count, (2,)).gather(0, tokens[0])


class Quantizer:
    def scales_of(self, model, policies):
        scales, unused = [], []

        def quantize(layer):
            scales.append(layer.weight.abs().max())
            unused.clear()

        chosen = {}
        for kind, policy in policies.items():
            chosen[kind] = (quantize, policy)
        for child in model.children():
            function, policy = chosen[child.__class__]
            function(child)
        return torch.stack(scales)

    def scales_put_away(self, model):
        kept, listed, named, hooks, table = [], [], [], [], {}

        def keep(layer):
            kept.append(layer.weight)

        def put(layer):
            listed.append(layer.weight)

        def name(layer):
            named.append(layer.weight)

        self.hook = keep
        hooks.append(put)
        table["name"] = name
        model.run()
        return torch.cat(kept), torch.cat(listed), torch.cat(named)

    def scales_never_filled(self, model):
        scales = []

        def quantize(layer):
            scales.append(layer.weight)

        return torch.cat(scales), quantize  # expect: TL128


class Sentences:
    def __init__(self):
        self.sentence = None

    @traced
    def add_file(self, audio):
        self.sentence = torch.cat((self.sentence, audio))

    def build(self, files, loudness: float):
        self.sentence = torch.zeros(0, dtype=torch.float64)
        while len(files):
            self.add_file(files.pop())
        return torch.max(torch.abs(self.sentence)) > loudness

    def forget(self):
        self.sentence = torch.zeros(0)
        return torch.max(torch.abs(self.sentence))  # expect: TL128


class Cache(nn.Module):
    def __init__(self):
        super().__init__()
        self.entries = torch.tensor([])

    def strides(self):
        return self.entries.stride(0), self.entries.stride(1)


class Cached(nn.Module):
    def __init__(self):
        super().__init__()
        self.cache = Cache()
        self.count = torch.zeros(3)

    def forward(self, x):
        entries = self.cache.entries
        return x, entries.stride(0), entries.stride(1), self.count.stride(1)  # expect: TL122
