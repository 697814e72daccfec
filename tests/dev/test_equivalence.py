"""The gate and the outline of imported files save work and change nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchlsp.dev import equivalence

CASES = Path(__file__).parents[1] / "rules" / "cases"


@pytest.mark.slow
@pytest.mark.parametrize("shortcut", sorted(equivalence.SHORTCUTS))
def test_shortcuts_change_nothing(shortcut, capsys) -> None:
    assert equivalence.main([str(CASES), "--every", "4", "--shortcut", shortcut]) == 0
    assert capsys.readouterr().out.endswith("files: the same\n")


def test_a_gate_that_keeps_a_rule_asleep_is_noticed(monkeypatch, capsys, tmp_path) -> None:
    (tmp_path / "program.py").write_text("import torch\n\ntorch.zeros(2, 3).t().view(6)\n")
    monkeypatch.setattr(equivalence.runner, "is_awake", lambda info, answers: info.code != "TL101")
    assert equivalence.main([str(tmp_path), "--shortcut", "gate"]) == 1
    assert "only without the gate" in capsys.readouterr().out
