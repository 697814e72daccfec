"""The memory of a program is bounded, and taking too much of it is one clear end."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

import pytest

from torchlsp.probe.request import Request
from torchlsp.probe.worker import memory

LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the limit is for Linux")
GOOD = Request("import torch\ntorch.ones(2, 3).t().view(6)\n", key="good")
MB = 1 << 20

TAKES = {
    "one tensor": "x = torch.empty(2**29).fill_(1)",
    "many tensors": "kept = []\nfor _ in range(200):\n    kept.append(torch.empty(10 * 2**18).fill_(1))",
    "a list": "length = 2**28\nkept = [0] * length",
    "many lists": "kept = []\nfor _ in range(4000):\n    kept.append([0] * 2**16)",
    "small objects": "kept = []\nwhile True:\n    kept.append((len(kept), 1.5) * 50)",
    "a text": "text = 'x' * 2**16\nfor _ in range(16):\n    text = text + text",
    "the gradients of a loop": "x = torch.ones(2**22, requires_grad=True)\nfor _ in range(200):\n    x = x.exp()",
}  # fmt: skip
ON_A_GPU = {
    "one tensor": "x = torch.empty(2**29, device='cuda').fill_(1)",
    "many tensors": "kept = []\nfor _ in range(200):\n    kept.append(torch.empty(10 * 2**18, device='cuda').fill_(1))",
    "moved tensors": "kept = []\nfor _ in range(200):\n    kept.append(torch.ones(10 * 2**18).cuda())",
    "a list": "x, length = torch.ones(2).cuda(), 2**28\nkept = [0] * length",
}  # fmt: skip
BYTES = {
    "bytes": "kept = bytes(2**31)",
    "many bytes": "kept = []\nwhile True:\n    kept.append(b'x' * 2**20)",
    "a shared mapping": "import mmap\nkept = mmap.mmap(-1, 2**31)",
    "a thread's recursion": "kept = []\ndef f():\n    kept.append(bytes(2**20))\n    f()\nimport sys\nsys.setrecursionlimit(10**6)\nf()",
}  # fmt: skip


class Peak:
    """Watches the memory of a process's children while it runs, as the kernel counts it."""

    def __init__(self, process: int) -> None:
        self.process, self.most, self._ends = process, 0, threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def __enter__(self) -> Peak:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ends.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._ends.wait(0.002):
            try:
                children = Path(f"/proc/{self.process}/task/{self.process}/children").read_text().split()
                for child in children:
                    self.most = max(self.most, resident(int(child)))
            except (OSError, ValueError, IndexError):  # it has ended meanwhile
                pass


def resident(process: int) -> int:
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def held(worker, request: Request) -> None:
    """Runs a program between two others, in one batch."""
    base = worker.hello() and resident(worker.pid)
    with Peak(worker.pid) as peak:
        first, answer, last = worker.run([GOOD, request, GOOD], 30)
    allowed = memory.MOST // MB
    assert (answer.outcome, answer.error.text) == ("resource", f"it takes more than {allowed} MB of memory")
    assert peak.most <= base + memory.MOST
    assert (first.outcome, first.error.row) == (last.outcome, last.error.row) == ("raised", 2)


@pytest.fixture(scope="module")
def roomy():
    if memory.allowance() < memory.MOST:
        pytest.skip("this machine has less memory free")


@LINUX
@pytest.mark.torch
@pytest.mark.slow
@pytest.mark.parametrize("program", TAKES.values(), ids=TAKES.keys())
def test_a_program_that_is_let_in_takes_at_most_a_gigabyte(worker, roomy, program):
    held(worker, Request("import torch\n" + program + "\n"))


@LINUX
@pytest.mark.torch
@pytest.mark.slow
@pytest.mark.parametrize("program", ON_A_GPU.values(), ids=ON_A_GPU.keys())
def test_so_does_one_on_an_emulated_device(worker, roomy, program):
    held(worker, Request("import torch\n" + program + "\n", "logical-device"))


@LINUX
@pytest.mark.torch
@pytest.mark.slow
@pytest.mark.parametrize("program", BYTES.values(), ids=BYTES.keys())
def test_so_does_one_past_the_gate(open_worker, roomy, program):
    held(open_worker, Request(program + "\n"))


@LINUX
@pytest.mark.torch
@pytest.mark.slow
def test_ranks_share_what_a_program_may_take(worker, roomy):
    take = "import torch, torch.distributed as dist\ndist.init_process_group()\nx = torch.ones(40 * 2**20)\ndist.all_reduce(x)\n"
    held(worker, Request(take, "ranks", world=4))
    assert worker.run([Request(take, "ranks", world=2)], 30)[0].outcome == "passed"


@LINUX
@pytest.mark.torch
def test_a_program_may_take_most_of_a_gigabyte(worker, roomy):
    program = f"import torch\nx = torch.empty({900 * MB // 4})\n"
    assert [one.outcome for one in worker.run([Request(program)] * 2, 5)] == ["passed"] * 2


@LINUX
@pytest.mark.torch
@pytest.mark.slow
def test_a_program_that_dies_of_too_little_memory_has_taken_too_much(open_worker, roomy):
    """As code does that does not ask whether an allocation failed."""
    dies = "import os, torch\nx = torch.empty({size} * 2**18).fill_(1)\nos.abort()\n"
    requests = [Request(dies.format(size=size)) for size in (900, 100)]
    assert [one.outcome for one in open_worker.run(requests, 5)] == ["resource", "crash"]


@pytest.fixture
def machine(tmp_path: Path):
    """What the kernel says of memory, in files of our own; answers with MB."""

    def make(available_mb: int, own: str = "", files: dict[str, str] | None = None) -> int:
        (tmp_path / "meminfo").write_text(
            f"MemTotal: 99999999 kB\nMemAvailable:   {available_mb * 1024} kB\n"
        )
        (tmp_path / "own").write_text(own)
        for name, text in (files or {}).items():
            path = tmp_path / "groups" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        paths = [str(tmp_path / name) for name in ("groups", "meminfo", "own")]
        return memory.allowance(*paths) // MB

    return make


def test_a_quarter_of_what_is_free_and_no_more_than_a_gigabyte(machine):
    assert [machine(mb) for mb in (100_000, 4096, 2000, 400, 100)] == [1024, 1024, 500, 100, 64]


def test_in_a_container_it_is_a_quarter_of_what_that_has_left(machine):
    limits = {"memory.max": f"{1024 * MB}\n", "memory.current": f"{724 * MB}\n"}
    cached = {"memory.stat": f"anon 1\ninactive_file {400 * MB}\n"}
    assert machine(100_000, files=limits) == 75
    assert machine(100_000, files=limits | cached) == 175
    assert machine(200, files=limits | cached) == 64
    assert machine(100_000, files={"memory.max": "max\n"}) == 1024


def test_the_groups_around_it_count(machine):
    outer = {"user.slice/memory.max": f"{800 * MB}\n", "user.slice/memory.current": "0\n"}
    inner = {"user.slice/a.scope/memory.max": "max\n", "user.slice/a.scope/memory.current": "0\n"}
    assert machine(100_000, "0::/user.slice/a.scope\n", outer | inner) == 200
    assert machine(100_000, "0::/other.slice\n", outer | inner) == 1024


def test_groups_of_the_older_version_count(machine):
    old = {
        "memory/box/memory.limit_in_bytes": f"{1000 * MB}\n",
        "memory/box/memory.usage_in_bytes": f"{800 * MB}\n",
        "memory/box/memory.stat": f"inactive_file 1\ntotal_inactive_file {200 * MB}\n",
    }
    assert machine(100_000, "9:name=systemd:/\n4:memory:/box\n", old) == 100
    # In a container the group may be what is seen at the top.
    assert (
        machine(
            100_000, "4:memory:/far/away\n", {"memory/" + n.rpartition("/")[2]: t for n, t in old.items()}
        )
        == 100
    )


def test_where_nothing_is_said_it_is_a_gigabyte(tmp_path):
    assert memory.allowance(*[str(tmp_path / "none")] * 3) == memory.MOST
