# keeps a context as a default value
import torch


def f(n, c=torch.no_grad()):
    with c:
        return f(n - 1) if n else 0


f(3)
