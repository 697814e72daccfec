"""A test hands in what must be refused, and the function says so in an error of its own."""

import pytest
import torch


def fitted(y, weight):
    try:
        weight = weight.broadcast_to(y.shape)
    except RuntimeError as error:
        raise ValueError("the weight does not fit") from error
    return y * weight


def test_a_weight_that_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="does not fit"):
        fitted(torch.zeros(3), torch.ones(4))


def weighed(y, weight):
    try:
        weight = weight.broadcast_to(y.shape)  # expect: TL107
    except RuntimeError as error:
        raise ValueError("the weight does not fit") from error
    return y * weight


def test_another_error_is_expected():
    with pytest.raises(TypeError):
        weighed(torch.zeros(3), torch.ones(4))


def scaled(y, weight):
    try:
        weight = weight.broadcast_to(y.shape)  # expect: TL107
    except RuntimeError:
        raise
    return y * weight


def use():
    return scaled(torch.zeros(3), torch.ones(4))


def chosen(rows, index):
    assert index.max() < len(rows), "no such row"
    return rows.index_select(0, index)  # ok: the assertion fails before


def test_an_assertion_fails_before():
    with pytest.raises(AssertionError):
        chosen(torch.zeros(1, 3), torch.ones(2))


def taken(rows, index):
    return rows.index_select(0, index)  # expect: TL230


def test_none_fails_before():
    taken(torch.zeros(1, 3), torch.ones(2))
