"""A file costs a bounded number of steps; what is left out for it is named, and nothing is said of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from torchlsp.core.text import Document
from torchlsp.interp.run import analyse as analysing
from torchlsp.interp.run.incremental import IncrementalAnalysis
from torchlsp.interp.store import budget
from torchlsp.lint.check import Answers
from torchlsp.lint.files import lowered
from torchlsp.syntax.parse import parse

HEAD = "import torch\n"
FUNCTION = "def f{0}(x):\n    y = torch.zeros(2, 3).t().view(-1)\n    return y + x + {0}\n\n\n"
TRAINING = "def train(model, loader, optimizer):\n    for x in loader:\n        model(x).sum().backward()\n        optimizer.step()\n\n\n"


def analysed(text: str, steps: int = 180_000):
    module = lowered(parse(Document("large.py", HEAD + text)))
    return analysing.analyse(module, strict=True, limits=replace(budget.FOR_FINDINGS, steps_per_file=steps))


def functions(count: int) -> str:
    return "".join(FUNCTION.format(number) for number in range(count))


def test_a_file_within_its_steps_is_analysed_whole():
    analysis = analysed(functions(40))
    assert not analysis.left_out
    assert len(analysis.faults) == 40


def test_what_the_steps_do_not_reach_is_left_out():
    whole = analysed(functions(40))
    analysis = analysed(functions(40), whole.steps // 2)
    assert 15 <= len(analysis.left_out) <= 21
    assert [one.name for one in analysis.left_out][-1] == "f39"
    assert len(analysis.faults) == 40 - len(analysis.left_out)
    assert analysis.steps <= whole.steps // 2 + 50


def test_twice_the_file_takes_no_more_steps_than_there_are():
    few, many = (analysed(functions(count), 2_000) for count in (200, 400))
    assert few.left_out and len(many.left_out) > len(few.left_out) + 150
    assert few.steps <= 2_050 and many.steps <= 2_050


def test_a_body_leaves_half_of_the_steps_to_functions():
    body = "".join(f"a{number} = torch.zeros(2)\n" for number in range(1_000))
    analysis = analysed(functions(10) + body, 2_000)
    assert analysis.stopped == ["<module>"]
    assert not analysis.left_out
    assert len(analysis.faults) == 10


@pytest.mark.parametrize("limits", [budget.FOR_FINDINGS, budget.FOR_DETAILS])
def test_what_a_body_may_spend_on_calls_is_within_its_half(limits):
    calls = limits.module_allowance + limits.pool
    assert calls < limits.steps_of_bodies == limits.steps_per_file // 2


def test_loops_that_rehearse_count():
    loops = "".join(
        f"def f{number}(x, n):\n    y = torch.zeros(2, requires_grad=True)\n    for i in range(n):\n        y = y * x\n        y.sum().backward()\n\n\n"
        for number in range(20)
    )
    whole = analysed(loops)
    counted = analysed(loops, whole.steps + 50)
    uncounted = analysed(loops, 10 * whole.steps)
    assert counted.left_out and not uncounted.left_out


def test_nothing_is_said_of_what_only_a_whole_run_shows():
    whole = Answers(analysed(TRAINING + functions(40)))
    assert whole(("missing_clears", ""))
    part = Answers(analysed(TRAINING + functions(40), 500))
    assert part.analysis.left_out
    assert not part(("missing_clears", ""))
    assert part(("faults", "VIEW_STRIDES"))


class _NoImports:
    def module(self, dotted_name, importing_path):
        return None


@pytest.mark.parametrize("steps", [300, 1_000, 100_000])
def test_a_change_is_followed_as_a_whole_analysis_would_find_it(steps):
    from torchlsp.program.lower import lower_function
    from torchlsp.syntax.focus import parse_alone

    limits = replace(budget.FOR_FINDINGS, steps_per_file=steps)
    text = HEAD + functions(40)
    module = lowered(parse(Document("large.py", text)))
    again = IncrementalAnalysis(module, _NoImports(), frozenset(), None, None, limits=limits)
    changed = text.replace("x + 3\n", "x + x\n")
    tree = parse(Document("large.py", changed))
    start = changed.index("def f3(")
    alone = parse_alone(tree.document, start, changed.index("def f4("))
    new = lower_function(tree, alone, None)
    found = again.after(again.function_at(start), new, _NoImports(), None)
    whole = analysing.analyse(lowered(tree), strict=True, limits=limits)
    assert [fault.start for fault in found.faults] == [fault.start for fault in whole.faults]
    assert [one.name for one in found.left_out] == [one.name for one in whole.left_out]
    assert found.stopped == whole.stopped


# ---- scripts whose main program is a root of its own ---------------------------------------------------------------------

SPACE = "#" * 80
CALLED = (
    "def g{0}(n=3):\n    y = torch.zeros(2, requires_grad=True)\n    for i in range(n):\n        y = y * 2\n"
    "        y.sum().backward()\n    return y.view(7)\n    {1}\n\n\n"
)
VIEW, LIST = "    a = torch.ones(2, 3).t().view(6)\n", "    d = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\n"


def script(program: str = "", above: str = "") -> str:
    called = "".join(CALLED.format(number, SPACE) for number in range(4))
    program = program or "".join(
        f"    g{number}(5)\n    torch.zeros({number}).view(9)\n" for number in (0, 2)
    )
    return f"{HEAD}{functions(4)}{called}{above}if __name__ == '__main__':\n{program}"


def with_row(text: str, name: str, row: str) -> str:
    """Returns a text with a row put into one of the functions, at the cost of the comment at its end."""
    place = text.index("\n", text.index(f"def {name}(")) + 1
    end = text.index("#", place)
    return text[:place] + row + text[place:end] + text[end + len(row) :]


def followed(limits: budget.Limits, text: str, changes: list[tuple[str, str]]) -> list[bool]:
    """Follows changes of functions; returns whether each could be. The result must be that of a whole analysis."""
    from torchlsp.program.lower import lower_function
    from torchlsp.syntax.focus import parse_alone

    def begun(text):
        module = lowered(parse(Document("large.py", text)))
        return IncrementalAnalysis(module, _NoImports(), frozenset(), None, None, limits=limits)

    again, could = begun(text), []
    for name, row in changes:
        text = with_row(text, name, row)
        tree = parse(Document("large.py", text))
        start = text.index(f"def {name}(")
        new = lower_function(tree, parse_alone(tree.document, start, text.index("\n\n\n", start)), None)
        found = again.after(again.function_at(start), new, _NoImports(), None)
        could.append(found is not None)
        if found is None:
            again = begun(text)
            found = again.analysis
        whole = analysing.analyse(lowered(tree), strict=True, limits=limits)
        assert [(one.kind, one.start) for one in found.faults] == [
            (one.kind, one.start) for one in whole.faults
        ]
        assert [one.name for one in found.left_out] == [one.name for one in whole.left_out]
        assert (found.stopped, found.steps) == (whole.stopped, whole.steps)
    return could


PROGRAM_CHANGES = [("g0", VIEW), ("g1", LIST), ("g2", LIST), ("g3", VIEW), ("g0", "    w = 1\n")]


@pytest.mark.parametrize("steps", [90, 160, 230, 300, 370, 440, 100_000])
def test_a_change_of_what_the_main_program_calls_is_followed_as_a_whole_analysis_would_find_it(steps):
    limits = replace(budget.FOR_FINDINGS, steps_per_file=steps)
    assert followed(limits, script(), PROGRAM_CHANGES) == [True] * 5


def test_the_body_and_the_main_program_leave_half_of_the_steps_to_functions():
    above = "".join(f"a{number} = torch.zeros(2)\n" for number in range(200))
    program = "".join(f"    torch.zeros(3).view({number})\n" for number in range(4, 800))
    analysis = analysed(script(program, above), 2_000)
    assert analysis.stopped == ["<module>"]
    assert not analysis.left_out
    assert 20 < len([fault for fault in analysis.faults if fault.start > 2_000]) < 796
    assert 1_000 < analysis.steps <= 2_000


def test_a_main_program_whose_calls_take_more_than_half_leaves_half_to_functions():
    calls = "".join(f"    g{number % 4}({number})\n" for number in range(60))
    analysis = analysed(script(calls), 600)
    assert analysis.steps > 600
    assert not analysis.left_out


@pytest.mark.parametrize("is_above", [True, False])
def test_a_body_that_is_given_up_is_run_again_when_it_may_take_another_number_of_steps(is_above):
    many = "".join(f"    torch.zeros(3).view({number})\n" for number in range(4, 60))
    text = script("    w = 1\n", "if True:\n" + many) if is_above else script(many)
    size = lowered(parse(Document("large.py", text))).size
    limits = replace(budget.FOR_FINDINGS, steps_per_root=150 - size, steps_per_node=1)
    assert "<module>" in analysing.analyse(lowered(parse(Document("large.py", text))), limits=limits).stopped
    assert followed(limits, text, [("g1", LIST), ("g3", VIEW)]) == [not is_above] * 2
