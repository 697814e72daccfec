"""What the rules find in the programs of the pages: each expected line, nothing else, and the fix that is shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchlsp.core.finding import Finding
from torchlsp.core.text import Document
from torchlsp.dev.catalogue import HINTS
from torchlsp.lint.pages import Block, Page, load_page, page_paths
from torchlsp.lint.registry import rules
from torchlsp.lint.runner import run
from torchlsp.syntax.edits import apply_edits
from torchlsp.syntax.parse import SyntaxTree, parse

FOLDER = Path(__file__).resolve().parents[2] / "rules"
PAGES = {info.code: load_page(info.page_path) for info in rules()}


class NoOtherFiles:
    def module(self, dotted_name: str, importing_path: str) -> SyntaxTree | None:
        return None


def findings(source: str, page: Page) -> list[Finding]:
    """Of all rules but the hints that other pages are about; an internal error fails the test."""
    tree = parse(Document("page.py", source))
    assert tree.module is not None
    codes = frozenset(PAGES) - (HINTS - {page.code})
    result = run(tree, NoOtherFiles(), codes, strict=True)
    assert not result.internal_errors and not result.stopped
    return result.findings


def programs(*roles: str) -> list:
    return [
        pytest.param(page, block, id=f"{page.code}-{block.role}-{block.line}")
        for page in PAGES.values()
        for block in page.of_role(*roles)
    ]


@pytest.mark.parametrize(("page", "block"), programs("bad", "good", "fixed"))
def test_findings_are_exactly_the_expected_ones(page: Page, block: Block):
    lines = Document("page.py", block.source).lines
    found = sorted((lines.row(one.span.start), one.rule) for one in findings(block.source, page))
    assert found == sorted((one.line, one.code) for one in block.expectations)


@pytest.mark.parametrize("page", [pytest.param(page, id=code) for code, page in PAGES.items()])
def test_a_rule_alone_finds_the_same(page: Page):
    for block in page.of_role("bad"):
        document = Document("page.py", block.source)
        result = run(parse(document), NoOtherFiles(), frozenset({page.code}), strict=True)
        expected = sorted(one.line for one in block.expectations if one.code == page.code)
        assert sorted(document.lines.row(one.span.start) for one in result.findings) == expected


@pytest.mark.parametrize(
    ("page", "before", "after"),
    [
        pytest.param(page, before, after, id=f"{page.code}-{before.line}")
        for page in PAGES.values()
        for before, after in page.fixes
    ],
)
def test_first_fix_gives_the_fixed_program(page: Page, before: Block, after: Block):
    (found,) = findings(before.plain, page)
    assert found.fixes, found.message
    assert apply_edits(before.plain, found.fixes[0].edits) == after.plain


@pytest.mark.parametrize(("page", "block"), programs("bad"))
def test_messages_are_short_sentences(page: Page, block: Block):
    for one in findings(block.source, page):
        assert 0 < len(one.message) <= 100 and one.message[-1] not in ".!" and "\n" not in one.message
        assert all(fix.title[0].isupper() and not fix.title.endswith(".") for fix in one.fixes)
        assert all(related.message for related in one.related)


def test_every_page_has_its_rule():
    assert {page.path.resolve() for page in PAGES.values()} == set(page_paths(FOLDER))
