"""What an analysis with more steps adds to a text, and what it leaves alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchlsp.core.cancel import Cancelled
from torchlsp.core.span import Span
from torchlsp.core.text import Document
from torchlsp.engine.detailing import analyse_in_detail, has_more
from torchlsp.engine.engine import Engine
from torchlsp.engine.inspection import hints
from torchlsp.engine.provider import Provider
from torchlsp.engine.standing import Standing
from torchlsp.engine.workspace import Workspace

COSTLY = "def costly(x):\n" + "    x = torch.relu(x + 1) * 2 - torch.tanh(x)\n" * 60 + "    return x.sum(0)\n"
"""A function whose calls cost more than a file's findings are worth."""

USED = "\n\n".join(
    f"def use_{n}():\n    y_{n} = costly(torch.ones(3, {n + 2}))\n    return y_{n}" for n in range(12)
)
TEXT = f"import torch\n\n\n{COSTLY}\n\n{USED}\n"


def examined(text: str, path: Path, standing: Standing | None = None):
    """Returns an examination, and the provider that it was made with."""
    provider = Provider(Workspace())
    return Engine().examine(Document(str(path), text), provider, None, standing), provider


def shown(examination) -> dict[str, str]:
    """Returns the hints by the name before them."""
    text = examination.document.text
    return {text[: hint.offset].split()[-1]: hint.text for hint in hints(examination, Span(0, len(text)))}


def test_calls_that_findings_could_not_afford_are_followed(tmp_path: Path) -> None:
    examination, provider = examined(TEXT, tmp_path / "a.py")
    before = shown(examination)
    assert "y_11" not in before
    assert has_more(examination)
    analyse_in_detail(examination, provider)
    after = shown(examination)
    assert {f"y_{n}": after.get(f"y_{n}") for n in range(12)} == {
        f"y_{n}": f": f32[{n + 2}]" for n in range(12)
    }
    assert not has_more(examination)
    assert before.items() <= after.items()


def test_findings_stay(tmp_path: Path) -> None:
    wrong = TEXT + "\n\ndef last():\n    return costly(torch.ones(3, 4)).view(12)\n"
    examination, provider = examined(wrong, tmp_path / "a.py")
    found = list(examination.result.findings)
    analyse_in_detail(examination, provider)
    assert examination.result.findings == found


def test_a_text_whose_calls_are_all_followed_has_no_more(tmp_path: Path) -> None:
    examination, _ = examined("import torch\n\nx = torch.ones(2)\n", tmp_path / "a.py")
    assert not has_more(examination)


def test_a_cancelled_analysis_leaves_what_was_known(tmp_path: Path) -> None:
    examination, provider = examined(TEXT, tmp_path / "a.py")
    before = shown(examination)
    left = iter(range(100))

    def cancelled() -> None:
        if next(left, None) is None:
            raise Cancelled

    with pytest.raises(Cancelled):
        analyse_in_detail(examination, provider, cancelled)
    assert shown(examination) == before
    assert has_more(examination)


def test_details_of_a_change_are_those_of_the_whole_text(tmp_path: Path) -> None:
    standing, path = Standing(), tmp_path / "a.py"
    examined(TEXT, path, standing)
    changed = TEXT
    for word in ("y_7 + 1", "y_7 + 1 + 2"):
        changed = TEXT.replace("return y_7", f"z = {word}\n    return z")
        examination, provider = examined(changed, path, standing)
    assert examination.how == "change"
    analyse_in_detail(examination, provider)
    fresh, provider = examined(changed, path)
    analyse_in_detail(fresh, provider)
    assert shown(examination) == shown(fresh)
    assert shown(fresh)["z"] == ": f32[9]"
