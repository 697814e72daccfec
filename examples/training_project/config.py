import argparse
from dataclasses import dataclass


@dataclass
class Config:
    epochs: int = 5
    batch_size: int = 32
    train_windows: int = 2048
    val_windows: int = 512
    length: int = 64
    dim: int = 48
    heads: int = 4
    depth: int = 2
    dropout: float = 0.1
    lr: float = 3e-4
    weight_decay: float = 0.05
    label_smoothing: float = 0.1
    clip_norm: float = 1.0
    log_every: int = 20
    checkpoint: str = "checkpoint.pt"


def parse_config():
    parser = argparse.ArgumentParser()
    for name, default in vars(Config()).items():
        parser.add_argument("--" + name.replace("_", "-"), type=type(default), default=default)
    return Config(**vars(parser.parse_args()))
