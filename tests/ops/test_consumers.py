"""The table of functions that convert tensors, against the functions themselves."""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Callable

import numpy as np
import pytest
import torch

from torchlsp.facts.device import CUDA
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.tensor import LEAF, NO_GRAD, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import TupleValue
from torchlsp.ops.call import Context
from torchlsp.ops.libraries.consumers import _tables, consumer, conversion_faults, takes_sequences
from torchlsp.ops.signature import Arguments

pytestmark = pytest.mark.torch

GRAD = TensorFact((4,), "f32", grad=LEAF)
PLAIN = (np.random.rand(4), np.random.rand(4, 4), 0.5, 2, [0, 1, 0, 1])
TENSORS = [{"size": (4,)}, {"size": (4, 4)}, {"size": ()}]


def function(name: str) -> Callable:
    module, _, last = name.rpartition(".")
    if module.startswith("matplotlib"):
        importlib.import_module("matplotlib").use("Agg")
    return getattr(importlib.import_module(module), last)


def refuses(called: Callable, tensor: torch.Tensor, position: int) -> bool:
    """Does some plausible call with the tensor at this position raise torch's own error?"""
    for count in range(position, 3):
        for others in itertools.product(PLAIN, repeat=count):
            arguments = [*others[:position], tensor, *others[position:]]
            try:
                called(*arguments)
            except Exception as error:
                if str(error).startswith(("Can't call numpy()", "can't convert meta device")):
                    return True
    return False


NAMES = sorted(name for name in _tables() if name.startswith("numpy.") and "save" not in name)
OTHERS = """matplotlib.pyplot.plot matplotlib.pyplot.scatter matplotlib.pyplot.imshow matplotlib.pyplot.hist pandas.DataFrame
    pandas.Series sklearn.metrics.accuracy_score sklearn.metrics.roc_auc_score scipy.stats.pearsonr scipy.special.softmax
    scipy.ndimage.zoom scipy.linalg.inv seaborn.heatmap""".split()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [*NAMES, *OTHERS])
def test_named_positions_are_converted(name):
    if not name.startswith("numpy"):
        pytest.importorskip(name.partition(".")[0])
    try:
        called = function(name)
    except AttributeError:
        pytest.skip("not in this version")
    positions = consumer(name)
    for position in (0,) if positions == "all" else positions:
        for options in ({"requires_grad": True}, {"device": "meta"}):
            assert any(refuses(called, torch.rand(**size, **options), position) for size in TENSORS)


@pytest.mark.parametrize("name", """numpy.sum numpy.mean numpy.squeeze numpy.shape numpy.array_equal numpy.split
    numpy.nonzero cv2.resize cv2.imwrite PIL.Image.fromarray matplotlib.pyplot.title pandas.isna builtins.len""".split())  # fmt: skip
def test_functions_that_do_not_convert_are_not_named(name):
    assert consumer(name) is None


def faults(name: str, *positional, grad_mode=Tri.YES, **keywords):
    arguments = Arguments(positional, tuple(keywords.items()))
    return [fault.kind for fault in conversion_faults(name, arguments, Context(grad_mode=grad_mode))]


def test_conversion_is_judged_by_the_law_of_numpy():
    assert faults("matplotlib.pyplot.plot", GRAD) == [FaultKind.NUMPY_ON_GRAD]
    assert faults("matplotlib.pyplot.plot", GRAD, grad_mode=Tri.NO) == []
    assert faults("matplotlib.pyplot.imshow", GRAD.but(device=CUDA)) == [FaultKind.NUMPY_ON_DEVICE]
    assert faults("sklearn.metrics.accuracy_score", GRAD.but(grad=NO_GRAD), GRAD) == [FaultKind.NUMPY_ON_GRAD]
    assert faults("sklearn.metrics.accuracy_score", y_true=GRAD, y_pred=GRAD) == [FaultKind.NUMPY_ON_GRAD]
    assert faults("pandas.DataFrame", TensorFact()) == []
    assert faults("matplotlib.pyplot.title", GRAD) == []


def test_lists_of_tensors_count_where_the_function_converts_them():
    several = TupleValue((GRAD, GRAD))
    assert takes_sequences("numpy.percentile")
    assert faults("matplotlib.pyplot.plot", several) == [FaultKind.NUMPY_ON_GRAD]
    assert faults("pandas.Series", several) == []
    assert faults("numpy.percentile", several) == [FaultKind.NUMPY_ON_GRAD]
