"""Programs for names that torch lacks and arguments that it does not take: they need no operands of the user's.

Each fails as predicted where torch refuses the name, and runs through in a torch that has it.
"""

from __future__ import annotations

import re
import sys
import types

import pytest
import torch

from torchlsp.core.finding import ProbeRequest, Raises
from torchlsp.core.text import Document
from torchlsp.facts.fault import Called, Fault, FaultKind
from torchlsp.lint.reproducers import reproducer
from torchlsp.lint.runner import run
from torchlsp.syntax.parse import parse

pytestmark = pytest.mark.torch


class NoImports:
    def module(self, dotted_name, importing_path):
        return None


def request_of(source: str, rule: str) -> ProbeRequest:
    found = run(parse(Document("program.py", source)), NoImports(), frozenset({rule}), strict=True).findings
    (request,) = {finding.probe for finding in found}
    assert request is not None
    return request


def end_of(request: ProbeRequest) -> Exception | None:
    try:
        exec(compile(request.source(request.assignments[0]), "<program>", "exec"), {})
    except Exception as error:
        return error
    return None


def assert_fails_as_predicted(request: ProbeRequest) -> None:
    error = end_of(request)
    assert isinstance(request.expect, Raises) and not request.guesses
    assert type(error).__name__ == request.expect.exception, error
    assert re.search(request.expect.pattern, str(error)), error
    # The first frame is that of this file, the second the program.
    assert error is not None and error.__traceback__ is not None and error.__traceback__.tb_next is not None
    row = error.__traceback__.tb_next.tb_lineno
    assert request.flag == (row, row)


@pytest.mark.parametrize(
    ("source", "rule", "row", "shown"),
    [
        (
            "def f(images):\n    return torch.nn.functional.rotate(images, 3)\n",
            "TL902",
            "torch.nn.functional.rotate",
            "has no `torch.nn.functional.rotate`",
        ),
        (
            "def f(model, path):\n    model.load(torch.load_state_dict(path))\n",
            "TL902",
            "torch.load_state_dict",
            "has no `torch.load_state_dict`",
        ),
        (
            "def f():\n    return (torch.ones(2) > 0).astype(int)\n",
            "TL902",
            "torch.Tensor.astype",
            "has no `torch.Tensor.astype`",
        ),
        (
            "from torch.autograd.gradcheck import zero_gradients\n",
            "TL902",
            "from torch.autograd.gradcheck import zero_gradients",
            "has no `torch.autograd.gradcheck.zero_gradients`",
        ),
        (
            "from torch.utils.ffi import create_extension\n",
            "TL902",
            "import torch.utils.ffi",
            "has no module `torch.utils.ffi`",
        ),
        ("import torch.compile\n", "TL902", "import torch.compile", "has no module `torch.compile`"),
        (
            "from torch._six import inf, string_classes\n",
            "TL908",
            "import torch._six",
            "has no module `torch._six`",
        ),
    ],
)
def test_a_name_that_torch_lacks_is_asked_for_alone(source: str, rule: str, row: str, shown: str):
    request = request_of("import torch\n" + source, rule)
    assert request.program == f"import torch\n\n{row}\n"
    assert (request.flag, request.shown) == ((3, 3), shown)
    assert_fails_as_predicted(request)


def test_a_name_runs_through_in_a_torch_that_has_it(monkeypatch):
    request = request_of("import torch\ndef f(x):\n    return torch.expand_dims(x, 1)\n", "TL902")
    assert isinstance(end_of(request), AttributeError)
    monkeypatch.setattr(torch, "expand_dims", torch.unsqueeze, raising=False)
    assert end_of(request) is None


@pytest.mark.parametrize("source", ["import torch._six", "from torch._six import inf"])
def test_a_module_runs_through_in_a_torch_that_has_it(source: str, monkeypatch):
    request = request_of(source + "\n", "TL908")
    assert isinstance(end_of(request), ModuleNotFoundError)
    monkeypatch.setitem(sys.modules, "torch._six", types.ModuleType("torch._six"))
    assert end_of(request) is None


def test_an_imported_name_runs_through_in_a_torch_that_has_it(monkeypatch):
    request = request_of("from torch.autograd.gradcheck import zero_gradients\n", "TL902")
    assert isinstance(end_of(request), ImportError)
    # The attribute of this name is a function, which hides the module that the import means.
    monkeypatch.setattr(sys.modules["torch.autograd.gradcheck"], "zero_gradients", abs, raising=False)
    assert end_of(request) is None


@pytest.mark.parametrize(
    ("call", "rule", "rows"),
    [
        (
            "torch.optim.lr_scheduler.ReduceLROnPlateau(a, patience=a, verbose=True)",
            "TL908",
            [
                "model = torch.nn.Linear(2, 1)",
                "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)",
                "torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, verbose=True)",
            ],
        ),
        (
            "torch.optim.Adam(a, learning_rate=a)",
            "TL903",
            ["model = torch.nn.Linear(2, 1)", "torch.optim.Adam(model.parameters(), learning_rate=None)"],
        ),
        (
            "torch.nn.Conv2d(a.b(), a.c(), *a.d(), pading=2)",
            "TL903",
            ["torch.nn.Conv2d(1, 1, 1, pading=2)"],
        ),
        (
            "torch.utils.data.random_split(a.b(), gen=a)",
            "TL903",
            ["torch.utils.data.random_split(gen=None)"],
        ),
        ("torch.from_numpy(a.b(), dtype=a)", "TL903", ["torch.from_numpy(dtype=None)"]),
    ],
)
def test_an_argument_is_refused_with_the_fewest_operands(call: str, rule: str, rows: list[str]):
    request = request_of(f"import torch\ndef f(a):\n    return {call}\n", rule)
    assert request.program.splitlines()[2:] == rows
    assert_fails_as_predicted(request)


SCHEDULERS = (
    "StepLR MultiStepLR ExponentialLR LambdaLR MultiplicativeLR CosineAnnealingLR CosineAnnealingWarmRestarts OneCycleLR CyclicLR"
    " ReduceLROnPlateau ConstantLR LinearLR PolynomialLR"
).split()


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_only_the_argument_is_refused_and_not_the_rest_of_the_call(scheduler: str):
    """In a torch that takes the argument the call runs through: the rest of it is complete."""
    source = f"import torch\ndef f(a):\n    torch.optim.lr_scheduler.{scheduler}(a, verbose=a)\n"
    request = request_of(source, "TL908")
    assert_fails_as_predicted(request)
    before, _, last = request.program.rstrip().rpartition("\n")
    assert last.endswith(", verbose=None)")
    taken = last.replace(", verbose=None)", ")")
    exec(f"{before}\n{taken}\n", {})


def test_an_argument_runs_through_in_a_torch_that_takes_it(monkeypatch):
    source = "import torch\ndef f(a):\n    torch.optim.lr_scheduler.StepLR(a, 1, verbose=True)\n"
    request = request_of(source, "TL908")
    assert isinstance(end_of(request), TypeError)

    class Older(torch.optim.lr_scheduler.StepLR):
        def __init__(self, optimizer, step_size, gamma=0.1, last_epoch=-1, verbose=False):
            super().__init__(optimizer, step_size, gamma, last_epoch)

    monkeypatch.setattr(torch.optim.lr_scheduler, "StepLR", Older)
    assert end_of(request) is None


def test_a_removed_argument_is_refused_by_its_name_where_the_whole_call_is_known():
    fault = Fault(
        FaultKind.REMOVED_KEYWORD,
        0,
        0,
        "torch.nn.Flatten",
        (("function", "torch.nn.Flatten"), ("keyword", "colour"), ("since", (2, 0))),
        called=Called("torch.nn.Flatten", (), ()),
    )
    request = reproducer(fault)
    assert request is not None and isinstance(request.expect, Raises)
    assert request.expect.pattern.startswith("unexpected keyword argument 'colour'")


def test_an_argument_of_a_method_has_no_program_without_the_tensor():
    data = (("function", "torch.Tensor.tril"), ("keyword", "k"))
    assert reproducer(Fault(FaultKind.WRONG_KEYWORD, 0, 0, "torch.Tensor.tril", data)) is None


def test_a_function_that_only_raises_says_that_it_is_gone():
    request = request_of("import torch\ndef f(x):\n    return torch.matrix_rank(x)\n", "TL908")
    assert (request.program.splitlines()[2:], request.shown) == (
        ["torch.matrix_rank(torch.eye(2))"],
        "no longer has `torch.matrix_rank`",
    )
    with pytest.raises(RuntimeError, match="is now removed"):
        exec(request.program, {})
