"""`hang` names the branch at which the ranks of a real job parted, and says what the dumps leave open."""

from __future__ import annotations

import json
import os
import pickle
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from torchlsp.cli.main import main

PROGRAM = """\
def work(dist, rank):
    dist.barrier()
    if rank == 0:
        dist.all_reduce()
    dist.broadcast()
work(dist, rank)
"""
FRAMES = {
    name: ("/old/place/train.py", row, "work")
    for name, row in (("barrier", 2), ("all_reduce", 4), ("broadcast", 5))
}


def dump(
    folder: Path,
    rank: int,
    operations: Sequence[str],
    first: int = 0,
    stacks: bool = True,
    ended: bool = False,
    file: str = "/old/place/train.py",
) -> str:
    """Writes the dump of a rank whose last collective has not ended."""
    entries = []
    for number, name in enumerate(operations, first):
        frames = [
            ("/x/site-packages/torch/distributed/distributed_c10d.py", 9, name),
            FRAMES[name],
            (file, 6, "<module>"),
        ]
        entries.append(
            {
                "record_id": number,
                "process_group": ("0", "default_pg"),
                "collective_seq_id": number + 1,
                "profiling_name": f"gloo:{name}",
                "input_sizes": [[3]],
                "output_sizes": [[3]],
                "input_dtypes": ["Float"],
                "output_dtypes": ["Float"],
                "state": "scheduled",
                "retired": ended or number < first + len(operations) - 1,
                "frames": [
                    {"filename": where, "line": row, "name": function} for where, row, function in frames
                ]
                if stacks
                else [],
            }
        )
        if file != "/old/place/train.py":
            for one in entries[-1]["frames"]:
                one["filename"] = one["filename"].replace("/old/place/train.py", file)
    path = folder / f"rank{rank}.pickle"
    path.write_bytes(pickle.dumps({"version": "2.10", "entries": entries, "pg_config": {}}, protocol=2))
    return str(path)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    source = tmp_path / "source"
    source.mkdir()
    (source / "train.py").write_text(PROGRAM)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def hang(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = main(["hang", *arguments])
    said = capsys.readouterr()
    return status, said.out, said.err


def test_branch_is_named_in_the_source(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [dump(folder, rank, ["barrier", "broadcast"]) for rank in (1, 2, 3)]
    paths.append(dump(folder, 0, ["barrier", "all_reduce"]))
    assert hang(capsys, *paths, "--source", "source") == (
        1,
        "rank 0 waits at /old/place/train.py:4 in all_reduce (#2 of the default group)\n"
        "ranks 1-3 wait at /old/place/train.py:5 in broadcast (#2 of the default group)\n"
        "these are different collectives under the same number\n"
        "\n"
        "ranks 1 and 0 were last together at /old/place/train.py:2 in barrier (#1 of the default group); then came"
        " /old/place/train.py:5 in broadcast on rank 1, /old/place/train.py:4 in all_reduce on rank 0\n"
        "they parted at source/train.py:3 `if rank == 0:`: rank 1 went past it, rank 0 went into it\n",
        "",
    )


def test_json_has_the_same(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dump(folder, 0, ["barrier", "all_reduce"]), dump(folder, 1, ["barrier", "broadcast"])
    (folder / "source").rename(folder.parent / f"{folder.name}_source")
    status, out, _ = hang(capsys, ".", "--source", f"../{folder.name}_source", "--output-format", "json")
    said = json.loads(out)
    assert status == 1 and said["hangs"] and said["missing_ranks"] == [] and said["refused"] == []
    assert [(one["rank"], one["records"], one["last"]["operation"]) for one in said["ranks"]] == [
        (0, 2, "all_reduce"),
        (1, 2, "broadcast"),
    ]
    assert [one["kind"] for one in said["differences"]] == ["operation"]
    assert said["differences"][0]["ranks"]["1"]["frames"][0]["line"] == 6
    (branch,) = said["parting"]["branches"]
    assert said["parting"]["sure"] and branch["tests_the_rank"]
    assert (branch["line"], branch["kind"], branch["text"]) == (3, "if", "if rank == 0:")
    assert branch["ways"] == ["true", "false"]


def test_job_that_does_not_hang(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for rank in (0, 1):
        dump(folder, rank, [])
    status, out, _ = hang(capsys, "rank0.pickle", "rank1.pickle")
    assert (status, out) == (
        0,
        "no rank waits in a recorded collective, and all have recorded the same ones\n",
    )


def test_all_wait_in_the_same_collective(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [dump(folder, rank, ["barrier", "broadcast"]) for rank in (0, 1, 3)]
    status, out, _ = hang(capsys, *paths)
    assert status == 1
    assert out == (
        "ranks 0-1, 3 wait at /old/place/train.py:5 in broadcast (#2 of the default group)\n"
        "they agree, and there is no dump of rank 2: they may wait for that\n"
    )
    out = hang(capsys, *paths[:2])[1]
    assert out.splitlines()[1] == "all ranks have begun the same collectives: no branch has led them apart"
    monkeypatch.setitem(FRAMES, "broadcast", ("/old/place/train.py", 7, "work"))
    dump(folder, 1, ["barrier", "broadcast"])
    out = hang(capsys, *paths[:2])[1]
    assert out.splitlines()[1:] == [
        "rank 1 waits at /old/place/train.py:7 in broadcast (#2 of the default group)",
        "all ranks have begun the same collectives, the last one at different places",
    ]


def test_what_the_dumps_leave_open_is_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def notes(*arguments: str) -> list[str]:
        status, out, _ = hang(capsys, "rank0.pickle", "rank1.pickle", *arguments)
        assert status == 1 and "they parted at" not in out
        return [line for line in out.splitlines() if line.startswith(("note: ", "cannot tell"))]

    dump(folder, 0, ["barrier", "all_reduce"]), dump(folder, 1, ["barrier", "broadcast"])
    assert notes() == [
        "cannot tell where they parted: /old/place/train.py is not here",
        "note: /old/place/train.py is not here: --source DIR names the folder that has it",
    ]
    (folder / "source" / "train.py").write_text("import os\n\n\ndef work():\n    pass\n\n")
    assert notes("--source", "source")[0].endswith("another version")
    (folder / "source" / "train.py").write_text(PROGRAM.replace("dist.broadcast()", "broadcast = 3"))
    assert notes("--source", "source")[0].endswith("calls nothing: it is another version")
    (folder / "source" / "train.py").write_text("def work(:\n")
    assert notes("--source", "source")[0].endswith("cannot be parsed")
    dump(folder, 0, ["barrier", "all_reduce"], stacks=False)
    assert notes("--source", "source") == [
        "cannot tell where they parted: the dumps have no stacks there",
        "note: the dumps of rank 0 have no stacks: no branch can be named (dumps in JSON never have them)",
    ]
    dump(folder, 0, ["broadcast", "all_reduce"], first=1)
    assert "note: the first records of rank 0 are overwritten" in "\n".join(notes("--source", "source"))


def test_rank_that_has_stopped_on_the_way(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Past the branch it would have come to the broadcast, and that would be recorded."""
    paths = [dump(folder, 0, ["barrier", "all_reduce"]), dump(folder, 1, ["barrier"], ended=True)]
    out = hang(capsys, *paths, "--source", "source")[1]
    assert (
        "rank 1 has not begun it: last was /old/place/train.py:2 in barrier (#1 of the default group)\n"
        in out
    )
    assert "cannot tell where they parted: rank 1 has stopped on the way" in out and "py-spy dump" in out
    dump(folder, 1, ["barrier"])
    out = hang(capsys, *paths, "--source", "source")[1]
    assert "cannot tell where they parted: rank 1 has not come out of barrier there" in out


def test_bad_dump_is_named_and_the_rest_is_read(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [dump(folder, 0, ["barrier", "all_reduce"]), dump(folder, 1, ["barrier", "broadcast"])]
    (folder / "rank2.pickle").write_bytes(b"x")
    status, out, err = hang(capsys, *paths, "rank2.pickle", "--source", "source")
    assert status == 1 and "they parted at source/train.py:3" in out
    assert err == "torchlsp: rank2.pickle is no pickle, or is cut off\n"
    status, out, err = hang(capsys, "rank2.pickle")
    assert (status, out) == (2, "")
    assert err.splitlines()[1] == "torchlsp: there is no dump of the Flight Recorder to read"
    assert hang(capsys, "nothing")[0] == 2 and hang(capsys, *paths, "--source", "nothing")[0] == 2


def test_control_characters_of_a_dump_do_not_reach_the_terminal(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for rank, names in enumerate((["barrier", "all_reduce"], ["barrier", "broadcast"])):
        dump(folder, rank, names, file="/a/\x1b[2Jb.py")
    status, out, err = hang(capsys, "rank0.pickle", "rank1.pickle", "--color", "always")
    assert status == 1 and "\x1b[2J" not in out + err and "/a/?[2Jb.py:4" in out


def test_source_outside_of_the_folder_is_not_read(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of a path with `..` nothing is looked for in the folder."""
    for rank, names in enumerate((["barrier", "all_reduce"], ["barrier", "broadcast"])):
        dump(folder, rank, names, file="/nowhere/../source/train.py")
    assert "is not here" in hang(capsys, "rank0.pickle", "rank1.pickle", "--source", "source")[1]


REAL = """\
import os, threading, time
import torch
import torch.distributed as dist
from torch._C._distributed_c10d import _dump_fr_trace


def keep_the_dump():
    mine = f"rank{dist.get_rank()}.pickle"
    time.sleep(2)
    with open(mine + ".part", "wb") as file:
        file.write(_dump_fr_trace())
    os.rename(mine + ".part", mine)
    while not all(os.path.exists(f"rank{rank}.pickle") for rank in range(2)):
        time.sleep(0.05)
    os._exit(0)


def save(model):
    dist.barrier()


def train():
    x = torch.ones(3)
    for step in range(4):
        dist.all_reduce(x)
        if dist.get_rank() == 0 and step == 2:
            save(x)
    dist.broadcast(x, 0)


dist.init_process_group("gloo")
threading.Thread(target=keep_the_dump, daemon=True).start()
train()
time.sleep(60)
"""


@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.processes
def test_job_of_two_ranks_that_hangs(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch) -> None:
    (tmp_path / "train.py").write_text(REAL)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    common = os.environ | {
        "WORLD_SIZE": "2",
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(port),
        "TORCH_FR_BUFFER_SIZE": "100",
    }
    ranks = [
        subprocess.Popen(
            [sys.executable, "train.py"],
            cwd=tmp_path,
            env=common | {"RANK": str(rank)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for rank in range(2)
    ]
    try:
        for one in ranks:
            one.wait(timeout=100)
    finally:
        for one in ranks:
            one.kill()
    monkeypatch.chdir(tmp_path)
    status, out, err = hang(capsys, "rank0.pickle", "rank1.pickle")
    assert (status, err) == (1, "")
    assert "rank 0 waits at train.py:19 in barrier (#4 of the default group)" in out
    assert "rank 1 waits at train.py:25 in all_reduce (#4 of the default group)" in out
    assert out.endswith(
        "they parted at train.py:26 `if dist.get_rank() == 0 and step == 2:`: rank 0 went into it, rank 1 went past it\n"
    )
