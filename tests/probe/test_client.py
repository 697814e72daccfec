"""Our end of the worker: what is wrong over there never becomes an answer, and the next question is served."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from torchlsp.probe import client
from torchlsp.probe.request import Answer, Error, Hello, Request

pytestmark = pytest.mark.processes

GOOD = Request("import torch\ntorch.ones(2, 3).t().view(6)\n", key="good")
HELLO = (
    '{"ready": true, "torch": "9.9", "python": "3.11.0", "kinds": ["eager-cpu"],'
    ' "sandbox": {"fork": true}, "problems": ["said"]}'
)


@pytest.fixture
def scripted(tmp_path: Path):
    """A worker whose program is given: text of Python that has `say` and `hear`."""

    def make(text: str) -> client.Worker:
        path = tmp_path / "worker.py"
        front = (
            "import sys, os, json, time\n"
            "say = lambda line: (sys.stdout.write(line + '\\n'), sys.stdout.flush())\n"
            "hear = lambda: json.loads(sys.stdin.readline() or os._exit(0))\n"
        )
        path.write_text(front + text)
        return client.Worker(sys.executable, program=[str(path)])

    return make


def test_a_hello_is_read(scripted):
    with scripted(f"say({HELLO!r})\nhear()\n") as worker:
        assert worker.hello() == Hello("9.9", "3.11.0", frozenset({"eager-cpu"}), {"fork": True}, ("said",))
        assert not worker.hello().is_locked


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("", "the worker ended while it started"),
        ("say('no json')\n", "the worker ended while it started"),
        ("say('[]')\n", "the worker ended while it started"),
        ("say('{}')\n", "the worker is not ready"),
        ("say(json.dumps({'ready': False, 'reason': 'torch cannot be imported'}))\n", "torch cannot be imported"),
        ("say(json.dumps({'ready': True, 'torch': '1'}))\n", "the worker greets in another form"),
        ("time.sleep(60)\n", "the worker was not ready within 1 seconds"),
    ],
)  # fmt: skip
def test_a_worker_that_does_not_start_is_unavailable(scripted, monkeypatch, program, reason):
    monkeypatch.setattr(client, "START_SECONDS", 1 if "sleep" in program else 20)
    worker = scripted(program)
    with pytest.raises(client.Unavailable, match=reason):
        worker.run([GOOD], 1)
    assert worker.pid is None


def test_no_interpreter():
    with pytest.raises(client.Unavailable, match="the interpreter cannot be started"):
        client.Worker("/no/such/python").hello()


@pytest.mark.parametrize(("pause", "starts"), [(30, 1), (0, 3)])
def test_a_failed_start_is_repeated_after_a_pause(scripted, tmp_path, monkeypatch, pause, starts):
    monkeypatch.setattr(client, "RETRY_SECONDS", pause)
    worker = scripted("open(os.path.dirname(os.path.abspath(__file__)) + '/starts', 'a').write('x')\n")
    for _ in range(3):
        with pytest.raises(client.Unavailable):
            worker.hello()
    assert (tmp_path / "starts").read_text() == "x" * starts


NONSENSE = {
    "no JSON": "say('nonsense')",
    "no object": "say('1')",
    "another number": "say(json.dumps({'id': 99, 'results': []}))",
    "too few": "say(json.dumps({'id': told['id'], 'results': []}))",
    "an unknown outcome": "say(json.dumps({'id': told['id'], 'results': [{'key': 'good', 'outcome': 'confirmed', 'error': None, 'reached': None, 'lines': None, 'ms': 1}]}))",
    "passed with an error": "say(json.dumps({'id': told['id'], 'results': [{'key': 'good', 'outcome': 'passed', 'error': {'class': 'A', 'text': '', 'row': 1}, 'reached': None, 'lines': None, 'ms': 1}]}))",
    "raised nothing": "say(json.dumps({'id': told['id'], 'results': [{'key': 'good', 'outcome': 'raised', 'error': None, 'reached': None, 'lines': None, 'ms': 1}]}))",
    "another program": "say(json.dumps({'id': told['id'], 'results': [{'key': 'bad', 'outcome': 'passed', 'error': None, 'reached': None, 'lines': None, 'ms': 1}]}))",
    "its end": "os._exit(1)",
}  # fmt: skip


@pytest.mark.parametrize("reply", NONSENSE.values(), ids=NONSENSE.keys())
def test_nonsense_is_a_crash(scripted, reply):
    with scripted(f"say({HELLO!r})\ntold = hear()\n{reply}\nhear()\n") as worker:
        assert [answer.outcome for answer in worker.run([GOOD], 1)] == ["crash"]


def test_a_worker_that_hangs_is_a_timeout_and_is_replaced(scripted, monkeypatch):
    monkeypatch.setattr(client, "GRACE_SECONDS", 0)
    with scripted(f"say({HELLO!r})\nhear()\ntime.sleep(60)\n") as worker:
        worker.hello()
        first = worker.pid
        assert [answer.outcome for answer in worker.run([GOOD], 0.1)] == ["timeout"]
        assert worker.hello().torch == "9.9"
        assert worker.pid != first


@pytest.mark.parametrize("front", ["", f"say({HELLO!r})\nhear()\n"], ids=["starting", "running"])
def test_closing_waits_for_nobody(scripted, tmp_path, front):
    """An editor that is closed does not wait for a torch that is still being imported."""
    ready = tmp_path / "ready"
    os.mkfifo(ready)
    worker = scripted(f"{front}open({str(ready)!r}, 'w').write('x')\ntime.sleep(600)\n")
    ends: list[object] = []

    def ask() -> None:
        try:
            ends.extend(answer.outcome for answer in worker.run([GOOD], 600))
        except client.Unavailable as reason:
            ends.append(str(reason))

    thread = threading.Thread(target=ask)
    thread.start()
    assert ready.read_text() == "x"
    worker.close()
    thread.join(60)
    assert ends == (["crash"] if front else ["the worker ended while it started"])
    assert worker._refused is None


def test_what_is_not_of_the_right_type_is_no_answer():
    good = {"key": "", "outcome": "raised", "error": {"class": "A", "text": "b", "row": 1}, "reached": True}
    good |= {"lines": {"0": 3, "1": None}, "ms": 1.5}
    assert Answer.from_json(good) == Answer("raised", Error("A", "b", 1), True, {0: 3, 1: None}, 1.5)
    for name, value in {"error": 1, "lines": [1], "ms": "1", "key": None, "outcome": 1, "reached": 3}.items():
        with pytest.raises(ValueError, match="not an answer"):
            Answer.from_json(good | {name: value})


@pytest.mark.torch
def test_a_killed_worker_recovers(make_worker):
    with make_worker() as worker:
        worker.hello()
        first = worker.pid
        os.kill(first, signal.SIGKILL)
        assert [answer.outcome for answer in worker.run([GOOD], 5)] == ["raised"]
        assert worker.pid != first


@pytest.mark.torch
def test_several_threads_share_a_worker(worker):
    outcomes = []

    def ask() -> None:
        outcomes.extend(answer.outcome for answer in worker.run([GOOD] * 3, 5))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes == ["raised"] * 12


@pytest.mark.torch
def test_a_closed_worker_is_gone_and_starts_again_when_asked(make_worker):
    worker = make_worker()
    worker.hello()
    first = worker.pid
    worker.close()
    with pytest.raises(OSError):
        os.kill(first, 0)
    assert worker.pid is None
    assert [answer.outcome for answer in worker.run([GOOD], 5)] == ["raised"]
    worker.close()


@pytest.mark.torch
def test_without_fork_programs_run_in_the_worker(make_worker):
    """As on macOS and Windows: no lock, and said so; a program that hangs costs the worker, not us."""
    hang = Request("while True: pass", key="hang")
    with make_worker(fork=False) as worker:
        hello = worker.hello()
        assert not hello.is_locked
        assert "programs are not locked in here: in trusted workspaces only" in hello.problems
        assert hello.kinds == {"eager-cpu", "logical-device", "ranks"}
        answers = worker.run([GOOD, hang, GOOD, Request("import os")], 1)
    assert [answer.outcome for answer in answers] == ["raised", "timeout", "raised", "denied"]


@pytest.mark.torch
@pytest.mark.skipif(os.name == "nt", reason="a script stands in for ssh")
@pytest.mark.parametrize("name", ["ssh", "run"])
def test_a_python_elsewhere_gets_the_worker_s_files(tmp_path, name, make_worker):
    """ssh hands its words to a shell; docker, srun and the like start what they are given."""
    stand_in = tmp_path / name
    stand_in.write_text("#!/bin/sh\ncd /\nshift\n" + ('eval "$*"\n' if name == "ssh" else 'exec "$@"\n'))
    stand_in.chmod(stand_in.stat().st_mode | stat.S_IXUSR)
    with client.Worker("", command=[str(stand_in), "box", sys.executable]) as worker:
        assert worker.hello().kinds == {"eager-cpu", "logical-device", "ranks"}
        requests = [
            GOOD,
            Request("import os"),
            Request("import torch\ntorch.ones(2).cuda()\n", "logical-device"),
        ]
        assert [one.outcome for one in worker.run(requests, 5)] == ["raised", "denied", "passed"]


@pytest.mark.torch
def test_a_torch_that_does_not_import_is_told(tmp_path):
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text("raise OSError('libtorch.so: no such file')\n")
    with pytest.raises(client.Unavailable, match="torch cannot be imported: OSError: libtorch.so"):
        client.Worker(sys.executable, [str(tmp_path)]).hello()


def test_the_folder_that_one_works_in_is_not_imported_from(tmp_path, monkeypatch):
    """A repository may have a `random.py` or a `torch.py` of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("PYTHONSTARTUP", str(tmp_path / "torch.py"))
    for name in ("torch", "random", "json", "sitecustomize", "gate"):
        Path(f"{name}.py").write_text(f"open({str(tmp_path / 'imported')!r}, 'a').write({name!r})\n")
    with pytest.raises(client.Unavailable, match="No module named 'torch'"):
        client.Worker(sys.executable).hello()
    assert not (tmp_path / "imported").exists()


@pytest.mark.skipif(os.name == "nt", reason="a script stands in for an interpreter")
def test_it_is_started_apart(tmp_path):
    """Nothing of our environment, folder and descriptors comes along."""
    told = tmp_path / "told"
    fake = tmp_path / "python"
    fake.write_text(f"#!/bin/sh\n(env; pwd; ls /proc/self/fd | wc -l; echo $@) > {told}\n")
    fake.chmod(fake.stat().st_mode | stat.S_IXUSR)
    kept = subprocess.Popen(["true"], stdin=subprocess.PIPE)
    with pytest.raises(client.Unavailable):
        client.Worker(str(fake), ["/a b"]).hello()
    kept.stdin.close()
    kept.wait()
    text = told.read_text()
    assert "HOME=" not in text
    assert "OMP_NUM_THREADS=1\n" in text and "CUDA_VISIBLE_DEVICES=\n" in text
    assert "\n/\n" in text
    assert text.splitlines()[-1].startswith("-I -S -B ")
    assert '"site": ["/a b"]' in text
