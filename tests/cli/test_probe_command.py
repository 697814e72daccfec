"""`torchlsp probe --program`: the verdict on a given program, and nothing but the verdict decides what is printed."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import sys

import pytest

from torchlsp.cli.main import main
from torchlsp.engine.interpreters import site_packages
from torchlsp.probe.client import Worker
from torchlsp.probe.kinds import kind_of, worlds_of
from torchlsp.probe.worker import sandbox

DIST = "import torch\nimport torch.distributed as dist\ndist.init_process_group('gloo')\nrank = dist.get_rank()\n"
PROGRAMS = {
    "view.py": "import torch\ntorch.ones(2, 3).t().view(6)\n",
    "runs.py": "import torch\ntorch.ones(2, 3).view(6)\n",
    "own.py": "import torch\nassert torch.ones(1).item() == 2, 'not two'\n",
    "moved.py": "import torch\ntorch.ones(2).cuda() + torch.ones(2)\n",
    "ranks.py": DIST + "if rank == 0:\n    dist.barrier()\n",
    "met.py": DIST + "dist.barrier()\n",
    "groups.py": DIST + "g = dist.new_group([0, 1])\nif rank < 2:\n    dist.barrier(group=g)\nif rank == 2:\n    dist.barrier()\n",
    "fork.py": "import os\nos.fork()\n",
    "loop.py": "while True:\n    pass\n",
    "large.py": "import torch\nx = [torch.empty(100000000) for i in range(100)]\n",
    "broken.py": "x = = 1\n",
    "windows.py": b"\xef\xbb\xbfimport torch\r\ntorch.ones(2, 3).t().view(6)\r\n",
}  # fmt: skip


@pytest.fixture(scope="module")
def worker():
    if importlib.util.find_spec("torch") is None:
        pytest.skip("torch is not installed")
    with Worker(sys.executable, site_packages(sys.executable)) as one:
        yield one


@pytest.fixture
def shared(worker, monkeypatch):
    """Starting a worker takes seconds: the command gets one that is there already."""
    monkeypatch.setattr("torchlsp.cli.probe.Worker", lambda *_, **__: contextlib.nullcontext(worker))


def verdict(capsys, *arguments: str) -> dict:
    assert main(["probe", "--output-format", "json", *arguments]) == 0
    return json.loads(capsys.readouterr().out.splitlines()[-1])


@pytest.mark.torch
@pytest.mark.parametrize(
    ("program", "expected", "kind", "reason"),
    [
        ("view.py", "confirmed", "eager-cpu", "RuntimeError: view size is not compatible"),
        ("windows.py", "confirmed", "eager-cpu", "RuntimeError: view size is not compatible"),
        ("runs.py", "refuted", "eager-cpu", "it ran through"),
        ("own.py", "confirmed", "eager-cpu", "AssertionError: not two (row 2)"),
        ("moved.py", "confirmed", "logical-device", "RuntimeError: Expected all tensors"),
        ("ranks.py", "confirmed", "ranks", "Deadlock: rank 0 waits in barrier, rank 1 has ended (row 6)"),
        ("met.py", "refuted", "ranks", "it ran through"),
        ("groups.py", "confirmed", "ranks", "Deadlock: "),
        ("fork.py", "inconclusive", "eager-cpu", "denied: line 1: `os` is not"),
        ("loop.py", "inconclusive", "eager-cpu", "timeout: "),
        ("large.py", "inconclusive", "eager-cpu", "resource: "),
        ("broken.py", "inconclusive", "eager-cpu", "denied: line 1: it does not parse"),
    ],
)
def test_verdicts(shared, project, capsys, program, expected, kind, reason):
    project(PROGRAMS)
    told = verdict(capsys, "--program", program, "--deadline", "3")
    assert (told["verdict"], told["kind"]) == (expected, kind), told
    assert told["reason"].startswith(reason)
    assert told["evidence"] == ("torch" if kind == "eager-cpu" else "emulated")


@pytest.mark.torch
def test_text_names_the_torch(project, capsys):
    project(PROGRAMS)
    assert main(["probe", "--program", "runs.py"]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first == "refuted: it ran through"
    assert second.startswith("eager-cpu, torch ")


@pytest.mark.processes
def test_without_torch_it_is_inconclusive(project, capsys, monkeypatch):
    project(PROGRAMS)
    monkeypatch.setattr("torchlsp.engine.probe_places.site_packages", lambda python: [])
    told = verdict(capsys, "--program", "view.py", "--python", sys.executable)
    assert told["verdict"] == "inconclusive"
    assert told["reason"].startswith("no torch: torch cannot be imported: ModuleNotFoundError")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--program", "none.py"], "torchlsp: none.py: No such file or directory"),
        (["--program", "."], "torchlsp: .: Is a directory"),
        (["--program", "latin.py"], "torchlsp: latin.py: "),
        (["--program", "runs.py", "--deadline", "0"], "torchlsp: --deadline 0: give seconds"),
        (["--program", "runs.py", "--deadline", "nan"], "torchlsp: --deadline nan: give seconds"),
        (["--program", "runs.py", "--python", "/no/such"], "torchlsp: --python /no/such: it does not exist"),
    ],
)
def test_usage_errors(project, capsys, arguments, message):
    project({**PROGRAMS, "latin.py": b"x = '\xe9'\n"})
    assert main(["probe", *arguments]) == 2
    told = capsys.readouterr()
    assert told.err.startswith(message) and told.out == ""


def test_a_program_must_be_named(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["probe"])
    assert ended.value.code == 2
    assert "--program" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("program", "kind"),
    [
        ("import torch\n# on cuda, torch.distributed\nx = 1\n", "eager-cpu"),
        ("x.to('cuda:0')\n", "logical-device"),
        ("x.to(f'cuda:{i}')\n", "logical-device"),
        ("x.cuda()\n", "logical-device"),
        ("from torch import distributed\nx.cuda()\n", "ranks"),
        ("from torch.nn.parallel import DistributedDataParallel\n", "ranks"),
        ("x = (1,\n", "eager-cpu"),
        ("x.cuda(\n", "logical-device"),
        ("", "eager-cpu"),
    ],
)
def test_kinds(program, kind):
    assert kind_of(program) == kind


def test_worlds():
    assert worlds_of(PROGRAMS["ranks.py"]) == (2,)
    assert worlds_of(PROGRAMS["groups.py"]) == (2, 4)


def doctor(capsys) -> dict:
    assert main(["doctor", "--output-format", "json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.processes
def test_doctor_says_what_the_lock_is_made_of(capsys, monkeypatch):
    found = {"landlock": 4, "seccomp": True, "limits": True, "why": []}
    monkeypatch.setattr(sandbox, "available", lambda: found)
    assert doctor(capsys)["probe's lock"] == "Landlock (version 4), filter of system calls, limits"
    found.update(landlock=False, why=["no Landlock: Function not implemented"])
    assert doctor(capsys)["probe's lock"] == (
        "filter of system calls, limits; in trusted workspaces only, as parts are missing: "
        "no Landlock: Function not implemented"
    )


@pytest.mark.processes
def test_doctor_says_that_there_is_no_torch(capsys, monkeypatch):
    monkeypatch.setattr("torchlsp.cli.doctor.distribution_version", lambda python, name: None)
    assert doctor(capsys)["probe"] == "not possible: the interpreter has no torch"
