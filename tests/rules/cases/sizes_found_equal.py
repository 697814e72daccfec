"""Reshapes that only join dims, as a test has found two sizes to be equal."""

import torch


def by_tuples(correlation: torch.Tensor):
    b, h, w, h2, w2 = correlation.shape
    correlation = correlation * 2
    if (h, w) != (h2, w2):
        raise ValueError("sizes")
    return correlation.reshape(b * h * w, 1, h, w)  # ok: h is h2, w is w2


def by_names(correlation: torch.Tensor):
    b, h, w, h2, w2 = correlation.shape
    correlation = correlation * 2
    if h2 != h or w2 != w:
        raise ValueError("sizes")
    return correlation.reshape(b * h * w, 1, h, w)  # ok: the same


def by_assertion(correlation: torch.Tensor):
    b, h, w, h2, w2 = correlation.shape
    correlation = correlation * 2
    assert h == h2 and w == w2, "sizes"
    if b == h:
        correlation = correlation + 1
    return correlation.reshape(b * h * w, 1, h, w)  # ok: the same after paths meet


def by_shapes(correlation: torch.Tensor, image: torch.Tensor):
    b, h, w, h2, w2 = correlation.shape
    n, c, height, width = image.shape
    correlation = correlation * 2
    if image.shape[2:] != correlation.shape[1:3]:
        raise ValueError("sizes")
    if image.shape[2:] != correlation.shape[3:]:
        raise ValueError("sizes")
    return correlation.reshape(b * h * w, 1, height, width)  # ok: all three are the same


def of_one_only(correlation: torch.Tensor):
    b, h, w, h2, w2 = correlation.shape
    correlation = correlation * 2
    if w != w2:
        raise ValueError("sizes")
    return correlation.reshape(b * h * w, 1, w, h)  # expect: TL104


def of_what_is_left(correlation: torch.Tensor):
    b, h, w, h2, w2 = correlation.shape
    correlation = correlation * 2
    if w != w2:
        raise ValueError("sizes")
    return correlation.reshape(b * h * w, 1, h, w)  # ok: it raises unless h is h2


def of_blocks(blocks: torch.Tensor):
    n, size, _, kernel = blocks.shape
    blocks = blocks * 2
    return blocks.view(n * size, size, kernel)  # ok: it raises unless the third size is the second one, too


def of_blocks_in_another_order(blocks: torch.Tensor):
    n, size, _, kernel = blocks.shape
    blocks = blocks * 2
    return blocks.view(n * size, kernel, size)  # expect: TL104


def on_one_path(correlation: torch.Tensor):
    b, h, w, h2, w2 = correlation.shape
    correlation = correlation * 2
    if (h, w) != (h2, w2):
        print("sizes")
    return correlation.reshape(b * h * w, 1, h, w)  # expect: TL104


def of_others(correlation: torch.Tensor):
    b, h, w, h2, w2 = correlation.shape
    correlation = correlation * 2
    if (h, w) != (h2, w2):
        raise ValueError("sizes")
    return correlation.reshape(b * w * h, 1, w, h)  # expect: TL104


def before(correlation: torch.Tensor):
    b, h, w, h2, w2 = correlation.shape
    correlation = correlation * 2
    flat = correlation.reshape(b * h * w, 1, h, w)  # expect: TL104
    if (h, w) != (h2, w2):
        raise ValueError("sizes")
    return flat


def of_pairs_of_places(covariance: torch.Tensor):
    b, c, h, w, _, _ = covariance.shape
    covariance = covariance * 2
    return covariance.reshape(b * c * h * w, 1, h, w)  # ok: the last two sizes stand for h and w


def of_pairs_in_another_order(covariance: torch.Tensor):
    b, c, h, w, _, _ = covariance.shape
    covariance = covariance * 2
    return covariance.reshape(b * h * w, c, h, w)  # expect: TL104
