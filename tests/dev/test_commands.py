"""`python -m torchlsp.dev`: its commands, the scaffold of a rule, the dump of facts, the corpus against its ledger."""

from __future__ import annotations

import importlib

import pytest

from torchlsp.dev import corpus, facts
from torchlsp.dev.__main__ import commands, run


def test_every_command_can_be_imported_and_has_help(capsys):
    found = commands()
    assert {"new-rule", "facts", "corpus", "bench"} <= found.keys()
    for name, summary in found.items():
        assert summary.endswith((".", ":", ",", ";")) or summary, name
        module = importlib.import_module(f"torchlsp.dev.{name.replace('-', '_')}")
        assert callable(module.main)
    assert run(["no-such-command"]) == 2
    assert run(["--help"]) == 0
    printed = capsys.readouterr().out
    assert all(name in printed for name in found)


def test_facts_of_each_assignment(project, capsys):
    project(
        {
            "shapes.py": "SIZE = 3\n",
            "use.py": "import torch\nfrom shapes import SIZE\n\nx = torch.zeros(2, SIZE)\ny = x.t().float()\n",
        }
    )
    assert facts.main(["use.py"]) == 0
    assert capsys.readouterr().out.splitlines() == ["4: x: f32[2, 3]", "5: y: f32[3, 2] noncontig"]


LEDGER = """
[[finding]]
file = "pkg/a.py"
line = "y = torch.ones(2, 3).t().view(6)"
code = "TL101"
verdict = "true"
cause = "the transposed rows do not merge"
"""


@pytest.fixture
def wheel(project):
    return project(
        {
            "wheel/pkg/__init__.py": "",
            "wheel/pkg/a.py": "import torch\n\ny = torch.ones(2, 3).t().view(6)\n",
            "ledger.toml": LEDGER,
        }
    )


@pytest.mark.parametrize("folder", ["wheel", "wheel/pkg"])
def test_corpus_agrees_with_its_ledger(wheel, folder, capsys):
    assert corpus.main([folder, "--ledger", "ledger.toml"]) == 0
    printed = capsys.readouterr().out
    assert "pkg/a.py:3: TL101 [true]" in printed
    assert "2 files, 3 lines, 1 findings" in printed


def test_corpus_names_findings_that_are_new_or_gone(wheel, capsys):
    (wheel / "wheel/pkg/a.py").write_text("import torch\n\nz = torch.ones(2, 3).t().view(6)\n")
    assert corpus.main(["wheel", "--ledger", "ledger.toml"]) == 1
    printed = capsys.readouterr().out
    assert "TL101 [NEW]" in printed
    assert "TL101 [GONE]" in printed
