"""How often the search for early clears visits an event: loops in loops do not double it each."""

from __future__ import annotations

import pytest

from torchlsp.core.text import Document
from torchlsp.interp.checks.training import gradient_clearing
from torchlsp.interp.run.analyse import NoImports
from torchlsp.lint.runner import run
from torchlsp.syntax.parse import parse

DEPTH = 8


def program(depth: int, calls: int) -> str:
    rows = ["import torch", "net = torch.nn.Linear(2, 2)", "opt = torch.optim.SGD(net.parameters(), lr=0.1)"]
    for level in range(depth):
        rows.append("    " * level + f"for i{level} in range(3):")
    inside = "    " * depth
    rows += [inside + "log(1)"] * calls
    rows += [
        inside + "opt.zero_grad()",
        inside + "net(torch.ones(1, 2)).sum().backward()",
        inside + "opt.step()",
    ]
    return "\n".join(rows) + "\n"


@pytest.fixture
def visits(monkeypatch):
    def visits(depth: int, calls: int = 0) -> int:
        count = 0
        real = gradient_clearing._EarlyClearWalk.after

        def counted(self, event, states):
            nonlocal count
            count += 1
            return real(self, event, states)

        with monkeypatch.context() as patch:
            patch.setattr(gradient_clearing._EarlyClearWalk, "after", counted)
            document = Document("m.py", program(depth, calls))
            assert not run(parse(document), NoImports(), frozenset({"TL502"}), strict=True).findings
        return count

    return visits


def test_loops_in_loops_do_not_double_the_work(visits):
    assert 0 < visits(DEPTH) < 3 * 2 * DEPTH < 3 * 2**DEPTH


def test_unknown_calls_that_are_passed_nothing_are_not_visited(visits):
    assert visits(1, 50) == visits(1) > 0
