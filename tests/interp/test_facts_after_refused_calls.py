"""After a call that torch refuses, facts go on for the reader, and nothing is reported of them."""

from __future__ import annotations

import pytest

from torchlsp.core.text import Document
from torchlsp.engine.engine import Engine
from torchlsp.engine.provider import Provider
from torchlsp.engine.workspace import Workspace
from torchlsp.facts.notation import value_text
from torchlsp.facts.tensor import REFUSED, TensorFact

START = "import torch\nfrom torch import nn\na = torch.zeros(3, 4)\n"


def after(program: str) -> tuple[object, list[str]]:
    """Returns the value that `b` is bound to, and the codes of all errors."""
    text = START + program
    examination = Engine().examine(Document("program.py", text), Provider(Workspace()))
    assert examination.analysis is not None
    place = text.index("b =")
    return examination.analysis.names[place, place + 1], [one.rule for one in examination.result.findings]


@pytest.mark.parametrize(
    ("program", "fact", "code"),
    [
        ("b = a.view(5, 5)\n", "f32[5, 5]", "TL102"),
        ("b = a.reshape(5, -1)\n", "f32[5, ?]", "TL102"),
        ("b = a @ a\n", "f32[3, 4]", "TL105"),
        ("b = nn.Linear(10, 5)(a)\n", "f32[3, 5]", "TL105"),
        ("b = a + torch.zeros(3)\n", "f32[...]", "TL127"),
        ("b = nn.Conv2d(4, 8, 3, padding=1)(torch.zeros(2, 3, 16, 16))\n", "f32[2, 8, 16, 16] grad", "TL120"),
        ("b = torch.cat([a, torch.zeros(2, 5)], 1)\n", "f32[?, 9]", "TL109"),
        ("b = torch.stack([a, torch.zeros(2, 5)])\n", "f32[...]", "TL109"),
        ("b = torch.bmm(a, a)\n", "f32[...]", "TL106"),
        ("b = nn.Embedding(10, 5)(a)\n", "f32[3, 4, 5]", "TL225"),
        ("b = nn.functional.cross_entropy(a, torch.zeros(7, dtype=torch.long))\n", "f32[]", "TL202"),
        ("b = nn.CrossEntropyLoss()(a, torch.zeros(7, dtype=torch.long))\n", "f32[]", "TL202"),
    ],
)
def test_what_is_known_of_the_result_is_kept(program: str, fact: str, code: str) -> None:
    value, codes = after(program)
    assert value_text(value) == fact and codes == [code]  # type: ignore[arg-type] # a Value
    assert isinstance(value, TensorFact) and REFUSED in value.assumed


@pytest.mark.parametrize(
    "following",
    [
        "b + torch.zeros(7)\n",
        "b.relu() @ torch.zeros(9, 9)\n",
        "b.view(1000)\n",
        "c = b.shape[0]\ntorch.zeros(2, 3).view(c, 5)\n",
        "c = b.numel()\ntorch.zeros(2, 3).view(c)\n",
        "nn.Linear(9, 9)(b)\n",
        "torch.cat([b, torch.zeros(1, 2, 3)])\n",
        "b.backward()\n",
    ],
)
@pytest.mark.parametrize(
    "refused",
    [
        "b = a.view(5, 5)\n",
        "b = a @ a\n",
        "b = nn.Conv2d(4, 8, 3)(torch.zeros(2, 3, 16, 16))\n",
        "b = torch.cat([a, torch.zeros(2, 5)], 1)\n",
        "b = nn.Embedding(10, 5)(a)\n",
        "b = nn.CrossEntropyLoss()(a, torch.zeros(7, dtype=torch.long))\n",
    ],
)
def test_nothing_that_rests_on_it_is_reported(refused: str, following: str) -> None:
    _, codes = after(refused)
    assert after(refused + following)[1] == codes and len(codes) == 1


@pytest.mark.parametrize("following", ["a + torch.zeros(7)\n", "torch.zeros(2, 3).view(a.shape[0], 5)\n"])
def test_what_does_not_rest_on_it_is(following: str) -> None:
    assert len(after("b = a.view(5, 5)\n" + following)[1]) == 2


@pytest.mark.torch
def test_those_calls_and_no_others_raise_in_torch() -> None:
    import torch

    a = torch.zeros(3, 4)
    for refused in (
        lambda: a.view(5, 5),
        lambda: a.reshape(5, -1),
        lambda: a @ a,
        lambda: a + torch.zeros(3),
        lambda: torch.nn.Conv2d(4, 8, 3, padding=1)(torch.zeros(2, 3, 16, 16)),
        lambda: torch.cat([a, torch.zeros(2, 5)], 1),
        lambda: torch.stack([a, torch.zeros(2, 5)]),
        lambda: torch.bmm(a, a),
        lambda: torch.nn.Embedding(10, 5)(a),
        lambda: torch.nn.CrossEntropyLoss()(a, torch.zeros(7, dtype=torch.long)),
    ):
        with pytest.raises((RuntimeError, ValueError)):
            refused()


@pytest.mark.torch
def test_what_is_shown_is_what_torch_gives_once_the_call_is_right() -> None:
    import torch
    from torch import nn

    made = nn.Conv2d(4, 8, 3, padding=1)(torch.zeros(2, 4, 16, 16))
    assert tuple(made.shape) == (2, 8, 16, 16) and made.requires_grad
    assert torch.cat([torch.zeros(3, 4), torch.zeros(3, 5)], 1).shape[1] == 9
    assert tuple(nn.Embedding(10, 5)(torch.zeros(3, 4, dtype=torch.long)).shape) == (3, 4, 5)
    loss = nn.CrossEntropyLoss()(torch.zeros(3, 4), torch.zeros(3, dtype=torch.long))
    assert loss.shape == () and loss.dtype is torch.float32 and type(loss.item()) is float


@pytest.mark.parametrize(
    ("following", "fact"),
    [("b = c.sum().item()\n", "float"), ("b = c.shape[0]\n", "?"), ("b = c.argmax().item()\n", "?")],
)
def test_a_float_of_what_is_refused_is_shown_and_a_size_is_not(following: str, fact: str) -> None:
    value, codes = after("c = a @ a\n" + following)
    assert (value_text(value), len(codes)) == (fact, 1)  # type: ignore[arg-type] # a Value


def test_the_operand_of_a_refused_convolution_stays_what_it_was() -> None:
    value, _ = after("b = nn.Conv2d(4, 8, 3)(torch.zeros(2, 3, 16, 16))\n")
    assert isinstance(value, TensorFact) and value.origin is not None
    assert [parent.shape for parent in value.origin.parents] == [(2, 3, 16, 16)]
