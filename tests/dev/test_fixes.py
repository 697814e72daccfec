"""`python -m torchlsp.dev fixes`: which fixes do not do what they say."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from torchlsp.core.finding import Edit, Finding, Fix, Severity
from torchlsp.core.span import Span
from torchlsp.core.text import Document
from torchlsp.dev import fixes

TEXT = "if a:\n    bad(\n        1,\n    )\n"
CALL = Span(TEXT.index("bad"), len(TEXT) - 1)


def found(document: Document) -> Sequence[Finding]:
    """A TL101 for each `bad`, a TL102 for each `worse`."""
    return [
        Finding(code, "name", document.path, Span(start, start + len(word)), "message", Severity.ERROR)
        for code, word in (("TL101", "bad"), ("TL102", "worse"))
        for start in range(len(document.text))
        if document.text.startswith(word, start)
    ]


@pytest.mark.parametrize(
    ("edit", "problem"),
    [
        (Edit(Span(CALL.start, CALL.start + 3), "good"), ""),
        (Edit(CALL, "good(\n        1,\n    )"), ""),
        (Edit(CALL, "good(\n            1,\n    )"), "a row is indented further: '            1,'"),
        (Edit(CALL, "bad(2)"), "it is still reported"),
        (Edit(CALL, "worse()"), "it brings TL102"),
        (Edit(CALL, "good("), "the result does not parse"),
        (None, "it changes nothing"),
    ],
)
def test_a_fix_is_made_alone_and_its_result_is_checked(edit: Edit | None, problem: str):
    fix = Fix("Say good", () if edit is None else (edit,))

    def findings(document: Document) -> Sequence[Finding]:
        reported = found(document)
        if document.text != TEXT:
            return reported
        (one,) = reported
        return [Finding(one.rule, one.name, one.path, one.span, one.message, one.severity, fixes=(fix,))]

    (tried,) = fixes.tried(Document("a.py", TEXT), findings)
    assert (tried.path, tried.row, tried.code, tried.title) == ("a.py", 2, "TL101", "Say good")
    assert tried.problem.startswith(problem) and bool(tried.problem) is bool(problem)


def test_the_command_tries_the_fixes_of_a_file(project, capsys):
    project({"a.py": "import torch\n\ntorch.ones(2, 3).t().view(6)\n"})
    assert fixes.main(["a.py"]) == 0
    assert capsys.readouterr().out == "0 of 2 fixes have a problem\n"
