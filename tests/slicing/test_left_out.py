"""What has no effect on tensors is left out of the text of a slice."""

from __future__ import annotations

import pytest
from cutting import program, reason

HEAD = "import torch\n"


def in_function(text: str) -> str:
    """Returns the slice of a function that is called, whose rows are given."""
    rows = "".join(f"    {one}\n" for one in text.splitlines())
    made = program(
        f"{HEAD}import logging, os, sys, json, random, time\nfrom tqdm import tqdm, trange\nfrom torch.utils.tensorboard import SummaryWriter\ndef f():\n{rows}    x.view(7)\nf()\n",
        "f()",
        "x.view(7)",
    )
    return made.partition("def f():\n")[2].rpartition("    x.view(7)")[0].replace("    ", "")


@pytest.mark.parametrize(
    "row",
    [
        "'documentation'",
        "print(x)",
        "print(f'{x.shape}')",
        "logging.info('%s', x)",
        "os.makedirs('a')",
        "time.sleep(1)",
        "random.seed(0)",
        "torch.save(x, 'a')",
        "log = logging.getLogger('a')\nlog.info(x)",
        "writer = SummaryWriter()\nwriter.add_scalar('a', x.sum())",
        "with SummaryWriter() as w:\n    w.add_scalar('a', x.sum())",
        "os.environ['A'] = 'b'",
        "n: int",
    ],
)  # fmt: skip
def test_row_without_effect_is_left_out(row):
    assert in_function(f"x = torch.zeros(3)\n{row}") == "x = torch.zeros(3)\n"


@pytest.mark.parametrize(
    "call",
    [
        "print(x.add_(1))",
        "print('a', end=str(x.add_(1)))",
        "print(f'{x.add_(1)}')",
        "logging.info(x.add_(1))",
    ],
)
def test_call_inside_of_printing_is_kept(call):
    assert "x.add_(1)" in in_function(f"x = torch.zeros(3)\n{call}")


def test_function_of_the_users_that_is_called_print_is_kept():
    text = HEAD + "def print(x):\n    x.add_(1)\nx = torch.zeros(3)\nprint(x)\nx.view(7)\n"
    assert "\nprint(x)\n" in program(text, "x.view(7)")


def test_name_that_is_a_logger_only_elsewhere_is_kept():
    text = (
        HEAD
        + "import json\ndef read():\n    data = json.loads('[]')\n    return data\ndef f(data):\n    data.append(1)\nd = []\nf(d)\nx = torch.zeros(len(d))\nx.view(7)\n"
    )
    assert "data.append(1)" in program(text, "x.view(7)")


def test_annotations_are_left_out():
    text = (
        HEAD
        + "from typing import List\nn: int = 3\ndef f(x: List[int], *, y: 'A' = 2) -> 'B':\n    x.view(7)\nf(torch.zeros(n))\n"
    )
    assert (
        program(text, "f(torch.zeros(n))", "x.view(7)")
        == HEAD + "n = 3\n\ndef f(x, *, y=2):\n    x.view(7)\nf(torch.zeros(n))\n"
    )


@pytest.mark.parametrize(
    ("bar", "plain"),
    [
        ("tqdm(range(3))", "range(3)"),
        ("tqdm(range(3), desc='a')", "range(3)"),
        ("trange(3, desc='a')", "range(3)"),
        ("enumerate(tqdm([1]))", "enumerate([1])"),
    ],
)
def test_progress_bar_is_what_it_goes_through(bar, plain):
    assert f"for i in {plain}:" in in_function(f"for i in {bar}:\n    x = torch.zeros(3)")


def test_update_of_a_progress_bar_is_left_out():
    assert in_function(
        "bar = tqdm([1])\nfor i in bar:\n    bar.set_postfix(a=1)\n    bar.update()\n    x = torch.zeros(3)"
    ) == ("bar = [1]\nfor i in bar:\nx = torch.zeros(3)\n")


@pytest.mark.parametrize("row", ["sys.exit()", "os._exit(1)", "random.shuffle(items)"])
def test_row_with_an_effect_is_not_left_out(row):
    text = f"{HEAD}import os, sys, random\nitems = [1, 2]\n{row}\nx = torch.zeros(items[0])\nx.view(7)\n"
    assert "only torch is run" in reason(text, "x.view(7)")
