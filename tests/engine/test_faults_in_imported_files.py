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
