"""Every fix of every rule, made alone in each bad program: it is the one that is shown, and does what it says."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest
from examined_programs import examined

from torchlsp.core.finding import Finding
from torchlsp.core.text import Document
from torchlsp.dev import catalogue
from torchlsp.dev.fixes import tried
from torchlsp.engine.fixing import one_round
from torchlsp.engine.result import CheckResult
from torchlsp.lint.pages import load_page
from torchlsp.lint.registry import rules
from torchlsp.report import json as json_report
from torchlsp.report import sarif
from torchlsp.report.sources import Sources
from torchlsp.report.words import fix_words
from torchlsp.syntax.edits import edited

RULES = {info.code: info for info in rules()}
CASES = sorted((Path(__file__).parent / "cases").glob("*.py"))

BRINGS = {
    ("TL114", "it brings TL319"): "the write reaches the caller's tensor, which is what it was meant to do",
    ("TL206", "it brings TL226"): "normalised, the loss of one class is 0 whatever the scores are",
    ("TL407", "it brings TL402"): "autograd sees the write now, and refuses it: the page says so",
    ("TL407", "it brings TL402, TL408"): "autograd sees the write now, and refuses it: the page says so",
}
"""What a fix brings to light because it is made, by the code of the rule."""
HIDDEN = {
    **dict.fromkeys(
        [("devices_after_a_refused_call.py", row) for row in (16, 19, 22)],
        "the layer in the next row is on the CPU, and the result is on the GPU now",
    ),
    ("devices_of_parameter_lists.py", 17): "the other lists of the module are on the CPU, too",
    ("one_of_several_objects.py", 129): "the same layer gets the encoder's four features in this row",
    ("autograd_leaves.py", 168): "the error hides that the next row goes through the same graph again",
    (
        "truth_and_conversions.py",
        109,
    ): "the tensor is assigned, so the conversion two rows below is no longer one of itself",
}
"""Rows of cases in which the first of two faults hides the second."""


def programs() -> Iterator[tuple[str, str, frozenset[str]]]:
    """Yields each bad program: its name, its text, and the codes that are reported in it."""
    for info in RULES.values():
        for block in load_page(info.page_path).of_role("bad"):
            yield f"{info.code}:{block.line}", block.plain, frozenset({info.code})
    for entry in catalogue.load():
        yield f"{entry['code']}:bad", catalogue.front(entry) + entry["bad"], frozenset({entry["code"]})
    for path in CASES:
        text = path.read_text(encoding="utf-8")
        yield path.name, text, frozenset(re.findall(r"# expect: (TL\d+)", text))


PROGRAMS: dict[str, list[tuple[str, str, frozenset[str]]]] = {}
for name, text, codes in programs():
    PROGRAMS.setdefault(name.partition(":")[0], []).append((name, text, codes))


def each(groups: Iterable[str]) -> pytest.MarkDecorator:
    """Gives a test each of some groups of programs; the tests of a group run together and share what is found."""
    return pytest.mark.parametrize(
        "group",
        [pytest.param(name, marks=pytest.mark.slow if name.endswith(".py") else ()) for name in groups],
        scope="module",
    )


def finder(meant: frozenset[str]) -> Callable[[Document], list[Finding]]:
    """What all rules find in a text, but for the hints that the program is not about."""
    return lambda document: examined(document.text, meant).findings


@each(PROGRAMS)
def test_after_a_fix_the_program_parses_the_finding_is_gone_and_nothing_else_appears(group: str):
    problems = [
        one
        for name, text, codes in PROGRAMS[group]
        for one in tried(Document(name, text), finder(codes))
        if one.problem and (one.code, one.problem) not in BRINGS and (name, one.row) not in HIDDEN
    ]
    assert not problems, "\n".join(["", *map(str, problems)])


@each(PROGRAMS)
def test_the_fix_that_is_made_is_the_one_that_is_shown(group: str):
    for name, text, codes in PROGRAMS[group]:
        document = Document("program.py", text)
        for finding in finder(codes)(document):
            assert finding.fix is (finding.fixes[0] if finding.fixes else None)
            with_unsafe, _ = one_round(document, [finding], unsafe=True)
            without, _ = one_round(document, [finding], unsafe=False)
            if finding.fix is None:
                assert fix_words(finding) is None and with_unsafe is without is document, name
                continue
            shown = edited(document, finding.fix.edits).text
            assert with_unsafe.text == shown, name
            assert without.text == (shown if finding.fix.is_safe else text), name
            _assert_reported_alike(finding, document)


def _assert_reported_alike(finding: Finding, document: Document) -> None:
    """Text, JSON and SARIF name the same fix with the same safety."""
    fix, result = finding.fix, CheckResult(findings=[finding], documents={document.path: document})
    assert fix is not None
    sources = Sources(result.documents)
    words = fix_words(finding)
    assert words == (f"fix: {fix.title}" if fix.is_safe else f"fix (unsafe): {fix.title}")
    safety = "safe" if fix.is_safe else "unsafe"
    told = json_report._record(finding, sources, "", None)["fix"]
    assert (told["title"], told["applicability"]) == (fix.title, safety)
    told = sarif._fix(document.path, document, fix)
    assert told["properties"]["applicability"] == safety


@each(RULES)
def test_the_page_says_whether_the_fix_is_safe(group: str):
    fixes = [
        finding.fix
        for name, text, codes in PROGRAMS[group]
        for finding in finder(codes)(Document(name, text))
        if finding.rule == group and finding.fix is not None
    ]
    section = load_page(RULES[group].page_path).section("Fix safety").lower()
    if not fixes:
        assert re.search("no (automatic )?fix|^none|nothing is changed", section), "no program has a fix"
    if any(not fix.is_safe for fix in fixes):
        assert "unsafe" in section
    if any(fix.is_safe for fix in fixes):
        assert re.search(r"(?<!un)safe|same|nothing|every", section)
