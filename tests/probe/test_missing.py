"""What torch lacks may be asked for and is said by torch itself; what it has, loaded or not, stays with the lists of the gate."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from torchlsp.probe import worker as package
from torchlsp.probe.client import Worker
from torchlsp.probe.request import Request

# The worker's files import each other by their bare names.
sys.path.insert(0, str(Path(package.__file__).parent))

import gate
import missing

pytestmark = pytest.mark.torch

LACKING = {
    "torch.expand_dims": ("AttributeError", "module 'torch' has no attribute 'expand_dims'"),
    "torch.nn.functional.rotate": (
        "AttributeError",
        "module 'torch.nn.functional' has no attribute 'rotate'",
    ),
    "torch.functional.one_hot": ("AttributeError", "module 'torch.functional' has no attribute 'one_hot'"),
    "torch.Tensor.astype": ("AttributeError", "type object 'Tensor' has no attribute 'astype'"),
    "import torch._six": ("ModuleNotFoundError", "No module named 'torch._six'"),
    "import torch.utils.ffi": ("ModuleNotFoundError", "No module named 'torch.utils.ffi'"),
    "import torch.compile": ("ModuleNotFoundError", "No module named 'torch.compile'"),
    "import torch.nn.functional.relu": (
        "ModuleNotFoundError",
        "No module named 'torch.nn.functional.relu'; 'torch.nn.functional' is not a package",
    ),
    "from torch.autograd.gradcheck import zero_gradients": (
        "ImportError",
        "cannot import name 'zero_gradients' from 'torch.autograd.gradcheck'",
    ),
    "from torch import expand_dims": ("ImportError", "cannot import name 'expand_dims' from 'torch'"),
}
"""Statements on names that torch 2.13 does not have, with what it raises."""
HOSTILE = sorted((Path(__file__).parent / "hostile").glob("*.py"))
HAVING = (
    "torch.load",
    "torch.os",
    "torch.onnx",  # loaded when it is asked for
    "torch.utils.tensorboard",  # a file that nothing has loaded
    "torch.utils.tensorboard.SummaryReader",  # what is in it is not known
    "torch.has_cuda",  # by the module's `__getattr__`
    "torch.backends.cudnn.nothing",  # a module of a class of its own
    "torch.autograd.gradcheck.nothing",  # a function here, and a module for an import
    "torch.Tensor.data_ptr",
    "import torch.utils.tensorboard",
    "import torch.utils.tensorboard.nothing",
    "from torch.utils import tensorboard",
    "from torch.hub import load",
    "from torch import *",
    "from math import nothing",
    "import os",
    "import numpy_of_nobody",
)
"""Statements on names that torch has, or of which that is not certain."""


def answers(worker: Worker, statements) -> list:
    return worker.run([Request(f"import torch\n\n{one}\n", flag=(3, 3)) for one in statements], 5)


def test_torch_itself_says_that_it_lacks_a_name(worker: Worker):
    for one, answer in zip(LACKING, answers(worker, LACKING)):
        assert answer.outcome == "raised" and answer.error is not None, (one, answer)
        name, text = LACKING[one]
        assert (answer.error.name, answer.error.row) == (name, 3)
        assert answer.error.text.startswith(text), answer.error.text


def test_what_torch_has_is_denied_as_before(worker: Worker):
    for one, answer in zip(HAVING, answers(worker, HAVING)):
        assert answer.outcome == "denied", (one, answer)


@pytest.mark.parametrize(
    "rows",
    [
        "x = torch.expand_dims",
        "torch.expand_dims(1)",
        "if True:\n    torch.expand_dims",
        "try:\n    torch.expand_dims\nexcept AttributeError as error:\n    error.obj",
        "if True:\n    import torch._six",
        "torch.expand_dims = 1",
        "torch.load\ntorch.expand_dims",
        "from torch import expand_dims, load",
    ],
)
def test_a_lacking_name_stands_alone_at_the_top(worker: Worker, rows: str):
    (answer,) = answers(worker, [rows])
    assert answer.outcome == "denied"


@pytest.mark.parametrize(
    "statement", [one for one in LACKING if one != "torch.Tensor.astype"]
)  # arrays have it
def test_the_text_alone_lets_no_such_name_in(statement: str):
    assert gate.refusal(f"import torch\n\n{statement}\n") is not None


@pytest.mark.parametrize("path", HOSTILE, ids=lambda path: path.stem)
def test_hostile_programs_are_refused_where_missing_names_are_let_in(path: Path):
    pytest.importorskip("torch")
    text = path.read_text(encoding="utf-8")
    assert gate.refusal(text, missing.Missing()) == gate.refusal(text)


def test_nothing_is_certain_where_torch_is_not_loaded(monkeypatch):
    pytest.importorskip("torch")
    asked = missing.Missing()
    assert asked.lacks_attribute("torch.expand_dims") and asked.lacks_module("torch._six")
    monkeypatch.delitem(sys.modules, "torch")
    asked = missing.Missing()
    assert not asked.lacks_attribute("torch.expand_dims")
    assert not asked.lacks_module("torch._six")
    assert not asked.lacks_import("torch", "expand_dims")
    assert not asked.imports


def test_nothing_is_certain_where_a_finder_of_somebody_else_fails(monkeypatch):
    pytest.importorskip("torch")

    class Failing:
        @staticmethod
        def find_spec(name, path=None, target=None):
            raise RuntimeError("no")

    monkeypatch.setattr(sys, "meta_path", [Failing])
    assert not missing.Missing().lacks_module("torch._six")
