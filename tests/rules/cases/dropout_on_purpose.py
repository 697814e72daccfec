"""A class, or a comment in the row, may say that values are dropped in evaluation mode, too."""

import torch.nn.functional as F
from torch import nn


class Prenet(nn.Module):
    """Widens frames.

    Note:
        This module always applies dropout even in evaluation.
    """

    def forward(self, x):
        return F.dropout(x, 0.5)  # expect: TL609 (info)


class Sampler(nn.Module):
    def forward(self, x):
        """Returns a sample: dropout is on at inference time as well as in training, and also while it is tested."""
        return F.dropout(x, 0.5)  # expect: TL609 (info)


class Classifier(nn.Module):
    """Applies dropout before the last layer."""

    def forward(self, x):
        return F.dropout(x, 0.5)  # expect: TL609


class Commented(nn.Module):
    def forward(self, layer, x):
        x = F.dropout(layer(x), p=0.5)  # always applies dropout  # expect: TL609 (info)
        return F.dropout(x, p=0.5)  # and once more  # expect: TL609


class Bandit(nn.Module):
    """Has a switch of its own, which training sets."""

    def __init__(self):
        super().__init__()
        self.use_dropout = True
        self.layer = nn.Linear(4, 2)

    def forward(self, x):
        if self.use_dropout:
            x = F.dropout(x, 0.5)  # ok: `act` has switched it off
        return self.layer(x)

    def act(self, x):
        self.use_dropout = False
        return self(x).argmax(-1)


class Told(nn.Module):
    def __init__(self):
        super().__init__()
        self.regularised = True

    def forward(self, x):
        return F.dropout(x, 0.5) if self.regularised else x  # ok: `predict` switches it off


def predict(model, x):
    model.regularised = False
    return model(x)


class Configured(nn.Module):
    def __init__(self, use_dropout=True):
        super().__init__()
        self.use_the_dropout = use_dropout

    def forward(self, x):
        if self.use_the_dropout:
            x = F.dropout(x, 0.5)  # expect: TL609
        return x
