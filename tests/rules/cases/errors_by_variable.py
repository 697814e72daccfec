"""An error that a test expects by the name of a variable may be any; `(h w)` of jaxtyping is one axis."""

import unittest

import torch
from jaxtyping import Float
from torch import Tensor


class Map:
    def __init__(self, rows):
        self.rows = torch.tensor(rows)


class Ranges(unittest.TestCase):
    def test_invalid(self):
        for rows, error in (([[1, 2], [3]], ValueError), ([[1], [2, 3]], TypeError)):
            with self.assertRaises(error):
                Map(rows)



def steps(points: Float[Tensor, "B (H W) 3"], source: Float[Tensor, "B 1 3"]):
    return source.expand(points.shape[0], -1, -1), points.expand(2, -1, -1)


def refused(points: Float[Tensor, "B H W 3"]):
    return points.expand(2, -1, -1)  # expect: TL107
