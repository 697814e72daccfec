"""Which statements of a body lead to the flagged one."""

from __future__ import annotations

import pytest
from cutting import cut_at, program

HEAD = "import torch\n"


def body(text: str, *places: str) -> str:
    """Returns the slice of a program at `x.view(7)`, without its imports."""
    made = program(HEAD + text, *(places or ("x.view(7)",)))
    return "\n".join(one for one in made.splitlines() if one and not one.startswith(("import ", "from ")))


def test_statements_that_the_goal_does_not_need_are_left_out():
    assert (
        body("x = torch.zeros(3)\ny = torch.ones(9)\nz = y + 1\nx.view(7)\nw = 2")
        == "x = torch.zeros(3)\nx.view(7)"
    )


def test_chain_of_definitions_is_kept():
    text = "n = 3\nm = n + 1\nx = torch.zeros(m)\nx.view(7)"
    assert body(text) == text


@pytest.mark.parametrize(
    "statement",
    [
        "x.add_(1)",
        "x[0] = 5",
        "x.data = torch.zeros(4)",
        "x += 1",
        "del x.grad",
        "torch.zeros(3, out=x)",
        "torch.relu_(x)",
        "x.requires_grad_(True)",
        "x.resize_(9)",
        "setattr(x, 'data', torch.zeros(2))",
        "[one.add_(1) for one in x]",
        "for one in x:\n    one.add_(1)",
        "b = x\nb.add_(1)",
        "b = x.view(3)\nb.add_(1)",
        "items = [x]\nitems[0].add_(1)",
        "items = {}\nitems['a'] = x\nitems['a'].add_(1)",
        "items = []\nitems.append(x)\nitems[0].add_(1)",
        "(b := x).add_(1)",
        "first, *rest = (x, 2)\nfirst.add_(1)",
        "with torch.no_grad():\n    x.add_(1)",
        "f = lambda: x.add_(1)\nf()",
    ],
)
def test_change_of_the_object_is_kept(statement):
    text = f"x = torch.zeros(3)\n{statement}\nx.view(7)"
    assert body(text) == text


@pytest.mark.parametrize(
    "statement", ["x.sum()", "y = x + 1", "len(x)", "n = x.shape", "z = x.clone()", "print(x)"]
)
def test_reading_the_object_is_left_out(statement):
    assert body(f"x = torch.zeros(3)\n{statement}\nx.view(7)") == "x = torch.zeros(3)\nx.view(7)"


@pytest.mark.parametrize(
    "setting",
    [
        "torch.set_grad_enabled(False)",
        "torch.set_default_dtype(torch.float64)",
        "torch.manual_seed(0)",
        "torch.Tensor.view = None",
        "exec('x = 3')",
        "globals()['x'] = 3",
    ],
)
def test_setting_of_the_process_is_kept(setting):
    assert setting.replace("'", '"') in body(f"{setting}\nx = torch.zeros(3)\nx.view(7)").replace("'", '"')


@pytest.mark.parametrize(
    "setting", ["torch.backends.cudnn.benchmark = True", "torch.cuda.empty_cache()", "torch.save(x, 'a')"]
)
def test_setting_without_effect_on_tensors_is_left_out(setting):
    assert setting not in body(f"x = torch.zeros(3)\n{setting}\nx.view(7)")


def test_what_stands_after_the_goal_is_left_out():
    assert "add_" not in body("x = torch.zeros(3)\nx.view(7)\nx.add_(1)")


def test_what_stands_after_the_goal_in_its_loop_is_kept():
    text = "x = torch.zeros(3)\nfor i in range(3):\n    x.view(7)\n    x.add_(1)"
    assert body(text) == text


def test_optimizer_in_the_loop_of_the_goal_is_kept():
    text = (
        "net = torch.nn.Linear(2, 2)\nopt = torch.optim.SGD(net.parameters(), 0.1)\n"
        "for i in range(3):\n    x = net(torch.ones(2))\n    x.view(7)\n    x.sum().backward()\n    opt.step()"
    )
    assert body(text) == text


@pytest.mark.parametrize(
    "guard",
    [
        "if n > 2:\n    raise ValueError('big')",
        "assert n < 2",
        "limit = 2 + n\nassert limit",
        "if n > 2:\n    exit()",
    ],
)
def test_guard_before_the_goal_is_kept_with_what_it_needs(guard):
    text = f"n = 3\n{guard}\nx = torch.zeros(3)\nx.view(7)"
    assert body(text) == text


def test_all_statements_of_a_try_are_kept_as_each_may_lead_to_the_handler():
    text = "n = 3\ntry:\n    other = torch.never\n    n = 4\nexcept AttributeError:\n    n = 5\nx = torch.zeros(n)\nx.view(7)"
    assert body(text) == text


def test_finally_is_left_with_a_body():
    text = "x = torch.zeros(3)\ntry:\n    x.add_(1)\nfinally:\n    y = 2\nx.view(7)"
    assert body(text) == text.replace("y = 2", "pass")


@pytest.mark.parametrize("leaving", ["break", "continue"])
def test_leaving_the_loop_of_the_goal_is_kept(leaving):
    text = f"x = torch.zeros(3)\nfor i in range(3):\n    if i == 1:\n        {leaving}\n    x.view(7)"
    assert body(text) == text


def test_return_before_the_goal_is_kept():
    text = "def f(x):\n    if x.dim() == 1:\n        return\n    x.view(7)\nf(torch.zeros(3))"
    assert body(text, "f(torch.zeros(3))", "x.view(7)") == text


@pytest.mark.parametrize(
    "use", ["next(it)", "for one in it:\n    break", "list(it)", "print(next(it))", "other = it\nnext(other)"]
)
def test_use_of_an_iterator_is_kept(use):
    kept = body(f"it = iter([1, 2, 3])\n{use}\nx = torch.zeros(next(it))\nx.view(7)")
    assert use.replace("print(next(it))", "(next(it),)") in kept


def test_goal_in_a_branch_keeps_the_branch():
    text = "x = torch.zeros(3)\nif x.dim() == 1:\n    x.view(7)"
    assert body(text) == text


def test_flag_is_the_rows_of_the_goal():
    made = cut_at("import torch\n\n\nx = torch.zeros(3)\ny = 1\n\nx.view(\n    7\n)\n", "x.view(\n    7\n)")
    assert made.program.splitlines()[made.flag[0] - 1] == "x.view(7)"
    assert made.flag[0] == made.flag[1]


def test_flag_of_a_compound_statement_is_its_header():
    made = cut_at("import torch\nx = torch.zeros(3)\nif x.view(7):\n    x = 1\n", "x.view(7)")
    assert made.flag == (3, 3)


def test_unicode_before_the_goal_on_its_row():
    text = "größe = 'ä€😀'; x = torch.zeros(3); x.view(7)"
    assert body(text) == "x = torch.zeros(3)\nx.view(7)"


def test_line_ends_of_windows():
    assert program("import torch\r\nx = torch.zeros(3)\r\ny = 1\r\nx.view(7)\r\n", "x.view(7)").endswith(
        "x = torch.zeros(3)\nx.view(7)\n"
    )
