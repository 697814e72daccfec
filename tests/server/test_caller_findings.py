"""What the analysis thread keeps of the callers of open texts, and what it costs."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from torchlsp.core.cancel import Cancelled
from torchlsp.core.text import Document
from torchlsp.server import analyst as analysis
from torchlsp.server.analyst import Analyst, Examined
from torchlsp.server.settings import EditorSettings
from torchlsp.syntax.notebook import notebook_document

MODEL = """\
import torch


def above(x):
    y = torch.zeros(2, 3)
    return y


def heads(x):
    x = x.transpose(1, 2)
    return x.view(2, 10, 64)


def below(x):
    return torch.ones(4, 6)
"""
CALLER = "import torch\nfrom model import heads\n\nheads(torch.randn(2, 4, 10, 16))\n"
FAULT = "x.view(2, 10, 64)"


class Desk:
    """The open texts of an editor in a folder; the callers are followed when the test says so."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.analyst, self.followed = folder, Analyst(), []
        (folder / "pyproject.toml").touch()
        self.write("model.py", MODEL)
        follow = self.analyst._followed

        def counted(path: str, *rest):
            self.followed.append(os.path.basename(path))
            return follow(path, *rest)

        self.analyst._followed = counted  # type: ignore[method-assign]

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text)

    def put(self, name: str, text: str) -> Examined:
        document = Document(str(self.folder / name), text)
        self.analyst.open_documents[os.path.realpath(document.path)] = document
        return self.analyst.examine(document, EditorSettings())

    def close(self, name: str) -> None:
        del self.analyst.open_documents[os.path.realpath(self.folder / name)]
        self.analyst.forget_caller(str(self.folder / name))

    def follow(self, examined: Examined, cancelled: Callable[[], None] = lambda: None) -> list[str]:
        """The callers on disk that are analysed for a text."""
        self.followed.clear()
        self.analyst.follow_callers(examined.examination.document, cancelled)
        findings = self.analyst.with_callers(examined)
        if findings is not None:
            examined.examination.show(findings)
        return self.followed


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def places(examined: Examined) -> list[str]:
    text = examined.examination.document.text
    findings = examined.examination.result.findings
    return [text[one.span.start : one.span.end] for one in findings if one.rule == "TL101"]


def test_callers_are_analysed_again_only_when_something_they_read_has_changed(desk: Desk) -> None:
    desk.write("caller.py", CALLER)
    model = desk.put("model.py", MODEL)
    assert places(model) == []
    assert (desk.follow(model), places(model)) == (["caller.py"], [FAULT])
    assert desk.follow(model) == []
    desk.put("unrelated.py", "import torch\n")
    assert desk.follow(model) == []
    model = desk.put("model.py", MODEL + "\n")
    assert (places(model), desk.follow(model)) == ([FAULT], ["caller.py"])
    desk.write("caller.py", CALLER.replace("4, 10, 16", "64, 10"))
    assert (desk.follow(model), places(model)) == (["caller.py"], [])


def test_what_interrupts_keeps_what_was_found_and_the_rest_follows_later(desk: Desk) -> None:
    for name in ("first.py", "second.py"):
        desk.write(name, CALLER)
    model = desk.put("model.py", MODEL)

    def cancelled() -> None:
        if desk.followed[-1:] == ["second.py"]:
            raise Cancelled

    with pytest.raises(Cancelled):
        desk.follow(model, cancelled)
    assert desk.follow(model) == ["second.py"]
    assert places(model) == [FAULT]


def test_the_callers_of_a_text_have_a_number_and_a_time_that_end(desk: Desk, monkeypatch) -> None:
    for number in range(25):
        desk.write(f"caller_{number:02}.py", CALLER)
    model = desk.put("model.py", MODEL)
    monkeypatch.setattr(analysis, "_CALLERS_SECONDS", -1)
    assert desk.follow(model) == []
    monkeypatch.setattr(analysis, "_CALLERS_SECONDS", 60)
    assert desk.follow(model) == [f"caller_{number:02}.py" for number in range(20)]


def test_a_long_caller_and_one_without_torch_are_left_out(desk: Desk) -> None:
    desk.write("long.py", CALLER + "# torch\n" * 20_000)
    model = desk.put("model.py", MODEL)
    desk.follow(model)
    assert places(model) == []
    plain = desk.put("plain.py", "def f(x):\n    return x\n")
    assert desk.follow(plain) == []


def test_what_open_texts_have_parsed_stays(desk: Desk) -> None:
    desk.write("caller.py", CALLER)
    model = desk.put("model.py", MODEL)
    trees = dict(desk.analyst._files()._trees)
    desk.follow(model)
    assert dict(desk.analyst._files()._trees) == trees


def test_findings_of_callers_stand_at_their_place_after_each_keystroke(desk: Desk) -> None:
    desk.write("caller.py", CALLER)
    text = MODEL
    model = desk.put("model.py", text)
    desk.follow(model)
    for before, letters in (
        ("torch.zeros(2, 3)", " + 1 + 2"),
        ("transpose(1, 2)", "\n    y = 1"),
        ("torch.ones(4, 6)", "[0][1]"),
    ):
        seen = set()
        for letter in letters:
            at = text.index(before) + len(before)
            text, before = text[:at] + letter + text[at:], before + letter
            examined = desk.put("model.py", text)
            seen.add(examined.examination.how)
            assert places(examined) == [FAULT], before
        assert seen | {"whole"} == {"whole", "change", "kept"} | ({"same"} if " " in letters else set())


def test_a_finding_goes_when_its_own_text_is_changed(desk: Desk) -> None:
    desk.write("caller.py", CALLER)
    model = desk.put("model.py", MODEL)
    desk.follow(model)
    assert places(desk.put("model.py", MODEL.replace("2, 10, 64", "2, 10, -1"))) == []


def test_a_finding_is_there_again_when_a_change_at_its_place_is_taken_back(desk: Desk) -> None:
    desk.write("caller.py", CALLER)
    model = desk.put("model.py", MODEL)
    desk.follow(model)
    assert places(desk.put("model.py", MODEL.replace("2, 10, 64", "2, 10, 646"))) == []
    model = desk.put("model.py", MODEL)
    assert (places(model), desk.follow(model)) == ([FAULT], [])


def test_what_a_text_has_found_by_itself_goes_with_its_own_finding(desk: Desk) -> None:
    text = MODEL.replace("(x):\n    x = x.t", "():\n    x = torch.zeros(2, 4, 10, 16).t")
    mended = text.replace(".transpose(1, 2)", ".contiguous()")
    for name in ("one.py", "two.py"):
        desk.write(name, "import torch\nfrom model import heads\n\nheads()\n")
    model = desk.put("model.py", text)
    assert places(model) == [FAULT]
    assert (desk.follow(model), places(model)) == (["one.py", "two.py"], [FAULT])
    for broken in ("z = (\n", "(\n"):
        assert places(desk.put("model.py", text.replace("y = torch.zeros(2, 3)\n", broken))) == [FAULT]
    model = desk.put("model.py", mended)
    assert places(model) == []
    assert places(desk.put("model.py", mended + "\n")) == []
    assert (desk.follow(model), places(model)) == (["one.py", "two.py"], [])
    assert places(desk.put("model.py", text)) == [FAULT]


def test_what_calls_lead_to_stays_while_their_text_does_not_parse(desk: Desk) -> None:
    model = desk.put("model.py", MODEL)
    desk.put("caller.py", CALLER)
    desk.follow(model)
    assert places(model) == [FAULT]
    desk.put("caller.py", CALLER + "heads(")
    desk.follow(model)
    assert places(model) == [FAULT]


def test_a_text_that_only_middle_files_lead_to_has_the_finding(desk: Desk) -> None:
    desk.write("middle.py", "from model import heads\n\n\ndef middle(x):\n    return heads(x)\n")
    desk.write("top.py", "import torch\nfrom middle import middle\n\nmiddle(torch.randn(2, 4, 10, 16))\n")
    model = desk.put("model.py", MODEL)
    assert desk.follow(model) == ["middle.py", "top.py"]
    assert places(model) == [FAULT]


def test_a_finding_moves_to_the_innermost_text_as_texts_are_opened_and_closed(desk: Desk) -> None:
    middle = "import torch\nfrom model import heads\n\n\ndef middle(x):\n    return heads(x)\n"
    desk.write("middle.py", middle)
    desk.write("top.py", "import torch\nfrom middle import middle\n\nmiddle(torch.randn(2, 4, 10, 16))\n")
    calling = desk.put("middle.py", middle)
    desk.follow(calling)
    assert places(calling) == ["heads(x)"]
    model = desk.put("model.py", MODEL)
    desk.follow(model)
    desk.follow(calling)
    assert (places(model), places(calling)) == ([FAULT], [])
    desk.close("model.py")
    desk.follow(calling)
    assert places(calling) == ["heads(x)"]


def test_what_a_notebook_calls_is_shown_in_the_notebook(desk: Desk) -> None:
    model = desk.put("model.py", MODEL)
    notebook = notebook_document(str(desk.folder / "a.ipynb"), [(0, CALLER, "cell:0")], uri="a")
    found = desk.analyst.examine(notebook, EditorSettings())
    assert [one.path for one in found.examination.result.findings] == [notebook.path]
    desk.follow(model)
    assert places(model) == []


def test_a_finding_stays_at_the_call_where_the_called_text_shows_none(desk: Desk) -> None:
    model = str(desk.folder / "model.py")
    desk.analyst.settings_of = lambda path: EditorSettings(enable=path != model)
    desk.put("model.py", MODEL)
    assert places(desk.put("caller.py", CALLER)) == ["heads(torch.randn(2, 4, 10, 16))"]
