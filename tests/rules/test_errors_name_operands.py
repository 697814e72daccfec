"""A message about a refused dtype or device names the operand that has it."""

from __future__ import annotations

import pytest

from torchlsp.core.text import Document
from torchlsp.interp.run.analyse import NoImports
from torchlsp.lint.runner import run
from torchlsp.syntax.parse import parse


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("(torch.rand(4) > 0.5) & weights", "`bitwise_and` does not take f32: `weights` is f32[4]"),
        ("weights & (torch.rand(4) > 0.5)", "`bitwise_and` does not take f32: `weights` is f32[4]"),
        ("weights.masked_fill(codes, 0.0)", "`masked_fill` does not take u8: `codes` is u8[4]"),
    ],
)
def test_the_operand_that_is_refused_is_named(line, named):
    text = (
        f"import torch\nweights = torch.rand(4)\ncodes = torch.zeros(4, dtype=torch.uint8)\nprint({line})\n"
    )
    document = Document.from_bytes("m.py", text.encode())
    found = run(parse(document), NoImports(), frozenset({"TL230"}), strict=True).findings
    assert [one.message for one in found] == [named]


def test_the_weight_of_a_loss_on_another_device_is_named_with_the_place_where_it_was_made():
    text = (
        "import torch\nfrom torch import nn\ncounts = torch.arange(1, 5)\nweight = 1.0 / counts\n"
        "loss = nn.CrossEntropyLoss(weight)\nlogits = torch.rand(2, 4).cuda()\n"
        "print(loss(logits, torch.zeros(2, dtype=torch.int64).cuda()))\n"
    )
    document = Document.from_bytes("m.py", text.encode())
    (found,) = run(parse(document), NoImports(), frozenset({"TL303"}), strict=True).findings
    assert found.message == "`logits` is on cuda, the loss's `weight` on cpu"
    assert [document.row_column(one.span.start)[0] for one in found.related if "made" in one.message] == [4]


def test_the_rank_of_an_input_whose_sizes_are_not_known_is_named():
    text = (
        "from torch import nn\n\nclass Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.conv = nn.Conv3d(3, 4, 3)\n        self.pool = nn.MaxPool2d(2)\n\n"
        "    def forward(self, x):\n        y = self.conv(x)\n        return self.pool(y)\n"
    )
    (found,) = run(parse(Document("m.py", text)), NoImports(), frozenset({"TL128"}), strict=True).findings
    assert found.message == "`MaxPool2d` does not take 5-D input: `y` is f32[...] grad"


@pytest.mark.parametrize(
    ("logits", "labels", "wanted"),
    [
        ("4, 3", "4, 3", ": class indices are [4]"),
        ("4, 3, 8, 8", "4, 1, 8, 8", ": class indices are [4, 8, 8]"),
        ("4, 3, 8, 8", "4, 7, 8", ": class indices are [4, 8, 8]"),
        ("4, 3", "5", ": batch sizes differ"),
    ],
)
def test_the_shape_that_class_indices_would_have_is_named(logits: str, labels: str, wanted: str) -> None:
    text = (
        f"import torch\nlogits = torch.rand({logits})\nlabels = torch.zeros({labels}, dtype=torch.int64)\n"
        "torch.nn.functional.nll_loss(logits, labels)\n"
    )
    (found,) = run(parse(Document("m.py", text)), NoImports(), frozenset({"TL202"}), strict=True).findings
    assert found.message.endswith(f" does not fit logits f32[{logits}]{wanted}")


@pytest.mark.torch
def test_torch_takes_class_indices_of_that_shape() -> None:
    import torch

    for logits, labels in (((4, 3), (4,)), ((4, 3, 8, 8), (4, 8, 8))):
        indices = torch.zeros(labels, dtype=torch.int64)
        assert torch.nn.functional.nll_loss(torch.rand(logits), indices).shape == ()


def test_a_device_that_is_cuda_where_available_is_named_as_cuda():
    text = (
        "import torch\nfrom torch import nn\n\nclass M(nn.Module):\n    def forward(self, x):\n"
        "        return x.exp() + torch.arange(4)\n\n"
        "M()(torch.rand(4).to('cuda' if torch.cuda.is_available() else 'cpu'))\n"
    )
    document = Document.from_bytes("m.py", text.encode())
    (found,) = run(parse(document), NoImports(), frozenset({"TL313"}), strict=True).findings
    assert found.message == "`torch.arange(4)` is on the default device, `x.exp()` is on cuda"


@pytest.mark.parametrize(
    ("call", "wanted"),
    [
        ("Net(channels=3, mid_channels=8)", "`Net` takes no argument `mid_channels`"),
        ("Net(mid_channels=8)", "`Net` takes no argument `mid_channels`; it is called `channels`"),
        ("Net(3, mid_channels=8)", "`Net` takes no argument `mid_channels`"),
        ("torch.sum(x, dimension=0)", "`sum` takes no argument `dimension`"),
        ("torch.norm(x, 2, dimm=0)", "`norm` takes no argument `dimm`; it is called `dim`"),
        ("torch.norm(x, 2, 0, dimm=0)", "`norm` takes no argument `dimm`"),
    ],
)
def test_no_argument_that_is_given_already_is_said_to_be_meant(call, wanted):
    text = (
        "import torch\nfrom torch import nn\n\nclass Net(nn.Module):\n    def __init__(self, channels=1):\n"
        f"        super().__init__()\n\nx = torch.ones(3)\nprint({call})\n"
    )
    (found,) = run(parse(Document("m.py", text)), NoImports(), frozenset({"TL903"}), strict=True).findings
    assert found.message == wanted


@pytest.mark.parametrize("name", ["cat", "stack", "hstack", "vstack"])
def test_an_empty_list_is_named(name):
    document = Document("m.py", f"import torch\nparts = []\nprint(torch.{name}(parts))\n")
    (found,) = run(parse(document), NoImports(), frozenset({"TL128"}), strict=True).findings
    assert found.message == f"`{name}` takes at least one tensor, and gets an empty list"


def test_a_transpose_by_t_is_named_where_a_batch_of_matrices_is_taken():
    text = "import torch\n\ndef attend(weights, outputs):\n    return torch.bmm(weights, outputs.t())\n"
    (found,) = run(parse(Document("m.py", text)), NoImports(), frozenset({"TL106"}), strict=True).findings
    assert (
        found.message
        == "`outputs.t()` comes from t(), which takes at most two dims, and bmm takes a 3-D tensor"
    )
