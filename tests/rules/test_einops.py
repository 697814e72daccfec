"""A program that uses einops: what follows from its patterns is known, and findings stand where they are expected.

It is no case beside the others: for einops there is no program of torch alone that shows a finding.
"""

import re
from pathlib import Path

from torchlsp.core.text import Document
from torchlsp.lint.registry import rules
from torchlsp.lint.runner import run
from torchlsp.syntax.parse import parse

PROGRAM = Path(__file__).parent / "einops_program.py"


class NoImports:
    def module(self, dotted_name, importing_path):
        return None


def test_findings_stand_where_they_are_expected():
    document = Document.from_bytes(str(PROGRAM), PROGRAM.read_bytes())
    expected = {
        (row, code)
        for row, line in enumerate(document.text.splitlines(), 1)
        for code in re.findall(r"# expect: (TL\d+)", line)
    }
    codes = frozenset(info.code for info in rules())
    result = run(parse(document), NoImports(), codes, strict=True)
    assert {(document.row_column(one.span.start)[0], one.rule) for one in result.findings} == expected
