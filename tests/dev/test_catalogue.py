"""The catalogue's programs are held against the rules."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from torchlsp.dev.catalogue import main

HOLDS = '''
[[rule]]
code = "TL101"
name = "view-on-noncontiguous"
lines = [2]
probe = "eager-cpu"
bad = """
q = torch.randn(2, 4, 8).transpose(1, 2)
q.view(2, 32)"""
good = "x.view(32)"
keep = ["x.t().reshape(32)", "x.t().view(4, 2, 4)"]

[[rule]]
code = "TL199"
name = "none"
probe = "eager-cpu"
bad = "this rule is not installed"
good = ""

[[rule]]
code = "TL802"
name = "collective-after-rank-exit"
probe = "ranks"
bad = """
if rank != 0:
    raise SystemExit
dist.barrier()"""
good = "dist.barrier()"
'''


def test_every_program_holds(tmp_path: Path, capsys):
    path = tmp_path / "catalogue.toml"
    path.write_text(HOLDS)
    assert main(["--static", "--file", str(path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split() for line in lines[1:3]] == [
        ["TL101", "view-on-noncontiguous", "ok", "3/3", "-"],
        ["TL802", "collective-after-rank-exit", "ok", "1/1", "-"],
    ]
    assert lines[-1] == "all of 6 programs hold"


def test_a_program_that_does_not_hold_is_named(tmp_path: Path, capsys):
    path = tmp_path / "catalogue.toml"
    path.write_text(
        HOLDS.replace("x.view(32)", "x.t().view(32)").replace("q.view(2, 32)", "q.reshape(2, 32)")
    )
    assert main(["--static", "--file", str(path), "TL101"]) == 1
    assert capsys.readouterr().out.splitlines()[1:] == [
        "TL101 view-on-noncontiguous  MISS  2/3    -",
        "TL101 bad: found nothing",
        "TL101 good: found TL101:1",
    ]


@pytest.mark.torch
def test_a_fix_and_a_verdict_are_put_to_the_test_in_torch(tmp_path: Path, capsys):
    pytest.importorskip("torch")
    path = tmp_path / "catalogue.toml"
    path.write_text(HOLDS)
    assert main(["--file", str(path), "--python", sys.executable, "TL101"]) == 0
    assert capsys.readouterr().out.splitlines()[1].split()[-2:] == ["safe", "reproduced"]
    path.write_text(HOLDS.replace("q.view(2, 32)", "q.view(2, 32)\nraise ValueError('not mended')"))
    assert main(["--file", str(path), "--python", sys.executable, "TL101"]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "TL101 fix: ValueError: not mended"
