import torch, numpy as np
from torch import nn
from accelerate import Accelerator
import deepspeed

device = "cuda" if torch.cuda.is_available() else "cpu"

def to_np(t):
    if t.is_cuda:
        t = t.cpu()
    if t.requires_grad:
        t = t.detach()
    return t.numpy()

def to_np2(t):
    return (t.cpu() if t.is_cuda else t).detach().numpy()

def to_np3(t):
    if t.device.type != "cpu":
        t = t.to("cpu")
    return t.detach().numpy()

def to_np4(t):
    try:
        return t.numpy()
    except Exception:
        return t.detach().cpu().numpy()

x = torch.randn(3, device=device, requires_grad=True)
a = to_np(x); b = to_np2(x); c = to_np3(x); d = to_np4(x)
y = x.to("cpu").detach().numpy()
if device == "cpu":
    z = x.detach().numpy()
if not torch.cuda.is_available():
    zz = x.detach().numpy()

def acc_style(model, loader):
    accelerator = Accelerator()
    opt = torch.optim.AdamW(model.parameters())
    model, opt, loader = accelerator.prepare(model, opt, loader)
    for x, y in loader:
        with accelerator.accumulate(model):
            loss = nn.functional.mse_loss(model(x), y)
            accelerator.backward(loss)
            opt.step()
            opt.zero_grad()

def acc_bad(model, loader):
    accelerator = Accelerator()
    opt = torch.optim.AdamW(model.parameters())
    model, opt, loader = accelerator.prepare(model, opt, loader)
    for x, y in loader:
        loss = nn.functional.mse_loss(model(x), y)
        accelerator.backward(loss)  # expect: TL501
        opt.step()

def ds(model, loader):
    opt = torch.optim.Adam(model.parameters())
    engine, opt, _, _ = deepspeed.initialize(model=model, optimizer=opt)
    for x in loader:
        loss = engine(x).sum()
        engine.backward(loss)
        engine.step()

def hooks(model, loader):
    opts = {p: torch.optim.SGD([p], lr=0.1) for p in model.parameters()}
    def hook(p):
        opts[p].step()
        opts[p].zero_grad()
    for p in model.parameters():
        p.register_post_accumulate_grad_hook(hook)
    for x in loader:
        model(x).sum().backward()

def tail(model, loader, k):
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    opt.zero_grad()
    n = len(loader)
    for i, x in enumerate(loader):
        (model(x).sum() / k).backward()
        if (i + 1) % k != 0 and i + 1 != n:
            continue
        opt.step()
        opt.zero_grad()

def end_of_body(model, loader):
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for x in loader:
        loss = model(x).sum()
        if torch.isnan(loss):
            continue
        loss.backward()
        opt.step()
        for group in opt.param_groups:
            for p in group["params"]:
                p.grad = None

class Wrap:
    def __init__(self, opt):
        self.opt = opt
    def step(self):
        self.opt.step()
        self.opt.zero_grad()

def wrapped(model, loader):
    w = Wrap(torch.optim.SGD(model.parameters(), lr=0.1))
    for x in loader:
        model(x).sum().backward()
        w.step()

def gan(G, D, loader):
    og, od = torch.optim.Adam(G.parameters()), torch.optim.Adam(D.parameters())
    for real in loader:
        D.zero_grad()
        (D(real).mean() - D(G(real).detach()).mean()).backward()
        od.step()
        G.zero_grad()
        D(G(real)).mean().backward()
        og.step()

def two_losses(model, loader):
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for x in loader:
        opt.zero_grad()
        a, b = model(x)
        a.sum().backward(retain_graph=True)
        b.sum().backward()
        opt.step()


def saved_on_one_process(model):
    accelerator = Accelerator()
    model = accelerator.prepare(model)
    if accelerator.is_main_process:
        # gathers only what FSDP or DeepSpeed have sharded
        torch.save(accelerator.get_state_dict(model), "model.pt")
        accelerator.save_state("state")
        accelerator.wait_for_everyone()  # expect: TL804
