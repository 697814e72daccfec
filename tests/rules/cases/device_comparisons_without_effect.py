"""Comparisons of devices that have one answer only, and on which nothing depends."""

import os

import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def both_the_same(loader):
    if device == "cpu":  # expect: TL306 (info)
        workers = 0
    else:
        workers = 0
    return loader(workers)


def unread(loader):
    if device == "cpu":  # expect: TL306 (info)
        workers = 0
    else:
        workers = 4 * os.cpu_count()
        print("workers", workers, f"({workers} processes)")
    return loader(num_workers=0)


def read(loader):
    if device == "cpu":  # expect: TL306
        workers = 0
    else:
        workers = 4
    return loader(workers)


def read_inside(loader):
    if device == "cpu":  # expect: TL306
        workers = 0
    else:
        workers = 4
    return lambda: loader(workers)


def shared():
    global pinned
    pinned = False
    if device == "cuda":  # expect: TL306
        pinned = True


def shown():
    if device == "cuda":  # expect: TL306
        print(torch.cuda.device_count())


def only_frees(model):
    if device == "cuda":  # expect: TL306 (info)
        torch.cuda.empty_cache()
    if device == "cuda":  # expect: TL306
        torch.cuda.empty_cache()
        model.half()


def called(prepare):
    if device == "cuda":  # expect: TL306
        ready = prepare()


class Predictor:
    def __init__(self):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

    def empty(self):
        if self.device == torch.device("cuda") or self.device == "cuda":  # expect: TL306 (info)
            torch.cuda.empty_cache()
        if self.device.type == "cuda" or self.device == "cuda":  # expect: TL306 (info)
            torch.cuda.empty_cache()
        if str(self.device) == "cuda" or "cuda" == self.device:  # expect: TL306 (info)
            torch.cuda.empty_cache()
        if self.device != "cpu" and self.device.type != "cpu":  # expect: TL306 (info)
            torch.cuda.empty_cache()
        if self.device.type == "mps" or self.device == "cuda":  # expect: TL306
            torch.cuda.empty_cache()
        if device.type == "cuda" or self.device == "cuda":  # expect: TL306
            torch.cuda.empty_cache()
        if self.device.type == "cuda" and self.device == "cuda":  # expect: TL306
            torch.cuda.empty_cache()


def chosen():
    first = torch.zeros(2, device="cpu" if device == "cuda" else "cpu")  # expect: TL306 (info)
    second = torch.zeros(2, device=device if device != "cpu" else "cpu")  # expect: TL306 (info)
    third = torch.zeros(2, device="cpu" if device != "cpu" else device)  # expect: TL306
    return first, second, third


if device == "cuda":  # expect: TL306 (info)
    pass


def either(chosen=None):
    if isinstance(chosen, str) and chosen == "cuda" or chosen == torch.device("cuda"):  # ok: it may be a device
        return "GPU"
    return "CPU"


def always_text(chosen=None):
    if chosen == torch.device("cuda"):  # expect: TL306
        return "GPU"
    return "CPU"


either("cpu")
always_text("cpu")
