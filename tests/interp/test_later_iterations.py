"""Which loops are run once more for the faults that only a later iteration has: those whose first iteration leaves something
that the next one can reach or be led by. What torch says of the programs is in their comments."""

from __future__ import annotations

import textwrap

import pytest

from torchlsp.core.text import Document
from torchlsp.interp.evaluate import loops
from torchlsp.interp.run.analyse import NoImports, analyse
from torchlsp.program.loop_reads import names_read_first
from torchlsp.program.lower import lower
from torchlsp.syntax.parse import parse

HEAD = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)
        self.hidden = None

    def forward(self, x):
        return torch.sigmoid(self.layer(x))


"""
# torch raises in the second iteration of each: "Trying to backward through the graph a second time", a saved tensor that
# "has been modified by an inplace operation", or "element 0 of tensors does not require grad"; in `grows` memory grows.
LATER = {
    "a_name": """
        def train(steps):
            net = Net()
            h = torch.zeros(2, 4)
            for step in range(steps):
                h = net(torch.ones(2, 4) + h)
                h.sum().backward()
        """,
    "a_graph_from_before": """
        def train(steps):
            net = Net()
            h = net(torch.ones(2, 4))
            for step in range(steps):
                loss = h.sum()
                loss.backward()
        """,
    "an_attribute": """
        def train(steps):
            net = Net()
            net.hidden = torch.zeros(2, 4)
            for step in range(steps):
                out = net(torch.ones(2, 4) + net.hidden)
                out.sum().backward()
                net.hidden = out
        """,
    "a_list": """
        def train(steps):
            net = Net()
            kept = [torch.zeros(2, 4)]
            for step in range(steps):
                out = net(torch.ones(2, 4) + kept[-1])
                out.sum().backward()
                kept[-1] = out
        """,
    "a_new_dict": """
        def train(steps):
            net = Net()
            last = {"out": torch.zeros(2, 4)}
            for step in range(steps):
                out = net(torch.ones(2, 4) + last["out"])
                out.sum().backward()
                last = {"out": out}
        """,
    "a_function_inside": """
        def train(steps):
            net = Net()
            out = torch.zeros(2, 4)

            def mixed(x):
                return net(x + out)

            for step in range(steps):
                loss = mixed(torch.ones(2, 4)).sum()
                loss.backward()
                out = torch.ones(2, 4) * loss
        """,
    "a_test_of_none": """
        def train(steps):
            net = Net()
            last = None
            for step in range(steps):
                out = net(torch.ones(2, 4))
                if last is not None:
                    (out - last).pow(2).sum().backward()
                loss = out.pow(2).sum()
                loss.backward()
                last = torch.ones(2, 4)
        """,
    "a_flag": """
        def train(steps):
            net = Net()
            is_first = True
            for step in range(steps):
                out = net(torch.ones(2, 4)).pow(2).sum()
                if not is_first:
                    out.backward()
                out.backward()
                is_first = False
        """,
    "a_counter": """
        def train(steps):
            net = Net()
            count = 0
            for step in range(steps):
                out = net(torch.ones(2, 4)).pow(2).sum()
                if count > 0:
                    out.backward()
                out.backward()
                count += 1
        """,
    "gradients_switched_off": """
        def train(steps):
            net = Net()
            for step in range(steps):
                loss = net(torch.ones(2, 4)).sum()
                loss.backward()
                torch.set_grad_enabled(False)
        """,
    "grows": """
        def train(steps):
            net = Net()
            total = torch.zeros(())
            for step in range(steps):
                loss = net(torch.ones(2, 4)).sum()
                loss.backward()
                total = total + loss
            return total
        """,
    "a_retained_graph": """
        def train(steps):
            net = Net()
            h = net(torch.ones(2, 4))
            for step in range(steps):
                loss = h.pow(2).sum()
                loss.backward(retain_graph=True)
                net.layer.weight.data.add_(1)
                h.add_(1)
        """,
}
# The first iteration leaves nothing: torch runs any number of them.
ALIKE = {
    "plain": """
        def train(optimizer, batches, steps):
            net = Net()
            total = 0.0
            for step in range(steps):
                optimizer.zero_grad()
                out = net(torch.ones(2, 4))
                loss = out.sum()
                loss.backward()
                total += loss.item()
            return total
        """,
    "under_with_and_branches": """
        def train(steps, flag):
            net = Net()
            for step in range(steps):
                with torch.autocast("cuda"):
                    out = net(torch.ones(2, 4))
                if flag:
                    loss = out.sum()
                else:
                    loss = out.mean()
                loss.backward()
        """,
    "lists_of_its_own": """
        def train(steps):
            net = Net()
            for step in range(steps):
                parts = []
                for x in (torch.ones(2, 4), torch.zeros(2, 4)):
                    parts.append(net(x))
                torch.cat(parts).sum().backward()
        """,
}


def analysed(text: str, monkeypatch: pytest.MonkeyPatch):
    runs = []
    iteration = loops._iteration
    monkeypatch.setattr(
        loops, "_iteration", lambda it, node, *rest: (runs.append(it.silent), iteration(it, node, *rest))[1]
    )
    module = lower(parse(Document("typed.py", HEAD + textwrap.dedent(text))))
    return analyse(module, NoImports(), strict=True), runs


@pytest.mark.parametrize("name", LATER)
def test_what_only_a_later_iteration_does_is_found(name, monkeypatch):
    analysis, runs = analysed(LATER[name], monkeypatch)
    assert any(runs)
    assert analysis.faults


@pytest.mark.parametrize("name", LATER)
def test_it_takes_another_run_of_the_body(name, monkeypatch):
    monkeypatch.setattr(loops.later_iterations, "may_differ", lambda *_: False)
    analysis, runs = analysed(LATER[name], monkeypatch)
    assert not any(runs)
    assert not analysis.faults


@pytest.mark.parametrize("name", ALIKE)
def test_a_loop_that_hands_on_no_graph_is_not_run_again_for_that(name, monkeypatch):
    analysis, runs = analysed(ALIKE[name], monkeypatch)
    assert not any(runs)
    assert not analysis.faults


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("y = x\n        x = y", {"x"}),
        ("x = 1\n        y = x", set()),
        ("if n:\n            x = 1\n        y = x", {"n", "x"}),
        ("if n:\n            x = 1\n        else:\n            x = 2\n        y = x", {"n"}),
        ("for i in n:\n            x = i\n        y = x", {"n", "x"}),
        ("while n:\n            x = 1\n        y = x", {"n", "x"}),
        ("with n() as x:\n            y = x\n        z = y", {"n"}),
        ("try:\n            x = n\n        finally:\n            pass\n        y = x", {"n", "x"}),
        ("x += 1", {"x"}),
        ("x[0] = item", {"x"}),
        ("x, y = y, n\n        z = x", {"y", "n"}),
        ("x.a = 1", {"x"}),
        ("y = [x for x in n]", {"x", "n"}),
        ("(z := n)\n        y = z", {"z", "n"}),
    ],
)
def test_names_that_an_iteration_reads_before_it_binds_them(body, expected):
    text = f"def f(n, x, z):\n    for item in n:\n        {body}\n"
    (function,) = lower(parse(Document("typed.py", text))).functions
    (loop,) = function.body
    assert names_read_first(loop, function) == expected


@pytest.mark.parametrize("reads", ["locals()", "eval(n)"])
def test_where_any_name_may_be_read_it_is_not_known_which_are(reads):
    (function,) = lower(
        parse(Document("typed.py", f"def f(n):\n    for item in n:\n        {reads}\n"))
    ).functions
    (loop,) = function.body
    assert names_read_first(loop, function) is None
