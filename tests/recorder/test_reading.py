"""Reading of records: damaged ones, stale ones, and how runs are kept."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from torchlsp.cli.main import main
from torchlsp.recorder import store
from torchlsp.recorder.described import (
    ObservedMapping,
    ObservedNothing,
    ObservedNumber,
    ObservedSequence,
    ObservedTensor,
    observed,
)
from torchlsp.recorder.reading import load, load_export
from torchlsp.recorder.running import _sources, shown_command
from torchlsp.recorder.showing import joined, shown
from torchlsp.syntax.function_digests import functions_of_text

TENSOR = {"t": "Tensor", "s": [2, 3], "d": "float32", "v": "cuda:0", "st": [3, 1], "g": True, "l": False}


def lines_of(path: str, digest: str, size: int = 3) -> list[dict]:
    return [
        {"k": "process", "pid": 1, "rank": None, "torch": "2.13.0"},
        {"k": "function", "id": 1, "f": path, "q": "f", "l": 1, "n": "f", "p": ["x"], "h": digest},
        {
            "k": "call",
            "id": 1,
            "fn": 1,
            "by": None,
            "p": {"x": TENSOR | {"s": [size, 3]}},
            "a": {},
            "g": True,
        },
        {"k": "end", "id": 1, "r": {"n": 0}, "ln": [2], "lx": []},
    ]


def stored_run(folder: Path, name: str, lines: list[object], sources: dict) -> Path:
    run = folder / name
    run.mkdir(parents=True)
    rows = [one if isinstance(one, str) else json.dumps(one) for one in lines]
    (run / "1-a.jsonl").write_text("\n".join(rows) + "\n")
    (run / "sources.json").write_text(json.dumps(sources))
    (run / "run.json").write_text(json.dumps({"command": ["python"], "status": 0, "processes": 1}))
    return run


@pytest.fixture
def source(tmp_path: Path) -> tuple[str, str]:
    from hashlib import sha256

    path = tmp_path / "code.py"
    path.write_text("def f(x):\n    return None\n")
    return str(path), sha256(path.read_bytes()).hexdigest()[:16]


def test_descriptions_are_read():
    assert observed(TENSOR) == ObservedTensor(
        "Tensor", (2, 3), "float32", "cuda:0", (3, 1), True, False, "strided"
    )
    assert observed({"L": [{"i": 1}], "n": 9}) == ObservedSequence(False, (ObservedNumber(1),), 9, None)
    assert observed({"D": {"a": {"i": 1}, "b": {"?": 1}}, "n": 2}) == ObservedMapping(
        (("a", ObservedNumber(1)),), 2, None
    )
    assert observed({"D": {}, "n": 0}) == ObservedMapping((), 0, None)
    assert observed({"L": [], "n": 0}) == ObservedSequence(False, (), 0, None)
    assert observed({"n": 0}) == ObservedNothing()
    nan = observed({"f": "nan"})
    assert isinstance(nan, ObservedNumber) and math.isnan(nan.value)


@pytest.mark.parametrize(
    "damaged",
    [
        None,
        1,
        [],
        {},
        {"t": 1},
        {"i": True},
        {"i": "1"},
        TENSOR | {"s": ["2"]},
        TENSOR | {"st": 3},
        {"T": [{}]},
    ]
    + [{"L": [], "n": "many"}, {"D": {}, "n": None}, {"a": "float32", "s": None}, {"b": 1}, {"f": "text"}],
)
def test_damaged_descriptions_are_none(damaged):
    assert observed(damaged) is None


def test_nested_descriptions_have_an_end():
    told: dict = {"i": 1}
    for _ in range(2000):
        told = {"T": [told]}
    assert observed(told) is None


def test_damaged_lines_are_skipped(tmp_path, source):
    path, digest = source
    lines = lines_of(path, digest)
    damaged = [
        "{",
        "[]",
        "null",
        '"text"',
        {"k": 1},
        {"k": "call"},
        {"k": "call", "id": 2, "fn": 99},
        '{"k":"call","i',
    ]
    stored_run(tmp_path / "runs", "1", [*damaged, *lines, *damaged], _sources(lines))
    (one,) = load(str(tmp_path / "runs")).functions(path)
    assert len(one.calls) == 1 and one.calls[0].is_ended


@pytest.mark.parametrize("name", ["run.json", "sources.json", "1-a.jsonl"])
@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe", b'{"a": 1}', b"[" * 100_000])
def test_damaged_files_cost_the_run(tmp_path, source, name, content):
    path, digest = source
    lines = lines_of(path, digest)
    run = stored_run(tmp_path / "runs", "1", lines, _sources(lines))
    (run / name).write_bytes(content)
    record = load(str(tmp_path / "runs"))
    assert not record.functions(path) or name == "run.json"


def test_a_run_without_its_last_file_does_not_exist(tmp_path, source):
    lines = lines_of(*source)
    (stored_run(tmp_path / "runs", "1", lines, _sources(lines)) / "run.json").unlink()
    assert not load(str(tmp_path / "runs")).runs and not load(str(tmp_path / "none")).runs


def test_runs_of_the_same_source_are_merged_the_newest_first(tmp_path, source):
    path, digest = source
    for number, size in ((1, 5), (2, 6)):
        lines = lines_of(path, digest, size)
        stored_run(tmp_path / "runs", str(number), lines, _sources(lines))
    (one,) = load(str(tmp_path / "runs")).functions(path)
    assert [(call.run, call.parameters["x"].sizes) for call in one.calls] == [("2", (6, 3)), ("1", (5, 3))]
    assert one.count == 2
    assert joined(call.parameters["x"] for call in one.calls) == "f32[5..6, 3] cuda:0 grad"


def test_a_file_that_has_changed_gives_no_digest(tmp_path, source):
    path, _ = source
    assert _sources(lines_of(path, "0" * 16)) == {}


def test_old_runs_are_deleted(tmp_path, source, monkeypatch):
    lines = lines_of(*source)
    folder = tmp_path / "runs"
    for number in range(8):
        stored_run(folder, str(number), lines, _sources(lines))
    store.trim(str(folder))
    assert [os.path.basename(one) for one in store.runs(str(folder))] == ["7", "6", "5", "4", "3"]
    monkeypatch.setattr(store, "MAX_BYTES", 1)
    store.trim(str(folder))
    assert [os.path.basename(one) for one in store.runs(str(folder))] == ["7"]


def test_folders_of_runs_that_never_ended_are_deleted_when_old(tmp_path):
    folder = tmp_path / "runs"
    (folder / "going-on").mkdir(parents=True)
    (folder / "abandoned").mkdir()
    os.utime(folder / "abandoned", (1, 1))
    store.trim(str(folder))
    assert [one.name for one in folder.iterdir()] == ["going-on"]


def test_a_file_that_is_no_export_is_refused(tmp_path):
    path = tmp_path / "facts.json"
    for text in ("", "[]", '{"torchlsp_record": 99}'):
        path.write_text(text)
        with pytest.raises(ValueError):
            load_export(str(path), str(tmp_path))
    path.write_text(
        '{"torchlsp_record": 1, "runs": [1, {}, {"id": "a", "about": {}, "sources": {}, "lines": [1, {}]}]}'
    )
    assert len(load_export(str(path), str(tmp_path)).runs) == 1


def test_functions_are_named_as_python_names_them():
    text = """
@decorator
def outer():
    def inner():
        pass
    return lambda x: x

class A:
    class B:
        async def method(self):
            pass
"""
    assert [(one.qualname, one.line) for one in functions_of_text(text)] == [
        ("<module>", 1),
        ("outer", 2),
        ("outer.<locals>.inner", 4),
        ("outer.<locals>.<lambda>", 6),
        ("A.B.method", 10),
    ]
    assert functions_of_text("def f(:") == []


def test_a_digest_holds_while_the_code_stays_the_same():
    def digests(text: str) -> tuple[str, str]:
        one = functions_of_text(text)[-1]
        return one.digest(), one.lines_digest()

    base = digests("def f(x):\n    return x + 1\n")
    assert digests("import os\n\n\ndef f(x):\n    return x + 1  # one more\n") == base
    moved = digests("def f(x):\n    # first\n    return x + 1\n")
    assert moved[0] == base[0] and moved[1] != base[1]
    assert digests("def f(x):\n    return x + 2\n")[0] != base[0]


def test_a_command_is_kept_without_its_arguments():
    assert shown_command(["/usr/bin/python", "-u", "a/train.py", "--key", "x"]) == ["python", "train.py"]
    assert shown_command(["python", "-m", "pack.tool", "secret"]) == ["python", "-m", "pack.tool"]
    assert shown_command(["run", "secret"]) == ["run"]


def test_values_are_shown_in_short():
    assert shown(ObservedSequence(True, (ObservedNumber(1),), 5, None)) == "(1, … 5 items)"
    assert joined([ObservedNumber(n) for n in range(9)]) == "0 | 1 | 2 | 3 | …"


@pytest.mark.parametrize(
    "arguments, message",
    [
        ([], "no command: write `--`"),
        (["--"], "no command after `--`"),
        (["status", "--", "python"], "one of them at a time"),
        (["--steps", "3", "status"], "--steps goes with a command"),
        (["--root", "/no/such/folder", "status"], "no such folder"),
    ],
)
def test_mistakes_in_the_call_are_named(arguments, message, capsys):
    assert main(["record", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_an_export_of_nothing_is_refused(tmp_path, capsys):
    arguments = ["record", "export", "--root", str(tmp_path), "--cache-dir", str(tmp_path / "c")]
    assert main([*arguments, str(tmp_path / "facts.json")]) == 2
    assert "nothing to export" in capsys.readouterr().err


def test_records_around_a_deep_file_are_found_by_resolving_its_path_once(tmp_path, monkeypatch) -> None:
    """To resolve every folder above it anew costs the cube of its depth: minutes for a file 1,000 folders deep."""
    path = tmp_path.joinpath(*["d"] * 30, "train.py")
    kept = store.new_run(store.records_folder(str(tmp_path / "cache"), str(path.parents[20])))
    resolved: list[str] = []

    def realpath(path: str, real: Callable[[str], str] = os.path.realpath) -> str:
        resolved.append(path)
        return real(path)

    monkeypatch.setattr(store.os.path, "realpath", realpath)
    assert store.folders_for(str(tmp_path / "cache"), str(path)) == [os.path.dirname(kept)]
    assert resolved == [str(path)]
    resolved.clear()
    assert store.folders_for(str(tmp_path / "none"), str(path)) == []
    assert resolved == []
