"""Memory that an array and a tensor, or a caller and its function, share."""

import numpy as np
import torch


def of_unseen_array(array):
    tensor = torch.from_numpy(array)
    array -= array.mean()  # expect: TL305
    return tensor, array


def loaded(path):
    image = np.load(path)
    tensor = torch.from_numpy(image)
    image[0] = 3  # expect: TL305
    return tensor


def given_away(path):
    image = np.load(path)
    tensor = torch.from_numpy(image)
    print(tensor.shape)
    image[0] = 3
    return image


def in_the_same_turn(arrays):
    for _ in range(3):
        array = np.ones(3)
        tensor = torch.from_numpy(array)
        array[1] = 2  # expect: TL305
        print(tensor)


def before_the_loop():
    array = np.ones(3)
    tensor = torch.from_numpy(array)
    for i in range(5):
        array[i % 3] = i
        print(tensor)


def maybe_copied(copy):
    array = np.ones(3)
    tensor = torch.from_numpy(array.copy()) if copy else torch.from_numpy(array)
    array += 1
    return tensor


def of_a_list(values):
    array = np.array(values)
    tensor = torch.tensor(array)
    array += 1
    return tensor


def shifted(t):
    t += 1  # expect: TL319
    return t


def uses_both():
    x = torch.ones(3)
    y = shifted(x)
    return x + y


def renewed(t):
    t *= 2
    return t


def uses_one():
    x = torch.ones(3)
    x = renewed(x)
    return x + renewed(x.clone())


def unseen(t: torch.Tensor):
    t[t < 0] = 0
    return t, "clipped"


def clipped(t):
    t[t < 0] = 0  # expect: TL319
    return t, "clipped"


def uses_clipped():
    x = torch.randn(3)
    y, _ = clipped(x)
    return x, y


def cut_off(t):
    t[t > 3] = 3
    return t


def leaves(x: torch.Tensor, several):
    if several:
        return [cut_off(x)]
    return cut_off(x)


def of_numbers(count):
    count += 1
    return count


def of_a_part(t: torch.Tensor):
    t = t * 2
    t[0] = 0
    return t


def returns_another(t: torch.Tensor):
    t.zero_()
    return t + 1


def set_in_place(t: torch.Tensor):
    t.add_(1)
    return t


def rescaled(t: torch.Tensor, inplace=True):
    t.mul_(3)
    return t


def frozen(t: torch.Tensor):
    t.requires_grad_()
    return t
