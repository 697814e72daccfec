"""The form of the pages, and that rules and pages belong together."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from pathlib import Path

import pytest

from torchlsp.lint import pages
from torchlsp.lint.pages import Block, Page, PageError, declared, load_page, page_paths, parse_page
from torchlsp.lint.registry import rules

FOLDER = Path(__file__).resolve().parents[2] / "rules"
PATHS = page_paths(FOLDER)
FAMILIES = {
    "1": "layout",
    "2": "dtypes",
    "3": "devices",
    "4": "autograd",
    "5": "training",
    "6": "modules",
    "7": "data",
    "8": "distributed",
    "9": "api",
}

PAGES = [load_page(path) for path in PATHS]


def assert_none(problems: Iterable[tuple[Page, object]]) -> None:
    told = [f"{page.path.relative_to(FOLDER)}: {what}" for page, what in problems]
    assert not told, "\n".join(["", *told])


def test_name_code_and_folder_agree():
    assert_none(
        (page, f"{page.code} {page.name}")
        for page in PAGES
        if page.path.stem != page.name.replace("-", "_") or page.path.parent.name != FAMILIES[page.code[2]]
    )


def test_sections_in_order():
    for page in PAGES:
        assert tuple(s.title for s in page.sections) == pages.SECTIONS, page.code
    assert_none((page, section.title) for page in PAGES for section in page.sections if not section.text)
    assert_none(
        (page, page.summary)
        for page in PAGES
        if not page.summary.endswith(".") or page.summary.count(". ") != 0
    )


def test_below_the_title_stands_what_the_rule_declares():
    known = {info.code: declared(info) for info in rules()}
    assert_none((page, f"*{known[page.code]}*") for page in PAGES if page.declared != known[page.code])


def test_enough_programs():
    def made_of_several_functions(page: Page, role: str) -> int:
        return sum(_is_made_of_several_functions(block) for block in page.of_role(role))

    assert_none((page, "fewer than two good programs") for page in PAGES if len(page.of_role("good")) < 2)
    assert_none(
        (page, "too few programs made of several functions")
        for page in PAGES
        if made_of_several_functions(page, "bad") < 2 or made_of_several_functions(page, "good") < 1
    )


def test_every_bad_program_says_how_it_fails_and_where():
    assert_none(
        (page, f"{block.line}: its own code is not expected")
        for page in PAGES
        for block in page.of_role("bad")
        if page.code not in {e.code for e in block.expectations}
    )
    assert_none(
        (page, f"{block.line}: it does not say how it fails")
        for page in PAGES
        for block in page.of_role("bad")
        if not (block.attr("raises") or block.attr("world") or page.of_role("proof"))
    )
    assert_none(
        (page, f"{block.line}: a finding is expected")
        for page in PAGES
        for block in page.of_role("good", "fixed", "watch", "proof")
        if block.expectations
    )


def test_every_program_parses_and_begins_with_its_imports():
    assert_none(
        (page, block.line)
        for page in PAGES
        for block in page.of_role("bad", "good", "fixed")
        if not isinstance(ast.parse(block.source).body[0], (ast.Import, ast.ImportFrom))
    )


def test_every_page_ends_with_the_notation_of_facts():
    assert_none(
        (page, "no link")
        for page in PAGES
        if not page.path.read_text().endswith(f"\n{pages.NOTATION_LINK}\n")
    )
    for page in PAGES:
        assert page.markdown.endswith("## Notation\n" + pages.notation().partition("\n")[2]), page.code
    assert (FOLDER / "notation.md").read_text(encoding="utf-8") == pages.notation()


def test_readers_get_labels_of_what_is_corrected_and_nothing_that_is_meant_for_tests():
    assert_none(
        (page, "a corrected program without its label")
        for page in PAGES
        if page.markdown.count(f"{pages.FIXED}\n\n```python\n") != len(page.of_role("fixed"))
    )
    assert_none(
        (page, row)
        for page in PAGES
        for row in page.markdown.splitlines()
        if re.search(r"# (expect|ok):", row) or re.match(r"`{3,}python .", row)
    )
    assert sum(len(page.of_role("fixed")) for page in PAGES) > 100


def test_sources_name_the_measured_version():
    assert_none((page, "Sources") for page in PAGES if "2.13.0" not in page.section("Sources"))


def test_codes_are_unique():
    codes = [load_page(path).code for path in PATHS]
    assert len(codes) == len(set(codes))


def test_every_rule_has_its_page():
    assert {p.with_suffix(".md") for p in FOLDER.glob("*/*.py") if not p.stem.startswith("_")} <= set(PATHS)


def test_shown_page_has_no_marks_for_the_tests():
    text = load_page(PATHS[0]).markdown
    assert "# expect:" not in text and "raises=" not in text


def test_block_is_read_with_attributes_and_expectations():
    page = parse_page(
        '# TL101 a-b\n\nOne.\n\n## Bad\n\n```python bad raises="x \\(y\\)" world=2\nf(1)\ng(2)  # expect: TL101\n```\n',
        Path("a_b.md"),
    )
    (block,) = page.blocks
    assert block.attr("raises") == r"x \(y\)" and block.attr("world") == "2"
    assert (block.line, block.section) == (8, "Bad")
    assert [(e.line, e.code) for e in block.expectations] == [(2, "TL101")]
    assert block.plain == "f(1)\ng(2)\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("no title\n", r"a\.md:1: the first line"),
        ("# TL101 a\n\n```python bad\nf()\n", r"a\.md:3: this block is never closed"),
        ("# TL101 a\n\n```python worse\nf()\n```\n", r"a\.md:3: unknown kind of block `worse`"),
        ("# TL101 a\n\n```python bad colour=red\nf()\n```\n", r"a\.md:3: cannot read `colour=red`"),
        ("# TL101 a\n\n```python fixed\nf()\n```\n", r"a\.md:3: a `fixed` block must follow"),
    ],
)
def test_broken_page_names_file_and_line(text: str, message: str):
    with pytest.raises(PageError, match=message):
        parse_page(text, Path("a.md"))


def _is_made_of_several_functions(block: Block) -> bool:
    functions = [n for n in ast.walk(ast.parse(block.source)) if isinstance(n, (ast.FunctionDef, ast.Lambda))]
    return len(functions) >= 2
