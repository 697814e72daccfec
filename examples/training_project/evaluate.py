import argparse

import torch
from torch.utils.data import DataLoader

from config import Config
from data import ACTIVITIES, AXES, ActivityWindows, Standardize
from distributed import pick_device
from metrics import ConfusionMatrix
from model import build_model


@torch.no_grad()
def predict(model, windows, device):
    return model(windows.to(device)).argmax(dim=1)


def evaluate(model, loader, device):
    model.eval()
    matrix = ConfusionMatrix(len(ACTIVITIES))
    for windows, labels in loader:
        predicted = predict(model, windows, device)
        matrix.update(predicted.numpy(), labels.numpy())
    return matrix


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("checkpoint")
    parser.add_argument("--windows", type=int, default=1024)
    args = parser.parse_args()

    device = pick_device()
    saved = torch.load(args.checkpoint, map_location=device, weights_only=True)
    config = Config(**saved["config"])
    model = build_model(config, AXES, len(ACTIVITIES)).to(device)
    model.load_state_dict(saved["model"])

    dataset = ActivityWindows(args.windows, config.length, seed=2, transform=Standardize())
    matrix = evaluate(model, DataLoader(dataset, batch_size=config.batch_size), device)
    print(f"accuracy {matrix.accuracy():.3f}")
    for activity, recall in zip(ACTIVITIES, matrix.recall()):
        print(f"{activity:>10} {recall:.3f}")


if __name__ == "__main__":
    main()
