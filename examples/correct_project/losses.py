from torch import nn


def build_criterion(config, class_weights=None):
    return nn.CrossEntropyLoss(weight=class_weights, label_smoothing=config.label_smoothing)
