"""Programs in the style of users' code: the findings stand exactly where the comments expect them."""

import re
from pathlib import Path

import pytest

from torchlsp.core.finding import Severity
from torchlsp.core.text import Document
from torchlsp.dev.catalogue import HINTS
from torchlsp.lint.registry import rules
from torchlsp.lint.runner import run
from torchlsp.lint.trail import ASSUMPTIONS
from torchlsp.syntax.parse import parse

CASES = sorted((Path(__file__).parent / "cases").glob("*.py"))
ASSUMED = re.compile("|".join(re.escape(text).replace(r"\{name\}", ".+") for text in ASSUMPTIONS.values()))
ALL = frozenset(info.code for info in rules())
INFOS = frozenset(info.code for info in rules() if info.severity is Severity.INFO)
"""Rules all of whose findings are infos; of others, `# expect: TL228 (info)` names the findings that are off by default."""


class NoImports:
    def module(self, dotted_name, importing_path):
        return None


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_findings_stand_where_they_are_expected(path):
    document = Document.from_bytes(str(path), path.read_bytes())
    expected = {
        (row, code)
        for row, line in enumerate(document.text.splitlines(), 1)
        for code in re.findall(r"# expect: (TL\d+)", line)
    }
    shown_on_request = {
        (row, code)
        for row, line in enumerate(document.text.splitlines(), 1)
        for code in re.findall(r"# expect: (TL\d+) \(info\)", line)
    }
    meant = {code for _, code in expected}
    result = run(parse(document), NoImports(), ALL - (HINTS - meant), strict=True)
    found = {(document.row_column(one.span.start)[0], one.rule) for one in result.findings}
    assert expected, "a case without an expectation checks nothing"
    assert found == expected
    infos = {
        (document.row_column(one.span.start)[0], one.rule)
        for one in result.findings
        if one.severity is Severity.INFO and one.rule not in INFOS
    }
    assert infos == shown_on_request
    twice = [
        one.message for one in result.findings if re.search(r"(?<![`\w.])([a-z]+) \1(?![\w.`])", one.message)
    ]
    assert not twice
    for one in result.findings:
        if any(ASSUMED.fullmatch(related.message) for related in one.related):
            assert one.severity is not Severity.ERROR, one
