"""How `python -m torchlsp.dev verdicts` tells what the probe says of rules' pages; tests/rules holds it for all of them."""

from __future__ import annotations

import sys

import pytest

from torchlsp.dev import verdicts
from torchlsp.engine.interpreters import site_packages
from torchlsp.engine.probing import Prober
from torchlsp.lint.registry import rules

pytestmark = [pytest.mark.torch, pytest.mark.timeout(600)]

RULES = [info for info in rules() if info.code in {"TL101", "TL204", "TL801"}]


@pytest.fixture(scope="module")
def found():
    pytest.importorskip("torch")
    prober = Prober(sys.executable, site_packages(sys.executable), deadline=verdicts.DEADLINE)
    yield verdicts.judged(prober, RULES)
    prober.close()


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
