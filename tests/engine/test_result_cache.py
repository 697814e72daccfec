"""What is recalled is what a check would find, and only what has changed is checked again."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from torchlsp.engine import build, pool, result_cache
from torchlsp.engine import engine as engine_module
from torchlsp.engine.config import Overrides
from torchlsp.engine.engine import CheckResult, Engine, Options
from torchlsp.report.formats import render
from torchlsp.report.sources import Sources
from torchlsp.report.text import Painter
from torchlsp.syntax import parse

ROOT = Path(__file__).parents[2]
HELPER = """\
import torch


def heads(x):
    x = x.transpose(1, 2)
    return x.view(2, 10, 64)
"""
HARMLESS = HELPER.replace(".view(", ".reshape(")
SIZES = "HEIGHT = 6\n"
CALLER = """\
import torch
from {helper} import heads

x = torch.randn(2, 4, 10, 16)
print(heads(x))
"""
READS_SIZES = """\
import torch
from .sizes import HEIGHT

x = torch.zeros(2, 3).view(HEIGHT)
"""
ALONE = "import torch\n\nx = torch.zeros(2, 3).t().view(6)\n"
PROJECT = {
    "pyproject.toml": "[project]\n",
    "package/__init__.py": "",
    "package/sizes.py": SIZES,
    "package/uses.py": READS_SIZES,
    "package/also_uses.py": READS_SIZES + "y = x.t()\n",
    "alone.py": ALONE,
    "caller.py": CALLER.format(helper="helper"),
    "helper.py": HELPER,
    "plain.py": "print(1)\n",
    "broken.py": "import torch\ndef f(:\n",
    "latin.py": b"# torch\nx = '\xe9'\n",
    "notebook.ipynb": '{"cells": [{"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": null, '
    '"source": "import torch\\nx = torch.zeros(2, 3).t().view(6)"}], "metadata": {}, "nbformat": 4, '
    '"nbformat_minor": 5}',
}


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("results"))


@pytest.fixture
def analysed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that were checked since this was last cleared."""
    checked: list[str] = []
    check_file = Engine._check_file

    def noted(self: Engine, path: str, *others: object) -> None:
        checked.append(path)
        check_file(self, path, *others)

    monkeypatch.setattr(Engine, "_check_file", noted)
    return checked


def run(folder: str | None, *paths: str, jobs: int = 1, torch: str | None = None, **overrides) -> CheckResult:
    return Engine(Options(Overrides(**overrides), jobs=jobs, torch=torch, cache=folder)).check(paths or ["."])


def outcome(result: CheckResult) -> tuple:
    texts = {path: document.text for path, document in result.documents.items()}
    as_json = render("json", result, Sources(result.documents), Painter(False))
    return (
        result.findings,
        as_json,
        texts,
        result.files,
        result.problems,
        result.stopped,
        result.internal_errors,
    )


def write(name: str, text: str) -> None:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(text)


# ---- what is checked again -----------------------------------------------------------------------------------------


def test_what_has_not_changed_is_not_checked_again(project, folder, analysed) -> None:
    project(PROJECT)
    first = run(folder)
    assert len(first.findings) >= 4
    assert first.recalled == 0
    analysed.clear()
    second = run(folder)
    assert analysed == []
    assert second.recalled == second.files == len(PROJECT) - 1
    assert outcome(second) == outcome(first) == outcome(run(None))


def test_one_changed_file_is_checked_again(project, folder, analysed) -> None:
    project(PROJECT)
    run(folder)
    analysed.clear()
    write("alone.py", ALONE + "y = x\n")
    changed = run(folder)
    assert analysed == ["alone.py"]
    assert outcome(changed) == outcome(run(None))


def test_a_changed_import_has_its_importers_checked_again(project, folder, analysed) -> None:
    project(PROJECT)
    before = run(folder)
    analysed.clear()
    write("package/sizes.py", "HEIGHT = 7\n")
    after = run(folder)
    assert sorted(analysed) == ["package/also_uses.py", "package/sizes.py", "package/uses.py"]
    assert {one.path for one in after.findings} - {one.path for one in before.findings} == {
        "package/uses.py",
        "package/also_uses.py",
    }
    assert outcome(after) == outcome(run(None))


def test_what_it_was_before_is_still_known(project, folder, analysed) -> None:
    """As when one goes back and forth between two branches."""
    project(PROJECT)
    before = run(folder)
    write("package/sizes.py", "HEIGHT = 7\n")
    run(folder)
    write("package/sizes.py", SIZES)
    analysed.clear()
    assert outcome(run(folder)) == outcome(before)
    assert analysed == []


def test_a_module_that_was_missing_is_found(project, folder, analysed) -> None:
    project({"pyproject.toml": "", "caller.py": CALLER.format(helper="new"), "alone.py": ALONE})
    assert [one.path for one in run(folder).findings] == ["alone.py"]
    analysed.clear()
    write("new.py", HELPER)
    result = run(folder)
    # The new file twice: its caller finds something in it.
    assert sorted(analysed) == ["caller.py", "new.py", "new.py"]
    assert [one.path for one in result.findings] == ["alone.py", "new.py"]
    os.unlink("new.py")
    analysed.clear()
    assert [one.path for one in run(folder).findings] == ["alone.py"]
    assert analysed == []


def test_a_module_that_comes_to_stand_before_another(project, folder, analysed) -> None:
    """An import means another file now; no file that was read has changed."""
    project(
        {"pyproject.toml": "", "helper.py": HARMLESS, "scripts/caller.py": CALLER.format(helper="helper")}
    )
    assert run(folder).findings == []
    write("scripts/helper.py", HELPER)
    analysed.clear()
    assert [one.path for one in run(folder).findings] == ["scripts/helper.py"]
    assert "scripts/caller.py" in analysed and "helper.py" not in analysed


def test_another_unrelated_file_costs_itself_only(project, folder, analysed) -> None:
    project(PROJECT)
    run(folder)
    analysed.clear()
    write("package/unrelated.py", ALONE)
    run(folder)
    assert analysed == ["package/unrelated.py"]


def test_what_is_found_in_an_import_depends_on_the_run(project, folder, analysed) -> None:
    """Where the imported file is checked too, the finding is shown there, else at the call."""
    project(PROJECT)
    assert "helper.py" in {one.path for one in run(folder).findings}
    alone = run(folder, "caller.py")
    assert [one.path for one in alone.findings] == ["caller.py"]
    analysed.clear()
    assert outcome(run(folder)) == outcome(run(None))
    assert outcome(run(folder, "caller.py")) == outcome(alone)
    # Both are known by now; the runs without a cache are those that checked.
    assert analysed.count("caller.py") == 1


def test_a_comment_in_the_import_counts(project, folder) -> None:
    project(PROJECT)
    run(folder)
    write("helper.py", HELPER.replace("64)\n", "64)  # torchlsp: ignore[TL101]\n"))
    assert outcome(run(folder)) == outcome(run(None))
    write("caller.py", "import torch\n")
    result = run(folder)
    assert [one.rule for one in result.findings if one.path == "helper.py"] == ["TL001"]
    assert outcome(result) == outcome(run(None))


# ---- what else a finding rests on ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "overrides",
    [
        {"select": ("TL501",)},
        {"ignore": ("TL101",)},
        {"extend_select": ("ALL",)},
        {"isolated": True},
    ],
    ids=str,
)
def test_settings_of_the_command_line(project, folder, overrides) -> None:
    project(PROJECT | {"torchlsp.toml": 'ignore = ["TL102"]\n'})
    plain = run(folder)
    for _ in range(2):
        assert outcome(run(folder, **overrides)) == outcome(run(None, **overrides))
    assert outcome(run(folder)) == outcome(plain)


@pytest.mark.parametrize(
    "text",
    [
        '[severity]\nTL101 = "warning"\n',
        '[per-file-ignores]\n"alone*" = ["TL101"]\n',
        'extend-select = ["TL101"]\n[severity]\nTL101 = "info"\n',
        "preview = true\n",
        'torch-version = "1.13"\n',
    ],
)
def test_settings_of_a_file(project, folder, text: str) -> None:
    old = "import torch\n\nx = torch.linalg.vecdot(torch.ones(3), torch.ones(3))\ny = torch.svd(x)\n"
    project(PROJECT | {"api.py": old})
    plain = run(folder)
    write("torchlsp.toml", text)
    assert outcome(run(folder)) == outcome(run(None))
    os.unlink("torchlsp.toml")
    assert outcome(run(folder)) == outcome(plain)


def test_the_torch_that_is_meant(project, folder) -> None:
    project({"a.py": "import torch\n\nvalues, vectors = torch.symeig(torch.eye(2))\n"})
    old, new = run(folder, torch="1.4.0"), run(folder, torch="2.13.0")
    assert outcome(old) != outcome(new)
    assert outcome(run(folder, torch="1.4.0")) == outcome(old)


def test_another_build_recalls_nothing(project, folder, analysed, monkeypatch) -> None:
    project({"alone.py": ALONE})
    run(folder)
    analysed.clear()
    monkeypatch.setattr(build, "_python_version", lambda: "another Python")
    run(folder)
    assert analysed == ["alone.py"]


def test_a_build_is_told_by_its_files(tmp_path, monkeypatch) -> None:
    package = tmp_path / "package"
    (package / "inner").mkdir(parents=True)
    source = package / "inner" / "a.py"
    source.write_text("x = 1\n")
    monkeypatch.setattr(build, "_PACKAGES", ("torchlsp",))
    monkeypatch.setattr(build, "_folders", lambda name: [str(package)] if name == "torchlsp" else [])
    stamp, content = build.stamp(), build.content()
    assert (build.stamp(), build.content()) == (stamp, content)
    # The same again, elsewhere or later: another stamp, the same content.
    os.utime(source, (1, 1))
    assert build.stamp() != stamp and build.content() == content
    source.write_text("x = 2\n")
    os.utime(source, (1, 1))
    assert build.content() != content
    source.write_text("x = 1\n")
    (package / "inner" / "b.py").write_text("")
    assert build.content() != content
    stamp = build.stamp()
    (package / "__pycache__").mkdir()
    (package / "__pycache__" / "a.py").write_text("")
    assert build.stamp() == stamp


def test_the_build_knows_the_code_that_runs() -> None:
    names = {name for name, _ in build._files()}
    assert {
        "torchlsp/interp/run/interpreter.py",
        "torchlsp.rules/layout/view_on_noncontiguous.py",
        "libcst",
    } <= names


def test_another_folder_shows_other_paths(project, folder, monkeypatch) -> None:
    project(PROJECT)
    run(folder)
    monkeypatch.chdir("package")
    write("sizes.py", "HEIGHT = 7\n")
    assert outcome(run(folder)) == outcome(run(None))
    assert {one.path for one in run(folder).findings} == {"uses.py", "also_uses.py"}


def test_a_stand_in_is_not_kept(project, folder) -> None:
    project({"alone.py": ALONE})
    run(folder)

    class Nothing:
        findings = elsewhere = internal_errors = stopped = ()
        analysis, steps = None, 0

    engine = Engine(Options(cache=folder), runner=lambda *_, **__: Nothing())
    assert engine.check(["."]).findings == []
    assert len(run(folder).findings) == 1


def test_errors_of_ours_are_not_kept(project, folder, monkeypatch) -> None:
    project({"alone.py": ALONE, "plain.py": "print(1)\n"})

    def fail(*_, **__):
        raise KeyError("of ours")

    with monkeypatch.context() as patch:
        patch.setattr(engine_module, "_installed_runner", lambda: fail)
        assert len(run(folder).internal_errors) == 1
        patch.setattr(engine_module, "_installed_runner", lambda: lambda *_, **__: nested())
        assert run(folder).stopped == ["alone.py: nested too deeply to be analysed"]
    result = run(folder)
    assert [one.path for one in result.findings] == ["alone.py"]
    assert (result.internal_errors, result.stopped, result.recalled) == ([], [], 1)


def nested() -> None:
    raise RecursionError


def test_what_was_given_up_is_told_again(project, folder, monkeypatch) -> None:
    monkeypatch.setattr(parse, "MAX_TEXT_LENGTH", 100)
    project({"large.py": "import torch\n" * 50})
    first = run(folder)
    assert first.stopped
    second = run(folder)
    assert second.recalled == 1
    assert outcome(second) == outcome(first)


def test_fixes_do_without(project, folder, analysed) -> None:
    project({"alone.py": ALONE})
    run(folder)
    analysed.clear()
    fixing = Engine(Options(fix=True, unsafe_fixes=True, cache=folder))
    assert fixing.check(["."]).changes
    assert analysed == ["alone.py"]
    assert run(folder).findings == []


@pytest.mark.skipif(not os.path.isdir("/dev/fd"), reason="needs files that name open pipes")
def test_a_pipe_is_read_once(project, folder) -> None:
    project({})
    for text in (ALONE, "import torch\n"):
        reading, writing = os.pipe()
        os.write(writing, text.encode())
        os.close(writing)
        try:
            result = run(folder, f"/dev/fd/{reading}")
        finally:
            os.close(reading)
        assert len(result.findings) == (text == ALONE)
        assert result.recalled == 0


def test_what_was_finished_before_an_interrupt_is_kept(project, folder) -> None:
    project({"a.py": ALONE, "b.py": ALONE, "c.py": ALONE})

    def stop(number: int, total: int, path: str) -> None:
        if number == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Engine(Options(cache=folder)).check(["."], stop)
    assert run(folder).recalled == 2


def test_progress_counts_what_is_recalled(project, folder) -> None:
    project(PROJECT)
    run(folder)
    write("alone.py", ALONE + "\n")
    told: list[tuple[int, int, str]] = []
    Engine(Options(cache=folder)).check(["."], lambda *one: told.append(one))
    assert told == [(len(PROJECT) - 2, len(PROJECT) - 1, "alone.py")]


# ---- times of files ------------------------------------------------------------------------------------------------


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """What was read to be digested."""
    found: list[bytes] = []
    digest_of = result_cache.digest_of
    monkeypatch.setattr(result_cache, "digest_of", lambda data: (found.append(data), digest_of(data))[1])
    return found


def at(folder: str, seconds: float) -> CheckResult:
    """A run whose clock goes wrong by so much."""
    engine = Engine(Options(cache=folder))
    assert engine._cache is not None
    clock = engine._cache._clock
    engine._cache._clock = lambda: clock() + seconds
    return engine.check(["."])


def test_a_file_of_some_time_ago_is_not_read(project, folder, reads) -> None:
    project({"plain.py": "print(1)\n"})
    at(folder, 60)
    assert len(reads) == 1
    assert at(folder, 70).recalled == 1
    assert len(reads) == 1


def test_a_file_of_a_moment_ago_is_read(project, folder, reads) -> None:
    project({"plain.py": "print(1)\n"})
    for number in range(3):
        assert run(folder).recalled == (number > 0)
        assert len(reads) == number + 1


def test_a_file_of_the_future_is_read(project, folder, reads) -> None:
    """Before a clock was put back it may have been written more than once at one time."""
    project({"plain.py": "print(1)\n"})
    at(folder, 60)
    reads.clear()
    for jump in (-3600, -30, 1):
        assert at(folder, jump).recalled == 1
    assert len(reads) == 3


def test_times_that_were_put_back_hide_no_change(project, folder) -> None:
    project({"alone.py": ALONE})
    status = os.stat("alone.py")
    at(folder, 60)
    write("alone.py", ALONE.replace(".view(6)", ".view(7)"))
    os.utime("alone.py", ns=(status.st_atime_ns, status.st_mtime_ns))
    assert os.stat("alone.py").st_size == status.st_size
    assert outcome(at(folder, 120)) == outcome(run(None))


def test_a_change_while_it_is_read_is_not_missed(project, folder, monkeypatch) -> None:
    project({"alone.py": ALONE})
    digest_of = result_cache.digest_of

    def slow(data: bytes) -> str:
        write("alone.py", "import torch\n" + " " * 50)
        return digest_of(data)

    with monkeypatch.context() as patch:
        patch.setattr(result_cache, "digest_of", slow)
        at(folder, 60)
    assert outcome(at(folder, 120)) == outcome(run(None))


# ---- equal to a run without ----------------------------------------------------------------------------------------


@pytest.fixture
def pooled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "_WORTH_A_POOL", 0.0)
    monkeypatch.setattr(pool, "_WORTH_A_PROCESS", 1e-6)
    monkeypatch.setattr(pool, "_may_fork", lambda: True)


@pytest.mark.processes
@pytest.mark.parametrize("source", ["examples", "tests/rules/cases", "tests/interp/programs"])
def test_cached_is_uncached_is_one_process_is_many(
    tmp_path, monkeypatch, folder, pooled, source: str
) -> None:
    shutil.copytree(ROOT / source, tmp_path / "project")
    monkeypatch.chdir(tmp_path / "project")
    if source == "tests/rules/cases":
        for number, path in enumerate(sorted(Path().glob("*.py"))):
            if number % 3:
                path.unlink()
    expected = outcome(run(None))
    assert expected[0]
    assert outcome(run(None, jobs=3)) == expected
    assert outcome(run(folder, jobs=3)) == expected
    recalled = run(folder)
    assert recalled.recalled == recalled.files > 5
    assert outcome(recalled) == expected
    assert outcome(run(folder, jobs=3)) == expected
    # One half recalled, the other checked.
    for path in sorted(Path().rglob("*.py"))[::2]:
        path.write_bytes(path.read_bytes() + b"\n# more\n")
    assert outcome(run(folder, jobs=3)) == outcome(run(None))


NAMES = ("a.py", "b.py", "package/__init__.py", "package/c.py", "package/sizes.py", "sizes.py")
TEXTS = (
    "",
    HELPER,
    HARMLESS,
    HELPER.replace("64)\n", "64)  # torchlsp: ignore[TL101]\n"),
    CALLER.format(helper="a"),
    CALLER.format(helper="package.c"),
    CALLER.format(helper="package"),
    "from .c import *\n",
    "from a import heads\n",
    SIZES,
    "HEIGHT = 7\n",
    READS_SIZES,
    READS_SIZES.replace(".sizes", "sizes"),
    "import torch\ndef f(:\n",
)
EDITS = st.lists(
    st.tuples(
        st.sampled_from(NAMES),
        st.sampled_from(TEXTS) | st.none(),
        st.booleans(),
    ),
    min_size=1,
    max_size=12,
)


@pytest.mark.slow
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(edits=EDITS)
def test_whatever_is_edited(tmp_path_factory, monkeypatch, edits) -> None:
    """After each edit (None deletes the file) a run is that of one without a cache, be times believed or not."""
    place, folder = tmp_path_factory.mktemp("project"), str(tmp_path_factory.mktemp("results"))
    with monkeypatch.context() as patch:
        patch.chdir(place)
        write("pyproject.toml", "")
        write("a.py", HELPER)
        write("b.py", CALLER.format(helper="a"))
        for number, (name, text, believes_times) in enumerate(edits):
            if text is None:
                Path(name).unlink(missing_ok=True)
            else:
                write(name, text)
                os.utime(name, (1_000_000_000 + number, 1_000_000_000 + number))
            cached = at(folder, 60) if believes_times else run(folder)
            assert outcome(cached) == outcome(run(None)), edits[: number + 1]
            again = run(folder)
            assert again.recalled == again.files
