"""The lock by itself: with a gate that lets everything through, a program reaches nothing outside its process."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from torchlsp.probe.request import Request
from torchlsp.probe.worker import memory, sandbox

pytestmark = [
    pytest.mark.torch,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the lock is for Linux"),
]

# Each must be refused; the supervisor's own process is `os.getppid()`.
ATTEMPTS = {
    "read a file": "open('/etc/passwd').read()",
    "write a file": "open('{folder}/written', 'w').write('x')",
    "make a folder": "import os\nos.mkdir('{folder}/made')",
    "remove a file": "import os\nos.remove('{folder}/kept')",
    "rename a file": "import os\nos.rename('{folder}/kept', '{folder}/renamed')",
    "truncate a file": "import os\nos.truncate('{folder}/kept', 0)",
    "link a file": "import os\nos.symlink('/etc/passwd', '{folder}/link')",
    "make a pipe with a name": "import os\nos.mkfifo('{folder}/pipe')",
    "change rights": "import os\nos.chmod('{folder}/kept', 0)",
    "list a folder": "import os\nos.listdir('/')",
    "look at a file": "import os\nos.stat('/etc/passwd')",
    "change the folder": "import os\nos.chdir('/tmp')",
    "memory with a name": "import os\nos.memfd_create('x')",
    "fork": "import os\nos.fork()",
    "start a program": "import os\nos.execv('/bin/sh', ['sh', '-c', 'touch {folder}/executed'])",
    "spawn a program": "import os\nos.posix_spawn('/bin/sh', ['sh', '-c', 'touch {folder}/spawned'], {{}})",
    "start a thread": "import threading\nthreading.Thread(target=print).start()",
    "signal the supervisor": "import os\nos.kill(os.getppid(), 9)",
    "signal everyone": "import os\nos.kill(-1, 9)",
    "signal the group": "import os\nos.killpg(0, 9)",
    "trace another process": "import ctypes, os\nif ctypes.CDLL(None, use_errno=True).ptrace(16, os.getppid(), 0, 0):\n    raise OSError(ctypes.get_errno(), 'x')",
    "a TCP socket": "import _socket\n_socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)",
    "a UDP socket": "import _socket\n_socket.socket(_socket.AF_INET, _socket.SOCK_DGRAM)",
    "a unix socket": "import _socket\n_socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)",
    "a pair of sockets": "import _socket\n_socket.socketpair()",
    "a pipe": "import os\nos.pipe()",
    "copy a descriptor": "import os\nos.dup(0)",
    "write to stdout": "import os\nos.write(1, b'x')",
    "write to stderr": "import os\nos.write(2, b'x')",
    "raise its limits": "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (-1, -1))",
    "raise its priority": "import os\nos.nice(-5)",
    "torch.save": "import torch\ntorch.save(torch.ones(2), '{folder}/saved.pt')",
    "torch.load": "import torch\ntorch.load('{folder}/kept')",
    "shared memory": "import torch\ntorch.ones(9).share_memory_()",
    "a store of torch": "import torch.distributed as dist\ndist.FileStore('{folder}/store', 1).set('a', 'b')",
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder that anyone could read and write."""
    for one in (tmp_path, *tmp_path.parents):
        if one.name.startswith("pytest") or one == tmp_path:
            one.chmod(0o777)
    (tmp_path / "kept").write_text("kept")
    (tmp_path / "kept").chmod(0o666)
    return tmp_path


@pytest.mark.parametrize("user", ["open_worker", "nobodys_worker"])
@pytest.mark.parametrize("attempt", ATTEMPTS.values(), ids=ATTEMPTS.keys())
def test_nothing_outside_is_reached(request, folder, user, attempt):
    worker = request.getfixturevalue(user)
    before = worker.hello(), worker.pid
    answer = worker.run([Request(attempt.format(folder=folder))], 5)[0]
    # What was not imported before cannot be read now; Python words a refused limit as a wrong value.
    refusals = {"denied", "import"} if "setrlimit" not in attempt else {"raised"}
    assert answer.outcome in refusals, answer
    assert [path.name for path in folder.iterdir()] == ["kept"]
    assert (folder / "kept").read_text() == "kept"
    assert (worker.hello(), worker.pid) == before


@pytest.mark.parametrize("user", ["open_worker", "nobodys_worker"])
def test_all_layers_hold_here(request, user):
    """On the machines that run these tests the kernel has all of them."""
    hello = request.getfixturevalue(user).hello()
    if not sandbox.available()["seccomp"] or not sandbox.available()["landlock"]:
        pytest.skip(f"this machine lacks a layer: {sandbox.available()['why']}")
    assert hello.is_locked
    assert hello.problems == ()


@pytest.mark.parametrize("user", ["open_worker", "nobodys_worker"])
def test_a_training_step_still_works(request, user):
    program = """
import torch, torch.nn.functional as F
from torch import nn
net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(144, 3))
optimizer = torch.optim.AdamW(net.parameters())
F.cross_entropy(net(torch.randn(2, 3, 8, 8)), torch.zeros(2, dtype=torch.long)).backward()
optimizer.step()
x = torch.randn(2, 5, 8)
nn.LSTM(8, 4)(x); nn.MultiheadAttention(8, 2)(x, x, x); torch.linalg.svd(x); torch.fft.fft(x)
torch.linalg.inv(x @ x.mT + 9 * torch.eye(5)); nn.GRU(8, 4, bidirectional=True)(x); F.interpolate(x, 9)
print(net, x); x.numpy(); x.sort(); x.topk(2); torch.multinomial(torch.ones(4), 2); F.dropout(x)
"""
    answer = request.getfixturevalue(user).run([Request(program)], 10)[0]
    assert answer.outcome == "passed", answer.error


@pytest.mark.parametrize("user", ["open_worker", "nobodys_worker"])
def test_the_threads_of_ranks_are_under_the_same_lock(request, user):
    """They are made before threads are forbidden, and after files are."""
    worker = request.getfixturevalue(user)
    join = "import os, torch, torch.distributed as dist\ndist.init_process_group('gloo')\n"
    reads = "if dist.get_rank() == 1:\n    os.open('/etc/passwd', os.O_RDONLY)\n"
    works = "x = torch.ones(2, requires_grad=True)\n(x * 2).sum().backward()\ndist.all_reduce(x.grad)\nassert x.grad[0] == 8\n"
    programs = [Request(join + one, "ranks", world=4) for one in (works, reads, works)]
    assert [answer.outcome for answer in worker.run(programs, 5)] == ["passed", "denied", "passed"]


def test_a_program_sees_no_environment_and_none_of_our_descriptors(run):
    told = "import os\nassert False, (sorted(os.environ), os.getcwd() if 0 else None)\n"
    assert "HOME" not in run(told).error.text
    assert "PATH" not in run(told).error.text
    closing = "import os\nopen_ones = []\nfor one in range(3, 256):\n    try:\n        os.close(one); open_ones.append(one)\n    except OSError: pass\nassert False, open_ones\n"
    # It closed the one on which it would have been told.
    assert run(closing).outcome in ("denied", "crash")


def test_only_the_limit_of_memory_is_ours(run):
    """What a program may well need is given; more than the limit is not."""
    mine = memory.allowance() // 4
    assert run(f"import torch\ntorch.empty({mine * 3 // 4})\n").outcome == "passed"
    assert run(f"import torch\ntorch.empty({mine * 5 // 4})\n").outcome == "resource"


def test_processor_time_is_limited_too(run):
    program = "import signal\nfor one in range(1, 65):\n    try:\n        signal.signal(one, signal.SIG_IGN)\n    except (OSError, ValueError): pass\nwhile True: pass\n"
    assert run(program, deadline=0.5).outcome == "timeout"


def test_the_machine_is_asked_and_not_assumed(monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    found = sandbox.available()
    assert (found["landlock"], found["seccomp"]) == (False, False)
    assert found["why"] == ["Landlock and seccomp exist on Linux only, not on darwin"]


def test_another_architecture_has_no_list_of_system_calls(monkeypatch):
    monkeypatch.setattr(sandbox.platform, "machine", lambda: "aarch64")
    found = sandbox.available()
    assert found["seccomp"] is False
    assert found["why"][-1].startswith("no seccomp: the list of system calls is for 64-bit x86 only")


def test_a_kernel_without_landlock_is_said(monkeypatch):
    monkeypatch.setattr(sandbox, "_landlock_abi", lambda: -38)
    found = sandbox.available()
    assert found["landlock"] is False
    assert f"no Landlock: {os.strerror(38)}" in found["why"]
