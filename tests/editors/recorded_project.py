"""A library file of which little is known, and a program that calls it: what a recorded run adds, an editor shows."""

from __future__ import annotations

MODEL = """\
import torch


def attended(weights, values):
    turned = values.transpose(1, 2)
    return weights @ turned
"""
TRAIN = """\
import torch

from model import attended


def main():
    attended(torch.ones(2, 4, 5, 5), torch.ones(2, 5, 4, 3))
    print("trained")


if __name__ == "__main__":
    main()
"""
LINE = "turned = values.transpose(1, 2)"
CHANGED = "turned = values"
"""In its place: the product then has sizes that do not fit."""
ROW = 1 + [row.strip() for row in MODEL.splitlines()].index(LINE)
FILES = {"model.py": MODEL, "train.py": TRAIN}
