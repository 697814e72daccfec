"""What is known at a place: `§` in a program stands just before the place that is asked about."""

from __future__ import annotations

import math
import os
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torchlsp.core.finding import Severity
from torchlsp.core.span import Span
from torchlsp.core.text import Document
from torchlsp.engine.engine import Engine
from torchlsp.engine.examination import Examination
from torchlsp.engine.inspection import Description, HintKinds, at, hints, rule_at
from torchlsp.engine.provider import Provider
from torchlsp.engine.workspace import Workspace

ENGINE = Engine()
DEFAULT = HintKinds()


def examined(text: str, path: str = "program.py") -> Examination:
    found = ENGINE.examine(Document(path, text), Provider(Workspace()))
    assert not found.result.internal_errors
    return found


def described(marked: str) -> Description | None:
    offset = marked.index("§")
    text = marked.replace("§", "")
    return at(examined(text), offset)


def fact(marked: str) -> str | None:
    found = described(marked)
    return None if found is None else found.fact


def notes(found: Description) -> list[str]:
    return [f"{note.words} {note.code}".strip() for note in found.notes]


def shown(text: str, kinds: HintKinds = DEFAULT) -> list[str]:
    """Each hint as `name: fact`, as an editor shows it."""
    found = hints(examined(text), Span(0, len(text)), kinds)
    assert [one.offset for one in found] == sorted(one.offset for one in found)
    rows = []
    for one in found:
        row = text.rfind("\n", 0, one.offset) + 1
        rows.append(text[row : one.offset].strip() + one.text)
    return rows


CNN = """\
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    '''Two layers.

    Nothing more.'''

    def __init__(self, width=64):
        super().__init__()
        self.conv = nn.Conv2d(3, width, kernel_size=3, stride=2, padding=1)
        self.fc = nn.Linear(width, 10)

    def forward(self, x):
        h = F.relu(self.conv(x))
        return self.fc(h.mean((2, 3)))


def train(loader, model):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for step, (images, labels) in enumerate(loader):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()


dataset = TensorDataset(torch.randn(100, 3, 32, 32), torch.randint(0, 10, (100,)))
train(DataLoader(dataset, batch_size=10), Net())
"""


def in_cnn(code: str, inside: str = "") -> Description | None:
    """The place marked in `code`, which the program has once."""
    text = CNN.replace(code.replace("§", ""), code, 1)
    assert text.count("§") == 1
    return described(text)


@pytest.mark.parametrize(
    ("code", "name", "expected"),
    [
        ("h = F.relu(self.§conv(x))", "self.conv", "f32[B, 3, 32, 32] → f32[B, 64, 16, 16] grad"),
        ("h = F.§relu(self.conv(x))", "F.relu", "f32[B, 64, 16, 16] grad → f32[B, 64, 16, 16] grad"),
        ("h = §F.relu(self.conv(x))", "F.relu", "f32[B, 64, 16, 16] grad → f32[B, 64, 16, 16] grad"),
        ("§h = F.relu(self.conv(x))", "h", "f32[B, 64, 16, 16] grad"),
        ("return self.fc(§h.mean", "h", "f32[B, 64, 16, 16] grad"),
        ("for step, (§images, labels)", "images", "f32[B, 3, 32, 32]"),
        ("def forward(self, §x)", "x", "f32[B, 3, 32, 32]"),
        (
            "F.§cross_entropy(model(images), labels)",
            "F.cross_entropy",
            "(input: f32[B, 10] grad, target: i64[B]) → f32[] grad",
        ),
        ("cross_entropy(§model(images), labels)", "model", "f32[B, 3, 32, 32] → f32[B, 10] grad"),
        ("optimizer§ = torch", "optimizer", "AdamW"),
        ("§DataLoader(dataset", "DataLoader", "DataLoader of samples (f32[3, 32, 32], i64[])"),
        (
            "self.§conv = nn",
            "self.conv",
            "Conv2d(3, width, kernel_size=3, stride=2, padding=1)",
        ),
    ],
)
def test_a_training_program(code: str, name: str, expected: str) -> None:
    found = in_cnn(code)
    assert found is not None
    assert (found.name, found.fact) == (name, expected)


def test_what_only_calls_tell_is_called_so() -> None:
    found = in_cnn("§h = F.relu")
    assert found is not None and "as called in this file" in notes(found)
    layer = in_cnn("self.§fc = nn")
    assert layer is not None and layer.fact == "Linear(width, 10)"
    assert notes(layer) == [
        "parameters: weight [10, width], bias [10]",
        "as called in this file: Linear(64, 10)",
    ]


def test_a_layer_says_its_configuration_and_where_it_was_made() -> None:
    found = in_cnn("F.relu(self.§conv(x))")
    assert found is not None and found.symbol == "torch.nn.Conv2d"
    assert found.layer == "Conv2d(3, 64, kernel_size=3, stride=2, padding=1)"
    assert "1,792 parameters: weight [64, 3, 3, 3], bias [64]" in notes(found)
    (made,) = found.trail
    assert made.done == "made" and CNN[made.span.start : made.span.end].startswith("nn.Conv2d(3, width")


@pytest.mark.torch
@pytest.mark.parametrize(
    "made",
    [
        "Conv2d(3, 64, kernel_size=7, stride=2)",
        "Conv2d(8, 8, 3, groups=4, bias=False)",
        "Linear(10, 5)",
        "BatchNorm2d(64)",
        "LayerNorm(32)",
        "Embedding(1000, 64)",
        "GRU(10, 20, num_layers=2, bidirectional=True)",
    ],
)
def test_the_parameters_of_a_layer_are_counted_as_torch_counts_them(made: str) -> None:
    from torch import nn

    layer = eval(f"nn.{made}", {"nn": nn})
    count = sum(parameter.numel() for parameter in layer.parameters())
    found = described(f"import torch\nfrom torch import nn\n§layer = nn.{made}\n")
    assert found is not None
    (words,) = [note.words for note in found.notes if note.words.endswith("parameters:")]
    assert words == f"{count:,} parameters:"


def test_a_layer_without_parameters_counts_none() -> None:
    found = described("import torch\nfrom torch import nn\n§drop = nn.Dropout(0.1)\n")
    assert found is not None and not [note for note in notes(found) if "parameters" in note]


BATCHED = """\
import torch
from torch import nn


class Tokens(nn.Module):
    def forward(self, x):
        y = x.flatten(2)
        n = x.size(0)
        return y.transpose(1, 2).mean()


Tokens()(torch.ones(2, 256, 8, 8))
"""


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("§y = x.flatten", "f32[2, 256, 64]"),
        ("x.§flatten(2)", "f32[2, 256, 8, 8] → f32[2, 256, 64]"),
        ("§n = x.size", "2"),
        ("x.§size(0)", "f32[2, 256, 8, 8] → 2"),
        ("y.§transpose(1, 2)", "f32[2, 256, 64] → f32[2, 64, 256] noncontig"),
        (".transpose(1, 2).§mean()", "f32[2, 64, 256] noncontig → f32[]"),
    ],
)
def test_the_sizes_of_callers_come_before_sizes_that_nobody_wrote(code: str, expected: str) -> None:
    found = described(BATCHED.replace(code.replace("§", ""), code, 1))
    assert found is not None and found.fact == expected
    assert "as called in this file" in notes(found)


@pytest.mark.torch
def test_those_sizes_are_what_torch_gives() -> None:
    import torch

    x = torch.ones(2, 256, 8, 8)
    y = x.flatten(2)
    assert (tuple(y.shape), x.size(0)) == ((2, 256, 64), 2)
    assert tuple(y.transpose(1, 2).shape) == (2, 64, 256) and not y.transpose(1, 2).is_contiguous()


def test_sizes_that_the_user_named_stay_and_the_numbers_of_callers_stand_below() -> None:
    text = "import torch\ndef f(x):\n    B, C = x.shape\n    return §x.t()\nf(torch.ones(2, 3))\n"
    found = described(text)
    assert found is not None and found.fact == "tensor[B, C]"
    assert "as called in this file: f32[2, 3]" in notes(found)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("x.§t()", "f32[2, 3] → f32[3, 2] noncontig"),
        ("torch.§cat([x, x], 1)", "[f32[2, 3], f32[2, 3]] → f32[2, 6]"),
        (
            "x.§chunk(3, dim=-1)",
            "f32[2, 3] → (f32[2, 1] noncontig, f32[2, 1] noncontig, f32[2, 1] noncontig)",
        ),
        ("nn.§Linear(3, 4)(x)", None),
        ("x.§size(0)", None),
    ],
)
def test_calls_whose_sizes_the_user_named_are_quoted_with_the_numbers_of_callers(
    code: str, expected: str | None
) -> None:
    text = "import torch\nfrom torch import nn\ndef f(x):\n    B, C = x.shape\n"
    found = described(f"{text}    return {code}\nf(torch.ones(2, 3))\n")
    assert found is not None
    quoted = [note for note in notes(found) if note.startswith("as called in this file: ")]
    assert quoted == ([] if expected is None else [f"as called in this file: {expected}"])


@pytest.mark.parametrize(
    ("call", "fact"),
    [
        ("optim.lr_scheduler.§StepLR(opt, 3)", ""),
        ("optim.§SGD(nn.Linear(2, 2).parameters())", ""),
        ("optim.§SGD([torch.ones(2)])", "[f32[2]] → SGD"),
        ("nn.§Sequential(nn.ReLU())", "Sequential"),  # it says below what this one holds
    ],
)
def test_that_a_class_makes_one_of_itself_is_not_worth_saying(call: str, fact: str) -> None:
    text = "import torch\nfrom torch import nn\nopt = torch.optim.SGD([torch.ones(2)], 0.1)\nx = torch."
    found = described(f"{text}{call}\n")
    assert found is not None and found.fact == fact


def test_a_call_on_what_a_layer_is_called_with_is_quoted_as_well() -> None:
    found = described(
        "import torch\nfrom torch import nn\nclass N(nn.Module):\n    def __init__(self, dim):\n"
        "        super().__init__()\n        self.to_keys = nn.Linear(dim, 3 * dim)\n"
        "    def forward(self, x):\n        b, d = x.shape\n        return self.§to_keys(x)\n"
        "N(4)(torch.ones(2, 4))\n"
    )
    assert found is not None
    assert "as called in this file: f32[2, 4] → f32[2, 12] grad" in notes(found)


def test_a_call_of_which_nothing_is_known_says_nothing_of_callers() -> None:
    found = described(
        "import torch\nfrom torch import nn\nclass Net(nn.Module):\n    def __init__(self, n):\n"
        "        super().__init__()\n        self.last = nn.Linear(n, n)\n"
        "def f(net):\n    net.§eval()\ndef g(n):\n    f(Net(n))\n"
    )
    assert found is not None
    assert (found.symbol, found.fact, notes(found)) == ("torch.nn.Module.eval", "", [])


@pytest.mark.parametrize("place", ["§y = ", "y = torch.§empty"])
def test_callers_of_whom_a_size_is_unknown_that_has_a_name_are_not_quoted(place: str) -> None:
    text = (
        "import torch\ndef f(x):\n    y = torch.empty(1, x.shape[1])\n    return y\n"
        "def g(z):\n    f(torch.from_numpy(z))\n"
    )
    found = described(text.replace(place.replace("§", ""), place, 1))
    assert found is not None and found.fact == "f32[1, x.1]"
    assert not any("as called" in note for note in notes(found))


def test_callers_who_know_fewer_sizes_are_not_quoted() -> None:
    text = "import torch\ndef f(x):\n    B, C = x.shape\n    return §x.t()\ndef g(y):\n    f(y.float())\n"
    found = described(text)
    assert found is not None and found.fact == "tensor[B, C]"
    assert not [note for note in notes(found) if "as called" in note]


@pytest.mark.parametrize(
    "program",
    [
        "import math\nmath.§sqrt(2)\n",
        "import numpy as np\nnp.§pi\n",
        "p = torch.ones(3)\np.grad.§requires_grad\n",
    ],
)
def test_of_numbers_that_no_tensor_gives_nothing_is_said(program: str) -> None:
    found = described("import torch\n" + program)
    assert found is None or found.fact == ""


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("b = a.view(5, 5)\nc = §b + 1\n", "f32[5, 5]"),
        ("b = a.reshape(5, 5)\nc = §b + 1\n", "f32[5, 5]"),
        ("b = a @ a\nc = §b + 1\n", "f32[3, 4]"),
        ("b = nn.Linear(10, 5)(a)\nc = §b + 1\n", "f32[3, 5]"),
        ("b = a + torch.zeros(3)\nc = §b + 1\n", "f32[...]"),
    ],
)
def test_facts_go_on_after_a_mistake(program: str, expected: str) -> None:
    text = "import torch\nfrom torch import nn\na = torch.zeros(3, 4)\n" + program
    found = described(text)
    assert found is not None and found.fact == expected
    assert "torch refuses a call above it; shown is what would follow" in notes(found)
    (finding,) = examined(text.replace("§", "")).result.findings
    assert finding.severity is Severity.ERROR


def test_a_call_that_torch_refuses_is_called_so() -> None:
    found = described("import torch\na = torch.zeros(3, 4)\nb = a.§view(5, 5)\n")
    assert found is not None and found.fact == "f32[3, 4] → f32[5, 5]"
    assert notes(found)[0] == "torch refuses this call; shown is what it would give"
    following = described("import torch\na = torch.zeros(3, 4)\nb = a.view(5, 5)\nc = b.§relu()\n")
    assert following is not None and not [note for note in notes(following) if "refuses this" in note]
    right = described("import torch\na = torch.zeros(3, 4)\nb = a.§view(4, 3)\n")
    assert right is not None and not [note for note in notes(right) if "refuses" in note]


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("x.sum().§item()\n", "f32[] → float"),
        ("x.long().sum().§item()\n", "i64[] → int"),
        ("§v = x.sum().item()\n", "float"),
        ("§rate = 0.5\n", "0.5"),
        ("def f(y):\n    F.§mse_loss(x, y)\n", "(input: f32[3], target: ?) → tensor[]"),
        ("def f(device):\n    x.§to(device)\n", "(input: f32[3], target: ?) → tensor[3]"),
        ("n = 3\nx.§repeat_interleave(n)\n", "(input: f32[3], repeats: 3) → f32[9]"),
    ],
)
def test_arguments_and_scalar_results_are_told(program: str, expected: str) -> None:
    text = "import torch\nimport torch.nn.functional as F\nx = torch.ones(3)\n" + program
    assert fact(text) == expected


def test_a_distribution_says_its_class_and_the_shape_of_a_sample() -> None:
    program = (
        "import torch\nfrom torch.distributions import Categorical\n§policy = Categorical(torch.ones(5, 3))\n"
    )
    assert fact(program) == "Categorical[5]"


def test_a_module_of_the_workspace_is_called_by_its_class() -> None:
    assert fact(CNN + "§net = Net()\n") == "Net"


def test_a_class_of_the_workspace_says_its_signature_and_first_line() -> None:
    found = in_cnn("§Net())")
    assert found is not None
    assert (found.name, found.fact, notes(found)) == (
        "Net(width=64)",
        "",
        ["Two layers.", "2,442 parameters"],
    )


def test_a_method_of_an_optimizer_is_named() -> None:
    found = in_cnn("optimizer.§step()")
    assert found is not None and (found.kind, found.symbol) == ("call", "torch.optim.AdamW.step")


ATTENTION = """\
import torch
import torch.nn as nn


class Attention(nn.Module):
    def __init__(self, dim, heads=8):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)

    def forward(self, x):
        B, N, C = x.shape
        qkv = self.qkv(x).reshape(B, N, 3, self.heads, C // self.heads)
        qkv = qkv.permute(2, 0, 3, 1, 4)
        q, k, v = qkv[0], qkv[1], qkv[2]
        scores = q @ k.transpose(-2, -1)
        return scores.softmax(-1) @ v
"""


def in_attention(code: str) -> Description:
    text = ATTENTION.replace(code.replace("§", ""), code, 1)
    found = described(text)
    assert found is not None
    return found


def test_the_trail_is_newest_first_and_ends_at_the_parameter() -> None:
    found = in_attention("§q, k, v =")
    assert found.fact == "f32[B, heads, N, C//heads] noncontig grad"
    done = [(step.done, ATTENTION[step.span.start : step.span.end]) for step in found.trail]
    assert done == [
        ("indexed", "qkv[0]"),
        ("permuted", "qkv.permute(2, 0, 3, 1, 4)"),
        ("reshaped", "self.qkv(x).reshape(B, N, 3, self.heads, C // self.heads)"),
        ("result of Linear", "self.qkv(x)"),
    ]
    assert [step.fact for step in found.trail][1] == "f32[3, B, heads, N, C//heads] noncontig grad"


def test_slices_share_memory_with_what_they_are_cut_from() -> None:
    assert "shares memory with q, qkv" in notes(in_attention("q, §k, v ="))


@pytest.mark.parametrize("code", ["def forward(self, §x):", "= §x.shape", "self.qkv(§x).reshape"])
def test_a_parameter_says_what_is_assumed(code: str) -> None:
    found = in_attention(code)
    assert found.fact == "tensor[B, N, C]"
    assert "parameter; contiguous is assumed" in notes(found)


def test_a_permute_is_told_as_a_view_and_a_copying_reshape_as_a_copy() -> None:
    assert "shares memory with qkv" in notes(in_attention("qkv.§permute(2"))
    found = described("import torch\ny = torch.zeros(2, 3).t().§reshape(-1)\n")
    assert found is not None and notes(found) == ["copies: the result has memory of its own"]


def test_every_column_of_an_identifier_is_the_identifier() -> None:
    text = "import torch\nweights = torch.zeros(3)\nprint(weights)\n"
    found = examined(text)
    for start in (text.index("weights"), text.rindex("weights")):
        for column in range(len("weights") + 1):
            place = at(found, start + column)
            assert place is not None and place.span == Span(start, start + len("weights"))


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("a = np.zeros((3, 4))\n§a\n", "ndarray f64[3, 4]"),
        ("t = torch.from_numpy(np.ones(3))\n§t\n", "f64[3]"),
        ("a = torch.zeros(3).§numpy()\n", "f32[3] → ndarray f32[3]"),
        ("x = torch.zeros(2, 3)\nx.§shape\n", "(2, 3)"),
        ("x = torch.zeros(2, 3)\nx§[0]\n", "f32[2, 3]"),
        ("x = torch.zeros(2, 3)\nx[§0]\n", "f32[3]"),
        ("x = torch.zeros(2, 3)\n§x[1] = 1\n", "f32[2, 3]"),
        ("x = torch.zeros(2, 3)\nx[0, §1:]\n", "f32[2]"),
        ("items = [torch.zeros(3), torch.ones(2)]\n§items\n", "[f32[3], f32[2]]"),
        ("items = [torch.zeros(3) for _ in range(100)]\n§items\n", "list[f32[3]]"),
        ("batch = {'x': torch.zeros(3), 'n': 3}\n§batch\n", "{'x': f32[3], 'n': 3}"),
        ("batch = {'x': torch.zeros(3)}\nbatch[§'x']\n", "f32[3]"),
        ("m = torch.zeros(2, 3).max(dim=1)\nm.§values\n", "f32[2]"),
        ("§pair = torch.zeros(2), 3\n", "(f32[2], 3)"),
        ("d = torch.device('cuda:1')\n§d\n", "device cuda:1"),
        ("d = torch.float16\n§d\n", "f16"),
        ("x = torch.zeros(3)\n§x += 1\n", "f32[3]"),
        ("if (n§ := torch.zeros(3, 4)).any(): pass\n", "f32[3, 4]"),
        ("y = [§x + 1 for x in (torch.zeros(3), torch.ones(3))]\n", "f32[3]"),
        ("y = [x + 1 for §x in (torch.zeros(3), torch.ones(3))]\n", "f32[3]"),
        ("f'{§x}'\n".replace("f'", "x = torch.zeros(3)\nf'", 1), "f32[3]"),
        ("é = torch.zeros(3)\nprint(§é)\n", "f32[3]"),
        ("n = torch.zeros(3, 4).numel()\n§n\n", "12"),
        ("torch.§cat([torch.zeros(3), torch.ones(2)])\n", "[f32[3], f32[2]] → f32[5]"),
        ("x = nn.§Conv2d(3, 8, 3, bias=False)\n", "Conv2d(3, 8, kernel_size=3, bias=False)"),
        ("def f(x: torch.Tensor = torch.zeros(§a)): pass\n".replace("def", "a = 3\ndef"), "3"),
        ("@torch.§no_grad()\ndef f(): pass\n", ""),
    ],
)
def test_kinds_of_places(program: str, expected: str) -> None:
    assert fact("import torch\nimport numpy as np\nimport torch.nn as nn\n" + program) == expected


@pytest.mark.parametrize(
    "program",
    [
        "import §torch\n",
        "x = §unknown\n",
        "x = 'torch §x'\n",
        "x = torch.zeros(3)  # §x\n",
        "§class A: pass\n",
        "def f(x):\n    return §x\n",
        "x = torch.zeros(3)\nprint§(x)\n",
        "class A:\n    def f(self):\n        return §self\n",
        "B, C = torch.zeros(2, 3).shape\ndef f(x):\n    N, M = x.shape\n    return §N\n",
        "import sys\nsys.§exit()\nx = torch.zeros(3)\n",
        "x§\n",
        "§",
    ],
)
def test_where_nothing_is_known_nothing_is_said(program: str) -> None:
    assert described("import torch\n" + program) is None


def test_of_iterations_that_differ_only_what_they_share_is_said() -> None:
    assert fact("import torch\nfor s in (torch.zeros(2), torch.zeros(3)):\n    print(§s)\n") == "f32[?]"


def test_an_in_place_method_writes_into_its_receiver() -> None:
    found = described("import torch\nx = torch.zeros(3)\nx.§add_(1)\n")
    assert found is not None and notes(found) == ["writes into x"]


def test_memory_is_shared_only_with_what_names_hold_now() -> None:
    text = "import torch\nx = torch.zeros(4)\ny = x.view(2, 2)\nz = y.t()\ny = y.clone()\nprint(§x)\n"
    found = described(text)
    assert found is not None and "shares memory with z" in notes(found)


@pytest.mark.parametrize(
    "binding",
    ["class A:\n    y = x.t()\n", "z = [y.sum() for y in (x.t(), x.t())]\n", "def f(): y = x.t()\nf()\n"],
)
def test_names_that_are_not_visible_share_nothing(binding: str) -> None:
    found = described(f"import torch\nx = torch.zeros(4)\n{binding}print(§x)\n")
    assert found is not None and not [note for note in notes(found) if "memory" in note]


def test_the_names_of_another_function_share_nothing() -> None:
    text = "import torch\nx = torch.zeros(4)\ndef f():\n    y = x.view(2, 2)\n    return y\nf()\nprint(§x)\n"
    found = described(text)
    assert found is not None and not [note for note in notes(found) if "memory" in note]


def test_a_fact_from_another_file(project) -> None:
    project({"layout.py": "def flip(x):\n    '''Swaps `H` and W.'''\n    return x.transpose(2, 3)\n"})
    text = "import torch\nfrom layout import flip\ny = flip(torch.zeros(1, 2, 3, 4))\n"
    found = examined(text)
    y = at(found, text.index("y ="))
    assert y is not None and y.fact == "f32[1, 2, 4, 3] noncontig"
    assert [(step.done, step.path) for step in y.trail] == [
        ("transposed", "layout.py"),
        ("made by torch.zeros", None),
    ]
    call = at(found, text.rindex("flip"))
    assert call is not None and call.fact == "f32[1, 2, 3, 4] → f32[1, 2, 4, 3] noncontig"
    assert notes(call)[:2] == ["flip(x)", "Swaps `H` and W."]


def test_an_edit_elsewhere_is_seen_though_the_text_is_the_same(project) -> None:
    """The tree of an unchanged text is kept; what was recorded about it must not be."""
    text = "import torch\nfrom sizes import N\nx = torch.zeros(N)\n"
    folder = project({"sizes.py": "N = 3\n"})
    opened: dict[str, Document] = {}
    provider = Provider(Workspace(), opened)
    first = at(ENGINE.examine(Document("program.py", text), provider), text.index("x ="))
    opened[os.path.realpath(folder / "sizes.py")] = Document("sizes.py", "N = 5\n")
    second = at(ENGINE.examine(Document("program.py", text), provider), text.index("x ="))
    assert first is not None and second is not None
    assert (first.fact, second.fact) == ("f32[3]", "f32[5]")


# ---- rules --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("comment", "code"),
    [
        ("# torchlsp: ignore[§TL101] why", "TL101"),
        ("# torchlsp: ignore[TL101, TL10§2]", "TL102"),
        ("# torchlsp: ignore-file[view-on-§noncontiguous]", "TL101"),
        ("# noqa: E501, TL101§", "TL101"),
        ("# torchlsp: ignore[TL00§1]", "TL001"),
        ("# noqa: E5§01, TL101", None),
        ("# torchlsp: ign§ore[TL101]", None),
        ("# torchlsp: ignore[TL9§99]", None),
        ("# see TL1§01", None),
        ("'# noqa: TL1§01'", None),
    ],
)
def test_rules_in_comments(comment: str, code: str | None) -> None:
    found = described(f"import torch\nx = 1  {comment}\n" if comment[0] == "#" else f"x = {comment}\n")
    assert (found.name if found else None) == code
    if found is not None and code == "TL101":
        assert (found.kind, found.symbol) == ("rule", "view-on-noncontiguous")
        assert found.page.startswith("# TL101 view-on-noncontiguous") and found.fact


def test_rules_in_comments_of_text_that_does_not_parse() -> None:
    assert described("def f(:  # noqa: TL1§01\n") is not None


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("[tool.torchlsp]\nselect = ['TL1§01']\n", "TL101"),
        ("[project]\nname = 'x'\n[tool.torchlsp.severity]\nview-on-non§contiguous = 'info'\n", "TL101"),
        ("[tool.'torchlsp']\nignore = [\n  'TL102', §'TL101'\n]\n".replace("§'", "'§"), "TL101"),
        ("ignore = ['TL101§']\n", "TL101"),
        ("[per-file-ignores]\n'tests/*' = ['§TL101']\n", "TL101"),
        ("[tool.ruff]\nselect = ['TL1§01']\n[tool.torchlsp]\n", None),
        ("[tool.torchlsp]\n[tool.ruff]\nselect = ['TL1§01']\n", None),
        ("[tool.torchlspx]\nselect = ['TL1§01']\n", None),
        ("[project]\nname = 'TL1§01'\n", None),
        ("[tool.torchlsp]\nsel§ect = ['TL101']\n", None),
        ("§", None),
    ],
)
def test_rules_in_configuration(text: str, code: str | None) -> None:
    found = rule_at(text.replace("§", ""), text.index("§"))
    assert (found.name if found else None) == code
    if found is not None:
        assert text.replace("§", "")[found.span.start : found.span.end] in (code, "view-on-noncontiguous")


# ---- hints --------------------------------------------------------------------------------------------------------------


def test_hints_stand_behind_what_is_assigned() -> None:
    text = """\
import torch
x = torch.zeros(2, 3, device="cuda")
h, (m, n) = x.t(), (x[0], 3)
for row in [x, x + 1]:
    total: torch.Tensor = row.sum()
class A:
    def __init__(self):
        self.w = torch.ones(3)
y = [r for r in (x, x)]
_ = x.double()
z = x.double()
"""
    assert shown(text) == [
        "x: f32[2, 3] cuda",
        "h: f32[3, 2] cuda noncontig",
        "h, (m: f32[3] cuda",
        "for row: f32[2, 3] cuda",
        "total: torch.Tensor f32[] cuda",
        "self.w: f32[3]",
        "z: f64[2, 3] cuda",
    ]


def test_an_unchanged_fact_gets_no_second_hint_wherever_the_window_begins() -> None:
    text = "import torch\nh = torch.zeros(3)\nh = h.relu()\nh = h.half()\n"
    assert shown(text) == ["h: f32[3]", "h: f16[3]"]
    second = text.index("h = h.relu")
    assert [one.text for one in hints(examined(text), Span(second, len(text)))] == [": f16[3]"]


def test_the_same_name_in_two_functions_gets_two_hints() -> None:
    body = "    h = torch.zeros(3)\n    return h\n"
    assert shown(f"import torch\ndef f():\n{body}def g():\n{body}") == ["h: f32[3]", "h: f32[3]"]


def test_nothing_is_hinted_where_only_the_kind_is_known() -> None:
    assert shown("import torch\ndef f(x):\n    y = torch.relu(x)\n    return y\n") == []
    assert shown("import torch\ndef f(x):\n    y = torch.relu(x).half()\n    return y\n") == ["y: f16[...]"]


def test_kinds_have_switches() -> None:
    text = """\
import torch
import numpy as np
layer = torch.nn.Linear(3, 4)
a = np.zeros(3)
n = a.shape[0] + 1
k = 7
x = torch.zeros(n)
"""
    assert shown(text) == ["a: ndarray f64[3]", "x: f32[4]"]
    assert shown(text, HintKinds(shape=False, array=False)) == []
    assert shown(text, HintKinds(shape=False, array=False, module=True)) == ["layer: Linear(3, 4)"]
    # `k = 7` says itself what it is
    assert shown(text, HintKinds(shape=False, array=False, size=True)) == ["n: 4"]


def test_only_the_span_that_is_asked_for() -> None:
    text = "import torch\na = torch.zeros(1)\nb = torch.zeros(2)\nc = torch.zeros(3)\n"
    start, end = text.index("b ="), text.index("c =") - 1
    assert [one.text for one in hints(examined(text), Span(start, end))] == [": f32[2]"]


def test_long_hints_are_cut_and_whole_in_the_tooltip() -> None:
    text = "import torch\nx = torch.zeros(123456, 234567, 345678, 456789, 567890, 678901, 789012, 890123)\n"
    (found,) = hints(examined(text), Span(0, len(text)))
    assert len(found.text) == 60 and found.text.endswith("…")
    assert found.tooltip == "f32[123456, 234567, 345678, 456789, 567890, 678901, 789012, 890123]"


def test_a_hint_that_only_calls_tell_says_so() -> None:
    text = "import torch\ndef f(x):\n    y = x.relu()\n    return y\nf(torch.zeros(3))\n"
    (found,) = hints(examined(text), Span(0, len(text)))
    assert (found.text, found.tooltip) == (": f32[3]", "as called in this file")


# ---- against torch ------------------------------------------------------------------------------------------------------

PROGRAM = """\
import torch
a = torch.zeros(2, 3, 4)
b = a.permute(0, 2, 1)
c = b.reshape(-1)
d = a[:, 1]
e = torch.ones(5, dtype=torch.bool)
f = torch.zeros(3, 1).expand(3, 7)
g = torch.zeros(2, 3, requires_grad=True)
h = g * 2
i = g.detach()
j = a.view(6, 4).t()
k = a.half()
l = a.to(torch.float32)
m = torch.zeros(())
n = torch.zeros(4, dtype=torch.complex64)
o = torch.zeros(2, 0)
p = a.contiguous()
q = b.contiguous()
r = a.flatten(1).half()
s = torch.zeros(8, dtype=torch.bfloat16)
t, u = a.max(dim=1)
v, w = a.unbind(0)
"""


@pytest.mark.torch
def test_what_is_said_is_what_torch_does() -> None:
    import torch

    values: dict[str, torch.Tensor] = {}
    exec(PROGRAM, values)
    examination = examined(PROGRAM)
    names = [name for row in PROGRAM.splitlines()[1:] for name in row.split(" = ")[0].split(", ")]
    strides = 0
    for position, name in enumerate(names):
        place = re.search(rf"^(?:\w, )?{name}(?:, \w)? = ", PROGRAM, re.MULTILINE)
        assert place is not None
        found = at(examination, PROGRAM.index(name, place.start()))
        assert found is not None
        said, real = notes(found), values[name]
        sizes = ", ".join(map(str, real.shape))
        assert f"[{sizes}]" in found.fact
        for note in said:
            if note.startswith("strides"):
                strides += 1
                assert note == f"strides {real.stride()}"
            elif note.startswith("requires grad"):
                assert real.requires_grad
                assert real.is_leaf == (note == "requires grad; a leaf")
            elif "element" in note:
                count = real.numel()
                assert note.startswith(f"{count} element")
                if "byte" in note:
                    assert note.endswith(
                        f", {real.untyped_storage().nbytes() if count == 0 else count * real.element_size()} bytes"
                    )
        assert ("noncontig" in found.fact) == (not real.is_contiguous())
        assert real.is_contiguous() or any(note.startswith("strides") for note in said)
        assert any(note.startswith("requires grad") for note in said) == real.requires_grad
        sharing = [other for other in names[:position] if _same_memory(values[other], real)]
        told = next(
            (note.removeprefix("shares memory with ") for note in said if "shares memory" in note), ""
        )
        assert set(told.split(", ")) - {""} <= set(sharing)
        assert len(told.split(", ")) == 4 or set(told.split(", ")) - {""} == set(sharing)
    assert strides >= 4


def _same_memory(a, b) -> bool:
    return a.numel() > 0 and a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr()


# ---- robustness ---------------------------------------------------------------------------------------------------------

LINES = [
    "import torch", "import numpy as np", "from torch import nn", "x = torch.zeros(2, 3)", "x: torch.Tensor = x.t()",
    "y = x[0, ..., None]", "x += y", "for i, (a, b) in enumerate([(x, y)]): x = a @ b", "z = [q.sum() for q in (x, y) if q]",
    "with torch.no_grad() as g, open('f') as h: x = x.half()", "def f(a, /, b: int = 3, *c, d=x, **e): return a.view(b)",
    "class M(nn.Module):\n    w = torch.ones(3)\n    def forward(self, x): return self.w * x", "m = M(); m(x)", "f(x, *y, **z)",
    "d = {'a': x, **z, 1: [x]}; d['a'] = y", "lambda t, *u: t.view(u)", "print(f'{x!r:>{y}} {x.shape}')", "del x, d['a']",
    "match x:\n    case [a, *b]: a.t()\n    case _: pass", "x = (yield)", "async def g(): await f(x)", "a = b = x, *y",
    "try: x.view(3)\nexcept* ValueError as e: e", "x = np.zeros(3); x = torch.from_numpy(x)", "(n := x.numel())",
    "# torchlsp: ignore[TL101]", "x = 1  # noqa: TL101, TL102", "global x", "é = '§ ü'", "if x: \n", "x = (((", "\tx", "'''",
]  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from(LINES), max_size=8), st.sampled_from(["\n", "\r\n", "\r"]), st.integers(-2, 400)
)
def test_no_place_of_any_text_raises(lines: list[str], newline: str, start: int) -> None:
    text = newline.join(line.replace("\n", newline) for line in lines)
    examination = examined(text)
    for offset in range(-2, len(text) + 3):
        found = at(examination, offset)
        assert found is None or found.span.start <= offset <= found.span.end
        assert rule_at(text, offset) is None or found is not None or "TL" in text
    for hint in hints(examination, Span(start, start + 100), HintKinds(True, True, True, True)):
        assert start <= hint.offset <= start + 100 and len(hint.text) <= 60


def test_bytes_are_told_in_units() -> None:
    assert math.prod((1024, 300)) * 4 == 1_228_800
    found = described("import torch\n§x = torch.zeros(1024, 300)\n")
    assert found is not None and notes(found) == ["307,200 elements, 1.2 MB"]


@pytest.mark.parametrize(
    ("program", "symbol", "name"),
    [
        ("torch.sum(torch.zeros(3), §dim=0)\n", "torch.sum", "dim"),
        ("torch.zeros(3).sum(§dim = 0)\n", "torch.Tensor.sum", "dim"),
        ("F.cross_entropy(x, y, reduction='me§an')\n", "torch.nn.functional.cross_entropy", "reduction"),
        ("nn.MSELoss(§reduction='sum')\n", "torch.nn.MSELoss", "reduction"),
        ("torch.einsum('i§j,jk->ik', x, x)\n", "torch.einsum", "equation"),
    ],
)
def test_an_argument_is_known_by_its_parameter(program: str, symbol: str, name: str) -> None:
    found = described("import torch\nfrom torch import nn\nimport torch.nn.functional as F\n" + program)
    assert found is not None
    assert (found.kind, found.symbol, found.name) == ("argument", symbol, name)


@pytest.mark.parametrize(
    "program",
    [
        "print('te§xt')\n",
        "f(§x=1)\n",
        "torch.sum(§y)\n",
        "d = dict(§x=1)\n",
        "torch.zeros(3, **{'dt§ype': 1})\n",
    ],
)
def test_other_arguments_are_nothing(program: str) -> None:
    found = described("import torch\n" + program)
    assert found is None or found.kind != "argument"
