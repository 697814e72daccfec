"""Dumps of programs that hung on two and four gloo ranks of torch 2.13, with the branch at which they were written to part.

`recorded_jobs.json` has for each its files, in which `# parted` marks the branch, its stacks, the records of each rank, and whether
the dumps can tell: a loop that ends sooner and a step that is skipped look alike, and a rank that has ended is not recorded.
"""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

from torchlsp.hang.account import account

JOBS = json.loads((Path(__file__).parent / "recorded_jobs.json").read_text(encoding="utf-8"))
KEYS = (
    "record_id", "process_group", "collective_seq_id", "profiling_name", "input_sizes", "output_sizes", "input_dtypes",
    "output_dtypes", "retired",
)  # fmt: skip


def written(folder: Path, name: str) -> list[str]:
    """Writes the files and the dumps of a job, as it would have run in the folder."""
    job = JOBS[name]
    for file, lines in job["files"].items():
        (folder / file).write_text("\n".join(lines))
    stacks = [
        [
            {"filename": str(folder / file) if file in job["files"] else file, "line": line, "name": function}
            for file, line, function in stack
        ]
        for stack in job["stacks"]
    ]
    paths = []
    for rank, records in enumerate(job["ranks"]):
        entries = [dict(zip(KEYS, record)) | {"frames": stacks[record[-1]]} for record in records]
        paths.append(str(folder / f"rank_{rank}"))
        Path(paths[-1]).write_bytes(pickle.dumps({"version": "2.10", "entries": entries, "pg_config": {}}))
    return paths


@pytest.mark.parametrize("name", JOBS)
def test_branch_of_a_job_that_hung_is_named_or_left_open(name: str, tmp_path: Path) -> None:
    found = account(written(tmp_path, name))
    assert found.is_hanging
    parting = found.parting
    assert (parting is not None and parting.is_sure) == JOBS[name]["sure"], parting
    if parting is not None and parting.is_sure:
        (branch,) = parting.branches
        line = JOBS[name]["files"][Path(branch.path).name][branch.line - 1]
        assert line.endswith("# parted"), line


def test_most_are_named() -> None:
    assert len(JOBS) > 100 and sum(job["sure"] for job in JOBS.values()) / len(JOBS) > 0.75
