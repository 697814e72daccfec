"""`--baseline` hides what `--write-baseline` listed, wherever the run is started."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from torchlsp.cli.main import main

pytestmark = pytest.mark.usefixtures("stand_in")
HEAD = "import torch\n"
BAD = HEAD + "x.view(1)\n"


def entries(path: Path) -> list[dict[str, str]]:
    top = json.loads(path.read_text(encoding="utf-8"))
    assert top["version"] == 1
    return top["findings"]


def fingerprint_of(capsys, *arguments: str) -> list[str]:
    capsys.readouterr()
    main(["check", *arguments, "--output-format", "json"])
    return [record["fingerprint"] for record in json.loads(capsys.readouterr().out)]


def test_what_is_listed_is_hidden(project, capsys) -> None:
    root = project({"b/é.py": BAD, "a.py": BAD + "x.view(2)\n"})
    assert main(["check", "--write-baseline", "baseline.json"]) == 0
    assert capsys.readouterr().out == "3 findings written to baseline.json\n"
    listed = entries(root / "baseline.json")
    assert [(one["path"], one["code"], one["message"]) for one in listed] == [
        ("a.py", "TL101", "`x` is not contiguous"),
        ("a.py", "TL101", "`x` is not contiguous"),
        ("b/é.py", "TL101", "`x` is not contiguous"),
    ]
    assert main(["check", "--baseline", "baseline.json"]) == 0
    assert capsys.readouterr().out == "No findings in 2 files\n3 known findings hidden by the baseline\n"
    (root / "a.py").write_text("\n\n" + BAD + "x.view(2)\nx.view(3)\n")
    assert main(["check", "--baseline", "baseline.json", "--output-format", "concise"]) == 1
    assert capsys.readouterr().out.startswith("a.py:6:3: error TL101")
    assert fingerprint_of(capsys, "--baseline", "baseline.json") == [fingerprint_of(capsys, "a.py")[2]]


def test_the_file_reads_line_by_line(project) -> None:
    root = project({"a.py": BAD})
    main(["check", "--write-baseline", "known.json"])
    rows = (root / "known.json").read_text().split("\n")
    assert rows[:7] == [
        "{", '  "version": 1,', '  "findings": [', "    {", '      "path": "a.py",', '      "code": "TL101",',
        '      "message": "`x` is not contiguous",',
    ]  # fmt: skip
    assert rows[-1] == ""


def test_one_more_like_those_known_is_new(project, capsys) -> None:
    root = project({"a.py": HEAD + "x.view(1)\n"})
    main(["check", "--write-baseline", "b.json"])
    (root / "a.py").write_text(HEAD + "x.view(1)\nx.view(1)\n")
    assert main(["check", "--baseline", "b.json"]) == 1
    assert "1 error in 1 file" in capsys.readouterr().out
    # Hidden findings are counted: the new one keeps the name that it has without the baseline.
    assert fingerprint_of(capsys, "--baseline", "b.json") == fingerprint_of(capsys)[1:]


def test_it_does_not_matter_where_the_run_starts(project, capsys, monkeypatch) -> None:
    root = project({"pyproject.toml": "", "sub/a.py": BAD, "sub/deep/b.py": BAD})
    assert main(["check", "--write-baseline", "b.json"]) == 0
    first = (root / "b.json").read_bytes()
    prints = fingerprint_of(capsys)
    monkeypatch.chdir(root / "sub" / "deep")
    up = os.path.join("..", "..")
    assert main(["check", os.path.join("..", "..", "sub"), "--baseline", os.path.join(up, "b.json")]) == 0
    assert fingerprint_of(capsys, str(root)) == prints
    assert main(["check", up, "--write-baseline", os.path.join(up, "b.json")]) == 0
    assert (root / "b.json").read_bytes() == first


def test_entries_that_are_gone_are_counted(project, capsys) -> None:
    root = project({"a.py": BAD, "b.py": BAD, "c.py": BAD})
    main(["check", "--write-baseline", "b.json"])
    (root / "a.py").write_text(HEAD)
    (root / "c.py").unlink()
    capsys.readouterr()
    assert main(["check", "--baseline", "b.json"]) == 0
    assert capsys.readouterr().out == (
        "No findings in 2 files\n1 known finding hidden by the baseline\n"
        "2 entries of the baseline are gone; --write-baseline updates it\n"
    )
    assert main(["check", "--baseline", "b.json", "--output-format", "github"]) == 0
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "torchlsp: 2 entries of the baseline are gone" in shown.err
    assert main(["check", "--baseline", "b.json", "-q"]) == 0
    assert capsys.readouterr() == ("", "")


def test_what_was_not_looked_for_is_not_gone(project, capsys) -> None:
    root = project({"a.py": BAD, "b.py": BAD})
    main(["check", "--write-baseline", "b.json"])
    first = (root / "b.json").read_bytes()
    for arguments in (["a.py"], [".", "--ignore", "TL1"]):
        capsys.readouterr()
        assert main(["check", *arguments, "--baseline", "b.json"]) == 0
        assert "gone" not in capsys.readouterr().out
        assert main(["check", *arguments, "--write-baseline", "b.json"]) == 0
        assert " kept of what was not checked" in capsys.readouterr().out
        assert (root / "b.json").read_bytes() == first


def test_a_repaired_finding_leaves_the_list(project) -> None:
    root = project({"a.py": BAD, "b.py": BAD})
    main(["check", "--write-baseline", "b.json"])
    (root / "a.py").write_text(HEAD)
    (root / "b.py").unlink()
    assert main(["check", "--write-baseline", "b.json"]) == 0
    assert entries(root / "b.json") == []


ENTRY = '{"path": "a.py", "code": "TL101", "message": "m", "fingerprint": "f"}'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{\n<<<<<<< HEAD\n", "b.json:2: not valid JSON: "),
        ("", "b.json:1: not valid JSON: "),
        ("[]", "b.json:1: not a baseline"),
        ('{"findings": 3}', "b.json:1: not a baseline"),
        ('{\n\n"version": 2, "findings": []}', "b.json:3: version 2 is not known, only 1 is"),
        ('{"findings": []}', "b.json:1: version None is not known"),
        (
            f'{{"version": 1,\n"findings": [\n{ENTRY},\n{ENTRY}, \n {{"path": 1}}]}}',
            "b.json:5: an entry needs the strings path, code, message, fingerprint",
        ),
        ('{"version": 1, "findings": [\n\n7]}', "b.json:3: an entry needs"),
        ("[" * 100_000, "b.json:1: not a baseline: nested too deeply"),
        ('{"a":' * 100_000, "b.json:1: not a baseline: nested too deeply"),
        (
            '{"findings": [], "version": ' + "[" * 300 + "]" * 300 + "}",
            "b.json:1: version of another kind is not",
        ),
        (b"\xff", "b.json: not valid UTF-8"),
    ],
)
def test_a_file_that_is_no_baseline(project, capsys, text: str | bytes, message: str) -> None:
    root = project({"a.py": BAD, "b.json": text})
    before = (root / "b.json").read_bytes()
    assert main(["check", "--baseline", "b.json"]) == 2
    assert capsys.readouterr().err.startswith(f"torchlsp: {message}")
    assert main(["check", "--write-baseline", "b.json"]) == 2
    assert (root / "b.json").read_bytes() == before


def test_a_missing_baseline_is_a_mistake(project, capsys) -> None:
    project({})
    assert main(["check", "--baseline", "absent.json"]) == 2
    assert capsys.readouterr().err.startswith("torchlsp: cannot read the baseline absent.json: ")


def test_nothing_is_written_after_an_internal_error(project, capsys) -> None:
    root = project({"a.py": BAD, "c.py": HEAD + "crash"})
    assert main(["check", "--write-baseline", "b.json"]) == 2
    assert "torchlsp: b.json: not written, because of internal errors\n" in capsys.readouterr().err
    assert not (root / "b.json").exists()


def test_known_findings_are_fixed_too(project, capsys) -> None:
    root = project({"a.py": BAD})
    main(["check", "--write-baseline", "b.json"])
    assert main(["check", "--baseline", "b.json", "--fix", "--unsafe-fixes"]) == 0
    assert (root / "a.py").read_text() == HEAD + "x.reshape(1)\n"


def test_statistics_and_exit_status_leave_out_what_is_hidden(project, capsys) -> None:
    root = project({"a.py": BAD})
    main(["check", "--write-baseline", "b.json"])
    (root / "a.py").write_text(BAD + "x.view(2)\n")
    capsys.readouterr()
    assert main(["check", "--baseline", "b.json", "--statistics", "-q"]) == 1
    assert capsys.readouterr().out == (
        "1  TL101  view-on-noncontiguous  fixable: 1 with --fix --unsafe-fixes\n"
    )
    assert main(["check", "--baseline", "b.json", "--exit-zero"]) == 0


@pytest.fixture
def real(monkeypatch: pytest.MonkeyPatch) -> None:
    """The analysis itself again, whose results are kept from run to run."""
    from torchlsp.cli import check as check_module
    from torchlsp.engine.engine import Engine

    monkeypatch.setattr(check_module, "Engine", Engine)


def test_files_whose_results_were_kept_count_as_looked_at(project, capsys, real) -> None:
    bad = "import torch\n\nx = torch.zeros(2, 3).t()\ny = x.view(6)\n"
    root = project({"a.py": bad, "b.py": bad})
    kept = ["--cache-dir", "kept"]
    assert main(["check", *kept, "--write-baseline", "b.json"]) == 0
    (root / "b.py").write_text(bad.replace("view", "reshape"))
    for _ in range(2):
        capsys.readouterr()
        assert main(["check", *kept, "--baseline", "b.json"]) == 0
        assert "1 entry of the baseline is gone" in capsys.readouterr().out
    assert main(["check", *kept, "--write-baseline", "b.json"]) == 0
    assert capsys.readouterr().out == "1 finding written to b.json\n"
    assert [one["path"] for one in entries(root / "b.json")] == ["a.py"]
