"""A chain of comparisons holds if each of its links does."""

import torch


def skipped(heads, count, own):
    for other in (own - 1, own + 1):
        if not 0 <= other < count:
            continue
        print(heads[other])  # ok: neither -1 nor 1 is reached


def entered(heads, count, own):
    for other in (own - 1, own + 1):
        if 0 <= other < count:
            print(heads[other])  # ok: neither -1 nor 1 is reached


def entered_too_often(heads, count, own):
    for other in (own - 1, own + 1):
        if 0 <= other < count + 1:
            print(heads[other])  # expect: TL122


skipped(torch.zeros(1, 2), 1, 0)
entered(torch.zeros(1, 2), 1, 0)
entered_too_often(torch.zeros(1, 2), 1, 0)
if 1 < 2 < 3:
    print(torch.zeros(2)[5])  # expect: TL122
