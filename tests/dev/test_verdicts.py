"""What the probe says of every rule's page, as `python -m torchlsp.dev verdicts` tells it."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

import pytest

from torchlsp.core.finding import Outcome
from torchlsp.dev import verdicts
from torchlsp.engine.interpreters import site_packages
from torchlsp.engine.probing import Prober
from torchlsp.lint.registry import RuleInfo, rules

pytestmark = [pytest.mark.torch, pytest.mark.timeout(600)]

OF_CALLS = {
    "TL101", "TL102", "TL103", "TL105", "TL106", "TL107", "TL109", "TL110", "TL113", "TL115", "TL116", "TL118", "TL119", "TL120",
    "TL121", "TL124", "TL127", "TL201", "TL202", "TL203", "TL204", "TL207", "TL208", "TL209", "TL213", "TL214", "TL215", "TL301",
    "TL302", "TL303", "TL501", "TL502", "TL801", "TL802", "TL803", "TL804",
}  # fmt: skip
"""Rules whose programs are the call, the loop or the collective itself, so that they can be made of right code, too."""
RULES = [info for info in rules() if info.page_path.is_file()]


@pytest.fixture(scope="module")
def found():
    pytest.importorskip("torch")
    prober = Prober(sys.executable, site_packages(sys.executable), deadline=verdicts.DEADLINE)
    yield verdicts.judged(prober, RULES)
    prober.close()


def wrong_with(info: RuleInfo, mine: Sequence[verdicts.Judged]) -> Iterator[object]:
    """The verdicts on a rule's page that are not as they should be."""
    bad = [one for one in mine if one.role == "bad"]
    yield from (one.verdict for one in bad if one.verdict.outcome is Outcome.REFUTED)
    if not bad:
        yield "nothing in a bad block is found"
    unproven = [one for one in bad if one.verdict.outcome is not Outcome.REPRODUCED]
    if bool(unproven) != bool(info.unproven):
        yield info.unproven, unproven
    for one in unproven:
        if one.finding.probe is not None and not (one.verdict.reason or "").startswith(("control", "denied")):
            yield one.verdict
    good = [one for one in mine if one.role != "bad"]
    yield from (one.finding.probe for one in good if one.verdict.is_positive)
    # One that is inconclusive shows nothing: that the probe can refute at all is held too.
    if info.code in OF_CALLS and not any(one.verdict.outcome is Outcome.REFUTED for one in good):
        yield "nothing in a good block is refuted"


def test_bad_blocks_are_reproduced_and_good_ones_never(found):
    problems = [
        f"{info.code}: {problem}"
        for info in RULES
        for problem in wrong_with(info, [one for one in found if one.rule == info.code])
    ]
    assert not problems, "\n".join(["", *problems])


def test_the_table_has_a_row_for_each_rule(found):
    head, line, *rows = verdicts.table(found, RULES, markdown=True)
    assert [row.split()[1] for row in rows] == [info.code for info in RULES]
    assert head.count("|") == line.count("|") == rows[0].count("|") == 10
    reproduced = sum(one.rule == "TL101" for one in found if one.role == "bad")
    assert [cell.strip() for cell in rows[0].split("|")[2:6]] == ["0", str(reproduced), "0", "0"]


def test_what_is_not_as_it_should_be_is_told(found, monkeypatch, capsys):
    bad = next(one for one in found if one.role == "bad")
    wrong = verdicts.replace(bad, role="good")
    monkeypatch.setattr(verdicts, "judged", lambda prober, installed: [bad, wrong])
    assert verdicts.main([bad.rule]) == 1
    told = capsys.readouterr().out.splitlines()[-1]
    assert told.startswith(f"{bad.finding.path}:{bad.line}: good: reproduced: RuntimeError: ")
    monkeypatch.setattr(verdicts, "judged", lambda prober, installed: [bad])
    assert verdicts.main([bad.rule, "--markdown"]) == 0
    assert verdicts.main(["TL999"]) == 2
