"""Arguments that torch warns to miss, wrappers and constructors: near misses of TL224, TL311, TL818, TL9xx, and their like in classes."""

import functools
import warnings

import torch
from torch import nn
from torch.autograd import Variable
from torch.nn import functional as F
from torch.optim.lr_scheduler import _LRScheduler
from torch.utils.checkpoint import checkpoint


class Grid:
    def meshgrid(self, *axes):
        return axes

    def storage(self):
        return self


def grids(axes, indexing=None, **options):
    Grid().meshgrid(*axes)
    torch.meshgrid(*axes, **options)
    torch.meshgrid(*axes, indexing=indexing or "xy")
    ij = functools.partial(torch.meshgrid, indexing="ij")
    ij(*axes)
    return torch.meshgrid(*axes)  # expect: TL919


def older_grids(axes):
    if torch.__version__ < "1.10":
        return torch.meshgrid(*axes)
    return torch.meshgrid(*axes, indexing="ij")


def unheard(axes):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.meshgrid(*axes)


def recomputed(block: nn.Module, x, args, **options):
    checkpoint(block, x, **options)
    checkpoint(block, *args, use_reentrant=False)
    checkpoint(block, x, preserve_rng_state=False)  # expect: TL924


def sampled(image, grid, args):
    F.grid_sample(image, grid, *args)
    F.grid_sample(image, grid, "bilinear", "zeros", True)
    F.grid_sample(image, grid, "bilinear", "zeros")  # expect: TL920


def scheduled(scheduler, callbacks):
    if isinstance(scheduler, _LRScheduler):  # expect: TL923
        scheduler.step()
    if type(scheduler) is _LRScheduler:
        return None
    return issubclass(type(scheduler), _LRScheduler)


def wrapped(batch, requires_grad: bool):
    isinstance(batch, Variable)
    a = Variable(torch.ones(2), requires_grad=True)  # expect: TL910
    b = Variable(batch, requires_grad)  # expect: TL910
    return (a * 2).sum().backward(), b


def copied(values, t: torch.Tensor):
    torch.tensor(values)
    torch.tensor(len(t))
    torch.tensor(t.shape)
    torch.tensor([one for one in t])
    torch.tensor(t.tolist())
    torch.tensor(torch.ones(2).numpy())
    torch.ones(2).new_tensor([1, 2])
    return torch.ones(2).new_tensor(torch.zeros(2))  # expect: TL912


def memory(grid: Grid, x):
    Grid().storage()
    x.storage()
    torch.ones(2).untyped_storage().data_ptr()
    return torch.ones(2).storage()  # expect: TL913


def saved(path, model, ema):
    torch.save(model, path)
    torch.save({"model": nn.Linear(2, 3)}, path)
    torch.save(ema.module.state_dict(), path)
    torch.save(nn.Linear(2, 3).state_dict(), path)


def defaults(name: str, dtype):
    torch.set_default_dtype(dtype)
    torch.set_default_dtype(getattr(torch, name))
    torch.set_default_dtype(torch.float16 if name else torch.float64)
    torch.set_default_dtype(torch.float32)


class Groups(nn.Module):
    def __init__(self, width, groups=3, padding=None, rate=0.1):
        super().__init__()
        self.a = nn.Conv2d(width, 8, 3, groups=groups)
        self.b = nn.Conv2d(12, 8, 3, groups=4, padding="same" if padding else 0)
        self.c = nn.Conv2d(3, 8, 3, padding="same", stride=1 if padding else 2)
        self.d = nn.Conv2d(6, 9, 3, groups=3, padding="valid", stride=2)
        self.e = nn.Dropout(rate)
        self.f = nn.Embedding(width, 8, padding_idx=width - 1)
        self.g = nn.LSTM(8, 8, 2, dropout=rate)
        self.h = nn.MultiheadAttention(width, num_heads=7)
        self.i = nn.LSTM(8, 8, dropout=0.3)
        self.j = nn.Conv1d(8, 12, 3, groups=8)  # expect: TL922
        self.k = nn.ConvTranspose2d(8, 4, 2, padding_mode="reflect")  # expect: TL922


def scattered(index, values, out: torch.Tensor):
    torch.zeros(5).scatter_add_(0, index, values)
    torch.zeros(5).scatter_(0, index, 3)
    out.index_add_(0, index, torch.ones(3, dtype=torch.long))
    torch.zeros(5, dtype=torch.long).scatter_add_(0, torch.tensor([0, 1, 1]), torch.ones(3))  # expect: TL224


def arrays(x, half: torch.Tensor):
    torch.ones(2).bfloat16().to("cpu", torch.float32).numpy()
    half.to(torch.bfloat16).float().numpy()
    half.to(torch.bfloat16).view(torch.int16).numpy()
    try:
        torch.ones(2, dtype=torch.bfloat16).numpy()
    except TypeError:
        print("not there")
