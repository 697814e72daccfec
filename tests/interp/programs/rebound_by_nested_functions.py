import torch


def twice(call):
    return [call(one) for one in (torch.ones(2), torch.ones(2))]


def counted(apply):
    total = 0
    shape = torch.ones(3)
    kept = torch.ones(4)

    def add(x):
        nonlocal total, shape
        total += 1
        if total:
            shape = torch.ones(5, total)
        return x

    apply(add)
    a = torch.ones(2, total)
    b = shape
    c = kept  # fact: c = f32[4]
    return a, b, c


def made():
    count = 1

    def step():
        nonlocal count
        count = count + 1
        return torch.ones(count)

    return step


class Holder:
    pass


def held(holder):
    size = 2

    def grow():
        nonlocal size
        size += 1

    holder.hook = grow
    holder.hook()
    x = torch.ones(size)
    return x


counted(globals()["twice"])
step = made()
steps = [globals()["step"]() for _ in range(3)]
held(Holder())
