"""What the documents say of limits and defaults, compared with the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from torchlsp.core.finding import Severity
from torchlsp.core.text import Document
from torchlsp.engine.config import Catalogue, Settings
from torchlsp.engine.engine import Engine, Options, installed_rules
from torchlsp.engine.provider import Provider
from torchlsp.engine.standing import Standing
from torchlsp.engine.workspace import Workspace
from torchlsp.interp.store.budget import Limits
from torchlsp.lint.registry import rules
from torchlsp.lint.runner import MAX_FINDINGS
from torchlsp.syntax.parse import MAX_TEXT_LENGTH

DOCS = Path(__file__).parents[1] / "docs"
TEXT_OF_DOCUMENTS = " ".join(
    " ".join((DOCS / name).read_text(encoding="utf-8").split()) for name in ("limits.md", "configuration.md")
)
DEFAULTS = Settings(root="")


def selected(**settings: object) -> frozenset[str]:
    return Catalogue(installed_rules()).enabled(Settings(root="", **settings))  # type: ignore[arg-type]


def test_figures_are_those_of_the_code() -> None:
    assert (
        MAX_TEXT_LENGTH == 5_000_000
        and "Files above five million characters are not analysed." in TEXT_OF_DOCUMENTS
    )
    assert f"more than {Limits().steps_per_file:,} steps" in TEXT_OF_DOCUMENTS
    assert f"of one file {MAX_FINDINGS:,} findings are made" in TEXT_OF_DOCUMENTS


def test_rules_of_severity_info_are_off() -> None:
    assert "Rules of severity info are off in every group" in TEXT_OF_DOCUMENTS
    infos = {rule.code for rule in rules() if rule.severity is Severity.INFO}
    assert len(infos) > 10 and not infos & selected()


def test_the_exceptions_from_the_groups_are_named() -> None:
    found = re.search(
        r"On by default are \*correctness\* and, of the others, what people mend: ([^.]+)\.",
        TEXT_OF_DOCUMENTS,
    )
    assert found is not None
    others = {rule.code for rule in rules() if rule.group != "correctness" and rule.is_default}
    assert set(re.findall(r"TL\d{3}", found[1])) == others
    assert others <= selected()


def test_rules_in_preview_are_selected_as_the_documents_say() -> None:
    found = re.search(
        r"A rule in preview \(([^)]+)\) is selected by its code or name alone", TEXT_OF_DOCUMENTS
    )
    assert found is not None
    previews = {rule.code for rule in rules() if rule.preview}
    assert set(re.findall(r"TL\d{3}", found[1])) == previews
    for rule in (one for one in rules() if one.preview):
        assert rule.code not in selected(preview=True)  # that alone switches neither on
        assert rule.code not in selected(extend_select=(rule.group,))
        assert rule.code not in selected(extend_select=(rule.code[:3],))
        assert rule.code in selected(extend_select=(rule.code,))
        assert rule.code in selected(extend_select=(rule.name,))
        assert rule.code in selected(extend_select=(rule.group,), preview=True)
        assert rule.code in selected(extend_select=(rule.code[:3],), preview=True)


TEXT = """\
import torch

SIZE = 3


def first(x):
    y = x + 1
    return y


def second(x):
    y = first(x)
    return y


print(second(torch.zeros(SIZE)))
"""


@pytest.mark.parametrize(
    ("edits", "how"),
    [
        ([("x + 1", "x + 12")], ["whole"]),
        ([("x + 1", "x + 12"), ("x + 12", "x + 123"), ("x + 123", "x - 123")], ["whole", "change", "change"]),
        ([("x + 1", "x + 12"), ("first(x)\n", "first(2 * x)\n")], ["whole", "change"]),
        ([("SIZE = 3", "SIZE = 4"), ("SIZE = 4", "SIZE = 5")], ["whole", "whole"]),
    ],
)
def test_what_a_change_in_an_editor_analyses_again(edits: list[tuple[str, str]], how: list[str]) -> None:
    assert (
        "the first change of a text, and each outside of functions, analyses the whole file"
        in TEXT_OF_DOCUMENTS
    )
    engine, provider, standing = Engine(Options()), Provider(Workspace()), Standing()
    text = TEXT
    engine.examine(Document("a.py", text), provider, None, standing)
    seen = []
    for old, new in edits:
        text = text.replace(old, new, 1)
        seen.append(engine.examine(Document("a.py", text), provider, None, standing).how)
    assert seen == how
