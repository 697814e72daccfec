"""Batches of public repositories: what is taken, in which order it is checked, and the ledger of what readers say."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

import pytest

from torchlsp.dev import batches

WRONG = "import torch\n\ntorch.zeros(2, 3).view(4)\n"


@pytest.fixture
def snapshot(tmp_path: Path):
    """Makes a git repository named owner+name with these files."""

    def make(name: str, files: dict[str, str]) -> Path:
        folder = tmp_path / "snapshots" / name
        folder.mkdir(parents=True)
        for path, text in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
        for command in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "all"]):
            who = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
            subprocess.run(["git", "-C", str(folder), *who, *command], check=True)
        return folder

    return make


def files(marker: str, count: int = 3, lines: int = 60) -> dict[str, str]:
    return {
        f"{number}.py": f"import torch\n# {marker} {number}\n" + "x = 1\n" * lines for number in range(count)
    }


@pytest.mark.processes
def test_a_snapshot_is_taken_by_the_rule(tmp_path, snapshot, monkeypatch):
    (tmp_path / "ledgers").mkdir()
    (tmp_path / "ledgers" / "a.md").write_text("| pool | batch | Own/Used | 0 | 1 |\n", encoding="utf-8")
    monkeypatch.setattr(batches, "LEDGERS", tmp_path / "ledgers")
    pool = tmp_path / "pool"
    pool.mkdir()
    good = files("good") | {"README.md": "Needs PyTorch 1.4.\n", "weights.bin": "0"}
    assert batches.take(snapshot("own+good", good), pool) == "taken"
    assert (pool / "own+good" / "README.md").read_text(encoding="utf-8") == "Needs PyTorch 1.4.\n"
    assert not (pool / "own+good" / "weights.bin").exists()
    assert batches.take(snapshot("own+used", files("used")), pool) == "used before"
    assert batches.take(snapshot("own+two", files("two", count=2)), pool) == "2 files import torch"
    assert batches.take(snapshot("own+short", files("short", lines=3)), pool) == "15 lines"
    assert batches.take(snapshot("own+copy", files("good") | {"new.py": WRONG}), pool) == "a copy"
    assert [one.name for one in batches.in_order(pool)] == ["own/good"]


def test_the_order_of_the_pool_is_not_that_of_taking(tmp_path):
    names = ["a/one", "b/two", "c/three", "d/four"]
    orders = []
    for number, listed in enumerate((names, names[::-1])):
        pool = tmp_path / str(number)
        pool.mkdir()
        rows = "".join(f"{name}\t{'0' * 40}\t200\n" for name in listed)
        (pool / "repositories.txt").write_text(rows, encoding="utf-8")
        orders.append([one.name for one in batches.in_order(pool)])
    assert orders[0] == orders[1]
    assert sorted(orders[0]) == names


def checked(tmp_path: Path, snapshot, **options: int) -> str:
    pool = tmp_path / "pool"
    pool.mkdir(exist_ok=True)
    for name in ("a+first", "b+second", "c+third"):
        if not (pool / name).exists():
            assert batches.take(snapshot(name, files(name) | {"wrong.py": WRONG}), pool) == "taken"
    given = {"start": 0, "repositories": 2, "errors": 1} | options
    return batches.check(
        argparse.Namespace(folder=pool, out=tmp_path / "batch", python=sys.executable, **given)
    )


@pytest.mark.processes
def test_a_batch_ends_where_it_is_large_enough_and_the_next_begins_there(tmp_path, snapshot):
    assert checked(tmp_path, snapshot) == "2 repositories, 2 errors, 0 others; next start 2"
    assert checked(tmp_path, snapshot, start=2) == "1 repositories, 1 errors, 0 others; next start 3"
    (finding,) = json.loads((tmp_path / "batch" / "findings.json").read_text(encoding="utf-8"))
    assert (finding["code"], finding["line"]) == ("TL102", "torch.zeros(2, 3).view(4)")
    assert (
        checked(tmp_path, snapshot, repositories=1, errors=3)
        == "3 repositories, 3 errors, 0 others; next start 3"
    )


def finding(repository: str, severity: str = "error") -> dict[str, object]:
    return {
        "repository": repository, "commit": "a" * 40, "filename": "a.py", "location": {"row": 3, "column": 1}, "code": "TL102",
        "severity": severity, "message": "x | y", "line": "x.view(4) \0\x1b| `y`",
    }  # fmt: skip


@pytest.fixture
def batch(tmp_path: Path) -> Path:
    found = [finding("a/b"), finding("a/b", "warning"), finding("a/b"), finding("c/d"), finding("e/f")]
    (tmp_path / "findings.json").write_text(json.dumps(found), encoding="utf-8")
    rows = [[name, "a" * 40, 50_000] for name in ("a/b", "c/d", "e/f", "g/h")]
    (tmp_path / "repositories.json").write_text(json.dumps(rows), encoding="utf-8")
    return tmp_path


def test_a_packet_holds_whole_repositories(batch):
    made = [[one["id"] for one in packet] for _, packet in batches.packets(batch, 2)]
    assert made == [[0, 1, 2], [3, 4]]
    assert json.loads((batch / "packet2.json").read_text(encoding="utf-8"))[0]["repository"] == "c/d"


def test_the_ledger_has_each_verdict_and_the_counts(batch):
    words = ["true", "useless", "untrue", "dead", "true"]
    verdicts = [
        {"id": number, "verdict": word, "why": f"reason | {number}"} for number, word in enumerate(words)
    ]
    (batch / "verdicts1.json").write_text(json.dumps(verdicts[:2]), encoding="utf-8")
    with pytest.raises(KeyError):
        batches.ledger(batch)
    (batch / "verdicts2.json").write_text(json.dumps(verdicts[2:]), encoding="utf-8")
    text = batches.ledger(batch)
    assert text.startswith(
        "4 repositories, 200,000 lines. 4 errors: 2 true, 1 dead, 0 useless, 1 untrue: 75.0 % are not untrue; 0.50 untrue in 100,000 lines. "
        "1 warnings: 0 true, 0 dead, 1 useless, 0 untrue. Of all findings 3 of 5 are useful (60.0 %).\n"
    )
    assert "| a/b | aaaaaaaaaa | a.py:3 | TL102 | `x.view(4) ¦ y` | untrue | reason ¦ 2 |" in text
    assert (
        text.index("## Errors of the batch")
        < text.index("## Warnings of the batch")
        < text.index("reason ¦ 1")
    )
    verdicts[0]["verdict"] = "perhaps"
    (batch / "verdicts1.json").write_text(json.dumps(verdicts[:2]), encoding="utf-8")
    with pytest.raises(ValueError, match="perhaps"):
        batches.ledger(batch)
