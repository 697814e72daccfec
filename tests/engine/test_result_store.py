"""The database of results: bounded, shared, and never in the way, whatever state it is in."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest

from torchlsp.engine import result_store
from torchlsp.engine.result_store import Batch, ResultStore, Row, stored_files

DAY = 86_400


def batch(*keys: str, size: int = 10) -> Batch:
    return Batch([Row(key, "{}", key * size) for key in keys])


def kept(folder: Path | str, *keys: str) -> set[str]:
    store = ResultStore(str(folder))
    found = {row.key for row in store.rows(keys)}
    assert store.problem is None
    store.close()
    return found


def size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.iterdir())


def test_what_is_written_is_read(tmp_path) -> None:
    store = ResultStore(str(tmp_path / "new" / "folder"), clock=lambda: 3 * DAY)
    written = Batch(
        [Row("a", "{}", "1"), Row("a", "{2}", "2")],
        {"f.py": ((1, 2, 3), "digest")},
        builds={"stamp": "value"},
    )
    store.write(written)
    # The latest first; a second time, the same row is replaced.
    assert [(row.needs, row.value, row.is_old) for row in store.rows(["a", "b"])] == [
        ("{2}", "2", False),
        ("{}", "1", False),
    ]
    store.write(Batch([Row("a", "{}", "3")]))
    assert [row.value for row in store.rows(["a"])] == ["3", "2"]
    assert store.files(["f.py", "g.py"]) == {"f.py": ((1, 2, 3), "digest")}
    assert (store.build("stamp"), store.build("other")) == ("value", None)
    assert store.counts() == (2, 1)
    assert store.problem is None


def test_nothing_is_made_to_be_read(tmp_path) -> None:
    store = ResultStore(str(tmp_path / "folder"))
    assert (store.rows(["a"]), store.files(["a"]), store.build("a"), store.counts()) == ([], {}, None, (0, 0))
    store.write(Batch())
    assert not (tmp_path / "folder").exists()


@pytest.mark.skipif(os.name == "nt", reason="modes are POSIX's")
def test_it_is_for_its_owner_only(tmp_path) -> None:
    folder = tmp_path / "folder"
    ResultStore(str(folder)).write(batch("a"))
    assert folder.stat().st_mode & 0o077 == 0
    assert next(folder.glob("*.sqlite3")).stat().st_mode & 0o077 == 0


def test_many_questions_at_once(tmp_path) -> None:
    keys = [f"{number}" for number in range(1200)]
    ResultStore(str(tmp_path)).write(batch(*keys))
    assert kept(tmp_path, *keys) == set(keys)


def test_a_path_need_not_be_unicode(tmp_path) -> None:
    path = os.fsdecode(b"caf\xe9.py")
    store = ResultStore(str(tmp_path))
    store.write(Batch(files={path: ((1, 2, 3), "digest")}))
    assert store.files([path]) == {path: ((1, 2, 3), "digest")}


def test_what_was_not_used_longest_goes_first(tmp_path) -> None:
    now = [100 * DAY]

    def store(max_bytes: int = 10**9) -> ResultStore:
        return ResultStore(str(tmp_path), max_bytes=max_bytes, clock=lambda: now[0])

    groups = {letter: [f"{letter}{number}" for number in range(30)] for letter in "abcd"}
    for day, letter in ((100, "a"), (90, "b"), (110, "c"), (120, "d")):
        now[0] = day * DAY
        store().write(batch(*groups[letter], size=1000))
    now[0] = 115 * DAY
    used = store()
    rows = used.rows(groups["b"])
    assert all(row.is_old for row in rows)
    used.write(Batch(used=[row.id for row in rows]))
    assert not any(row.is_old for row in used.rows(groups["b"]))
    used.close()
    # The clock was put back: what was used on a day that has not come yet counts as the oldest.
    before = size(tmp_path)
    store(int(before * 0.9)).write(batch("e", size=1000))
    left = {letter: len(kept(tmp_path, *keys)) for letter, keys in groups.items()}
    assert left["d"] == 0 < left["a"] < 30 == left["b"] == left["c"]
    assert kept(tmp_path, "e") == {"e"}
    assert size(tmp_path) <= 0.75 * before


def test_a_bound_below_everything_leaves_an_empty_file(tmp_path) -> None:
    store = ResultStore(str(tmp_path), max_bytes=1)
    store.write(Batch(batch("a", "b").rows, {"f": ((1, 2, 3), "digest")}))
    assert store.counts() == (0, 0)
    assert store.problem is None


def test_builds_of_long_ago_go(tmp_path) -> None:
    store = ResultStore(str(tmp_path), clock=lambda: now)
    for now in range(0, 40 * DAY, DAY):
        store.write(Batch(builds={f"{now // DAY}": "value"}))
    assert [number for number in range(40) if store.build(f"{number}")] == list(range(20, 40))


# ---- damage --------------------------------------------------------------------------------------------------------


def garbage(path: Path) -> None:
    path.write_bytes(b"this is no database\n" * 500)


def truncated(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2 + 100])


def overwritten(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[4096 : 3 * 4096] = b"\xff" * 8192
    path.write_bytes(data)


def of_others(path: Path) -> None:
    path.unlink()
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE outcomes (mine)")
    connection.close()


@pytest.mark.parametrize("damage", [garbage, truncated, overwritten, of_others], ids=lambda one: one.__name__)
def test_a_damaged_one_is_moved_aside_and_begun_anew(tmp_path, damage) -> None:
    store = ResultStore(str(tmp_path))
    keys = [f"{number}" for number in range(200)]
    store.write(batch(*keys, size=500))
    damage(Path(store.path))
    store = ResultStore(str(tmp_path))
    store.rows(keys)
    store.write(batch("new"))
    assert store.problem is not None and "moved aside" in store.problem
    assert Path(store.path + ".damaged").exists()
    assert kept(tmp_path, "new", *keys) == {"new"}
    assert {os.path.basename(path) for path, _ in stored_files(str(tmp_path))} == {
        "results-1.sqlite3",
        "results-1.sqlite3.damaged",
    }


def test_an_empty_file_is_a_database_that_has_just_been_made(tmp_path) -> None:
    path = Path(ResultStore(str(tmp_path)).path)
    path.write_bytes(b"")
    store = ResultStore(str(tmp_path))
    assert store.rows(["a"]) == []
    store.write(batch("a"))
    assert store.problem is None
    assert kept(tmp_path, "a") == {"a"}


def test_a_row_with_other_bits_is_no_row(tmp_path) -> None:
    store = ResultStore(str(tmp_path))
    store.write(Batch(batch("a", "b", "c").rows, builds={"stamp": "value"}))
    with sqlite3.connect(store.path) as connection:
        connection.execute("UPDATE outcomes SET value = 'other' WHERE key = 'a'")
        connection.execute("UPDATE outcomes SET needs = '[]' WHERE key = 'b'")
        connection.execute("UPDATE builds SET value = 'other'")
    connection.close()
    assert kept(tmp_path, "a", "b", "c") == {"c"}
    assert ResultStore(str(tmp_path)).build("stamp") is None


def test_damage_that_is_met_twice_ends_it(tmp_path, monkeypatch) -> None:
    store = ResultStore(str(tmp_path))
    store.write(batch("a"))
    garbage(Path(store.path))
    assert store.rows(["a"]) == []
    first = store.problem
    garbage(Path(store.path))
    assert store.rows(["a"]) == []
    store.write(batch("b"))
    assert store.problem == first
    assert Path(store.path).read_bytes().startswith(b"this is no database")


# ---- a folder that does not let us ---------------------------------------------------------------------------------


def test_a_file_in_the_place_of_the_folder(tmp_path) -> None:
    (tmp_path / "file").write_text("")
    store = ResultStore(str(tmp_path / "file"))
    assert store.rows(["a"]) == []
    store.write(batch("a"))
    store.write(batch("b"))
    assert store.problem == f"results are not kept in {tmp_path / 'file'}: File exists"


def test_a_folder_in_the_place_of_the_file(tmp_path) -> None:
    os.mkdir(ResultStore(str(tmp_path)).path)
    store = ResultStore(str(tmp_path))
    store.write(batch("a"))
    assert store.problem == f"results are not kept in {tmp_path}: unable to open database file"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written(tmp_path) -> None:
    (tmp_path / "folder").mkdir(mode=0o500)
    store = ResultStore(str(tmp_path / "folder"))
    store.write(batch("a"))
    assert store.problem is not None and store.problem.startswith("results are not kept in")


def test_one_that_another_holds(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(result_store, "_PATIENCE", 0.05)
    ResultStore(str(tmp_path)).write(batch("a"))
    other = sqlite3.connect(ResultStore(str(tmp_path)).path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    store = ResultStore(str(tmp_path))
    # Who writes keeps nobody from reading.
    assert [row.key for row in store.rows(["a"])] == ["a"]
    assert store.problem is None
    store.write(batch("b"))
    assert store.problem == f"results are not kept in {tmp_path}: database is locked"
    other.execute("COMMIT")
    other.close()
    assert kept(tmp_path, "a", "b") == {"a"}


def test_one_that_another_holds_for_itself_alone(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(result_store, "_PATIENCE", 0.05)
    ResultStore(str(tmp_path)).write(batch("a"))
    other = sqlite3.connect(ResultStore(str(tmp_path)).path, isolation_level=None)
    other.execute("PRAGMA locking_mode = EXCLUSIVE")
    other.execute("BEGIN EXCLUSIVE")
    store = ResultStore(str(tmp_path))
    assert store.rows(["a"]) == []
    assert store.problem == f"results are not kept in {tmp_path}: database is locked"
    other.execute("COMMIT")
    other.close()


def test_without_sqlite(tmp_path, monkeypatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "sqlite3", None)
    store = ResultStore(str(tmp_path))
    store.write(batch("a"))
    assert store.problem == "results are not kept: this Python has no sqlite3"


def test_all_of_it_or_nothing(tmp_path) -> None:
    ResultStore(str(tmp_path)).write(batch("a"))
    store = ResultStore(str(tmp_path))
    with pytest.raises(AttributeError):
        store.write(Batch([Row("b", "{}", "b"), None]))
    assert kept(tmp_path, "a", "b") == {"a"}
