"""`check` with results of earlier runs, and `torchlsp cache`."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from torchlsp.cli.main import main
from torchlsp.engine.result_store import NAME
from torchlsp.report.formats import FORMATS

ROOT = Path(__file__).parents[2]
BAD = "import torch\n\nx = torch.zeros(2, 3).t().view(6)\n"
FINE = "import torch\n\nx = torch.zeros(2, 3).view(6)\n"
PROJECT = {"pyproject.toml": "", "bad.py": BAD, "fine.py": FINE, "plain.py": "print(1)\n"}


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("TORCHLSP_CACHE_DIR", str(path))
    return path


def started(*arguments: str, **others) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-m", "torchlsp", "check", "--output-format", "json", *arguments],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **others,
    )


def said(capsys, *arguments: str, status: int = 1) -> tuple[str, str]:
    assert main(["check", *arguments]) == status
    told = capsys.readouterr()
    return told.out, told.err


def recalled(capsys, *arguments: str) -> bool:
    """Whether a check of one file recalled it."""
    return "had not changed" in said(capsys, "bad.py", "--timings", *arguments)[1]


@pytest.mark.parametrize("output_format", FORMATS)
def test_every_format_says_the_same(project, folder, capsys, output_format: str) -> None:
    project(PROJECT)
    without = said(capsys, "--no-cache", "--output-format", output_format)
    for _ in range(2):
        assert said(capsys, "--output-format", output_format) == without
    assert "TL101" in without[0]
    assert recalled(capsys)


def test_without_a_cache_nothing_is_read_or_written(project, folder, capsys) -> None:
    project(PROJECT)
    assert not recalled(capsys, "--no-cache")
    assert list(folder.iterdir()) == []
    assert not recalled(capsys)
    assert recalled(capsys)
    assert not recalled(capsys, "--no-cache")


def test_which_folder(project, folder, tmp_path_factory, monkeypatch, capsys) -> None:
    project(PROJECT)
    other = tmp_path_factory.mktemp("other")
    said(capsys, "--cache-dir", str(other / "deep"))
    assert list(folder.iterdir()) == [] and (other / "deep" / NAME).is_file()
    said(capsys)
    assert (folder / NAME).is_file()
    monkeypatch.delenv("TORCHLSP_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(other))
    if sys.platform == "linux":
        said(capsys)
        assert (other / "torchlsp" / NAME).is_file()


def test_a_project_does_not_choose_the_folder(project, folder, capsys) -> None:
    project(PROJECT | {"torchlsp.toml": 'cache-dir = "here"\n'})
    assert "unknown key" in said(capsys, status=2)[1]


def test_both_options_contradict_each_other(project, capsys) -> None:
    project({})
    assert main(["check", "--no-cache", "--cache-dir", "x"]) == 2
    assert "--cache-dir and --no-cache contradict each other" in capsys.readouterr().err


def test_the_table_of_times_says_what_was_recalled(project, folder, capsys) -> None:
    project(PROJECT)
    assert "the slowest of 3 files" in said(capsys, "--timings")[1]
    (Path("fine.py")).write_text(FINE + "\n")
    told = said(capsys, "--timings")[1]
    assert "the slowest of 1 files" in told
    assert told.endswith("torchlsp: 2 of 3 files had not changed; --no-cache checks them too\n")


def test_baselines_and_comments_are_made_from_what_is_recalled(project, folder, capsys) -> None:
    project(PROJECT)
    said(capsys)
    assert recalled(capsys)
    assert main(["check", "--write-baseline", "known.json"]) == 0
    assert main(["check", "--baseline", "known.json"]) == 0
    assert "1 known finding hidden" in capsys.readouterr().out
    assert main(["check", "--add-ignores=for now"]) == 0
    ignored = BAD.replace("view(6)\n", "view(6)  # torchlsp: ignore[TL101] for now\n")
    assert Path("bad.py").read_text() == ignored
    assert main(["check"]) == 0


def test_fixes_are_made_of_what_is_there(project, folder, capsys) -> None:
    project(PROJECT)
    said(capsys)
    assert main(["check", "--diff", "--unsafe-fixes"]) == 1
    assert "+x = torch.zeros(2, 3).t().reshape(6)" in capsys.readouterr().out
    assert main(["check", "--fix", "--unsafe-fixes"]) == 0
    assert main(["check"]) == 0


def test_standard_input_is_neither_kept_nor_recalled(project, folder, capsys, monkeypatch) -> None:
    import io

    project(PROJECT)
    said(capsys)
    for text, status in ((FINE, 0), (BAD, 1)):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        said(capsys, "-", "--stdin-filename", "bad.py", status=status)
    assert recalled(capsys)


def test_only_what_changes_brought(commit, folder, capsys) -> None:
    commit(PROJECT)
    Path("new.py").write_text(BAD)
    without = said(capsys, "--changed-since", "HEAD", "--no-cache")
    for _ in range(2):
        assert said(capsys, "--changed-since", "HEAD") == without
    assert "new.py" in without[0] and "bad.py" not in without[0]


# ---- many at once, and all that can be wrong -----------------------------------------------------------------------


@pytest.mark.processes
def test_several_runs_at_once(project, folder) -> None:
    project(PROJECT | {f"more{number}.py": BAD + f"# {number}\n" for number in range(10)})
    runs = [started() for _ in range(4)]
    told = [run.communicate(timeout=300) for run in runs]
    assert [run.returncode for run in runs] == [1] * 4, told
    assert {errors for _, errors in told} == {b""}
    assert len({output for output, _ in told}) == 1
    assert len(json.loads(told[0][0])) == 11
    with sqlite3.connect(folder / NAME) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("SELECT count(*) FROM outcomes").fetchone() == (13,)
    connection.close()


@pytest.mark.processes
@pytest.mark.skipif(sys.platform != "linux", reason="sets a limit of Linux")
@pytest.mark.parametrize("limit", [0, 4096, 20_000])
def test_a_full_disk(project, folder, limit: int) -> None:
    """As if there were room for so many bytes in any file."""
    import resource

    project(PROJECT | {f"more{number}.py": BAD + f"# {number}\n" for number in range(20)})
    run = started(preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    output, errors = run.communicate(timeout=120)
    assert run.returncode == 1
    assert len(json.loads(output)) == 21
    assert errors.startswith(b"torchlsp: results are not kept in") and errors.count(b"\n") == 1
    run = started()
    again, errors = run.communicate(timeout=120)
    assert (again, errors) == (output, b"")


def test_one_message_and_no_more(project, folder, capsys) -> None:
    project(PROJECT)
    out, _ = said(capsys)
    (folder / NAME).write_bytes(b"no database" * 1000)
    told, errors = said(capsys)
    assert told == out
    assert errors.count("\n") == 1 and "was damaged" in errors
    assert said(capsys) == (out, "")
    assert recalled(capsys)
    (folder / NAME).write_bytes(b"no database" * 1000)
    assert said(capsys, "-q")[1] == ""


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bytes]:
    """A project, and the database that a check of it leaves."""
    place, cache = tmp_path_factory.mktemp("project"), tmp_path_factory.mktemp("cache")
    for name, text in PROJECT.items():
        (place / name).write_text(text)
    here = os.getcwd()
    os.chdir(place)
    try:
        assert main(["check", "-q", "--cache-dir", str(cache)]) == 1
    finally:
        os.chdir(here)
    return place, (cache / NAME).read_bytes()


@pytest.mark.slow
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_whatever_is_in_the_file(written, tmp_path_factory, monkeypatch, capsys, data) -> None:
    """Bytes anywhere in the database are others, or it ends early: what is found stays the same."""
    place, database = written
    cache = tmp_path_factory.mktemp("cache")
    changed = bytearray(database)
    for position, byte in data.draw(
        st.lists(st.tuples(st.integers(0, len(database) - 1), st.integers(0, 255)), max_size=40)
    ):
        changed[position] = byte
    end = data.draw(st.just(len(database)) | st.integers(0, len(database)))
    (cache / NAME).write_bytes(changed[:end])
    capsys.readouterr()
    with monkeypatch.context() as patch:
        patch.chdir(place)
        for _ in range(2):
            assert main(["check", "--output-format", "concise", "--cache-dir", str(cache)]) == 1
            told = capsys.readouterr()
            assert told.out.startswith("bad.py:3:5: error TL101") and told.out.count("\n") == 1
            assert told.err.count("\n") <= 1


def test_a_damaged_schema_of_which_sqlite_speaks_no_text(written, tmp_path, monkeypatch, capsys) -> None:
    place, database = written
    monkeypatch.chdir(place)
    (tmp_path / NAME).write_bytes(database.replace(b"CREATE TABLE", b"CREATE \x80ABLE"))
    assert main(["check", "--output-format", "concise", "--cache-dir", str(tmp_path)]) == 1
    assert capsys.readouterr().out.startswith("bad.py:3:5: error TL101")


@pytest.mark.processes
def test_an_interrupted_run_leaves_a_whole_database(project, folder) -> None:
    """Killed at any moment: what is there is whole, or not there."""
    project(PROJECT)
    for _ in range(3):
        run = started()
        while not folder.joinpath(NAME).exists() and run.poll() is None:
            pass
        run.kill()
        run.communicate(timeout=60)
        run = started()
        output, errors = run.communicate(timeout=60)
        assert (run.returncode, len(json.loads(output)), errors) == (1, 1, b"")
        folder.joinpath(NAME).unlink()


# ---- the command ---------------------------------------------------------------------------------------------------


def test_status_and_clear(project, folder, capsys) -> None:
    project(PROJECT)
    said(capsys)
    (folder / "verdicts-0.json").write_text("{}")
    (folder / "mine.txt").write_text("not theirs")
    assert main(["cache", "status", "--output-format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["folder"] == str(folder)
    assert told["results"]["outcomes"] == 3
    assert told["results"]["bytes"] == (folder / NAME).stat().st_size
    assert told["verdicts"] == {"files": 1, "bytes": 2}
    assert main(["cache", "status"]) == 0
    assert f"folder: {folder}\nresults of checks: " in capsys.readouterr().out
    assert main(["cache", "clear", "--output-format", "json"]) == 0
    freed = json.loads(capsys.readouterr().out)["freed"]
    assert freed == told["results"]["bytes"] + 2
    assert [path.name for path in folder.iterdir()] == ["mine.txt"]
    assert main(["cache", "clear"]) == 0
    assert capsys.readouterr().out == f"freed 0.0 kB in {folder}\n"
    assert not recalled(capsys)


def test_status_of_what_is_damaged(project, folder, capsys) -> None:
    (folder / NAME).write_bytes(b"no database" * 1000)
    assert main(["cache", "status"]) == 0
    assert "but: " in capsys.readouterr().out
    assert main(["cache", "clear"]) == 0
    assert list(folder.iterdir()) == []


def test_what_cannot_be_deleted_is_said(project, folder, capsys) -> None:
    (folder / NAME).mkdir()
    assert main(["cache", "clear"]) == 2
    assert f"cannot delete {folder / NAME}" in capsys.readouterr().err
