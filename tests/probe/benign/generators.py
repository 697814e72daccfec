import torch


def batches(n, size):
    for start in range(0, n, size):
        stop = min(start + size, n)
        yield torch.arange(start, stop)


for index, batch in enumerate(batches(7, 3)):
    print(index, batch.tolist())
first = next(iter(batches(2, 2)))
assert (last := first[-1]).item() == 1
print(last)
