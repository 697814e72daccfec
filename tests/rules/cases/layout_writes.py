"""In-place writes to expanded tensors and to copies: near misses of TL108 and TL114."""

import torch


def expanded(x, n: int, flag: bool):
    b, t = x.shape
    e = torch.zeros(3, 1).expand(3, 4)
    e = e + 1
    e += 1
    f = torch.zeros(1, 4).expand(1, 4)
    f += 1
    g = torch.zeros(3, 1).expand(3, n)
    g.mul_(2)  # expect: TL108
    h = torch.zeros(3, 1).expand(3, 4 if flag else 1)
    h.mul_(2)
    i = torch.zeros(1, t).expand(b, -1).contiguous()
    i[0] = 1
    j = torch.zeros(1, t).expand(b, -1).to(torch.int64)
    j[:, 0] += 1
    k = torch.zeros(t).expand_as(x)
    k = torch.where(x > 0, k, x)
    k[0] = 1
    m = torch.zeros(3, 1).expand(3, 4)
    m.fill_(2)
    m.zero_()
    m.unsqueeze_(0)
    o = torch.zeros(3, 1).expand(3, 4)
    o.copy_(e)  # expect: TL108
    p = torch.zeros(t).expand(b, t)
    p[:, 0] = 1  # expect: TL108
    q = torch.zeros(t).expand(b, t)
    for row in range(b):
        q[row, :row] = 1  # expect: TL108
    r = torch.zeros(t).broadcast_to(b, t)
    r[0] += 1  # expect: TL108
    s, u = torch.broadcast_tensors(torch.zeros(3, 1), torch.zeros(4))
    s.add_(1)  # expect: TL108
    return g, h, u


def guarded():
    e = torch.zeros(3, 1).expand(3, 4)
    try:
        e += 1
    except RuntimeError:
        e = e.clone()
        e += 1
    return e


class Own:
    def expand(self, *sizes):
        return self

    def __iadd__(self, other):
        return self


def own():
    e = Own().expand(3, 4)
    e += 1
    return e


def copies(x: torch.Tensor, index, mask: torch.Tensor):
    a = torch.arange(6.0)
    a[index].zero_()  # a number gives a view
    x[mask][0] = 1  # mask may be a number
    a[None][0] = 1
    a[...][0] = 1
    a[0:3].zero_()
    a[a > 3] = 0
    a[a > 3] *= 2
    a[[0, 1]].sum()
    b = a[a > 1].mul_(2)
    print(a[a > 1].mul_(2))
    rows = [a[[0, 1]], a]
    rows[0][0] = 1
    kept = a[[0, 1]]
    alias = kept
    kept[0] = 1
    held = holder = a[[2, 3]]
    held[0] = 1
    seen = a[[0, 1]]
    seen[0] = 1
    later = lambda: seen  # noqa: E731
    either = a[[0, 1]] if mask.all() else a
    either[0] = 1
    a[[0, 1]].detach_()
    (part := a[[0, 1]])[0] = 1
    a[torch.tensor([0, 1])][0] = 1  # expect: TL114
    a[a > 3][:2] += 1  # expect: TL114
    a[a > 3].view(-1)[0] = 1  # expect: TL114
    x[x > 3].clamp_(0, 1).mul_(2)  # expect: TL114
    lost = a[[0, 1]]
    if mask.any():
        lost[0] = 1  # expect: TL114
    return b, alias, holder, later, part


def compared(a: torch.Tensor, labels, other):
    a[labels == 1][0] = 1  # expect: TL114
    a[~(labels > 1) & (other < 2)].zero_()  # expect: TL114
    a[labels == 1] = 0
    a[labels == 1] += 1
    a[labels][0] = 1  # labels may be a number
    a[labels is other][0] = 1  # expect: TL114
    a[labels == 1].sum()
    return a[labels == 1].zero_()


def selected(a: torch.Tensor, index: torch.Tensor):
    a.index_select(0, index).zero_()  # expect: TL114
    a.masked_select(a > 0).mul_(2)  # expect: TL114
    chosen = a.gather(1, index)
    chosen.add_(1)
    a.clone().zero_()
    a.select(0, 1).zero_()
    a.narrow(0, 0, 1).zero_()
    return chosen


def read_elsewhere(a: torch.Tensor):
    part = a[[0, 1]]
    part[0] = 1
    rest = a[[2, 3]]
    rest[0] = 1

    def total():
        return rest.sum()

    return total, locals()


def shapes_only(a: torch.Tensor):
    a[[0, 1]].unsqueeze_(0)
    a[[0, 1]].t_()


def read_inside(a: torch.Tensor):
    rest = a[[2, 3]]
    rest[0] = 1

    def total():
        return rest.sum()

    return total


def last(a: torch.Tensor):
    for row in range(3):
        chosen = a[[row, row + 1]]
        chosen += 1  # expect: TL114
    return a


def declared(a: torch.Tensor):
    global shared
    shared = a[[0, 1]]
    shared[0] = 1


class Rows:
    def __init__(self, table):
        self.table = table

    def __getitem__(self, index):
        return self.table[index[0]]


def own_rows(table):
    rows = Rows(torch.ones(3, 3))
    rows[[0, 1]][0] = 1
    rows[[0, 1]].zero_()
