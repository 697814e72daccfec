"""Where a test says that a value is of a class that is not seen, nothing is believed of it on that path."""

import torch
import unseen
from torch import nn
from unseen import Nested, Packed, Table


class Stem(nn.Module):
    def __init__(self):
        super().__init__()
        self.names = []
        self.weights = torch.zeros(4, 4)

    def of_class(self, images):
        x = images.view(-1, 3, 8, 8)
        if isinstance(x, Nested):
            return x.permute(0, 2)
        return x.permute(0, 2)  # expect: TL116

    def of_classes(self, images):
        x = images.view(-1, 3, 8, 8)
        if isinstance(x, (list, unseen.Nested)):
            return x.permute(0, 2)
        if not isinstance(x, (torch.nn.utils.rnn.PackedSequence, Packed)):
            return x.permute(0, 2)  # expect: TL116
        return x.permute(0, 2)

    def of_seen_class(self, images):
        x = images.view(-1, 3, 8, 8)
        if isinstance(x, nn.Parameter):
            return x.permute(0, 2)  # expect: TL116
        return x

    def of_attributes(self):
        if isinstance(self.weights, Table):
            return self.weights[:, :, 0]
        if isinstance(self.names, Table):
            self.names.extend(["a", "b"])
        return self.weights[:, :, 0], self.names[1]  # expect: TL122

    def of_type(self, images):
        x = images.view(-1, 3, 8, 8)
        if type(x) is Nested or type(x) == unseen.Packed or issubclass(type(x), Table):
            return x
        if type(x) is Nested:
            return x.permute(0, 2)
        if issubclass(type(x), Table):
            return x.permute(0, 2)
        if type(x) != Packed:
            return x.permute(0, 2)  # expect: TL116
        return x.permute(0, 2)

    def of_name(self, images):
        x = images.view(-1, 3, 8, 8)
        if x.__class__.__name__ == "Nested":
            return x.permute(0, 2)
        return x.permute(0, 2) if type(x).__name__ in ("Packed", "Table") else x

    def in_logic(self, images):
        x = images.view(-1, 3, 8, 8)
        if isinstance(x, Nested) and x.permute(0, 2).any():
            return x.permute(0, 2)
        return x

    def in_match(self, images):
        x = images.view(-1, 3, 8, 8)
        match x:
            case Nested():
                return x.permute(0, 2)
            case Packed(data=data):
                return x.permute(0, 2), data
            case _:
                return x.permute(0, 2)  # expect: TL116


def of_array(frames):
    batch, height, width = frames.shape
    rows = frames.unsqueeze(1)
    if not torch.is_tensor(frames):
        return frames.permute(0, 1)
    if isinstance(frames, torch.Tensor):
        return frames.permute(0, 1), rows  # expect: TL116
    return frames.permute(0, 1)


layer = nn.Linear(3, 4)
if isinstance(layer, Table):
    layer(torch.zeros(5))
else:
    layer(torch.zeros(5))  # expect: TL105
