"""Results of methods that are lost where nobody misses them: the tensor is dropped, or has these sizes already."""

import torch


def last_of_an_epoch(weight: torch.Tensor, loader):
    total = 0
    for _ in loader:
        output = weight.reshape(3) * torch.ones(3)
        loss = output.sum() + torch.zeros(())
        loss.backward()
        total += loss.item()
        loss.detach()  # expect: TL901 (info)
        output.detach()  # expect: TL901 (info)
        del loss, output
    return total


def bound_again():
    x = torch.ones(3)
    print(x.sum())
    x.unsqueeze(0)  # expect: TL901 (info)
    x = torch.ones(4)
    return x


def read_again():
    x = torch.ones(3)
    x.unsqueeze(0)  # expect: TL901
    return x + 1


def read_by_the_next_iteration(steps):
    x = torch.ones(3)
    for _ in range(steps):
        print(x.sum())
        x.detach()  # expect: TL901


def at_the_end():
    x = torch.ones(3)
    print(x.sum())
    x.detach()  # expect: TL901 (info)


def of_the_caller(x: torch.Tensor):
    x.detach()  # expect: TL901


def digits(row):
    row.squeeze()  # expect: TL901 (info)
    return row * 10


def columns(row):
    row.squeeze()  # expect: TL901
    return row * 10


def unknown(row: torch.Tensor):
    row.squeeze()  # expect: TL901
    return row * 10


def flat():
    x = torch.ones(6)
    x.flatten()
    y = torch.ones(2, 3)
    y.flatten()  # expect: TL901
    return x, y


def mirrored(boxes, results):
    turned = boxes.clone()
    turned.flip("horizontal")
    return [turned, *results]


rows = [digits(torch.ones(3)), columns(torch.ones(3, 1))]
of_the_caller(torch.ones(3))
