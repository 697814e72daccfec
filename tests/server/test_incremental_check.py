"""What is kept of a text between keystrokes: the result is that of a whole analysis, and most of it is not made again."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from torchlsp.core.cancel import Cancelled
from torchlsp.core.text import Document
from torchlsp.engine import standing
from torchlsp.interp.run.incremental import IncrementalAnalysis
from torchlsp.server.settings import EditorSettings
from torchlsp.syntax.parse import parse

sys.path.insert(0, str(Path(__file__).parent))

from check_from_scratch import cold
from examined_desk import CLASS, TWO, Desk


@pytest.fixture
def desk(tmp_path):
    return lambda text, **options: Desk(tmp_path, text, **options)


@pytest.mark.slow
def test_what_is_typed_in_a_function_is_analysed_alone(desk):
    one = desk(TWO)
    how = one.typed("torch.zeros(2, 3)", "\n    w = y.t().view(6)")
    assert how[:6] == ["same"] * 5 + ["whole"] and set(how[6:]) == {"same", "change", "kept"}
    assert one.is_as_new()
    assert one.runs == 1
    assert one.places() == [("TL101", "y.t().view(6)"), ("TL101", "z.view(24)")]


def test_a_finding_below_moves_with_its_text(desk):
    one = desk(TWO)
    one.typed("torch.zeros(2, 3)", "\n    pass\n    # é😀\n")
    assert one.places() == [("TL101", "z.view(24)")] and one.is_as_new()
    (finding,) = one.examination.result.findings
    assert [one.text[step.span.start : step.span.end] for step in finding.related] == ["torch.ones(4, 6).t()"]
    fixed = finding.fixes[0].edits[0]
    assert one.text[fixed.span.start : fixed.span.end] == "view" and fixed.text == "reshape"


def test_who_looked_into_the_function_is_run_again(desk):
    one = desk(CLASS)
    assert one.typed("self.first(x)", ".t()")[-1] == "change"
    assert one.runs == 2  # the class and the function that uses it
    assert [text for _, text in one.places()] == ["self.second(h)", "torch.ones(2, 3).t().view(6)"]
    assert one.is_as_new()


METHODS = """import torch
from torch import nn


class Base(nn.Module):
    def norm(self, x):
        return x / x.norm()


class Net(Base):
    def __init__(self, width):
        super().__init__()
        self.build(width)

    def build(self, width):
        self.layer = nn.Linear(width, 4)

    def forward(self, x):
        return self.norm(self.layer(x))


def use(x):
    return x


def alone():
    return torch.ones(2, 3).t().view(6)
"""


def test_classes_that_do_not_look_into_the_function_are_not_run_again(desk):
    one = desk(METHODS)
    assert one.typed("torch.ones(2, 3)", ".exp()")[-1] == "change"
    assert one.runs == 1
    assert one.is_as_new()


def test_a_class_is_run_again_where_another_function_begins_to_mention_what_only_its_init_did(desk):
    one = desk(METHODS)
    one.replaced("    return x\n\n\ndef", "    a = x\n    return x\n\n\ndef")
    assert one.replaced("    a = x\n", "    x.build\n").how == "change"
    assert one.runs == 2  # the function and `Net`, of which `build` may now be called at any time
    assert one.is_as_new()
    one.replaced("    x.build\n", "    x.exp()\n")
    assert one.runs == 2 and one.is_as_new()


@pytest.mark.slow
@pytest.mark.parametrize(
    "behind, letters",
    [
        ("y = torch.zeros(2, 3)", "\n    global z\n    z = 3"),
        ("y = torch.zeros(2, 3)", "\n    x.shared = y"),
        ("y = torch.zeros(2, 3)", "\n    def inner(a):\n        return a.t().view(6)\n    inner(y)"),
        ("y = torch.zeros(2, 3)", "\n    class Inner:\n        k = 3\n"),
        ("y = torch.zeros(2, 3)", "\n    w = below()\n    w.numpy()"),
        ("    y = torch.zeros(2, 3)\n    return y", "\n    if x:\n        return 3\n    return None"),
        ("    y = torch.zeros(2, 3)\n    return y", ", y"),
    ],
    ids=[
        "global",
        "an attribute",
        "a function inside",
        "a class inside",
        "a call",
        "rows at its end",
        "its last row",
    ],
)
def test_whatever_is_typed(desk, behind, letters):
    one = desk(TWO)
    for letter in range(len(letters)):
        one.typed(behind + letters[:letter], letters[letter])
        if one.examination.how != "kept" and not one.examination.tree.problems:
            assert one.is_as_new()


@pytest.mark.parametrize(
    "text",
    [
        TWO.replace("\n", "\r\n"),
        TWO.replace("y = torch", "é = '😀'; y = torch"),
        TWO.replace("    ", "\t"),
        TWO.replace("def above", "@torch.no_grad()\n@torch.compile\ndef above"),
        TWO.replace("def above", "async def above"),
        TWO.replace("return y\n", "return y  # the end\n"),
        TWO.replace("return y\n", "return y;\n"),
        TWO.replace("return y\n", "return '''\n    a'''\n"),
        TWO[: TWO.index("\n\n\ndef below")],
    ],
    ids=["CRLF", "wide characters", "tabs", "decorators", "async", "a comment", "a semicolon", "a long text", "no last line end"],
)  # fmt: skip
def test_texts_of_any_form(desk, text):
    one = desk(text)
    newline = "\r\n" if "\r" in text else "\n"
    indent = "\t" if "\t" in text else "    "
    how = one.typed("torch.zeros(2, 3)", f"{newline}{indent}w = y.t().view(6)")
    assert one.is_as_new()
    assert one.places()[0] == ("TL101", "y.t().view(6)")
    assert how.count("whole") <= (len(how) if "y;" in text else 2)


def test_while_a_function_does_not_parse_the_others_keep_their_findings(desk):
    one = desk(TWO)
    one.typed("torch.zeros(2, 3)", "\n    y.t().view(6)")
    assert [rule for rule, _ in one.places()] == ["TL101", "TL101"]
    assert one.typed("y.t().view(6)", "; x = (")[-1] == "kept"
    (problem,) = one.examination.tree.problems
    assert "was never closed" in problem.message
    assert one.places() == [("TL101", "y.t().view(6)"), ("TL101", "z.view(24)")]
    one.replaced("x = (", "x = ()")
    assert one.examination.how == "change" and one.is_as_new()


BLOCKS = """import torch


def above(x):
    a = torch.ones(2, 3).t().view(6)
    for i in range(3):
        b = torch.ones(2, 4).t().view(8)
        y = torch.zeros(2, 3)
        c = torch.ones(2, 5).t().view(10)
    else:
        d = torch.ones(2, 6).t().view(12)
    return torch.ones(2, 7).t().view(14)
"""
A, B, C, D, E = (f"torch.ones(2, {n}).t().view({2 * n})" for n in range(3, 8))


@pytest.mark.parametrize(
    "old, new, left",
    [
        ("y = 3", "y = (3", [A, B, C, D, E]),
        ("y = 3", "y = 3\n        z = [", [A, B, C, D, E]),
        ("y = 3", "y = 3\n   z = 3", [A, B, C, D, E]),
        (".view(8)", ".view(8", [A, C, D, E]),
        ("range(3):", "range(3:", [A, E]),
        ("else:", "else", [A, E]),
        (".view(8)\n        y = 3", ".view(8\n        y = [3", [A, C, D, E]),
        (".view(12)\n    return ", ".view(12\n    return [", [A]),
    ],
)
def test_while_a_statement_does_not_parse_all_others_of_its_function_keep_their_findings(
    desk, old, new, left
):
    one = desk(BLOCKS)
    one.replaced("y = torch.zeros(2, 3)", "y = 3")
    assert [text for _, text in one.places()] == [A, B, C, D, E]
    one.replaced(old, new)
    assert one.examination.how == "kept"
    assert [text for _, text in one.places()] == left
    one.replaced(new, old)
    assert one.examination.how == "change" and one.is_as_new()


def test_what_is_typed_first_in_a_function_and_does_not_parse_leaves_all_others_their_findings(desk):
    one = desk(TWO.replace("def above(x):", "def above(x):\n    w = torch.ones(2, 3).t().view(6)"))
    first, second = "torch.ones(2, 3).t().view(6)", "z.view(24)"
    assert [text for _, text in one.places()] == [first, second]
    one.replaced("y = torch.zeros(2, 3)", "y = torch.zeros((2, 3)")
    assert one.examination.how == "kept" and [text for _, text in one.places()] == [first, second]
    one.replaced("y = torch.zeros((2, 3)", "y = torch.zeros((2, 3))")
    assert one.examination.how == "whole" and one.is_as_new()
    one.replaced("z = torch.ones(4, 6).t()", "z = torch.ones((4, 6).t()")
    assert one.examination.how == "kept" and [text for _, text in one.places()] == [first, second]
    one.replaced("return z.view(24)", "return z.view(24")
    assert one.examination.how == "kept" and [text for _, text in one.places()] == [first]
    one.replaced("z = torch.ones((4, 6).t()", "z = torch.ones(4, 6).t()")
    one.replaced("return z.view(24", "return z.view(24)")
    assert one.is_as_new()


def test_who_asks_for_it_by_hand_is_told_that_a_text_does_not_parse(desk, tmp_path):
    (tmp_path / "pyproject.toml").write_text('[tool.torchlsp]\nextend-select = ["TL000"]\n')
    one = desk(f"{TWO}\n\ndef other(:\n    pass\n")
    assert [rule for rule, _ in one.places()] == ["TL101", "TL000"]


@pytest.mark.parametrize(
    "letters",
    ["\n    def inner():\n    x = 3", "\n    x = )", "\n    x = (\n        3]\n    y = 3", "\n    if x\n        pass", "\n  x = 3", "\n    x = 'a"],
)  # fmt: skip
def test_what_is_wrong_is_said_as_of_the_whole_text(desk, letters):
    one = desk(TWO)
    one.typed("torch.zeros(2, 3)", "\n    w = 3")
    one.replaced("w = 3", "w = 3" + letters)
    assert one.examination.how == "kept"
    document = Document(str(one.path), one.text)
    problems = one.examination.tree.problems
    assert problems == parse(document).problems and len(problems) == 1
    assert "TL000" not in [rule for rule, _ in one.places()]


@pytest.mark.parametrize(
    "old, new",
    [
        ("def above(x):", "def above(x, y):"),
        ("import torch\n", "import torch\nimport os\n"),
        ("    return y\n", "    return y\n\n\nz = 3\n"),
        ("    return y\n", "    return y\nz = 3\n"),
        ("    w = 3\n    return y", "    return y\n\n\ndef between():\n    return 3"),
        ("    return y\n", "    return y\x00\n"),
    ],
    ids=["its header", "above", "below", "behind", "a second function", "a null byte"],
)
def test_what_is_no_change_of_one_body_is_analysed_as_a_whole(desk, old, new):
    one = desk(TWO)
    one.typed("torch.zeros(2, 3)", "\n    w = 3")
    assert one.examination.how == "change"
    assert one.replaced(old, new).how == "whole"
    document = Document(str(one.path), one.text)
    expected = [found for found in cold(document, one.analyst.open_documents) if found.rule != "TL000"]
    assert one.examination.result.findings == expected


def test_what_was_analysed_of_a_text_is_kept_while_others_are_examined(tmp_path):
    one = Desk(tmp_path, CLASS)
    one.typed("self.first(x)", ".t()")
    others = [Desk(tmp_path, f"{TWO}# {number}\n", f"other{number}.py") for number in range(3)]
    for other in others:
        other.analyst = one.analyst
    for other in others[:2]:
        other.put(other.text)
    assert one.typed("self.first(x).t()", ".t()").count("whole") == 0 and one.is_as_new()
    assert one.examination.how == "change"
    for other in others:
        other.put(other.text)
    assert "whole" in one.typed("self.first(x).t().t()", ".t()") and one.is_as_new()
    assert len(one.analyst._standing) == 3
    del one.analyst.open_documents[os.path.realpath(one.path)]
    one.analyst.forget_caller(str(one.path))
    assert len(one.analyst._standing) == 2


def test_more_than_there_are_spare_blanks(desk, monkeypatch):
    monkeypatch.setattr(standing, "SPARE", standing.MIN_PADDING + 12)
    one = desk(TWO)
    how = one.typed("torch.zeros(2, 3)", "\n    w = y.t().view(6)")
    assert how.count("whole") == 2 and one.is_as_new()
    one.replaced("\n    w = y.t().view(6)", "")
    assert one.examination.how == "change" and one.is_as_new()


def test_a_cancelled_analysis_costs_nothing_but_time(desk):
    one = desk(CLASS)
    one.typed("self.first(x)", ".t(")

    left = iter(range(3))

    def cancelled():
        if next(left, None) is None:
            raise Cancelled

    with pytest.raises(Cancelled):
        one.replaced("self.first(x).t(", "self.first(x).t()")
        one.put(one.text.replace(".t()\n\n    def forward", ".t().t()\n\n    def forward"), cancelled)
    assert one.put(one.text).how == "change"
    assert one.is_as_new()


def test_another_file_that_changes_is_seen(tmp_path):
    helper = tmp_path / "helper.py"
    helper.write_text("SIZE = 24\n")
    one = Desk(tmp_path, "from helper import SIZE\n" + TWO.replace("view(24)", "reshape(SIZE)"))
    one.typed("torch.zeros(2, 3)", "\n    w = y.reshape(SIZE)")
    assert [rule for rule, _ in one.places()] == ["TL102"]
    helper.write_text("SIZE = 6     \n")
    assert one.replaced("w = y", "v = y").how == "whole"
    assert one.places() == [("TL102", "z.reshape(SIZE)")] and one.is_as_new()


def test_an_error_of_ours_is_not_kept(desk, monkeypatch):
    one = desk(TWO)
    one.typed("torch.zeros(2, 3)", "\n    w = 3")
    monkeypatch.setattr(IncrementalAnalysis, "after", lambda *arguments: 1 / 0)
    document = Document(str(one.path), one.text.replace("w = 3", "w = y.t().view(6)"))
    one.analyst.open_documents[os.path.realpath(one.path)] = document
    failed = one.analyst.examine(document, EditorSettings()).examination
    assert failed.result.internal_errors
    monkeypatch.undo()
    assert one.put(document.text.replace("view(6)", "view(3)")).how == "whole"
    assert one.is_as_new()


def test_a_fix_puts_no_spare_blanks_into_the_text(desk):
    """The row that is put under a `with` is the one that the spare blanks follow."""
    one = desk(TWO.replace("    return y\n", "    w = torch.ones(3, requires_grad=True)\n    w.add_(1)\n"))
    one.typed("torch.zeros(2, 3)", "\n    v = 3")
    assert one.examination.how == "change" and one.is_as_new()
    wrapping = next(one for one in one.examination.result.findings if one.rule == "TL401").fixes[0]
    assert [edit.text for edit in wrapping.edits] == ["    with torch.no_grad():\n        w.add_(1)\n"]


def test_a_file_that_one_function_asked_for_first_stays_known_to_all(tmp_path):
    (tmp_path / "helper.py").write_text(
        "import torch\n\n\ndef made(n):\n    return torch.ones(n, n + 1).t()\n"
    )
    below = "\n\n\ndef below():\n    return made(4).view(20)\n"
    one = Desk(
        tmp_path,
        f"import torch\nfrom helper import made\n\n\ndef above(x):\n    y = made(3)\n    return y{below}",
    )
    how = one.typed("y = made(3)", "\n    y.numel()\n    w = made(5)")
    assert how.count("change") > 10
    one.replaced("4).view(20)", "4).view(10)")
    assert one.is_as_new()
    assert [text for _, text in one.places()] == ["made(4).view(10)"]


def test_a_device_that_a_function_names_counts_for_the_modules_of_the_file(desk):
    one = desk(
        "import torch\nfrom torch import nn\n\n\n"
        "class Places(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.first = nn.Linear(4, 4)\n\n"
        "    def forward(self, x):\n        return self.first(x) + torch.arange(4)\n\n\n"
        "def use(x):\n    net = x\n    return net\n"
    )
    assert one.places() == []
    one.replaced("net = x", "net = x.cuda()")
    assert one.places() == [("TL313", "self.first(x) + torch.arange(4)")] and one.is_as_new()
    one.replaced(".cuda()", "")
    assert one.places() == [] and one.is_as_new()


@pytest.mark.parametrize(
    "old, new",
    [
        ("    y = torch.zeros(2, 3)\n", "    y = torch.zeros(2, 3)\n\n"),
        ("    y = torch.zeros(2, 3)\n", "\n\n    y = torch.zeros(2, 3)\n"),
        ("    y = torch.zeros(2, 3)\n", "    y = torch.zeros(2, 3)   \n"),
        ("import torch\n\n\n", "import torch\n"),
        ("\n\ndef below", "\n\n\n    \ndef below"),
        ("    z = torch.ones(4, 6).t()\n", "    \n    z = torch.ones(4, 6).t()\n"),
    ],
    ids=[
        "behind",
        "above a body",
        "at the end of a row",
        "taken out",
        "between functions",
        "above a finding",
    ],
)
def test_blank_rows_take_no_analysis(desk, old, new):
    for text in (TWO, TWO.replace("\n\n\ndef below", "  # torchlsp: ignore[TL101]\n\n\ndef below")):
        one = desk(text.replace("def above", "def first():\n    return 3\n\n\ndef above"))
        before = one.examination.analysis
        assert one.replaced(old, new).how == "same"
        assert one.is_as_new()
        assert one.examination.analysis is before
        # What is typed then is followed as ever.
        one.replaced("return z.view(24)", "return z.view(24).t()")
        one.replaced("return z.view(24).t()", "return z.view(24).relu()")
        assert one.examination.how == "change" and one.is_as_new()
        one.replaced("    return 3\n", "    return 3\n\n")
        assert one.examination.how == "same" and one.is_as_new()
        one.replaced("    return 3\n\n", "    return (3\n\n")
        assert one.examination.how == "kept"
        one.replaced("    return (3\n\n", "    return 3\n\n")
        assert one.is_as_new()


def test_blank_rows_beside_a_fix_take_an_analysis(desk):
    one = desk(TWO.replace("    return z.view(24)\n", "    z.t()\n    return z\n"))
    assert [fix.edits for found in one.examination.result.findings for fix in found.fixes]
    assert one.replaced("    z.t()\n", "    z.t()\n\n").how == "whole"
    assert one.is_as_new()


def test_a_comment_takes_an_analysis_where_a_rule_has_read_the_text(desk):
    one = desk(TWO)
    assert one.replaced("    return z", "    # cuda\n    return z").how == "whole"
    assert one.is_as_new()


@pytest.mark.parametrize(
    "comment", ["# cuda", "# torchlsp: ignore[TL101]", "# torchlsp: ignore", "# noqa: TL101", "# TL101"]
)
def test_a_comment_takes_no_analysis_where_no_rule_has_read_the_text(desk, comment):
    one = desk(TWO.replace("view", "reshape"))
    begin = one.text.index("    return z")
    for end in range(1, len(comment) + 1):
        text = one.text[:begin] + f"    {comment[:end]}\n" + TWO.replace("view", "reshape")[begin:]
        assert one.put(text).how == "same"
    assert one.is_as_new()
    one.put(one.text.replace("reshape(24)", "reshape(24, 2)"))
    assert one.examination.how == "whole" and one.is_as_new()


def test_blank_rows_after_another_file_has_changed_take_an_analysis(tmp_path):
    other = tmp_path / "other.py"
    other.write_text("SIZE = 6\n")
    one = Desk(tmp_path, "import torch\nfrom other import SIZE\n\nx = torch.ones(2, 3).t().view(SIZE)\n")
    assert one.replaced("SIZE\n\nx", "SIZE\n\n\nx").how == "same" and one.places()
    other.write_text("SIZE = 60\n")
    os.utime(other, (1, 1))
    assert one.replaced("SIZE\n\n\nx", "SIZE\n\nx").how == "whole"
    assert one.is_as_new()


def test_what_is_cancelled_in_between_is_not_taken_for_the_text_before(desk):
    one = desk(TWO)
    one.typed("y = torch.zeros(2, 3)", ".t()")

    def cancelled():
        raise Cancelled

    text = one.text
    with pytest.raises(Cancelled):
        one.put(text.replace(".t()\n    return y", ".exp()\n    return y"), cancelled)
    one.put(text.replace("return y\n", "return y\n\n"))
    assert one.is_as_new()


def test_a_class_inside_of_the_function_that_was_edited_last_stops_nothing(desk):
    one = desk(TWO)
    one.typed("y = torch.zeros(2, 3)", "\n    class Inner:\n        k = 3\n")
    one.replaced("return z.view(24)", "return z.view(24).t()")
    assert one.is_as_new()
