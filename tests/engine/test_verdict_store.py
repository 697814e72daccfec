"""Verdicts on disk: kept, shared between runs, and never a reason to fail."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from torchlsp.core.finding import Outcome, Verdict
from torchlsp.engine import verdict_store
from torchlsp.engine.verdict_store import VerdictStore, store_for

CONFIRMED = Verdict(
    Outcome.CONFIRMED,
    error="RuntimeError: é",
    witness="B=3",
    assumes=("layout",),
    torch="2.13.0",
    ms=1.5,
    shown="é",
)
TIMEOUT = Verdict(Outcome.INCONCLUSIVE, reason="timeout: it did not end in time")


def test_a_verdict_comes_back_as_it_was(tmp_path: Path):
    path = str(tmp_path / "below" / "kept.json")
    store = VerdictStore(path)
    assert store.get("a") is None
    store["a"] = CONFIRMED
    assert store.get("a") == CONFIRMED
    store.save()
    assert VerdictStore(path).get("a") == CONFIRMED
    assert VerdictStore(path).get("b") is None


def test_what_depends_on_the_moment_is_not_kept(tmp_path: Path):
    path = str(tmp_path / "kept.json")
    store = VerdictStore(path)
    store["slow"] = TIMEOUT
    assert store.get("slow") == TIMEOUT
    store.save()
    assert VerdictStore(path).get("slow") is None


def test_what_depends_on_the_moment_is_asked_for_anew_later(monkeypatch):
    now = 100.0
    monkeypatch.setattr(verdict_store.time, "monotonic", lambda: now)
    store = VerdictStore()
    store["slow"], store["sure"] = TIMEOUT, CONFIRMED
    now += 59
    assert store.get("slow") == TIMEOUT
    now += 2
    assert store.get("slow") is None
    assert store.get("sure") == CONFIRMED
    store["slow"] = CONFIRMED
    now += 100
    assert store.get("slow") == CONFIRMED


def test_in_memory_the_last_used_are_kept(monkeypatch):
    monkeypatch.setattr(verdict_store, "MAX_VERDICTS", 3)
    store = VerdictStore()
    for name in "abc":
        store[name] = CONFIRMED
    store.get("a")
    store["d"] = CONFIRMED
    store.save()
    assert [store.get(name) is not None for name in "abcd"] == [True, False, True, True]


def test_runs_side_by_side_lose_nothing_of_each_other(tmp_path: Path):
    path = str(tmp_path / "kept.json")
    one, other = VerdictStore(path), VerdictStore(path)
    assert one.get("a") is other.get("a") is None
    one["a"] = CONFIRMED
    other["b"] = CONFIRMED
    one.save()
    other.save()
    assert VerdictStore(path).get("a") == VerdictStore(path).get("b") == CONFIRMED


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "1", '{"a": 1}', '{"a": {"outcome": "refuted"}}', "[" * 100_000, "\udcff"],
    ids=["empty", "cut", "list", "number", "no verdict", "part of one", "deep", "no text"],
)
def test_a_damaged_file_counts_as_empty(tmp_path: Path, text: str):
    path = tmp_path / "kept.json"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    store = VerdictStore(str(path))
    assert store.get("a") is None
    store["a"] = CONFIRMED
    store.save()
    assert VerdictStore(str(path)).get("a") == CONFIRMED


def test_a_value_of_a_wrong_type_is_no_verdict(tmp_path: Path):
    path = tmp_path / "kept.json"
    store = VerdictStore(str(path))
    store["a"] = CONFIRMED
    store.save()
    table = json.loads(path.read_text())
    for name, wrong in (("error", 3), ("ms", "1"), ("assumes", "x"), ("outcome", "yes")):
        path.write_text(json.dumps({"a": table["a"] | {name: wrong}}))
        assert VerdictStore(str(path)).get("a") is None, name


def test_only_the_newest_are_kept(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(verdict_store, "MAX_VERDICTS", 3)
    path = str(tmp_path / "kept.json")
    store = VerdictStore(path)
    for number in range(5):
        store[str(number)] = CONFIRMED
    store.save()
    assert [VerdictStore(path).get(str(number)) is not None for number in range(5)] == [
        False,
        False,
        True,
        True,
        True,
    ]


def test_where_nothing_can_be_written_nothing_is_said(tmp_path: Path):
    (tmp_path / "file").write_text("")
    store = VerdictStore(str(tmp_path / "file" / "kept.json"))
    store["a"] = CONFIRMED
    store.save()
    assert store.get("a") == CONFIRMED


def test_each_torch_and_python_has_verdicts_of_its_own(tmp_path: Path):
    folder = str(tmp_path)
    paths = {
        store_for("/env/bin/python", "2.13.0", folder).path,
        store_for("/env/bin/python", "2.12.0", folder).path,
        store_for("/other/bin/python", "2.13.0", folder).path,
    }
    assert len(paths) == 3
    assert store_for("/env/bin/python", "2.13.0", folder).path in paths


def test_the_folder_is_the_users_cache(tmp_path: Path, monkeypatch):
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert store_for("python", None).path.startswith(str(tmp_path / "torchlsp"))
