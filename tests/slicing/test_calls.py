"""Slices by way of calls: what is kept of the functions, of the arguments, and of what other calls change."""

from __future__ import annotations

import pytest
from cutting import program, reason

HEAD = "import torch\n"


def test_function_on_the_way_keeps_what_leads_to_the_goal():
    text = HEAD + "def f(x):\n    y = x + 1\n    x.view(7)\n    return y\nf(torch.zeros(3))\n"
    made = program(text, "f(torch.zeros(3))", "x.view(7)")
    assert made == HEAD + "\ndef f(x):\n    x.view(7)\nf(torch.zeros(3))\n"


def test_argument_that_is_not_read_is_none():
    text = HEAD + "n = open('a')\ndef f(x, unused):\n    x.view(7)\nf(torch.zeros(3), n)\n"
    assert program(text, "f(torch.zeros(3), n)", "x.view(7)").endswith("f(torch.zeros(3), None)\n")


def test_keyword_argument_that_is_not_read_is_none():
    text = HEAD + "n = open('a')\ndef f(x, unused):\n    x.view(7)\nf(torch.zeros(3), unused=n)\n"
    assert program(text, "f(torch.zeros(3), unused=n)", "x.view(7)").endswith(
        "f(torch.zeros(3), unused=None)\n"
    )


def test_argument_whose_evaluation_changes_something_is_kept():
    text = HEAD + "def f(x, unused):\n    x.view(7)\nitems = [torch.zeros(3), 1]\nf(items[0], items.pop())\n"
    assert "items.pop()" in program(text, "f(items[0], items.pop())", "x.view(7)")


def test_arguments_of_a_decorated_function_are_kept():
    text = (
        HEAD
        + "def shown(f):\n    return f\n@shown\ndef f(x, y):\n    x.view(7)\nn = 5\nf(torch.zeros(3), n)\n"
    )
    assert "f(torch.zeros(3), n)" in program(text, "f(torch.zeros(3), n)", "x.view(7)")


def test_function_that_is_called_before_too_is_kept_whole():
    text = (
        HEAD
        + "seen = []\ndef f(x, y):\n    if seen:\n        x.view(7)\n    seen.append(y)\n"
        + "f(torch.zeros(3), 1)\nf(torch.zeros(4), 2)\n"
    )
    made = program(text, "f(torch.zeros(4), 2)", "x.view(7)")
    assert "seen.append(y)" in made
    assert "f(torch.zeros(3), 1)\nf(torch.zeros(4), 2)" in made


def test_function_in_a_loop_keeps_what_it_changes_for_the_next_round():
    text = (
        HEAD
        + "def f(x, items):\n    y = 3\n    x.view(7)\n    items.append(x)\nitems = []\n"
        + "for i in range(3):\n    f(torch.zeros(len(items)), items)\n"
    )
    made = program(text, "f(torch.zeros(len(items)), items)", "x.view(7)")
    assert "items.append(x)" in made and "y = 3" not in made


@pytest.mark.parametrize(
    ("definition", "call"),
    [
        ("def change():\n    x.add_(1)", "change()"),
        ("def inner():\n    x.add_(1)\ndef change():\n    inner()", "change()"),
        ("def change(y=x):\n    y.add_(1)", "change()"),
        ("class Change:\n    def __init__(self):\n        x.add_(1)", "Change()"),
        ("class C:\n    def change(self):\n        x.add_(1)\nc = C()", "c.change()"),
        ("class C:\n    def __call__(self):\n        x.add_(1)\nc = C()", "c()"),
        ("class C:\n    def __getitem__(self, i):\n        x.add_(1)\nc = C()", "c[0]"),
        ("class C:\n    @property\n    def change(self):\n        x.add_(1)\nc = C()", "c.change"),
        ("def change():\n    global x\n    x = torch.zeros(4)", "change()"),
        ("change = lambda: x.add_(1)", "change()"),
        ("def get():\n    return x", "get().add_(1)"),
        ("def get():\n    return x\ny = get()", "y.add_(1)"),
        ("def hook(m, a, o):\n    x.add_(1)\nnet = torch.nn.Linear(1, 1)\nnet.register_forward_hook(hook)", "net(torch.ones(1))"),
    ],
)  # fmt: skip
def test_call_that_changes_a_name_of_the_file_is_kept(definition, call):
    text = f"{HEAD}x = torch.zeros(3)\n{definition}\n{call}\nx.view(7)\n"
    made = program(text, "x.view(7)")
    assert f"\n{call}\n" in made
    assert "x.add_(1)" in made or "global x" in made or "return x" in made or "y.add_(1)" in made


def test_call_that_only_reads_is_left_out():
    text = HEAD + "x = torch.zeros(3)\ndef show(y):\n    return y.sum() + x.sum()\nshow(x)\nx.view(7)\n"
    assert program(text, "x.view(7)") == HEAD + "x = torch.zeros(3)\nx.view(7)\n"


def test_parameters_whose_arguments_share_an_object_share_it():
    text = HEAD + "def f(a, b):\n    b.resize_(2)\n    a.view(7)\nx = torch.zeros(3)\nf(x, [x][0])\n"
    assert "b.resize_(2)" in program(text, "f(x, [x][0])", "a.view(7)")


def test_method_on_the_way_is_kept_whole():
    text = (
        HEAD
        + "class A:\n    def f(self, x):\n        self.n = 1\n        x.view(7)\n    def g(self):\n        pass\n"
        + "A().f(torch.zeros(3))\n"
    )
    made = program(text, "A().f(torch.zeros(3))", "x.view(7)")
    assert "self.n = 1" in made and "def g" not in made


@pytest.mark.parametrize(
    ("base", "method"),
    [
        ("torch.nn.Module", "def train(self, mode=True):"),
        ("torch.optim.lr_scheduler.LRScheduler", "def get_lr(self):"),
        ("torch.autograd.Function", "def backward(self, g):"),
    ],
)
def test_method_that_the_base_calls_is_kept(base, method):
    text = (
        f"{HEAD}class A({base}):\n    {method}\n        return 1\na = A()\nx = torch.zeros(a.n)\nx.view(7)\n"
    )
    assert method in program(text, "x.view(7)")


def test_method_that_is_named_by_a_text_is_kept():
    text = (
        HEAD
        + "class A:\n    def size(self):\n        return 3\nn = getattr(A(), 'size')()\nx = torch.zeros(n)\nx.view(7)\n"
    )
    assert "def size" in program(text, "x.view(7)")


def test_nested_function_that_is_called_keeps_what_it_reads():
    text = (
        HEAD
        + "def f():\n    x = torch.zeros(3)\n    def g():\n        x.add_(1)\n    g()\n    x.view(7)\nf()\n"
    )
    made = program(text, "f()", "x.view(7)")
    assert "        x.add_(1)\n    g()\n" in made


@pytest.mark.parametrize(
    ("text", "places", "expected"),
    [
        ("def f(x):\n    x.view(7)\n", ["x.view(7)"], "`x` of `f` comes from outside: no call of it is in sight"),
        ("def f():\n    x = torch.zeros(3)\n    x.view(7)\n", ["x.view(7)"], "no call of `f` is in sight, nor what is set before it"),
        ("class A:\n    def f(self, x):\n        x.view(7)\n", ["x.view(7)"], "`self` of `f` comes from outside: no call of it is in sight"),
        ("import numpy as np\nx = torch.zeros(np.load('a'))\nx.view(7)\n", ["x.view(7)"], "`np` comes from numpy, and only torch is run"),
        ("x = torch.zeros(unseen)\nx.view(7)\n", ["x.view(7)"], "`unseen` is not defined in sight"),
        ("def f():\n    def g():\n        x = torch.zeros(3)\n        x.view(7)\n    g()\nf()\n", ["f()", "g()", "x.view(7)"], "`g` is a function inside of a function"),
        ("def f(n):\n    x = torch.zeros(3)\n    f(n - 1)\n    x.view(7)\nf(3)\n", ["f(3)", "f(n - 1)", "x.view(7)"], "a function calls itself on the way"),
        ("async def f():\n    x = torch.zeros(3)\n    x.view(7)\n", ["x.view(7)"], "an async function is on the way"),
        ("class A:\n    x = torch.zeros(3)\n    x.view(7)\n", ["x.view(7)"], "the body of a class is on the way"),
        ("x = torch.zeros(3)\nmatch x:\n    case 3:\n        x = 4\nx.view(7)\n", ["x.view(7)"], "a `match` statement is on the way"),
        ("try:\n    from torch import a as b\nexcept ImportError:\n    from torch import c as b\nx = b(3)\nx.view(7)\n", ["x.view(7)"], "`b` is imported and bound in more than one way"),
    ],
)  # fmt: skip
def test_reason_why_a_slice_is_not_whole(text, places, expected):
    assert reason(HEAD + text, *places) == expected
