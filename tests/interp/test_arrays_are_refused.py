"""Functions and layers of which a NumPy array is reported as no tensor: torch refuses it in each of them."""

import pytest

from torchlsp import ops
from torchlsp.interp.checks.api.not_a_tensor import TAKES_NO_SEQUENCE, TAKES_SEQUENCES
from torchlsp.ops import signature
from torchlsp.ops.marks import TAKES_A_TENSOR
from torchlsp.ops.table import TABLE

_FURTHER = {"lp_pool2d": (2, (1, 1)), "lp_pool3d": (2, (1, 1, 1))}
_OPTIONS = {"fractional_max_pool2d": {"output_size": 1}, "fractional_max_pool3d": {"output_size": 1}}


def _functions():
    ops.load()
    for name, row in sorted(TABLE.rows.items()):
        of_layers = name.startswith("torch.nn.functional.") and row.signature.startswith("input")
        if name in TAKES_NO_SEQUENCE or of_layers and name not in TAKES_SEQUENCES:
            yield name, row


@pytest.mark.torch
@pytest.mark.slow
def test_functions_refuse_arrays():
    numpy, torch = pytest.importorskip("numpy"), pytest.importorskip("torch")
    taken = []
    for name, row in _functions():
        function = torch
        for part in name.split(".")[1:]:
            function = getattr(function, part)
        last = name.rpartition(".")[2]
        required = [p for p in signature.parse(row.signature).params[1:] if p.default is signature.MISSING]
        further = _FURTHER.get(last, (torch.ones(2, 3),) * len(required))
        try:
            function(numpy.ones((2, 3), "float32"), *further, **_OPTIONS.get(last, {}))
            taken.append(name)
        except (TypeError, AttributeError):
            pass
    assert not taken


@pytest.mark.torch
@pytest.mark.slow
def test_layers_refuse_arrays():
    numpy, torch = pytest.importorskip("numpy"), pytest.importorskip("torch")
    taken = []
    for name in sorted(TAKES_A_TENSOR):
        kind = torch
        for part in name.split(".")[1:]:
            kind = getattr(kind, part)
        for given in ((), (3,), (3, 3), (3, 3, 1), (1, 3), (2, 3, 3), (1, (3, 1))):
            try:
                layer = kind(*given)
            except (TypeError, ValueError, AttributeError):
                continue
            break
        try:
            layer.eval()(numpy.ones((2, 3), "float32"))
            taken.append(name)
        except (TypeError, AttributeError):
            pass
    assert not taken
