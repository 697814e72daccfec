"""What hover shows holds however a function is run: without gradients, on a cast module, by calls that are not followed."""

from __future__ import annotations

import pytest
from shown_model import MODEL, facts_of

from torchlsp.core.text import Document
from torchlsp.engine.engine import Engine
from torchlsp.engine.inspection import at
from torchlsp.engine.provider import Provider
from torchlsp.engine.workspace import Workspace


def facts(text: str) -> dict[str, str]:
    """What hover says of three names of the model, by name."""
    return facts_of(Document("program.py", f"{MODEL}\n\n{text}"))


def test_nothing_speaks_against_gradients_and_float32() -> None:
    assert facts("") == {"hidden": "f32[...] grad", "weight": "f32[4, 3] grad", "loss": "tensor[] grad"}


@pytest.mark.parametrize(
    "text",
    [
        "@torch.no_grad()\ndef evaluate(model, x):\n    return model(x)\n",
        "@torch.inference_mode()\ndef evaluate(model, xs):\n    return [model(x) for x in xs]\n",
        "def evaluate(model, x):\n    with torch.no_grad():\n        return model(x)\n",
        "def evaluate(model, x):\n    torch.set_grad_enabled(False)\n    return model(x)\n",
        "with torch.set_grad_enabled(False):\n    Net()(torch.ones(2, 3))\n",
        "def score(model, x):\n    return model(x)\n\n\ndef run(m, x):\n    with torch.no_grad():\n        score(m, x)\n",
    ],
)
def test_call_without_gradients_takes_grad_from_what_it_may_run(text: str) -> None:
    found = facts(text)
    assert "grad" not in found["hidden"]
    assert found["weight"].endswith("grad")  # a parameter requires gradients in every mode
    assert found["loss"].endswith("grad")  # never called without


def test_call_of_a_known_function_without_gradients_says_nothing_of_others() -> None:
    found = facts("def evaluate(model, x, y):\n    with torch.no_grad():\n        x.sum(), F.relu(y)\n")
    assert found["hidden"].endswith("grad")


@pytest.mark.parametrize(
    "text",
    [
        "net = Net()\nnet.double()\n",
        "net = Net().to(torch.bfloat16)\n",
        "net = Net()\nnet.to(dtype=torch.float16)\n",
        "def half(model):\n    model.eval()\n    return model.half()\n",
        "def step(model, x):\n    with torch.autocast('cuda'):\n        return model(x)\n",
    ],
)
def test_cast_module_takes_float32_from_its_methods(text: str) -> None:
    found = facts(text)
    assert found["hidden"].startswith("tensor")


@pytest.mark.parametrize(
    "text",
    [
        "def cast(x):\n    return x.double()\n",
        "def move(model):\n    return model.to('cuda')\n",
        "def same(model):\n    return model.to(torch.float32)\n",
        "rows = torch.ones(2).double()\n",
    ],
)
def test_cast_tensor_says_nothing_of_modules(text: str) -> None:
    assert facts(text)["hidden"].startswith("f32")


@pytest.mark.parametrize(
    "text",
    [
        "def freeze(model):\n    for p in model.parameters():\n        p.requires_grad = False\n",
        "def freeze(model):\n    model.first.weight.requires_grad_(False)\n",
    ],
)
def test_frozen_parameters_take_grad_from_methods_of_modules(text: str) -> None:
    found = facts(text)
    assert "grad" not in found["weight"] and "grad" not in found["hidden"]


def as_called(text: str, name: str) -> str | None:
    document = Document("program.py", "import torch\nfrom torch import nn\n\n\n" + text)
    examination = Engine().examine(document, Provider(Workspace()))
    description = at(examination, document.text.index(name))
    return None if description is None else description.fact


def test_facts_of_calls_are_not_shown_where_a_function_calls_itself() -> None:
    text = "def {0}total(x):\n    {1}return x if len(x) == 1 else total(x[1:])\n\n\ntotal(torch.ones(4))\n"
    assert as_called(text.format("", ""), "x if") is None
    plain = "def total(x):\n    return x\n\n\ntotal(torch.ones(4))\n"
    assert as_called(plain, "x\n\n") == "f32[4]"


def test_facts_of_a_function_that_is_applied_are_not_those_of_one_layer() -> None:
    text = """\
def init(m):
    if isinstance(m, nn.Linear):
        weight = m.weight


net = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 5))
net.apply(init)
"""
    assert as_called(text, "weight =") in (None, "f32[?, ?] grad")


def test_facts_of_a_function_that_is_given_away_are_not_those_of_one_call() -> None:
    text = "def act(x):\n    return x.relu()\n\n\nact(torch.ones(4))\nregister(act)\n"
    assert as_called(text, "x.relu") is None


def test_shape_that_only_a_branch_takes_a_parameter_for_is_not_shown() -> None:
    text = """\
def flat(x, is_image):
    if is_image:
        b, c, h, w = x.shape
        x.relu()
    else:
        b, n, c = x.shape
    return x
"""
    found = as_called(text, "x, is_image")
    assert found is None or "[" not in found or found.endswith("[...]")
    certain = "def flat(x, is_image):\n    b, n, c = x.shape\n    return x.relu()\n"
    assert as_called(certain, "x, is_image") == "tensor[b, n, c]"
    left = "def flat(x):\n    if isinstance(x, int):\n        return x\n    b, n, c = x.shape\n    return x.relu()\n"
    assert as_called(left, "x):") is None


def test_first_parameter_of_new_is_a_class() -> None:
    text = "class Task:\n    def __new__(cls, kind):\n        return cls.kinds[kind]\n\n    def own(self):\n        return self\n"
    document = Document("program.py", "import torch\n" + text)
    examination = Engine().examine(document, Provider(Workspace()))
    assert examination.analysis is not None
    values = {
        document.text[start:end]: type(one).__name__
        for (start, end), one in examination.analysis.values.items()
    }
    assert (values["cls"], values["self"]) == ("ClassValue", "InstanceValue")
