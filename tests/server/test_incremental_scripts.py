"""Scripts that run `main()` at their end and import their model: what a change does not reach is not run again, and the result
is that of a whole analysis."""

from __future__ import annotations

import random
import re
import shutil
import sys
from pathlib import Path

import pytest

from torchlsp.core.cancel import Cancelled
from torchlsp.core.span import Span
from torchlsp.core.text import Document
from torchlsp.engine.inspection import HintKinds, hints
from torchlsp.server.analyst import Analyst
from torchlsp.server.settings import EditorSettings

sys.path.insert(0, str(Path(__file__).parent))

from check_from_scratch import cold
from examined_text import ExaminedText

EXAMPLES = Path(__file__).parents[2] / "examples"
ALL_HINTS = HintKinds(array=True, module=True, size=True)
NET = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first = nn.Linear(width, 4)

    def forward(self, x):
        return self.first(x).t()
"""
SCRIPT = """import torch
from net import Net

WIDTH = 3


def train(model, x):
    total = 0.0
    for step in range(3):
        loss = model(x).sum()
        loss.backward()
        total += loss.item()
    return total


def grads(x):
    w = torch.ones(3, requires_grad=True)
    y = w * 2
    return y.grad


def seen(w):
    v = torch.ones(3, requires_grad=True)
    v.data += 1
    return v


def alone(x):
    z = torch.ones(2, 3)
    return z.t().view(6)


def main():
    model = Net(WIDTH)
    out = model(torch.ones(2, WIDTH))
    flat = out.view(8)
    return train(model, torch.ones(2, WIDTH))


if __name__ == "__main__":
    main()
"""


class Desk(ExaminedText):
    """An editor with one script that is examined after each change."""

    def __init__(self, folder: Path, text: str, name: str = "script.py") -> None:
        super().__init__(folder / name, text)

    def focused(self, old: str, new: str):
        """Makes a change after another one in the same function, which takes a whole analysis."""
        self.replaced(old, old + "\n    pass")
        return self.replaced(old + "\n    pass", new)

    def is_as_new(self, in_a_check: bool = True) -> bool:
        """Compares with what an analyst says that has not seen the texts before, and with the findings of a check."""
        document = Document(str(self.path), self.text)
        if in_a_check or self.examination.tree.problems:
            assert self.examination.result.findings == cold(document, self.analyst.open_documents)
        if self.examination.tree.problems:
            return True
        fresh = Analyst()
        fresh.open_documents = self.analyst.open_documents
        other = fresh.examine(document, EditorSettings()).examination
        assert self.examination.result.findings == other.result.findings
        whole = Span(0, len(self.text))
        assert hints(self.examination, whole, ALL_HINTS) == hints(other, whole, ALL_HINTS)
        assert self.examination.analysis.steps == other.analysis.steps
        return True


@pytest.fixture
def desk(tmp_path):
    def make(text: str = SCRIPT) -> Desk:
        (tmp_path / "net.py").write_text(NET)
        return Desk(tmp_path, text)

    return make


def test_what_the_main_program_calls_is_run_again_with_the_main_program_alone(desk):
    one = desk()
    assert ("TL101", "out.view(8)") in one.places()
    assert (
        one.focused("out = model(torch.ones(2, WIDTH))", "out = model(torch.ones(2, WIDTH)).t()").how
        == "change"
    )
    assert one.runs == 1  # `main`, by the call of it
    assert ("TL101", "out.view(8)") not in one.places() and one.is_as_new()


def test_a_function_that_the_main_program_calls_with_arguments_is_run_alone_too(desk):
    one = desk()
    assert one.focused("total = 0.0", "total = torch.ones(2, 3).t().view(6)").how == "change"
    assert one.runs == 3  # the main program, `train`, and `grads`, of which a fault names the last backward
    assert ("TL101", "torch.ones(2, 3).t().view(6)") in one.places() and one.is_as_new()


def test_a_function_that_the_main_program_does_not_call_leaves_it_alone(desk):
    one = desk()
    assert one.focused("z = torch.ones(2, 3)", "z = torch.ones(2, 3).t()").how == "change"
    assert one.runs == 1 and one.is_as_new()


def test_a_finding_that_names_the_last_backward_of_the_main_program_moves_with_it(desk, tmp_path):
    """`v.data += 1` is reported because the main program has run a backward before, and the fault of `y.grad` names it."""
    (tmp_path / "torchlsp.toml").write_text('extend-select = ["TL407"]\n')
    one = desk()
    before = one.places()
    assert one.focused("total = 0.0", "total = 0.0\n    spare = 'é'").how == "change"
    assert one.places() == before and one.is_as_new()
    assert one.replaced("        loss.backward()\n", "").how == "change"
    assert one.is_as_new() and one.places() != before


@pytest.mark.slow
@pytest.mark.parametrize(
    "statement",
    [
        "torch.set_default_dtype(torch.float64)",
        "global WIDTH\n    WIDTH = 4",
        "torch.compile(train)",
        "Net.width = 4",
        "torch.missing = 4",
    ],
)
def test_what_others_can_see_of_the_main_program_is_seen(desk, statement):
    one = desk(
        SCRIPT.replace(
            "    return y.grad", "    return y.grad, torch.missing, torch.ones(2).double() @ torch.ones(2)"
        )
    )
    one.focused("model = Net(WIDTH)", f"{statement}\n    model = Net(WIDTH)")
    assert one.is_as_new()
    one.replaced("out = model(torch.ones(2, WIDTH))", "out = model(torch.ones(2, WIDTH)).t()")
    assert one.is_as_new()
    one.replaced(f"{statement}\n    ", "")
    assert one.is_as_new()


@pytest.mark.slow
def test_names_that_the_main_program_binds_and_a_function_reads_keep_it_in_the_body(desk):
    one = desk(SCRIPT.replace("    main()\n", "    size = 3\n    main()\n"))
    assert one.focused("total = 0.0", "total = 1.0").how == "change" and one.is_as_new()
    assert one.replaced("total = 1.0", "total = torch.ones(2, size).t().view(6)").how == "whole"
    assert ("TL101", "torch.ones(2, size).t().view(6)") in one.places() and one.is_as_new()
    assert one.replaced("torch.ones(2, size)", "torch.ones(2, 3)").how == "whole"
    assert one.is_as_new()


@pytest.mark.slow
def test_an_analysis_that_is_broken_off_in_the_main_program_leaves_everything_in_order(desk):
    one = desk()
    one.focused("total = 0.0", "total = 1.0")
    for steps in (1, 3, 10, 30):
        left = iter(range(steps))

        def cancelled(left=left):
            if next(left, None) is None:
                raise Cancelled

        with pytest.raises(Cancelled):
            text = one.text.replace("1.0", "1.00")
            # A change in two functions takes a whole analysis.
            one.put(text if steps < 30 else text.replace("flat = ", "flat = flat = "), cancelled)
        one.put(one.text)
        assert one.is_as_new()


@pytest.mark.slow
def test_a_file_that_the_main_program_has_saved_is_known_to_who_loads_it(desk):
    loads = "def loads(x):\n    return torch.load('model.pt')\n\n\n"
    one = desk(
        SCRIPT.replace("def main():", f"{loads}def main():").replace(
            "    flat", "    torch.save(model, 'model.pt')\n    flat"
        )
    )
    before = one.places()
    assert "torch.load('model.pt')" in [text for _, text in before]
    assert (
        one.focused("out = model(torch.ones(2, WIDTH))", "out = model(torch.ones(2, WIDTH))  # é").how
        == "change"
    )
    assert one.runs == 2  # the main program and `loads`: the last backward is where it was
    assert one.places() == before and one.is_as_new()
    one.replaced("torch.save(model, 'model.pt')", "torch.save(3, 'model.pt')")
    assert one.examination.how == "change" and one.places() != before and one.is_as_new()


def test_a_class_that_the_main_program_has_changed_is_changed_for_all(desk):
    one = desk(
        SCRIPT.replace(
            "def main():",
            "class Box:\n    size = 3\n\n\ndef used(x):\n    return torch.ones(2, Box.size).view(5)\n\n\ndef main():\n    Box.size = 4",
        )
    )
    one.focused("total = 0.0", "total = 1.0")
    assert one.is_as_new()


# ---- random edits ------------------------------------------------------------------------------------------------------

ROWS = (
    "pass",
    "# é 😀",
    "y = torch.ones(2, 3).t().view(6)",
    "loss.backward()",
    "optimizer.step()",
    "model = model.cuda()",
    "model.eval()",
    "x = torch.ones(2, 3) @ torch.ones(2, 3)",
    "global best; best = 3",
    "return",
    "torch.set_default_dtype(torch.float64)",
    "config = None",
    "for i in range(3): print(i)",
    "def inner(a): return a.t().view(6)",
    "x = (",
)
_ROW = re.compile(r"^( {4,})\w+ = [^\n]*[\w)\]]\n", re.MULTILINE)
PROGRAMS = {
    "the project": "training_project/train.py",
    "its evaluation": "training_project/evaluate.py",
    "a correct project": "correct_project/train.py",
}


def sessions(text: str, seed: int, length: int):
    """Yields texts: a few rows are put into one function, changed and taken out again, then into another one."""
    chance = random.Random(seed)
    places = [(match.end(), match[1]) for match in _ROW.finditer(text)]
    while length > 0:
        offset, indent = chance.choice(places)
        rows: list[str] = []
        for _ in range(chance.randrange(3, 8)):
            match chance.randrange(4):
                case 0 if rows:
                    rows.pop(chance.randrange(len(rows)))
                case 1 if rows:
                    rows[chance.randrange(len(rows))] = chance.choice(ROWS)
                case _:
                    rows.insert(chance.randrange(len(rows) + 1), chance.choice(ROWS))
            length -= 1
            yield text[:offset] + "".join(f"{indent}{row}\n" for row in rows) + text[offset:]


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", [*PROGRAMS, "a script"])
def test_random_edits_of_scripts(name, seed, desk, tmp_path):
    if name == "a script":
        one = desk()
    else:
        # In a copy: all files of a project are searched for callers at each text, and this repository has some 2,000.
        folder = shutil.copytree(EXAMPLES, tmp_path / EXAMPLES.name)
        (tmp_path / "pyproject.toml").write_text("")
        path = folder / PROGRAMS[name]
        one = Desk(path.parent, path.read_text(encoding="utf-8"), path.name)
    how = []
    for number, text in enumerate(sessions(one.text, seed, 20)):
        examination = one.put(text)
        how.append(examination.how)
        if examination.how != "kept":
            # test_random_edits.py asks of each of its texts what a check says.
            assert one.is_as_new(in_a_check=number % 4 == 3), text
    assert how.count("change") > 4
