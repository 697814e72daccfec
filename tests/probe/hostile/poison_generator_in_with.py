# leaves a generator waiting inside no_grad
import torch


def g():
    with torch.no_grad():
        yield 1


kept = [g()]
kept.append(kept)
next(kept[0])
