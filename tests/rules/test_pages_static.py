"""What the rules find in the programs of the pages: each expected line, nothing else, and the fix that is shown."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from examined_programs import examined

from torchlsp.core.finding import Finding
from torchlsp.core.text import Document
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
    result = examined(source, frozenset({page.code}))
    assert not result.internal_errors and not result.stopped
    return result.findings


each_page = pytest.mark.parametrize("page", [pytest.param(page, id=code) for code, page in PAGES.items()])


def assert_none(problems: list[str]) -> None:
    assert not problems, "\n".join(["", *problems])


def faults_of_message(found: Finding) -> Iterator[str]:
    """In what a message is not a short sentence without its end."""
    message = found.message
    if not 0 < len(message) <= 160 or message[-1] in ".!" or "\n" in message or "…" in message:
        yield f"the message is no short whole sentence: {message!r}"
    for fix in found.fixes:
        if not fix.title[0].isupper() or fix.title.endswith("."):
            yield f"the title of a fix: {fix.title!r}"
    if not all(related.message for related in found.related):
        yield "something related has no message"


def faults_of_fix(reported: list[Finding], before: Block, after: Block) -> Iterator[str]:
    """In what the first fix of the only finding of a bad program does not give the corrected one."""
    if len(reported) != 1:
        yield f"{len(reported)} findings in a program whose fix is shown"
    elif not reported[0].fixes:
        yield f"no fix: {reported[0].message}"
    elif apply_edits(before.plain, reported[0].fixes[0].edits) != after.plain:
        yield "the first fix gives another program than the corrected one"


@each_page
def test_findings_and_the_first_fix_are_those_that_the_page_shows(page: Page):
    """Each message is a short whole sentence, too."""
    problems = []
    fixed = dict(page.fixes)
    for block in page.of_role("bad", "good", "fixed"):
        lines = Document("page.py", block.plain).lines
        reported = findings(block.plain, page)
        found = sorted((lines.row(one.span.start), one.rule) for one in reported)
        expected = sorted((one.line, one.code) for one in block.expectations)
        place = f"{page.path.name}:{block.line}: {block.role}"
        if found != expected:
            problems.append(f"{place}: found {found}, expected {expected}")
        problems.extend(f"{place}: {fault}" for one in reported for fault in faults_of_message(one))
        if block in fixed:
            problems.extend(f"{place}: {fault}" for fault in faults_of_fix(reported, block, fixed[block]))
    assert_none(problems)


@each_page
def test_a_rule_alone_finds_the_same(page: Page):
    for block in page.of_role("bad"):
        document = Document("page.py", block.source)
        result = run(parse(document), NoOtherFiles(), frozenset({page.code}), strict=True)
        expected = sorted(one.line for one in block.expectations if one.code == page.code)
        assert sorted(document.lines.row(one.span.start) for one in result.findings) == expected, block.line


def test_every_page_has_its_rule():
    assert {page.path.resolve() for page in PAGES.values()} == set(page_paths(FOLDER))
