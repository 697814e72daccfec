"""pad_sequence as torch does it."""

import pytest

from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.values import Repeated, Scalar, TupleValue
from torchlsp.ops import operator
from torchlsp.ops.call import Context
from torchlsp.ops.signature import Arguments

NAME = "torch.nn.utils.rnn.pad_sequence"


def padded(sequences, batch_first):
    arguments = Arguments((sequences, Scalar("bool", batch_first)))
    made, faults = operator(NAME).apply(NAME, arguments, Context())
    assert not faults
    return made


@pytest.mark.torch
@pytest.mark.parametrize("batch_first", [False, True])
@pytest.mark.parametrize("shapes", [[(5, 8), (3, 8), (4, 8)], [(2,), (7,)], [(4, 3, 2), (1, 3, 2)]])
def test_known_lengths_give_torchs_shape(shapes, batch_first):
    import torch

    facts = TupleValue(tuple(TensorFact(shape, "f32") for shape in shapes))
    real = torch.nn.utils.rnn.pad_sequence([torch.ones(shape) for shape in shapes], batch_first)
    made = padded(facts, batch_first)
    assert made.shape == tuple(real.shape)
    assert made.provenance == ("batch first" if batch_first else "time first")


def test_a_batch_of_unknown_lengths():
    made = padded(Repeated(TensorFact((6, 8), "f32"), 4), True)
    assert made.shape[0] == 4
    assert made.shape[2] == 8
