"""Programs rebuilt from public reports: what torch does with each, and what the checker says of it."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest
from torch_runs import Program, TorchRuns

from torchlsp.engine.config import Overrides
from torchlsp.engine.engine import Engine
from torchlsp.engine.options import Options

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

NEWLINE = "\n"
FOLDER = Path(__file__).with_name("reports")
REPORTS = [
    pytest.param(entry, id=f"{path.stem}-{number}")
    for path in sorted(FOLDER.glob("*.toml"))
    for number, entry in enumerate(tomllib.loads(path.read_text(encoding="utf-8"))["report"], 1)
]


def source(entry: dict[str, Any], which: str) -> str:
    return entry[which].removeprefix("\n").rstrip("\n") + "\n"


def rows(entry: dict[str, Any]) -> list[int]:
    return entry["line"] if isinstance(entry["line"], list) else [entry["line"]]


@pytest.mark.parametrize("entry", REPORTS)
def test_the_bug_is_found_as_the_entry_says_and_the_twin_is_silent(entry, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = {}
    for which in ("bug", "mended"):
        Path(f"{which}.py").write_text(source(entry, which), encoding="utf-8")
        result = Engine(Options(Overrides(isolated=True))).check([f"{which}.py"])
        assert not result.internal_errors
        text = source(entry, which)
        found[which] = sorted(
            f"{one.rule}:{text.count(NEWLINE, 0, one.span.start) + 1}" for one in result.findings
        )
    assert found == {"bug": sorted(entry["found"]), "mended": []}
    assert not entry["named"] or entry["found"]


@pytest.mark.parametrize("entry", REPORTS)
def test_the_bug_does_in_torch_what_the_entry_says_and_the_twin_does_not(
    entry, torch_runs: TorchRuns
) -> None:
    assert ("raises" in entry) != ("proof" in entry)
    proofs = (entry["proof"],) if "proof" in entry else ()
    bug, mended = torch_runs.run_all(
        Program(
            source(entry, which),
            "",
            proofs,
            f"{which}.py",
            entry.get("world", 0),
            entry.get("emulate", False),
        )
        for which in ("bug", "mended")
    )
    if "raises" in entry:
        assert re.search(entry["raises"], bug.error)
    else:
        assert not bug.error and bug.proof
    assert not mended.error and not mended.proof


@pytest.mark.parametrize("entry", REPORTS)
def test_each_entry_says_where_it_was_reported_and_what_is_wrong(entry) -> None:
    assert re.fullmatch(r"https://\S+", entry["reference"])
    assert len(entry["about"].split()) >= 5
    assert all(1 <= row <= len(source(entry, "bug").splitlines()) for row in rows(entry))
    assert source(entry, "bug") != source(entry, "mended")
