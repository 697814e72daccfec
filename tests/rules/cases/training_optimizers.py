"""What optimizers are given: the flagged lines are refused by torch, all others are not."""

import torch
from torch import nn


class T:
    def __init__(self, model):
        self.params = []
        self.model = model
        self.groups = []
        self.gen = None

    def add(self, p):
        self.params.append(p)

    def build(self):
        self.opt = torch.optim.SGD(self.params, 0.1)


PARAMS = []


def register(p):
    PARAMS.append(p)


def build():
    return torch.optim.SGD(PARAMS, 0.1)


class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.ps = nn.ParameterList([nn.Parameter(torch.ones(2))])
        self.stuff = {}

    def opts(self):
        params = self.parameters()
        a = torch.optim.SGD(params, 0.1)
        params = self.parameters()
        return a, torch.optim.Adam(params)

    def grow(self, n):
        self.add_module("x", nn.Linear(n, n))


class Reg(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.n = n
        self.build()

    def build(self):
        self.register_parameter("w", nn.Parameter(torch.ones(self.n)))


def f(cfg):
    r = Reg(3)
    torch.optim.SGD(r.parameters(), 0.1)

    class Inner(nn.Module):
        pass

    i = Inner()
    i.fc = nn.Linear(2, 2)
    torch.optim.SGD(i.parameters(), 0.1)
    params = []
    if cfg.a:
        params += list(r.parameters())
    else:
        params.extend(i.parameters())
    torch.optim.SGD(params, 0.1)
    try:
        torch.optim.SGD([], 0.1)
    except ValueError:
        pass
    w = torch.zeros(3)
    w = w.to(cfg.device).requires_grad_()
    torch.optim.SGD([w], 0.1)
    v = torch.randn(3, requires_grad=True).to(cfg.device)
    torch.optim.SGD([v], 0.1)
    with torch.no_grad():
        u = torch.randn(3, requires_grad=True) * 2
    u.requires_grad_()
    torch.optim.SGD([u], 0.1)
    d = (torch.randn(3, requires_grad=True) * 2).detach().requires_grad_()
    torch.optim.SGD([d], 0.1)
    gen = r.parameters()
    first = next(gen)
    torch.optim.SGD(gen, 0.1)


class Frozen(nn.Module):
    def __init__(self, enc, flag):
        super().__init__()
        self.enc = enc
        if flag:
            self.head = nn.Linear(2, 2)


def g(enc):
    torch.optim.SGD(Frozen(enc, False).parameters(), 0.1)


class Seq(nn.Sequential):
    def __init__(self):
        super().__init__(nn.ReLU(), nn.Linear(2, 2))


def h():
    torch.optim.SGD(Seq().parameters(), 0.1)


def two(model, lr):
    body = [p for n, p in model.named_parameters() if "bias" not in n]
    torch.optim.SGD([{"params": body}, {"params": model.parameters()}], 0.1)


def loss_params(criterion=nn.MSELoss()):
    net = nn.Linear(2, 2)
    torch.optim.SGD(list(net.parameters()) + list(criterion.parameters()), 0.1)
    torch.optim.SGD([*net.parameters(), *criterion.parameters()], 0.1)
    torch.optim.SGD([{"params": net.parameters()}, {"params": criterion.parameters()}], 0.1)
    ps = set(net.parameters())
    a = filter(lambda p: p.requires_grad, net.parameters())
    torch.optim.SGD(a, 0.1)


class Own:
    def __init__(self, it):
        pass


def o(SGD=Own):
    SGD(nn.Linear(2, 2), 0.1)


class MyOpt(torch.optim.SGD):
    def __init__(self, module, lr):
        super().__init__(module.parameters(), lr)


def p():
    MyOpt(nn.Linear(2, 2), 0.1)


def wrapped(model):
    net = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    torch.optim.SGD(nn.DataParallel(net), 0.1)  # expect: TL513  # expect: TL818
    params = net.parameters()
    nn.utils.clip_grad_norm_(params, 1.0)
    torch.optim.SGD(params, 0.1)  # expect: TL513
    again = net.parameters()
    if model is None:
        list(again)
    torch.optim.SGD(again, 0.1)
    for p in (some := net.parameters()):
        if p.ndim == 1:
            break
    torch.optim.SGD(some, 0.1)
    blocks = nn.ModuleList([nn.Linear(2, 2) for _ in range(20)])
    torch.optim.SGD([{"params": blocks[0].parameters()}, {"params": blocks[1].parameters()}], 0.1)
    heads = []
    for _ in range(30):
        heads.append(nn.Linear(2, 2))
    torch.optim.SGD([{"params": heads[0].parameters()}, {"params": heads[1].parameters()}], 0.1)


class Anew:
    def __init__(self, net):
        self.net = net

    def configured(self, lr):
        return torch.optim.SGD(self.net.parameters(), lr=lr, momentum=0.9)  # expect: TL514

    def plain(self, lr):
        return torch.optim.SGD(self.net.parameters(), lr=lr, momentum=0.0)

    def fit(self, batches):
        for x in batches:
            opt = self.configured(0.1)
            opt.zero_grad()
            self.net(x).sum().backward()
            opt.step()
        for x in batches:
            opt = self.plain(0.1)
            opt.zero_grad()
            self.net(x).sum().backward()
            opt.step()


def anew(batches):
    Anew(nn.Linear(2, 2)).fit(batches)


def unpacked_into_lists():
    first, second = nn.Linear(2, 2), nn.Linear(2, 2)
    torch.optim.SGD([*first.parameters(), *second.parameters()], lr=0.1)
    groups = [{"params": [*first.parameters()]}, {"params": first.parameters()}]
    torch.optim.SGD(groups, lr=0.1)  # expect: TL513


def filtered_into_lists():
    net = nn.Linear(2, 2)
    decayed = list(filter(lambda p: p.ndim > 1, net.parameters()))
    others = [*filter(lambda p: p.ndim < 2, net.parameters())]
    torch.optim.SGD([{"params": decayed}, {"params": others, "weight_decay": 0.0}], lr=0.1)


class Counted(torch.optim.Optimizer):
    def __init__(self, params, lr=0.1):
        self.shapes = [p.shape for p in params]
        super().__init__(params, dict(lr=lr))  # expect: TL513


class CountedInAList(torch.optim.Optimizer):
    def __init__(self, params, lr=0.1):
        params = list(params)
        self.shapes = [p.shape for p in params]
        super(CountedInAList, self).__init__(params, dict(lr=lr))


def counted():
    Counted(nn.Linear(2, 3).parameters())
    CountedInAList(nn.Linear(2, 3).parameters())


def counted_lists():
    Counted(list(nn.Linear(2, 3).parameters()))


def generated(model):
    params = (p for n, p in model.named_parameters() if "bias" not in n)
    print(sum(p.numel() for p in params))
    torch.optim.SGD(params, 0.1)  # expect: TL513
    params = (p for n, p in model.named_parameters() if "bias" not in n)
    opt = torch.optim.SGD(params, 0.1)
    names = (n for n, p in model.named_parameters())
    print(list(names), list(names))
    nn.utils.clip_grad_norm_(params, 1.0)  # expect: TL515
    opt.step()


def filtered(model, x):
    params = filter(lambda p: p.requires_grad, model.parameters())
    opt = torch.optim.SGD(params, 0.1)
    opt.zero_grad()
    model(x).sum().backward()
    nn.utils.clip_grad_norm_(params, 1.0)  # expect: TL515
    opt.step()


def clipped_each_time(model, batches):
    opt = torch.optim.SGD(model.parameters(), 0.1)
    for x in batches:
        opt.zero_grad()
        model(x).sum().backward()
        nn.utils.clip_grad_norm_((p for p in model.parameters() if p.requires_grad), 1.0)
        opt.step()


class Headed(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
        self.head = nn.Linear(4, 2)


def frozen_with_its_head():
    model = Headed()
    model.head = nn.Linear(4, 3)
    for p in model.parameters():
        p.requires_grad = False
    torch.optim.SGD(filter(lambda p: p.requires_grad, model.parameters()), 0.1)  # expect: TL513
    torch.optim.SGD((p for p in model.parameters() if p.requires_grad), 0.1)  # expect: TL513
    for p in model.head.parameters():
        p.requires_grad = True
    torch.optim.SGD(filter(lambda p: p.requires_grad, model.parameters()), 0.1)


def frozen_before_its_head():
    model = Headed()
    for p in model.parameters():
        p.requires_grad = False
    model.head = nn.Linear(4, 3)
    torch.optim.SGD(filter(lambda p: p.requires_grad, model.parameters()), 0.1)


def frozen_in_part(model: Headed):
    for name, p in model.named_parameters():
        p.requires_grad = name.startswith("head")
    torch.optim.SGD(filter(lambda p: p.requires_grad, model.parameters()), 0.1)
    model = Headed()
    model.requires_grad_(False)
    for name, p in model.named_parameters():
        if "head" in name:
            p.requires_grad_(True)
    torch.optim.SGD(filter(lambda p: p.requires_grad, model.parameters()), 0.1)
    model = Headed()
    model.requires_grad_(False)
    model.head.bias.requires_grad = True
    torch.optim.SGD(filter(lambda p: p.requires_grad, model.parameters()), 0.1)
