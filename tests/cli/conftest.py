"""Commands on a stand-in analysis: what it finds is plain from the text."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from torchlsp.cli import check as check_module
from torchlsp.core.finding import Edit, Finding, Fix, Related, Severity
from torchlsp.core.span import Span
from torchlsp.engine.engine import Engine

# The pasted texts lie beside their tests; pytest's import mode puts no folder on the path.
sys.path.insert(0, str(Path(__file__).parent))


class Answer:
    def __init__(self, findings: list[Finding]) -> None:
        self.findings = findings
        self.elsewhere: list[tuple[Finding, Finding | None]] = []
        self.followed: list[tuple[str, Span]] = []
        self.cast: list[str] = []
        self.is_quiet = False
        self.internal_errors: list[str] = []
        self.stopped: list[str] = []
        self.followed: list[tuple[str, Span]] = []
        self.is_quiet = False
        self.analysis = None
        self.steps = 7


def analyse(tree, provider, codes, **_options) -> Answer:
    """A finding at every `view(`; the text `crash` raises."""
    text = tree.document.text
    if "crash" in text:
        raise KeyError("of ours")
    found = []
    place = text.find("view(")
    while place >= 0:
        span = Span(place, text.index(")", place) + 1)
        fix = Fix("Use `reshape`", (Edit(Span(place, place + 4), "reshape"),))
        found.append(
            Finding(
                "TL101",
                "view-on-noncontiguous",
                tree.document.path,
                span,
                "`x` is not contiguous",
                Severity.ERROR,
                related=(Related(Span(0, 12), "torch comes from here"),),
                fixes=(fix,),
                scope="f",
            )
        )
        place = text.find("view(", place + 1)
    return Answer(found)


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """The stand-in analysis with the rules that it reports, whatever rules are installed."""
    from torchlsp.engine.config import KnownRule

    rules = [
        KnownRule("TL101", "view-on-noncontiguous", Severity.ERROR),
        KnownRule("TL501", "missing-zero-grad", Severity.ERROR),
    ]
    monkeypatch.setattr(check_module, "Engine", lambda options: Engine(options, runner=analyse, rules=rules))
    for variable in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(variable, raising=False)
