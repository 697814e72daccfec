"""The catalogue's programs are held against the rules."""

from __future__ import annotations

from pathlib import Path

from torchlsp.dev.catalogue import main

HOLDS = '''
[[rule]]
code = "TL101"
probe = "eager-cpu"
bad = """
q = torch.randn(2, 4, 8).transpose(1, 2)
q.view(2, 32)"""
good = "x.view(32)"
keep = ["x.t().reshape(32)", "x.t().view(4, 2, 4)"]

[[rule]]
code = "TL199"
probe = "eager-cpu"
bad = "this rule is not installed"
good = ""

[[rule]]
code = "TL802"
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
    assert main([str(path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "ok   TL101 bad      TL101:2"
    assert lines[-1] == "6 of 6 programs hold"


def test_a_program_that_does_not_hold_is_named(tmp_path: Path, capsys):
    path = tmp_path / "catalogue.toml"
    path.write_text(
        HOLDS.replace("x.view(32)", "x.t().view(32)").replace("q.view(2, 32)", "q.reshape(2, 32)")
    )
    assert main([str(path), "TL101", "--quiet"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "FAIL TL101 bad",
        "FAIL TL101 good     TL101:1",
        "2 of 4 programs hold",
    ]
