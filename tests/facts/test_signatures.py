"""The table of parameters of torch's functions."""

from __future__ import annotations

import inspect

import pytest

from torchlsp.dev import signatures as written
from torchlsp.facts import signatures
from torchlsp.facts.signature_table import TABLE


def test_parameters_by_place_by_name_and_required() -> None:
    found = signatures.parameters("torch.nn.LinearCrossEntropyLoss")
    assert found is not None
    assert found.ordered == ("in_features", "num_classes")
    assert "label_smoothing" in found.named and "in_features" not in found.named
    assert found.required == {"in_features", "num_classes"}


def test_what_is_not_in_the_table_is_not_known() -> None:
    assert signatures.parameters("torch.cat") is None  # written in C++
    assert signatures.parameters("torch.nn.Sequential") is None  # takes any number


@pytest.mark.torch
@pytest.mark.filterwarnings("ignore")
def test_table_is_what_torch_has() -> None:
    torch = pytest.importorskip("torch")
    if torch.__version__.partition("+")[0] != "2.13.0":
        pytest.skip("the table is of torch 2.13")
    assert "".join(f"{name}: {words}".rstrip() + "\n" for name, words in written.rows()) == TABLE


@pytest.mark.torch
def test_calls_with_the_required_arguments_alone_are_bound() -> None:
    torch = pytest.importorskip("torch")
    checked = 0
    for row in TABLE.splitlines():
        name = row.partition(":")[0]
        known = signatures.parameters(name)
        assert known is not None
        owner = torch
        for part in name.split(".")[1:]:
            owner = getattr(owner, part)
        receiver = [None] if name.endswith(".forward") else []
        before = [one for one in known.ordered if one in known.required]
        assert before == list(known.ordered[: len(before)])
        named = {one: None for one in known.named if one in known.required}
        signature = inspect.signature(owner)
        signature.bind(*receiver, *before, **named)
        if before:
            with pytest.raises(TypeError, match="missing a required"):
                signature.bind(*receiver, *before[1:], **named)
        with pytest.raises(TypeError, match="too many positional"):
            signature.bind(*receiver, *known.ordered, None, **named)
        checked += 1
    assert checked > 500
