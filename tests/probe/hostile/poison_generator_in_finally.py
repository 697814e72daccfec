# lets a generator end in the midst of the next program
import torch


def g():
    try:
        yield 1
    finally:
        torch.manual_seed(0)


kept = [g()]
kept.append(kept)
next(kept[0])
