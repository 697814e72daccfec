import numpy as np
import torch
from torch import Tensor
import torch.nn.functional as F


class Matrix:
    """A class of the user's with a method of torch's name."""

    def __init__(self, rows):
        self.rows = rows

    def t(self):
        return Matrix(list(zip(*self.rows)))

    def permute(self, *dims):
        return self


def own_methods():
    m = Matrix([[1, 2], [3, 4]])
    m.t()
    m.permute(1, 0, 2)


def maybe_matrix(x: Tensor):
    return x.t()


def guarded(x):
    y = torch.ones(2, 3, 4)
    if y.dim() == 2:
        y = y.t()
    try:
        z = y.permute(1, 0)
    except RuntimeError:
        z = y.permute(1, 0, 2)
    try:
        w = y.transpose(1, 0, 2)
    except TypeError:
        w = y
    return z, w, x.transpose(1, 0, 2)


def array_or_tensor(image):
    if isinstance(image, np.ndarray):
        return image.transpose(2, 0, 1)
    return image.permute(2, 0, 1)


def patches(image: np.ndarray, size):
    c, h, w = image.shape
    parts = image.reshape(c, h // size, size, w // size, size)
    turned = image.reshape(c, h, w).T
    several = image.reshape(c, h, w).repeat(2)
    return turned, several, parts.transpose(0, 1, 3, 2, 4).reshape(c, -1, size, size).transpose(1, 2, 3, 0)


def branches(flag):
    x = torch.ones(2, 3, 4) if flag else torch.ones(2, 3)
    return x.t(), x.permute(0, 1, 2)


def overwritten():
    x = torch.ones(2, 3, 4)
    x = x[0]
    x.t()
    del x
    x = np.ones((2, 3, 4))
    return x.transpose(1, 2, 0)


def really_wrong():
    x = torch.ones(2, 3, 4)
    x.t()  # expect: TL115
    x.T.sum()  # expect: TL115
    dims = [2, 1, 0, 3]
    x.permute(dims)  # expect: TL116
    x.permute(*dims[:2])  # expect: TL116
    x.transpose([1, 0, 2])  # expect: TL116
    torch.transpose(x, 0, 1, 2)  # expect: TL116
    x.movedim((0, 1), (2, 2))  # expect: TL116
    x.flip([0, -3])  # expect: TL116


def picked(logits: Tensor, labels: Tensor):
    rows = logits.gather(1, labels.view(-1, 1)).squeeze(1)
    index = labels.unsqueeze(-1)
    return rows, torch.gather(logits, 1, index)


def gathered():
    scores, labels = torch.randn(8, 5), torch.randint(0, 5, (8,))
    log_probs = F.log_softmax(scores, dim=-1)
    a = log_probs.gather(1, labels)  # expect: TL118
    b = log_probs.gather(1, labels[:, None])
    c = log_probs.gather(dim=1, index=labels[None])
    d = log_probs.gather(1, labels.expand(9, 8).t())
    e = log_probs.gather(0, labels[:, None].expand(8, 6))  # expect: TL118
    f = log_probs[range(8), labels]
    g = log_probs.index_select(1, labels[:, None])  # expect: TL118
    h = log_probs.index_select(1, labels)
    i = torch.zeros(5).scatter_add(0, labels, torch.ones(8))
    j = torch.zeros(5, 2).scatter_add(0, labels[:, None].expand(-1, 2), torch.ones(8, 2))
    k = torch.zeros(5, 2).scatter_add(0, labels[:, None].expand(-1, 2), torch.ones(7, 2))  # expect: TL118
    return a, b, c, d, e, f, g, h, i, j, k


def summed(equation, *operands):
    return torch.einsum(equation, *operands)  # expect: TL119


def products():
    a, b = torch.ones(2, 3), torch.ones(3, 4)
    summed("ij,jk->ik", a, b)
    summed("ij,jk->ik", a, b.t())  # this call is the one that fails there
    torch.einsum("ij , jk -> ik", a, b)
    torch.einsum("...", a)
    torch.einsum("ij,kj->ik", a, b)  # expect: TL119
    torch.einsum("ij,jk->ii", a, b)  # expect: TL119
    torch.einsum("ij,jk", (a, b))
    torch.einsum("ij", a, b)  # expect: TL119
    torch.einsum("bij,bjk->bik", a, b)  # expect: TL119
    torch.einsum("...ij,...jk->...ik", torch.ones(2, 3, 4), torch.ones(3, 4, 5))  # expect: TL119
    torch.tensordot(a, b, dims=([1], [0]))
    torch.tensordot(a, b, dims=3)  # expect: TL119
    np.einsum("ij,kj->ik", np.ones((2, 3)), np.ones((3, 4)))
