"""Findings and facts are the same in every process: none of them follows the order of a set, or what a hash is."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from torchlsp.cli.main import main
from torchlsp.core.text import Document
from torchlsp.dev.facts import WorkspaceImports
from torchlsp.engine.provider import Provider
from torchlsp.engine.workspace import Workspace
from torchlsp.facts.notation import value_text
from torchlsp.facts.values import Value
from torchlsp.interp.run.analyse import analyse
from torchlsp.interp.store.analysis import Analysis
from torchlsp.lint.files import lowered

ROOT = Path(__file__).parents[2]
SEEDS = (0, 1, 2)
SEVERAL_ANSWERS = "tests/interp/hash_seeds"
CORPORA = ("tests/rules/cases", "tests/interp/programs", "examples")
RECORDED = ("names", "values", "called", "contents")
Judged = dict[str, dict[str, list[str]]]
"""For each file what is recorded of it, and its findings."""


@pytest.mark.slow
@pytest.mark.parametrize("folders", [(SEVERAL_ANSWERS,), CORPORA], ids=["several answers", "corpora"])
def test_hash_seed_changes_nothing(folders: tuple[str, ...]) -> None:
    first, *others = under_each_seed(folders)
    assert any(file["findings"] for file in first.values())
    for seed, other in zip(SEEDS[1:], others, strict=True):
        assert list(differences(first, other)) == [], f"PYTHONHASHSEED={SEEDS[0]} and {seed} differ"


def test_first_of_several_places_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    findings = findings_of((SEVERAL_ANSWERS,))
    text = (ROOT / SEVERAL_ANSWERS / "several_answers.py").read_text()
    rows = [1 + text[: text.index(start)].count("\n") for start in ("def two_ways", "def three_ways")]
    found = [one for one in findings if one["code"] == "TL502" and rows[0] < one["location"]["row"] < rows[1]]
    clear = text[: text.index("optimizer.zero_grad()")].count("\n") + 1
    assert [one["location"]["row"] for one in found] == [clear]


def under_each_seed(folders: tuple[str, ...]) -> list[Judged]:
    """What processes with different hash seeds say of the same files."""
    processes = [
        subprocess.Popen(
            [sys.executable, __file__, *folders],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            stdout=subprocess.PIPE,
        )
        for seed in SEEDS
    ]
    answers = [process.communicate()[0] for process in processes]
    assert [process.returncode for process in processes] == [0] * len(SEEDS)
    return [json.loads(answer) for answer in answers]


def differences(one: Judged, other: Judged) -> Iterator[str]:
    assert one.keys() == other.keys()
    for path, judged in one.items():
        for what, said in judged.items():
            if said != other[path][what]:
                yield f"{path}: {what}: {[*set(said) ^ set(other[path][what])][:2]}"


# ---- in each process ----------------------------------------------------------------------------------------------------


def judged(folders: tuple[str, ...]) -> Judged:
    """Everything that is said of the files of some folders."""
    files = sorted(str(file) for folder in folders for file in Path(folder).rglob("*.py"))
    found: Judged = {file: {"findings": [], **recorded(file)} for file in files}
    for finding in findings_of(folders):
        found[finding["filename"]]["findings"].append(json.dumps(finding))
    return found


def findings_of(folders: tuple[str, ...]) -> list[dict]:
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        main(["check", "--select", "ALL", "--output-format", "json", "--no-cache", "--exit-zero", *folders])
    return json.loads(said.getvalue())


def recorded(file: str) -> dict[str, list[str]]:
    """Digests of what the interpreter keeps of a file, in the order in which it is kept."""
    provider = Provider(Workspace())
    tree = provider.tree(Document.from_bytes(file, Path(file).read_bytes()))
    analysis = analyse(lowered(tree), WorkspaceImports(provider), recording=True)
    kept = {
        name: [f"{key} {shown(value)}" for key, value in getattr(analysis, name).items()] for name in RECORDED
    }
    kept["faults"] = list(faults(analysis))
    kept["steps"] = [f"{analysis.steps} {analysis.unfollowed} {analysis.stopped} {analysis.errors}"]
    return {name: [hashlib.sha256("\n".join(lines).encode()).hexdigest()] for name, lines in kept.items()}


def faults(analysis: Analysis) -> Iterator[str]:
    for one in analysis.faults:
        place = one.path, one.start, one.end
        yield f"{one.kind.name} {one.op} {place} {sorted(one.assumptions)} {one.call_chain}"


def shown(value: object) -> str:
    """A value in the notation of hovers; the kind of what is none."""
    return value_text(value) if isinstance(value, Value) else type(value).__name__


if __name__ == "__main__":
    json.dump(judged(tuple(sys.argv[1:])), sys.stdout)
