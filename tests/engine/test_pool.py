"""Checking in several processes: the same outcome as in one, whatever happens to a process."""

from __future__ import annotations

import os
import pickle
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from fake_analysis import RULES, analyse

from torchlsp.core.text import Document
from torchlsp.engine import pool
from torchlsp.engine.config import ConfigError, Overrides
from torchlsp.engine.engine import CheckResult, Engine, FileTiming, Options

pytestmark = pytest.mark.processes

ROOT = Path(__file__).parents[2]
HEAD = "import torch\n"
HELPER = """\
import torch


def heads(x):
    x = x.transpose(1, 2)
    return x.view(2, 10, 64)


def rows(x):
    x = x.transpose(1, 2)
    return x.view(2, 10, 64)  # torchlsp: ignore[TL101]


def fine(x):
    return x.reshape(2, 10, 64)  # torchlsp: ignore[TL101]
"""
CALLER = """\
import torch
from {helper} import fine, heads, rows

x = torch.randn(2, 4, 10, 16)
print(heads(x), rows(x), fine(x))
print(torch.zeros(2, 3).t().view(6))
"""
ACROSS = {
    "a_caller.py": CALLER.format(helper="b_helper"),
    "b_helper.py": HELPER,
    "c_caller.py": CALLER.format(helper="b_helper"),
    "d_caller.py": CALLER.format(helper="e_helper"),
    "e_helper.py": HELPER,
    "f_broken.py": HEAD + "def f(:\n",
    "g_nothing.py": "",
    "h_large.py": HEAD + "x = torch.zeros(2, 3).t().view(6)\n" * 60,
    "i_latin.py": b"# torch\nx = '\xe9'\n",
}


@pytest.fixture(autouse=True)
def forks(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests hand over functions of their own, which only a fork takes along. The process that runs the tests may
    have threads (of torch, of xdist): they hold no lock that these functions ask for."""
    if sys.platform == "linux":
        monkeypatch.setattr(pool, "_may_fork", lambda: True)


@pytest.fixture(autouse=True)
def any_size_is_worth_it(monkeypatch) -> None:
    monkeypatch.setattr(pool, "_WORTH_A_POOL", 0.0)
    monkeypatch.setattr(pool, "_WORTH_A_PROCESS", 1e-6)


def outcome(result: CheckResult) -> tuple:
    return (
        result.findings,
        result.files,
        {path: document.text for path, document in result.documents.items()},
        result.problems,
        result.stopped,
        result.internal_errors,
        [(timing.path, timing.steps) for timing in result.timings],
    )


def checked(jobs: int, *paths: str) -> tuple[CheckResult, list[tuple[int, int]]]:
    told: list[tuple[int, int]] = []
    result = Engine(Options(jobs=jobs)).check(paths, lambda number, total, path: told.append((number, total)))
    return result, told


def stand_in(runner, jobs: int = 2, **options) -> Engine:
    return Engine(Options(Overrides(), jobs=jobs, **options), runner=runner, rules=RULES)


@pytest.mark.parametrize("paths", [["."], sorted(ACROSS, reverse=True), ["a_caller.py", "d_caller.py"]])
def test_the_outcome_is_that_of_one_process(project, paths: list[str]) -> None:
    project(ACROSS)
    alone, told_alone = checked(1, *paths)
    together, told_together = checked(3, *paths)
    assert len(alone.findings) > 3
    assert outcome(together) == outcome(alone)
    assert told_together == told_alone


def test_the_outcome_is_that_of_one_process_where_nothing_forks(project, monkeypatch) -> None:
    monkeypatch.setattr(pool, "_may_fork", lambda: False)
    project({**ACROSS, "torchlsp.toml": 'ignore = ["TL001"]\n[per-file-ignores]\n"e_*" = ["TL101"]\n'})
    alone, _ = checked(1, ".")
    together, _ = checked(2, ".")
    assert len(alone.findings) > 3
    assert outcome(together) == outcome(alone)


def test_notices_come_in_the_order_of_the_files(project) -> None:
    project(
        {
            "a.py": HEAD + "slow()\nbad(1)\n",
            "b.py": HEAD + "crash()\n" + "#" * 500,
            "c.py": HEAD + "inner()\n" + "#" * 900,
            "d.py": HEAD + "deep()\n",
            "e.py": HEAD + "crash()\n" + "#" * 1200,
        }
    )
    alone, together = stand_in(analyse, 1).check(["."]), stand_in(analyse, 3).check(["."])
    assert [line.split(":")[0] for line in alone.internal_errors] == ["b.py", "c.py", "e.py"]
    assert together.stopped == alone.stopped
    assert [one.path for one in together.findings] == ["a.py"]
    # Tracebacks below differ in the frames of the process.
    assert [line.partition("\n")[0] for line in together.internal_errors] == [
        line.partition("\n")[0] for line in alone.internal_errors
    ]


def dying(tree, provider, codes):
    text = tree.document.text
    if "leave()" in text:
        os._exit(3)
    if "killed()" in text:
        os.kill(os.getpid(), signal.SIGKILL)
    return analyse(tree, provider, codes)


def test_a_process_that_dies_costs_its_own_file_only(project) -> None:
    files = {f"fine_{i}.py": HEAD + f"bad({i})\n" + "#" * i for i in range(12)}
    project({**files, "leave.py": HEAD + "leave()\n" + "#" * 500, "killed.py": HEAD + "killed()\n" + "#" * 8})
    result = stand_in(dying).check(["."])
    assert [one.path for one in result.findings] == sorted(files)
    assert result.internal_errors == [
        "killed.py: the process that checked it was killed by SIGKILL, perhaps for want of memory, alone too",
        "leave.py: the process that checked it ended with status 3, alone too",
    ]
    assert result.exit_code() == 2
    assert {one.path for one in result.timings} == set(files)


def test_what_was_lost_among_others_is_found_alone(project) -> None:
    """As when all processes together take more memory than there is."""

    def runner(tree, provider, codes):
        if "hungry()" in tree.document.text:
            try:
                os.close(os.open(tree.document.path + ".eaten", os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                pass
            else:
                os.kill(os.getpid(), signal.SIGKILL)
        return analyse(tree, provider, codes)

    files = {f"{name}.py": HEAD + f"bad({name})\nhungry()\n" for name in "abc"}
    project(files | {"d.py": HEAD + "bad(d)\n"})
    result = stand_in(runner).check(["."])
    assert [one.path for one in result.findings] == ["a.py", "b.py", "c.py", "d.py"]
    assert result.internal_errors == []
    assert {f"{path}.eaten" for path in files} <= set(os.listdir())


def test_what_kills_is_not_tried_here(project, monkeypatch) -> None:
    """Where no second process can be started, the one that holds everything does not take its place."""
    begun: list[int] = []
    start = pool._start

    def once(*arguments) -> None:
        begun.append(1)
        if len(begun) <= 2:
            start(*arguments)

    monkeypatch.setattr(pool, "_start", once)
    project({"a.py": HEAD + "leave()\n", "b.py": HEAD + "bad(1)\n"})
    result = stand_in(dying).check(["."])
    assert result.internal_errors == ["a.py: the process that checked it could not begin, alone too"]
    assert [one.path for one in result.findings] == ["b.py"]


def test_every_process_may_die(project) -> None:
    project({f"{i}.py": HEAD + "leave()\n" for i in range(7)})
    result = stand_in(dying).check(["."])
    assert [line.split(":")[0] for line in result.internal_errors] == [f"{i}.py" for i in range(7)]


def test_a_file_that_kills_is_not_checked_again_here(project, monkeypatch) -> None:
    """A caller's finding in it would have it checked once more, in the process that holds everything."""
    from torchlsp.lint.runner import run

    def runner(tree, provider, codes):
        if tree.document.path == "b_helper.py":
            os._exit(1)
        return run(tree, provider, codes)

    project(ACROSS)
    result = Engine(Options(jobs=2), runner=runner).check(["."])
    assert [line.split(":")[0] for line in result.internal_errors] == ["b_helper.py"]
    assert {"e_helper.py", "a_caller.py"} <= {one.path for one in result.findings}


def test_what_a_process_cannot_send_is_an_error_of_that_file(project) -> None:
    def runner(tree, provider, codes):
        answer = analyse(tree, provider, codes)
        if "secret" in tree.document.text:
            answer.stopped.append(Unsendable("f"))
        return answer

    project({"a.py": HEAD + "secret = 1\n", "b.py": HEAD + "bad(1)\n"})
    result = stand_in(runner).check(["."])
    assert result.internal_errors == ["a.py: the process that checked it raised TypeError: not this one"]
    assert [one.path for one in result.findings] == ["b.py"]


class Unsendable(str):
    def __reduce__(self):
        raise TypeError("not this one")

    def startswith(self, *_) -> bool:
        return True


def test_where_no_process_can_start_the_files_are_checked_here(project, monkeypatch) -> None:
    import multiprocessing.process

    def refuse(self) -> None:
        raise BlockingIOError("no more processes")

    project(ACROSS)
    alone, _ = checked(1, ".")
    monkeypatch.setattr(multiprocessing.process.BaseProcess, "start", refuse)
    monkeypatch.setattr(os, "fork", refuse)
    together, told = checked(2, ".")
    assert outcome(together) == outcome(alone)
    assert told == [(number, len(ACROSS)) for number in range(len(ACROSS))]


def test_processes_that_cannot_begin_are_not_started_for_ever(project, monkeypatch) -> None:
    begun: list[int] = []
    monkeypatch.setattr(pool, "_serve", lambda *arguments: os._exit(9))
    start = pool._start
    monkeypatch.setattr(pool, "_start", lambda *arguments: (begun.append(1), start(*arguments)))
    assert dict(pool.each(["a", "b", "c"], str.upper, 2)) == {"a": "A", "b": "B", "c": "C"}
    assert len(begun) == 2


def test_items_are_begun_in_their_order_and_the_rest_goes_to_who_is_free() -> None:
    begun: list[int] = []
    answers = dict(pool.each(range(1, 50), lambda item: (item, os.getpid()), 3, begun.append))
    assert begun == list(range(1, 50))
    assert {item: answer[0] for item, answer in answers.items()} == {item: item for item in range(1, 50)}
    assert os.getpid() not in {process for _, process in answers.values()}


def test_nobody_is_left_when_the_answers_are_no_longer_wanted() -> None:
    reading, writing = os.pipe()

    def work(item: int) -> int:
        if item > 1:
            signal.pause()
        return item

    answers = pool.each([1, 2, 3, 4], work, 2)
    assert next(answers) == (1, 1)
    answers.close()
    os.close(writing)
    # The end of a pipe is seen once every process that holds its other end is gone.
    assert select.select([reading], [], [], 30)[0] == [reading]
    assert os.read(reading, 1) == b""
    os.close(reading)


def test_an_interrupt_of_a_process_is_left_to_the_one_that_started_it() -> None:
    def work(item: int) -> int:
        os.kill(os.getpid(), signal.SIGINT)
        return item

    assert dict(pool.each([1, 2, 3], work, 2)) == {1: 1, 2: 2, 3: 3}


INTERRUPTED = """
import os, signal, sys
sys.path.insert(0, {tests!r})
from fake_analysis import RULES, analyse
import torchlsp.cli.main as main
from torchlsp.engine import pool
from torchlsp.engine.engine import Engine, Options

# Whoever runs the tests in the background may have it ignored, which is inherited.
signal.signal(signal.SIGINT, signal.default_int_handler)
pool._WORTH_A_POOL = 0.0
pool._WORTH_A_PROCESS = 1e-6

def stuck(tree, provider, codes):
    os.write({alive}, b"x")
    signal.pause()

def run(arguments=None):
    Engine(Options(jobs=2), runner=stuck, rules=RULES).check(["."])

main.main = run
main.entry()
"""


@pytest.mark.parametrize("to_all", [True, False])
@pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs process groups")
def test_an_interrupt_leaves_no_process_and_no_traceback(project, to_all: bool) -> None:
    project({f"{name}.py": HEAD for name in "abcd"})
    reading, writing = os.pipe()
    program = INTERRUPTED.format(tests=str(Path(__file__).parent), alive=writing)
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        pass_fds=[writing],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    os.close(writing)
    try:
        for _ in range(2):
            assert select.select([reading], [], [], 60)[0], "no process came to work"
            assert os.read(reading, 1) == b"x"
        # Ctrl-C in a terminal goes to the whole group, `kill -INT` to one process.
        (os.killpg if to_all else os.kill)(process.pid, signal.SIGINT)
        output, errors = process.communicate(timeout=60)
        assert (process.returncode, output, errors) == (130, b"", b"")
        assert select.select([reading], [], [], 60)[0] and os.read(reading, 1) == b""
    finally:
        process.kill()
        process.wait()
        os.close(reading)


def test_processes_end_when_the_one_that_started_them_is_killed(project) -> None:
    reading, writing = os.pipe()
    program = (
        "import os, signal\n"
        "from torchlsp.engine import pool\n"
        f"for _ in pool.each(['a', 'b', 'c', 'd'], lambda item: os.write({writing}, b'x'), 2):\n"
        "    pass\n"
        f"for _ in pool.each(['a', 'b'], str, 2): os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program], env=os.environ | {"PYTHONPATH": str(ROOT)}, pass_fds=[writing]
    )
    os.close(writing)
    try:
        assert process.wait(60) == -signal.SIGKILL
        seen = b""
        while select.select([reading], [], [], 60)[0] and (data := os.read(reading, 9)):
            seen += data
        assert seen == b"xxxx"
        assert select.select([reading], [], [], 0)[0], "a process is left that holds the pipe"
    finally:
        process.kill()
        process.wait()
        os.close(reading)


def test_a_run_that_is_not_worth_it_loads_nothing_for_it(project) -> None:
    project({"a.py": HEAD, "b.py": HEAD})
    program = (
        "import sys\n"
        "from torchlsp.engine.engine import Engine, Options\n"
        "result = Engine(Options(jobs=8)).check(['.'])\n"
        "print(result.files, 'multiprocessing' in sys.modules)\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert ended.stdout.split() == ["2", "False"], ended.stderr


def test_how_many_processes_are_worth_it(monkeypatch) -> None:
    monkeypatch.undo()
    monkeypatch.setattr(pool, "available_cpus", lambda: 4)
    assert pool.number_of_workers(8, [0.4, 0.3]) == 1
    assert pool.number_of_workers(8, [0.6, 0.6]) == 2
    assert pool.number_of_workers(8, [1.0] * 3) == 3
    assert pool.number_of_workers(8, [1.0] * 20) == 8
    assert pool.number_of_workers(0, [1.0] * 20) == 4
    assert pool.number_of_workers(2, [9.0]) == 1


def test_jobs_0_is_every_cpu_of_this_process() -> None:
    expected = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    assert pool.available_cpus() == expected


def test_fewer_jobs_than_none_are_refused() -> None:
    with pytest.raises(ConfigError, match="jobs"):
        Engine(Options(jobs=-1))


def test_an_estimate_counts_what_is_analysed(project) -> None:
    project({"a.py": HEAD + "#" * 4000, "b.py": "#" * 4000})
    seconds = pool.seconds_by_path(["a.py", "b.py", "missing.py"], ("torch",))
    assert seconds["a.py"] > 10 * seconds["b.py"] > seconds["missing.py"] == 0


@pytest.mark.skipif(not os.path.isdir("/dev/fd"), reason="needs files that name open pipes")
def test_a_pipe_is_read_here_and_once(project, monkeypatch) -> None:
    monkeypatch.setattr(pool, "each", lambda *_: pytest.fail("another process cannot read the pipe"))
    project({"a.py": HEAD + "bad(1)\n"})
    reading, writing = os.pipe()
    os.write(writing, (HEAD + "bad(2)\n").encode())
    os.close(writing)
    try:
        result = stand_in(analyse).check(["a.py", f"/dev/fd/{reading}"])
    finally:
        os.close(reading)
    assert [one.message for one in result.findings] == ["`2` is bad", "`1` is bad"]


def test_fixes_are_made_as_in_one_process(project) -> None:
    folder = project({"a.py": HEAD + "bad(safe)\n", "b.py": HEAD + "bad(safe)\nbad(1)\n"})
    result = stand_in(analyse, fix=True).check(["."])
    assert [(one.path, one.rule) for one in result.findings] == [("b.py", "TL101")]
    assert (folder / "a.py").read_text() == HEAD + "good(safe)\n"


def test_timings_name_each_file(project) -> None:
    project({"a.py": HEAD + "x = torch.zeros(3)\n", "b.py": "print(1)\n"})
    first, second = Engine().check(["."]).timings
    assert isinstance(first, FileTiming)
    assert (first.path, second.path, second.steps) == ("a.py", "b.py", 0)
    assert first.steps > 0 and first.seconds > 0


def test_a_document_survives_the_way_between_processes() -> None:
    document = Document.from_bytes("a.py", "# coding: latin-1\nx = 'é'\n".encode("latin-1"))
    assert document.lines.ascii is False
    again = pickle.loads(pickle.dumps(document))
    assert (again.path, again.text, again.encoding) == (document.path, document.text, "latin-1")
    assert again.row_column(20) == document.row_column(20)
    with pytest.raises(AttributeError):
        again.text = ""
