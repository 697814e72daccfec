"""A fault in an imported file that only the caller's arguments cause is shown once, where it can be acted on."""

from __future__ import annotations

import pytest

from torchlsp.engine.config import Overrides
from torchlsp.engine.engine import Engine, Options

HELPER = """\
import torch


def heads(x):
    x = x.transpose(1, 2)
    return x.view(2, 10, 64)
"""
CALLER = """\
import torch
from helper import heads

print(heads(torch.randn(2, 4, 10, 16)))
"""
FILES = {"helper.py": HELPER, "caller.py": CALLER, "another.py": CALLER}


def shown(engine: Engine, *paths: str) -> list[tuple[str, str, int, int]]:
    result = engine.check(paths)
    assert not result.internal_errors
    return [
        (one.rule, one.path, result.documents[one.path].row_column(one.span.start)[0], len(one.fixes))
        for one in result.findings
    ]


def test_shown_once_in_the_file_itself_when_that_is_checked(project) -> None:
    project(FILES)
    assert shown(Engine(), ".") == [("TL101", "helper.py", 6, 2)]


def test_shown_at_the_call_when_the_file_is_not_checked(project) -> None:
    project(FILES)
    result = Engine().check(["caller.py"])
    (found,) = result.findings
    assert (found.rule, found.path, found.fixes) == ("TL101", "caller.py", ())
    assert result.documents["caller.py"].row_column(found.span.start)[0] == 4
    first = found.related[0]
    assert first.path == "helper.py" and HELPER[first.span.start : first.span.end] == "x.view(2, 10, 64)"
    assert [one.path for one in found.related[1:]] == ["helper.py"]


def test_shown_at_the_call_in_the_editor(project) -> None:
    from torchlsp.core.text import Document

    project(FILES)
    result = Engine().check_document(Document("caller.py", CALLER))
    assert [one.path for one in result.findings] == ["caller.py"]


@pytest.mark.parametrize("order", [("caller.py", "helper.py"), ("helper.py", "caller.py")])
def test_a_comment_in_the_file_itself_counts(project, order: tuple[str, str]) -> None:
    project({**FILES, "helper.py": HELPER.replace("64)", "64)  # torchlsp: ignore[TL101]")})
    assert shown(Engine(), *order) == []


def test_a_fix_is_made_in_the_file_itself(project) -> None:
    folder = project(FILES)
    result = Engine(Options(fix=True)).check(["."])
    assert not result.findings and not result.internal_errors
    assert (folder / "helper.py").read_text() == HELPER.replace("view", "reshape")


def test_a_comment_that_only_callers_need_is_not_taken_away(project) -> None:
    text = HELPER.replace("64)", "64)  # torchlsp: ignore[TL101]")
    folder = project({**FILES, "helper.py": text})
    Engine(Options(fix=True)).check(["."])
    assert (folder / "helper.py").read_text() == text


def test_an_imported_file_that_needs_a_torch_says_nothing_of_the_torch_of_others(project) -> None:
    needs = "import torch\nif torch.__version__ < '1.8':\n    raise ImportError('too old')\nfor value in (1, 2):\n    pass\n"
    caller = "import torch\n\n\ndef f(x):\n    from needs import value\n    return value, torch.norm(x)\n\n\ndef g(x):\n    return torch.norm(x)\n"
    project({"needs.py": needs, "caller.py": caller})
    options = Options(Overrides(select=("TL928",)))
    assert [row for _, _, row, _ in shown(Engine(options), "caller.py")] == [6, 10]
    project({"needs.py": needs, "caller.py": needs + caller})
    assert shown(Engine(options), "caller.py") == []


DEEP = """\
import torch
from helper import heads


def step(x):
    return heads(x)


def main():
    step(torch.randn(2, 4, 10, 16))
    step(torch.randn(2, 4, 10, 16))
    heads(torch.randn(2, 4, 10, 16))
    heads(torch.randn(2, 4, 10, 16))


main()
"""
MIDDLE = """\
from helper import heads


def middle(x):
    return heads(x)
"""
TOP = """\
import torch
from middle import middle

middle(torch.randn(2, 4, 10, 16))
"""


def calls_of(result, found) -> list[tuple[str, int]]:
    """The file and row of each related place that names a call."""
    texts = {"helper.py": HELPER, "deep.py": DEEP, "middle.py": MIDDLE, "top.py": TOP, "caller.py": CALLER}
    return [
        (one.path or found.path, texts[one.path or found.path].count("\n", 0, one.span.start) + 1)
        for one in found.related
        if "is called here" in one.message
    ]


def test_shown_at_the_innermost_call_of_the_file_that_is_checked(project) -> None:
    project({"helper.py": HELPER, "deep.py": DEEP})
    result = Engine().check(["deep.py"])
    (found,) = result.findings
    assert result.documents["deep.py"].row_column(found.span.start)[0] == 6
    assert calls_of(result, found) == [("deep.py", row) for row in (10, 16, 11, 12, 13)]


def test_four_calls_that_reach_one_fault_give_one_finding_with_all_of_them(project) -> None:
    project({"helper.py": HELPER, "deep.py": DEEP})
    result = Engine().check(["."])
    (found,) = result.findings
    assert found.path == "helper.py"
    assert calls_of(result, found) == [("deep.py", row) for row in (6, 10, 16, 11, 12, 13)]


def test_the_calls_of_several_files_are_places_of_one_finding(project) -> None:
    project({"helper.py": HELPER, "deep.py": DEEP, "caller.py": CALLER})
    result = Engine().check(["."])
    (found,) = result.findings
    assert calls_of(result, found) == [
        ("caller.py", 4),
        *(("deep.py", row) for row in (6, 10, 16, 11, 12, 13)),
    ]


def test_shown_at_the_innermost_call_inside_the_files_that_are_checked(project) -> None:
    project({"helper.py": HELPER, "middle.py": MIDDLE, "top.py": TOP})
    for paths, shown_in, row, calls in (
        (("top.py", "middle.py"), "middle.py", 5, [("top.py", 4)]),
        (("top.py",), "top.py", 4, [("middle.py", 5)]),
        (("top.py", "helper.py"), "helper.py", 6, [("middle.py", 5), ("top.py", 4)]),
    ):
        result = Engine().check(paths)
        (found,) = result.findings
        assert (found.path, result.documents[found.path].row_column(found.span.start)[0]) == (shown_in, row)
        assert calls_of(result, found) == calls


def test_two_faults_behind_one_call_are_two_findings(project) -> None:
    helper = (
        HELPER + "\n\ndef both(x):\n    heads(x)\n    y = x.transpose(1, 2)\n    return y.view(2, 10, 64)\n"
    )
    project({"helper.py": helper, "middle.py": MIDDLE.replace("heads", "both"), "top.py": TOP})
    result = Engine().check(["top.py", "middle.py"])
    assert [(one.path, one.related[0].span.start) for one in result.findings] == [
        ("middle.py", helper.index("x.view")),
        ("middle.py", helper.index("y.view")),
    ]


def test_the_callers_of_a_file_that_is_checked_alone_are_not_looked_for(project) -> None:
    project(FILES)
    assert Engine().check(["helper.py"]).findings == []


def test_where_a_finding_stands_is_decided_anew_when_results_are_recalled(project, tmp_path) -> None:
    project({"helper.py": HELPER, "middle.py": MIDDLE, "top.py": TOP})
    cache = str(tmp_path / "cache")
    for paths, shown_in in (
        (("top.py",), "top.py"),
        (("top.py", "middle.py"), "middle.py"),
        (("top.py", "middle.py", "helper.py"), "helper.py"),
        (("top.py", "middle.py"), "middle.py"),
        (("top.py",), "top.py"),
    ):
        result = Engine(Options(cache=cache)).check(paths)
        assert [one.path for one in result.findings] == [shown_in]
