"""A module whose constructor is not followed, because the calls before it have cost too much, may hold parameters."""

from torch import nn, optim


class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.lin = nn.Linear(n, n)


def one(x):
    return x + 1


def two(x):
    return one(one(one(one(one(one(one(one(x))))))))


def four(x):
    return two(two(two(two(two(two(two(two(x))))))))


def eight(x):
    return four(four(four(four(four(four(four(four(x))))))))


def main(n):
    print(eight(n))
    model = Net(n)
    model.seed = 1
    optimizer = optim.Adam(model.parameters(), lr=2e-4)
    print(len(optimizer.param_groups[0]["params"]))


if __name__ == "__main__":
    main(4)


class Empty(nn.Module):
    def forward(self, x):
        return x


empty = Empty()
empty.seed = 1
optim.Adam(empty.parameters(), lr=2e-4)  # expect: TL513
