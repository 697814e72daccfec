"""Fixes beyond those on the pages: unusual spellings, and where none may be offered."""

from __future__ import annotations

import pytest

from torchlsp.core.text import Document
from torchlsp.dev.catalogue import HINTS
from torchlsp.lint.registry import rules
from torchlsp.lint.runner import run
from torchlsp.syntax.edits import apply_edits
from torchlsp.syntax.parse import SyntaxTree, parse

IMPORTS = """\
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

x = torch.randn(8, 4)
y = torch.randint(0, 3, (8,))
net = nn.Linear(4, 3)
"""


class NoOtherFiles:
    def module(self, dotted_name: str, importing_path: str) -> SyntaxTree | None:
        return None


def fixed(source: str, number: int = 0) -> str | None:
    """The source after the fix of this number of its only finding; None where there is no such fix."""
    text = IMPORTS + source
    enabled = frozenset(info.code for info in rules()) - HINTS
    (found,) = run(parse(Document("fixes.py", text)), NoOtherFiles(), enabled, strict=True).findings
    if len(found.fixes) <= number:
        return None
    return apply_edits(text, found.fixes[number].edits).removeprefix(IMPORTS)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("z = (x\n     .t()\n     .view(-1))  # why\n", "z = (x\n     .t()\n     .reshape(-1))  # why\n"),
        ("y.add(0); x.t().view(32)\n", "y.add(0); x.t().reshape(32)\n"),
        ("if x.t().view(-1).sum() > 0: pass\n", "if x.t().reshape(-1).sum() > 0: pass\n"),
        ("with torch.no_grad(): x.t().view(-1)\n", "with torch.no_grad(): x.t().reshape(-1)\n"),
        ("x.t().view_as(torch.ones(32))\n", "x.t().reshape_as(torch.ones(32))\n"),
        ('print(f"{x.t().view(-1)!r:>10} ü")\n', 'print(f"{x.t().reshape(-1)!r:>10} ü")\n'),
        ("ü = x.t().view(-1)\r\n", "ü = x.t().reshape(-1)\r\n"),
        ("[q.t().view(-1) for q in [x, x]]\n", "[q.t().reshape(-1) for q in [x, x]]\n"),
    ],
)
def test_view_becomes_reshape(before: str, after: str):
    assert fixed(before) == after


def test_view_has_a_second_fix():
    assert fixed("x.t().view(-1)\n", 1) == "x.t().contiguous().view(-1)\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "F.cross_entropy(net(x), y.int() + y.int())\n",
            "F.cross_entropy(net(x), (y.int() + y.int()).long())\n",
        ),
        ("F.cross_entropy(net(x), -y.int())\n", "F.cross_entropy(net(x), (-y.int()).long())\n"),
        (
            "F.cross_entropy(input=net(x), target=(y\n    .int()),  # why\n)\n",
            "F.cross_entropy(input=net(x), target=(y\n    .int()).long(),  # why\n)\n",
        ),
        ("F.cross_entropy(net(x), *[y.int()])\n", None),
        (
            "F.nll_loss(net(x).log_softmax(1), weight=None, target=y.bool())\n",
            "F.nll_loss(net(x).log_softmax(1), weight=None, target=y.bool().long())\n",
        ),
    ],
)
def test_the_target_is_converted_where_it_is_written(before: str, after: str | None):
    assert fixed(before) == after


def test_a_loss_that_ignores_an_index_takes_indices_only():
    before = "nn.CrossEntropyLoss(ignore_index=0)(net(x), F.one_hot(y, 3))\n"
    assert fixed(before) == "nn.CrossEntropyLoss(ignore_index=0)(net(x), y)\n"
    assert fixed(before, 1) is None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("(net(x) * 2).numpy()\n", "(net(x) * 2).detach().numpy()\n"),
        ("np.array(net(x) * 2)\n", "np.array((net(x) * 2).detach())\n"),
        ("np.vdot(np.ones(8), net(x))\n", "np.vdot(np.ones(8), net(x).detach())\n"),
        ("np.concatenate([net(x), net(x)])\n", None),
        ("x.cuda().bfloat16().numpy()\n", "x.cuda().bfloat16().cpu().float().numpy()\n"),
    ],
)
def test_what_numpy_cannot_read_is_converted(before: str, after: str | None):
    assert fixed(before) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("torch.matmul(x, x * 2)\n", "torch.matmul(x, (x * 2).mT)\n"),
        ("x.mm(x)\n", "x.mm(x.mT)\n"),
        ("torch.addmm(torch.ones(8), x, x)\n", "torch.addmm(torch.ones(8), x, x.mT)\n"),
        ("x @ torch.ones(5, 6)\n", None),
    ],
)
def test_the_right_operand_is_transposed_where_that_helps(before: str, after: str | None):
    assert fixed(before) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("nn.Sequential(net, nn.Linear(2 * 8, 5))(x)\n", "nn.Sequential(net, nn.Linear(3, 5))(x)\n"),
        (
            "nn.Sequential(net, nn.Linear(out_features=5, in_features=7))(x)\n",
            "nn.Sequential(net, nn.Linear(out_features=5, in_features=3))(x)\n",
        ),
        ("size = 7\nnn.Sequential(net, nn.Linear(size, 5))(x)\n", None),
        (
            "nn.Sequential(nn.Conv2d(3, 8, 1), nn.GroupNorm(2, 6))(torch.ones(1, 3, 4, 4))\n",
            "nn.Sequential(nn.Conv2d(3, 8, 1), nn.GroupNorm(2, 8))(torch.ones(1, 3, 4, 4))\n",
        ),
    ],
)
def test_the_layer_is_built_for_what_arrives(before: str, after: str | None):
    assert fixed(before) == after


LOOP = """\
opts = [torch.optim.SGD(net.parameters(), 0.1)]
get = lambda: opts[0]
for _ in range(3):
    # the loss
    net(x).sum().backward()
    {step}
"""


@pytest.mark.parametrize(
    ("step", "clear"),
    [("opts[0].step()", "opts[0].zero_grad()"), ("get().step()", None)],
)
def test_gradients_are_cleared_by_the_name_that_steps(step: str, clear: str | None):
    before = LOOP.format(step=step)
    after = before.replace("    net(x)", f"    {clear}\n    net(x)") if clear else None
    assert fixed(before) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "o = torch.optim.SGD(net.parameters(), 0.1)\nnet(x).sum().backward()\no.zero_grad()  # why\no.step()\n",
            "o = torch.optim.SGD(net.parameters(), 0.1)\no.zero_grad()  # why\nnet(x).sum().backward()\no.step()\n",
        ),
        (
            "o = torch.optim.SGD(net.parameters(), 0.1)\nnet(x).sum().backward(); o.zero_grad()\no.step()\n",
            None,
        ),
    ],
)
def test_clearing_moves_above_backward(before: str, after: str | None):
    assert fixed(before) == after


BUFFER = """\
class Mask(nn.Module):
    def __init__(self):
        super().__init__()
        {row}

    def forward(self, x):
        return x * self.mask


Mask().double()
"""


def test_a_buffer_of_several_rows_keeps_their_indentation():
    before = BUFFER.format(row="self.mask = torch.tril(\n            torch.ones(4, 4)\n        )")
    row = 'self.register_buffer("mask", torch.tril(\n            torch.ones(4, 4)\n        ){})'
    assert fixed(before) == BUFFER.format(row=row.format(""))
    assert fixed(before, 1) == BUFFER.format(row=row.format(", persistent=False"))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("np.std(x, 0)\n", "x.std(0, correction=0)\n"),
        ("np.var(x)\n", "x.var(correction=0)\n"),
        ("np.max(x, axis=1, keepdims=True)\n", "x.amax(axis=1, keepdims=True)\n"),
        ("np.min(x)\n", "x.min()\n"),
        ("np.mean(x * 2)\n", "(x * 2).mean()\n"),
        ("np.sum(y, axis=0)\n", "y.sum(axis=0)\n"),
        ("np.mean(y)\n", None),
        ("np.std(x, ddof=1)\n", None),
        ("np.mean(x, dtype=np.float64)\n", None),
        ("np.prod(x, axis=(0, 1))\n", None),
        ("np.sum(a=x)\n", None),
        ("np.sum(*[x])\n", None),
    ],
)
def test_the_method_of_a_tensor_computes_what_numpy_does(before: str, after: str | None):
    assert fixed(before) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a, b = torch.ones(5, 32), torch.ones(4, 32)\na @ b\n", "a @ b.mT\n"),
        ("a, b = torch.ones(5, 32), torch.ones(4, 32)\na @ b @ torch.ones(32, 4)\n", None),
        ("a, b = torch.ones(5, 32), torch.ones(4, 32)\ntorch.mm(a @ b, torch.ones(32, 4))\n", None),
        ("a, b = torch.ones(5, 32), torch.ones(4, 32)\n(a @ b).mm(torch.ones(32, 4))\n", None),
    ],
)
def test_an_operand_whose_product_is_multiplied_on_is_not_transposed(before: str, after: str | None):
    assert fixed(before) == (after and before.replace("a @ b\n", after))


CELL = "cell = nn.Linear(3, 4)\nh = torch.ones(2, 3)\nfor _ in range(8):\n    h = cell(h)\n"


def test_a_layer_that_gets_its_own_result_is_not_built_for_that():
    assert fixed(CELL) is None
    assert fixed(CELL.replace("for _ in range(8):\n    h = cell(h)", "g = cell(cell(h))")) is None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("h = c = torch.zeros(8, 3).double()\nnn.LSTMCell(4, 3)(x, (h, c))\n", "(h.float(), c.float())"),
        (
            "h, c = torch.zeros(8, 3), torch.zeros(8, 3).double()\nnn.LSTMCell(4, 3)(x, (h, c))\n",
            "(h, c.float())",
        ),
    ],
)
def test_every_operand_of_the_wide_dtype_is_cast(before: str, after: str):
    assert fixed(before) == before.replace("(h, c)", after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a = torch.ones(2, 3)\ntorch.stack(a, a)\n", "torch.stack([a, a])"),
        ("a, b = torch.ones(2, 3), torch.ones(4, 3)\ntorch.cat(a, b)\n", "torch.cat([a, b])"),
        ("a, b = torch.ones(2, 3), torch.ones(4, 3)\ntorch.stack(a, b)\n", None),
        ("a, b = torch.ones(2, 3), torch.ones(4)\ntorch.cat(a, b)\n", None),
    ],
)
def test_tensors_that_do_not_fit_are_not_put_in_a_list(before: str, after: str | None):
    first, call, _ = before.split("\n")
    assert fixed(before) == (after and f"{first}\n{after}\n")


PENALTY = """\
x = torch.randn(2, 4, requires_grad=True)
slope = torch.autograd.grad({})[0]
(net(x).sum() + slope.pow(2).sum()).backward()
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("net(x).pow(2).sum(), x", "net(x).pow(2).sum(), x, create_graph=True"),
        ("net(x).pow(2).sum(), x, create_graph=False", "net(x).pow(2).sum(), x, create_graph=True"),
        ("\n    net(x).pow(2).sum(), x\n", "\n    net(x).pow(2).sum(), x, create_graph=True\n"),
        ("\n    net(x).pow(2).sum(),\n    x,\n", "\n    net(x).pow(2).sum(),\n    x, create_graph=True,\n"),
        ("*(net(x).pow(2).sum(), x)", "*(net(x).pow(2).sum(), x), create_graph=True"),
    ],
)
def test_a_graph_is_asked_for_in_the_row_of_the_last_argument(before: str, after: str):
    assert fixed(PENALTY.format(before)) == PENALTY.format(after)


RECURRENT = (
    "rnn = nn.RNN(8, 8)\nknown = [torch.ones(5, 8), torch.ones(3, 8)]\npad = nn.utils.rnn.pad_sequence\n"
)


def test_a_recurrent_layer_is_built_otherwise_only_where_each_call_is_wrong():
    wrong = RECURRENT + "rnn(pad(known, batch_first=True))\n"
    assert fixed(wrong) == wrong.replace("RNN(8, 8)", "RNN(8, 8, batch_first=True)")
    assert fixed(wrong + "rnn(pad(known))\n") is None


SCHEDULED = """\
o = torch.optim.SGD(net.parameters(), 0.1)
s = torch.optim.lr_scheduler.StepLR(o, 1)
for epoch in range(3):
{rows}
"""


@pytest.mark.parametrize(
    ("rows", "after"),
    [
        (("o.zero_grad()", "net(x).sum().backward()", "o.step()", "s.step(epoch)"), "s.step()"),
        (("s.step(epoch)", "o.zero_grad()", "net(x).sum().backward()", "o.step()"), None),
    ],
)
def test_a_scheduler_keeps_its_epoch_where_the_optimizer_steps_after_it(rows, after: str | None):
    before = SCHEDULED.format(rows="\n".join(f"    {row}" for row in rows))
    assert fixed(before) == (after and before.replace("s.step(epoch)", after))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("(x > 0) and (x < 1)\n", "(x > 0) & (x < 1)\n"),
        ("0 < x < 1\n", "(0 < x) & (x < 1)\n"),
        ("mask = x > 0\nmask or x\n", None),
        ("x and (x > 0)\n", None),
    ],
)
def test_only_tests_are_combined_by_their_elements(before: str, after: str | None):
    assert fixed(before) == after


def test_data_that_is_written_at_once_is_not_detached():
    assert fixed("h = net(x)\nh.data.clamp_(0, 1)\nh.sum().backward()\n") is None
    kept = "h = net(x)\nd = h.data\nd.clamp_(0, 1)\nh.sum().backward()\n"
    assert fixed(kept) == kept.replace(".data", ".detach()")


SCALED = """\
opt = torch.optim.SGD(net.parameters(), lr=0.1)
opts = [opt]
scaler = torch.amp.GradScaler("cpu")
for _ in range(3):
    loss = F.cross_entropy(net(x), y)
    scaler.scale(loss).backward()
    scaler.step({})
    scaler.update()
"""


def test_gradients_are_cleared_where_a_scaler_takes_the_step():
    assert fixed(SCALED.format("opt")) == SCALED.format("opt").replace(
        "    loss =", "    opt.zero_grad()\n    loss ="
    )
    assert fixed(SCALED.format("opts[0]")) is None


LOGGED = """\
import torch
from torch import nn

net = nn.Linear(4, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(9):
    loss = net(torch.ones(2, 4)).sum()
    loss.backward()
    {}
    if step % 3 == 0:
        {}
"""


def test_gradients_are_cleared_where_only_what_is_logged_stands_under_a_test():
    logged = LOGGED.format("opt.step()", "print(loss.item())")
    assert fixed(logged) == logged.replace("    loss = net", "    opt.zero_grad()\n    loss = net")


def test_gradients_are_not_cleared_first_in_a_loop_whose_steps_stand_under_a_test():
    assert fixed(LOGGED.format("print(step)", "opt.step()")) is None
