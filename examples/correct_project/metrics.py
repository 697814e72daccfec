import numpy as np


class AverageMeter:
    def __init__(self):
        self.total = 0.0
        self.count = 0

    def update(self, value, n=1):
        self.total += value * n
        self.count += n

    @property
    def average(self):
        return self.total / max(self.count, 1)


class ConfusionMatrix:
    """Rows are true classes, columns predicted ones."""

    def __init__(self, classes):
        self.counts = np.zeros((classes, classes), dtype=np.int64)

    def update(self, predicted, actual):
        np.add.at(self.counts, (actual, predicted), 1)

    def accuracy(self):
        return np.trace(self.counts) / max(self.counts.sum(), 1)

    def recall(self):
        return np.diag(self.counts) / np.maximum(self.counts.sum(axis=1), 1)
