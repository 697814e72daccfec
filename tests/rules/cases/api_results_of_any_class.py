"""A function of torch may be given an object whose class says what the function does; functions that a test of torch chooses."""

import torch
from composition import make  # a class with `__torch_function__`

try:
    import torch.fft as new_fft
except ImportError:
    new_fft = None


def parts():
    given = make((2, 3))
    spread = torch.var(given, False)
    product = torch.bmm(torch.ones(1, 2, 2), given)
    return spread.c_sum(), product.c_sum()  # ok: `__torch_function__` may return something else


def whole():
    return torch.var(torch.ones(2, 3)).c_sum()  # expect: TL902


def _new_rfft(x):
    return new_fft.rfft(x)


def _old_rfft(x):
    return torch.rfft(x, 1)  # ok: bound only where torch has no torch.fft


def direct(x):
    if new_fft is None:
        return torch.rfft(x, 1)  # ok: only where torch has no torch.fft
    return new_fft.rfft(x)


def always(x):
    return torch.travel(x)  # expect: TL902


if new_fft is None:
    rfft = _old_rfft
else:
    rfft = _new_rfft

transform = always


class Recorded:
    """Has results of its own for functions of torch."""

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        return cls()

    def unwrap(self):
        return 1


def recorded(weight):
    return torch.nn.functional.conv2d(Recorded(), weight).unwrap()  # ok: what Recorded returns has it


def plain(image: torch.Tensor, weight: torch.Tensor):
    return torch.nn.functional.conv2d(torch.relu(torch.ones(1, 3, 8, 8)), torch.ones(2, 3, 3, 3)).travel()  # expect: TL902


def without_prefix(state):
    torch.nn.modules.utils.consume_prefix_in_state_dict_if_present(state, "module.")  # ok: torch.nn.utils is another
    torch.nn.utils.consume_prefix(state, "module.")  # expect: TL902


def shared(given):
    return (given * 2).exp().max(1, one_hot=True)  # ok: a class of the program may have such a max


def shared_tensor(given):
    return torch.exp(given).max(1, one_hot=True)  # expect: TL903
