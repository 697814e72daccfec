"""A branch for evaluation: who asks for it switches gradients off."""

from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 2)

    def forward(self, x, mode="train"):
        output = self.layer(x)
        if mode == "train":
            return output
        elif mode == "predict":
            return output.softmax(dim=-1).cpu().numpy()  # ok: a prediction, in which nothing is learned
        return output

    def scores(self, x, mode="train"):
        output = self.layer(x)
        if mode == "train":
            return output.softmax(dim=-1).cpu().numpy()  # expect: TL302
        return output
