"""What the table says that operators keep for backward, held against torch."""

from __future__ import annotations

import pytest

from torchlsp.lint.reproducers.autograd import examples
from torchlsp.ops.tensor.saved import KEEPS_ITS_INPUT, LABELS, SAVED, WEIGHTS, saved_by

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

EXAMPLES = examples()
CHANGED = "modified by an inplace operation"
TWICE = "Trying to backward through the graph a second time"
INFERENCE = "Inference tensors cannot be saved for backward"


def operands():
    w = torch.full((2, 2), 0.5, requires_grad=True)
    return {"torch": torch, "w": w, "x": w + 0.1, "y": w + 0.2}


def run(name: str, names: dict):
    return eval(EXAMPLES[name], names)  # the table's own text


def changed(tensor) -> None:
    with torch.no_grad():
        tensor.add_(0)


@pytest.mark.parametrize("name", SAVED)
def test_a_second_backward_is_refused(name: str):
    out = run(name, operands())
    out.sum().backward()
    with pytest.raises(RuntimeError, match=TWICE):
        out.sum().backward()


@pytest.mark.parametrize("name", [name for name, kept in SAVED.items() if "out" in kept.split()])
def test_a_changed_result_is_refused(name: str):
    out = run(name, operands())
    changed(out)
    with pytest.raises(RuntimeError, match=CHANGED):
        out.sum().backward()


OPERANDS = {"0": ("x",), "1": ("y",), "crossed": ("x", "y"), "weighted": ("x",)}


@pytest.mark.parametrize(
    ("name", "operand"),
    [(name, one) for name, kept in SAVED.items() for word in kept.split() for one in OPERANDS.get(word, ())],
)
def test_a_changed_operand_is_refused(name: str, operand: str):
    names = operands()
    out = run(name, names)
    changed(names[operand])
    with pytest.raises(RuntimeError, match=CHANGED):
        out.sum().backward()


@pytest.mark.parametrize("name", [name for name, kept in SAVED.items() if kept in ("crossed", "1 crossed")])
@pytest.mark.parametrize("constant", ["x", "y"])
def test_a_factor_is_kept_for_the_other_one_only(name: str, constant: str):
    names = operands()
    names[constant] = names[constant].detach()
    out = run(name, names)
    changed(names[constant])
    with pytest.raises(RuntimeError, match=CHANGED):
        out.sum().backward()


@pytest.mark.parametrize("name", sorted(WEIGHTS))
def test_changed_weights_are_refused(name: str):
    layer, given = EXAMPLES[name].removesuffix("[0]").split(")(", 1)
    names = operands()
    layer = eval(f"{layer})", names)
    out = eval(f"layer({given}", {**names, "layer": layer})
    out = out[0] if isinstance(out, tuple) else out
    for weight in layer.parameters():
        changed(weight)
    with pytest.raises(RuntimeError, match=CHANGED):
        out.sum().backward()


@pytest.mark.parametrize(
    "name", [name for name, kept in SAVED.items() if kept == "out" and hasattr(torch.Tensor, f"{name}_")]
)
def test_in_place_twins_keep_their_result(name: str):
    assert saved_by(f"Tensor.{name}_") == "out"
    out = getattr(operands()["x"], f"{name}_")()
    changed(out)
    with pytest.raises(RuntimeError, match=CHANGED):
        out.sum().backward()


@pytest.mark.parametrize("name", ["square", "log", "sin", "pow", "mul", "clamp"])
def test_other_in_place_twins_are_not_said_to_keep_anything_that_a_program_could_change(name: str):
    assert saved_by(f"Tensor.{name}_") == ""
    out = getattr(operands()["x"], f"{name}_")(*{"pow": (2,), "mul": (2,), "clamp": (0, 1)}.get(name, ()))
    changed(out)
    out.sum().backward()


@pytest.mark.parametrize("name", sorted(KEEPS_ITS_INPUT))
def test_layers_do_not_take_inference_tensors(name: str):
    with torch.inference_mode():
        x, labels = torch.ones(2, 2), torch.tensor([0, 1])
    text = EXAMPLES[name].replace("torch.tensor([0, 1])", "labels")
    with pytest.raises(RuntimeError, match=INFERENCE):
        eval(text, {"torch": torch, "x": x, "labels": labels})


@pytest.mark.parametrize("name", sorted(set(LABELS) - {"Embedding"}))
def test_labels_do_not_come_from_inference_mode(name: str):
    names = operands()
    text = EXAMPLES[name]
    with torch.inference_mode():
        names.update(
            labels=torch.tensor([0, 1]), index=torch.zeros(2, 1, dtype=torch.long), target=torch.ones(2, 2), mask=torch.ones(2, 2) > 0
        )  # fmt: skip
    for old, new in {
        "torch.tensor([0, 1])": "labels", "torch.zeros(2, 1, dtype=torch.long)": "index", "y.detach()": "target",
        "torch.ones(2, 2) > 2": "mask", "torch.ones(2, 2) > 0": "mask",
    }.items():  # fmt: skip
        text = text.replace(old, new)
    with pytest.raises(RuntimeError, match=INFERENCE):
        eval(text, names)


@pytest.mark.parametrize(
    "text",
    ["x + 1", "x - y", "x.sum()", "x.mean()", "torch.cat([x, y])", "x.view(-1)", "x.t()", "x.clone()", "-x"],
)
def test_what_is_not_in_the_table_may_be_gone_through_twice(text: str):
    out = eval(text, operands())
    out.sum().backward()
    out.sum().backward()
