"""What only an annotation or a check of the function says is shown with the assumption that it rests on."""

from __future__ import annotations

import pytest

from torchlsp.core.text import Document
from torchlsp.engine.circumstances import nodes_inside
from torchlsp.engine.engine import Engine
from torchlsp.engine.inspection import Description, at
from torchlsp.engine.provider import Provider
from torchlsp.engine.recorded import recorded
from torchlsp.engine.workspace import Workspace
from torchlsp.facts import values as v
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri


def hover(text: str, about: str) -> Description | None:
    document = Document("program.py", text)
    return at(Engine().examine(document, Provider(Workspace())), text.index(about))


def words(text: str, about: str) -> list[str]:
    description = hover(text, about)
    return [] if description is None else [note.words for note in description.notes]


def test_an_annotated_tensor_is_assumed() -> None:
    text = "from torch import Tensor\ndef f(image: Tensor):\n    print(image)\n    return image.mean()\n"
    assert "assumed by its annotation" in words(text, "image: Tensor")
    assert "assumed by its annotation" not in words(text.replace(": Tensor", ""), "image)")


def test_an_annotated_variable_of_an_unknown_value_is_assumed() -> None:
    text = """\
from typing import cast
import torch
from torch import Tensor


def f(given, flag):
    a: Tensor = cast(Tensor, given)
    b: Tensor = torch.ones(2)
    c = a
    d = a + b
    e = b * 2
    if flag:
        a = e
    return a
"""
    for name in "ac":
        assert "assumed by its annotation" in words(text, f"{name}{':' if name == 'a' else ' ='}"), name
    for name in "bde":
        assert "assumed by its annotation" not in words(text, f"{name}{':' if name == 'b' else ' ='}"), name
    document = Document("program.py", text)
    facts = recorded(Engine().examine(document, Provider(Workspace())))
    assert facts is not None
    total = text.index("a + b")
    node = next(one for one in nodes_inside(facts.module.functions[0].body) if one.start == total)
    assert facts.annotations.is_assumed(facts.own(total, total + 5), node, facts.module.functions[0])


def test_two_annotated_variables_are_not_taken_for_one_tensor() -> None:
    text = "from torch import Tensor\ndef f(make):\n    a: Tensor = make()\n    b: Tensor = make()\n    return a, b\n"
    document = Document("program.py", text)
    facts = recorded(Engine().examine(document, Provider(Workspace())))
    assert facts is not None
    first, second = (facts.own(text.index(name), text.index(name) + 1) for name in ("a: T", "b: T"))
    assert isinstance(first, TensorFact) and isinstance(second, TensorFact)
    assert first.storage.may_share(second.storage) is not Tri.YES


def test_an_annotated_number_is_assumed() -> None:
    text = "import torch\ndef f(width: int):\n    return torch.zeros(2 * width)\n"
    document = Document("program.py", text)
    facts = recorded(Engine().examine(document, Provider(Workspace())))
    assert facts is not None
    product = text.index("2 * width")
    value = facts.own(product, product + len("2 * width"))
    function = facts.module.functions[0]
    (returned,) = function.body
    call = next(node for node in nodes_inside((returned,)) if node.start == product)
    assert isinstance(value, v.Scalar) and facts.annotations.is_assumed(value, call, function)


@pytest.mark.parametrize(
    "check",
    [
        "if len(x.shape) != 4:\n        raise ValueError(x)",
        "assert x.ndim == 4",
        "check_rank(x)",
    ],
)
def test_sizes_after_a_check_are_what_the_check_lets_pass(check: str) -> None:
    text = f"from helpers import check_rank\nimport torch.nn.functional as F\ndef f(x):\n    {check}\n    y = F.max_pool2d(x, 2)\n    b, c, h, w = x.shape\n    return x, y\n"
    assert "after the checks of its function" in words(text, "x):")


def test_sizes_without_a_check_need_no_remark() -> None:
    text = "def f(x):\n    x.mean()\n    b, c, h, w = x.shape\n    return x\n"
    assert "after the checks of its function" not in words(text, "x):")


def test_what_isinstance_says_of_an_annotated_tensor_is_assumed() -> None:
    text = "import torch\ndef f(x: torch.Tensor):\n    return isinstance(x, torch.Tensor)\n"
    facts = recorded(Engine().examine(Document("program.py", text), Provider(Workspace())))
    assert facts is not None
    test, function = text.index("isinstance("), facts.module.functions[0]
    node = next(one for one in nodes_inside(function.body) if one.start == test)
    assert facts.annotations.is_assumed(facts.own(node.start, node.end), node, function)


def test_the_tuple_of_a_shape_is_no_size() -> None:
    text = "import torch\ndef f(x):\n    x = torch.relu(x)\n    sizes = x.shape\n    plain = tuple(x.shape)\n    return plain\n"
    document = Document("program.py", text)
    facts = recorded(Engine().examine(document, Provider(Workspace())))
    assert facts is not None
    found = {
        name: facts.own(text.index(f"{name} ="), text.index(f"{name} =") + len(name))
        for name in ("sizes", "plain")
    }
    kinds = {name: isinstance(value, v.ShapeOf) and value.is_size for name, value in found.items()}
    assert kinds == {"sizes": True, "plain": False}
