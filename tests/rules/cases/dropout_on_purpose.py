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
