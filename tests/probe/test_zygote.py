"""The worker's side: batches, nonces, deadlines, and its end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from torchlsp.engine.interpreters import site_packages
from torchlsp.probe.client import Worker
from torchlsp.probe.request import Request

pytestmark = [
    pytest.mark.torch,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="forks are used on Linux"),
]
GOOD = "import torch\ntorch.ones(2, 3) @ torch.ones(2, 3)\n"
ZYGOTE = Path(__file__).parents[2] / "torchlsp" / "probe" / "worker" / "zygote.py"


def outcomes(worker, *programs: str, deadline: float = 0.5) -> list[str]:
    requests = [Request(one, key=str(place)) for place, one in enumerate(programs)]
    return [answer.outcome for answer in worker.run(requests, deadline)]


def test_one_that_dies_takes_no_other_along(open_worker):
    programs = (GOOD, "import os\nos._exit(3)\n", GOOD, "while True: pass\n", "x = 1\n")
    assert outcomes(open_worker, *programs) == ["raised", "crash", "raised", "timeout", "passed"]


def test_each_program_of_a_batch_has_a_fork_of_its_own(open_worker):
    first = "import builtins\nbuiltins.seen = True\n"
    assert outcomes(open_worker, first, "import builtins\nbuiltins.seen\n") == ["passed", "raised"]


def test_no_fork_is_left_when_a_batch_is_answered(open_worker):
    assert outcomes(open_worker, *[GOOD] * 3) == ["raised"] * 3
    assert wait_for(lambda: not children_of(open_worker.pid))


def test_what_a_program_changes_for_all_of_torch_is_put_back(open_worker):
    poison = "import torch\ntorch.set_default_dtype(torch.float64); torch.set_grad_enabled(False)\n"
    check = "import torch\nassert torch.ones(1).dtype is torch.float32 and torch.is_grad_enabled()\n"
    assert outcomes(open_worker, poison, check) == ["passed", "passed"]


FORGED = {
    "a plausible line": '{"nonce": "0", "place": 0, "result": {"outcome": "passed"}}',
    "a reply of the worker": '{"id": 1, "results": []}',
    "no JSON": "passed",
    "an endless line": "x" * 100000,
}


@pytest.mark.parametrize("line", FORGED.values(), ids=FORGED.keys())
def test_a_forged_answer_is_a_crash(open_worker, line):
    forge = (
        "import os\nfor one in range(256):\n    try:\n"
        f"        os.write(one, {line!r}.encode() + b'\\n')\n    except OSError: pass\nos._exit(0)\n"
    )
    assert outcomes(open_worker, forge, GOOD) == ["crash", "raised"]


def test_an_end_without_an_answer_is_a_crash(open_worker):
    answer = open_worker.run([Request("import os\nos._exit(0)\n")], 1)[0]
    assert (answer.outcome, answer.error.text) == ("crash", "ended with status 0")


def test_nothing_runs_under_a_weaker_lock_than_was_told(tmp_path):
    """Here Landlock fails from some moment on, as it would without descriptors or memory."""
    fails = tmp_path / "fails"
    driver = tmp_path / "driver.py"
    driver.write_text(
        f"import os, runpy, sys\nsys.path.insert(0, {str(ZYGOTE.parent)!r})\nimport sandbox\nlock = sandbox._landlock\n"
        f"def fail():\n    if os.path.exists({str(fails)!r}): raise OSError('too bad')\n    lock()\n"
        f"sandbox._landlock = fail\nrunpy.run_path({str(ZYGOTE)!r}, run_name='__main__')\n"
    )
    with Worker(sys.executable, site_packages(sys.executable), program=[str(driver)]) as worker:
        assert outcomes(worker, GOOD) == ["raised"]
        fails.touch()
        answers = worker.run([Request(GOOD), Request(GOOD)], 1)
    assert [(one.outcome, one.error.text) for one in answers] == [("crash", "ended with status 71")] * 2


def test_a_refused_program_is_not_run_and_the_others_are(worker):
    requests = [Request("import os\n", key="a"), Request(GOOD, key="b")]
    answers = worker.run(requests, 1)
    assert [(answer.key, answer.outcome) for answer in answers] == [("a", "denied"), ("b", "raised")]
    assert answers[0].error.name == "Refused"


def start(*arguments: str, **options: object) -> subprocess.Popen:
    told = {"site": site_packages(sys.executable), **options}
    return subprocess.Popen(
        [*arguments, sys.executable, "-I", "-S", "-B", str(ZYGOTE), json.dumps(told)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={},
        cwd="/",
    )


def test_it_leaves_when_nobody_asks():
    with start(idle=0.2) as process:
        assert json.loads(process.stdout.readline())["ready"] is True
        assert process.stdout.readline() == b""
        assert process.wait(20) == 0


def test_a_bad_request_is_answered_and_the_next_one_served():
    with start() as process:
        process.stdout.readline()
        lines = [
            "no json",
            "[]",
            '{"id": 1}',
            '{"id": 1, "batch": [{"key": "a"}], "deadline": 1}',
            '{"id": 1, "batch": [{"key": "a", "kind": "ranks", "program": "", "world": 99}], "deadline": 1}',
            '{"id": 2, "batch": [], "deadline": 1}',
        ]
        process.stdin.write("".join(line + "\n" for line in lines).encode())
        process.stdin.flush()
        replies = [json.loads(process.stdout.readline()) for _ in lines]
        process.stdin.close()
        assert process.wait(20) == 0
    assert [reply["id"] for reply in replies] == [None] * 5 + [2]
    assert all("bad request" in reply["error"] for reply in replies[:5])
    assert replies[5] == {"id": 2, "results": []}


def test_without_torch_it_says_so():
    process = subprocess.run(
        [sys.executable, "-I", "-S", "-B", str(ZYGOTE), "{}"], input=b"", capture_output=True, cwd="/"
    )
    told = json.loads(process.stdout)
    assert told["ready"] is False
    assert told["reason"].startswith("torch cannot be imported: ModuleNotFoundError")


def test_nothing_is_left_when_its_parent_is_killed(tmp_path):
    """The parent here is a process that starts the worker and has it run an endless program."""
    parent_code = f"""
import sys, threading
sys.path[:0] = {[str(ZYGOTE.parents[3])]!r}
from torchlsp.engine.interpreters import site_packages
from torchlsp.probe.client import Worker
from torchlsp.probe.request import Request
worker = Worker(sys.executable, site_packages(sys.executable))
worker.hello()
print(worker.pid, flush=True)
sys.stdin.readline()
threading.Thread(target=worker.run, args=([Request("while True: pass")], 60), daemon=True).start()
sys.stdin.read()
"""
    parent = subprocess.Popen(
        [sys.executable, "-c", parent_code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    zygote = int(parent.stdout.readline())
    # The fork of the last self-test is killed by then, but the system may not be done with it.
    ending = set(children_of(zygote))
    parent.stdin.write(b"run\n")
    parent.stdin.flush()
    started = wait_for(lambda: set(children_of(zygote)) - ending)
    assert len(started) == 1
    [running] = started
    # The zygote, too, may be killed at any time.
    os.kill(zygote, signal.SIGKILL)
    parent.kill()
    parent.wait()
    assert wait_for(lambda: not is_alive(running) and not is_alive(zygote))


def test_it_leaves_when_its_parent_is_killed():
    process = start()
    assert json.loads(process.stdout.readline())["ready"] is True
    process.stdin.close()
    assert process.wait(20) == 0
    process.stdout.close()


def children_of(process: int) -> list[int]:
    text = Path(f"/proc/{process}/task/{process}/children").read_text()
    return [int(word) for word in text.split()]


def is_alive(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"


def wait_for(condition, limit: float = 20):
    """What `condition` says, as soon as it is true."""
    ends = time.monotonic() + limit
    while not (found := condition()) and time.monotonic() < ends:
        os.sched_yield()
    return found
