"""Dumps are read as data: what a file says is never imported or called, and what is damaged is refused with one sentence."""

from __future__ import annotations

import json
import os
import pickle
import struct
from pathlib import Path

import pytest

from torchlsp.hang.dumps import Dump, Frame, NoDump, named_files, rank_of, read_dump, read_dumps

ENTRY = {
    "record_id": 4,
    "pg_id": 0,
    "process_group": ("0", "default_pg"),
    "collective_seq_id": 5,
    "p2p_seq_id": 0,
    "profiling_name": "nccl:all_reduce",
    "input_sizes": [[3, 4]],
    "output_sizes": [[3, 4]],
    "input_dtypes": ["Float"],
    "output_dtypes": ["Float"],
    "state": "completed",
    "retired": False,
    "is_p2p": False,
    "frames": [
        {"filename": "a.py", "line": 7, "name": "step"},
        {"filename": "a.py", "line": 20, "name": "<module>"},
    ],
}
DUMP = {
    "version": "2.10",
    "entries": [ENTRY],
    "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": "[0, 1, 2]"}},
    "pg_status": {"0": {}, "3": {}},
}


def written(folder: Path, content: object, name: str = "trace_rank_2") -> str:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else pickle.dumps(content, protocol=2))
    return str(path)


def refusal(path: str) -> str:
    with pytest.raises(NoDump) as refused:
        read_dump(path)
    return str(refused.value)


def test_record_has_what_the_entry_says(tmp_path: Path) -> None:
    dump = read_dump(written(tmp_path, DUMP))
    (record,) = dump.records
    assert (dump.rank, record.number, record.sequence, record.operation) == (2, 4, 5, "all_reduce")
    assert (record.group, record.group_name, record.inputs, record.dtypes) == (
        "0",
        "default_pg",
        ((3, 4),),
        ("Float",),
    )
    assert record.has_ended and not record.is_point_to_point
    assert record.frames == (Frame("a.py", 20, "<module>"), Frame("a.py", 7, "step"))  # the outermost first
    assert dump.members == {"0": (0, 1, 2)}
    assert dump.has_lost_records and dump.has_stacks


def test_json_without_stacks_is_read(tmp_path: Path) -> None:
    entry = {key: value for key, value in ENTRY.items() if key != "frames"}
    dump = read_dump(written(tmp_path, json.dumps({"version": "2.10", "entries": [entry]}).encode()))
    assert dump.records[0].operation == "all_reduce" and not dump.has_stacks


@pytest.mark.parametrize(
    ("name", "rank"),
    [
        ("nccl_trace_rank_12", 12), ("rank3.pickle", 3), ("0", 0), ("fr_4.pkl", 4), ("RANK-7.json", 7), ("host10_rank_1.v2", 1),
        ("dump_5", 5), ("trace", None), ("trace.pickle", None),
    ],
)  # fmt: skip
def test_rank_is_in_the_name_of_the_file(name: str, rank: int | None) -> None:
    assert rank_of(f"/jobs/17/{name}") == rank


class Calls:
    """A pickle of this calls os.system."""

    def __reduce__(self):
        return os.system, ("touch hacked",)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "is empty"),
        (pickle.dumps(DUMP)[:-40], "is no pickle, or is cut off"),
        (b"hello", "is no pickle, or is cut off"),
        (b"{", "is neither a pickle nor JSON"),
        ([1, 2], "is no dump of the Flight Recorder"),
        ({"a": 1}, "is no dump of the Flight Recorder"),
        ({"version": "1", "entries": [{"pg_id": 0}]}, "has no record that can be read: torchlsp knows version 2 of the format"),
        ({"entries": Path("a")}, "is refused: it asks for pathlib"),
        (Calls(), "is refused: it asks for posix.system" if os.name == "posix" else "is refused: it asks for nt.system"),
        (b"Pmodule\n.", "is refused: it asks for an object outside of the file"),
        (b"\x80\x02Nr" + struct.pack("<I", 0xFFFFFFF0) + b".", "needs too much memory"),
    ],
)  # fmt: skip
def test_other_content_is_refused(tmp_path: Path, monkeypatch, content: object, why: str) -> None:
    monkeypatch.chdir(tmp_path)
    assert refusal(written(tmp_path, content)).startswith(why)
    assert not (tmp_path / "hacked").exists()


def test_what_is_no_regular_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "rank_0").symlink_to("/dev/zero")
    assert refusal(str(tmp_path / "rank_0")) == "not a regular file"
    assert refusal(str(tmp_path / "rank_1")) == "No such file or directory"


def test_bad_dump_leaves_the_others(tmp_path: Path) -> None:
    paths = [
        written(tmp_path, DUMP, "rank_1"),
        written(tmp_path, b"x", "rank_0"),
        written(tmp_path, DUMP, "again_rank_1"),
    ]
    dumps, refused = read_dumps(paths)
    assert [dump.rank for dump in dumps] == [1]
    assert [Path(path).name for path, _ in refused] == ["rank_0", "again_rank_1"]
    assert refused[1][1] == f"is of rank 1 by its name, as {paths[0]} is"


def test_folder_stands_for_its_files(tmp_path: Path) -> None:
    paths = [written(tmp_path, DUMP, "rank_1"), written(tmp_path, DUMP, "rank_0")]
    written(tmp_path, b"", ".hidden")
    (tmp_path / "folder").mkdir()
    assert named_files([str(tmp_path)]) == sorted(paths)
    assert named_files([paths[0], str(tmp_path)]) == [paths[0], paths[1]]


@pytest.mark.parametrize("key", ENTRY)
@pytest.mark.parametrize("value", [None, -1, "x", [None], [[None]], {"a": 1}, ("0",), b"x", 1.5])
def test_entry_with_another_value_does_not_raise(tmp_path: Path, key: str, value: object) -> None:
    try:
        dump = read_dump(written(tmp_path, DUMP | {"entries": [ENTRY | {key: value}]}))
    except NoDump:
        return
    assert isinstance(dump, Dump)
    hash(dump.records)


@pytest.mark.parametrize(
    "value", [None, 1, "x", [None], {"0": None}, {0: {"ranks": [1, 2]}}, {"0": {"ranks": "[]"}}]
)
@pytest.mark.parametrize("key", ["entries", "pg_config", "pg_status", "version"])
def test_part_with_another_value_does_not_raise(tmp_path: Path, key: str, value: object) -> None:
    try:
        assert isinstance(read_dump(written(tmp_path, DUMP | {key: value})), Dump)
    except NoDump:
        pass
