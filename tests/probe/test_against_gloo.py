"""The simulated ranks against two real processes that talk through gloo: the same programs, the same ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from torchlsp.probe.request import Request

HEAD = """import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
t = torch.tensor([float(rank + 1)])
"""

# Programs of two ranks that come to their end; what they computed is asserted.
ENDING = {
    "all_reduce": "dist.all_reduce(t)\nassert t.item() == 3\n",
    "all_reduce_max": "dist.all_reduce(t, op=dist.ReduceOp.MAX)\nassert t.item() == 2\n",
    "broadcast": "dist.broadcast(t, src=1)\nassert t.item() == 2\n",
    "reduce": "dist.reduce(t, dst=0)\nassert rank != 0 or t.item() == 3\n",
    "all_gather": "parts = [torch.zeros(1) for _ in range(world)]\ndist.all_gather(parts, t)\n"
    "assert [p.item() for p in parts] == [1, 2]\n",
    "gather": "parts = [torch.zeros(1), torch.zeros(1)] if rank == 0 else None\ndist.gather(t, parts, dst=0)\n"
    "assert rank != 0 or parts[1].item() == 2\n",
    "scatter": "parts = [torch.ones(1), torch.full((1,), 5.0)] if rank == 0 else None\n"
    "dist.scatter(t, parts, src=0)\nassert t.item() == (1 if rank == 0 else 5)\n",
    "send_recv": "if rank == 0:\n    dist.send(t, dst=1)\nelse:\n    dist.recv(t, src=0)\n    assert t.item() == 1\n",
    "barrier": "dist.barrier()\n",
    "saved_by_rank_zero": "if rank == 0:\n    saved = t.clone()\ndist.barrier()\n",
    "same_in_both_branches": "if rank == 0:\n    dist.all_reduce(t)\nelse:\n    dist.all_reduce(t)\nassert t.item() == 3\n",
    "loop_until_a_shared_flag": "steps = 0\nwhile True:\n    flag = torch.tensor([1.0 if steps < 2 + rank else 0.0])\n"
    "    dist.all_reduce(flag)\n    steps += 1\n    if flag.item() < 2:\n        break\nassert steps == 3\n",
    "subgroup_of_all": "group = dist.new_group([0, 1])\ndist.all_reduce(t, group=group)\nassert t.item() == 3\n",
    "subgroup_of_one": "group = dist.new_group([0])\nif rank == 0:\n    dist.all_reduce(t, group=group)\nassert t.item() == rank + 1\n",
    "asynchronous": "work = dist.all_reduce(t, async_op=True)\nwork.wait()\nassert t.item() == 3\n",
    "objects": "found = [None, None]\ndist.all_gather_object(found, rank * 10)\nassert found == [0, 10]\n",
}
# Programs that one rank does not survive, or in which ranks wait for each other for ever.
STUCK = {
    "only_rank_zero": "if rank == 0:\n    dist.all_reduce(t)\n",
    "all_but_rank_zero": "if rank != 0:\n    dist.barrier()\n",
    "early_exit": "def step():\n    if rank == 1:\n        return\n    dist.all_reduce(t)\nstep()\n",
    "continue_in_a_loop": "for i in range(3):\n    if rank == 0 and i == 1:\n        continue\n    dist.all_reduce(t)\n",
    "more_turns": "for _ in range(2 + rank):\n    dist.all_reduce(t)\n",
    "gather_in_a_branch": "if rank == 0:\n    dist.gather(t, [torch.zeros(1), torch.zeros(1)], dst=0)\n",
    "broadcast_in_a_branch": "if rank == 1:\n    dist.broadcast(t, src=0)\n",
    "another_collective": "if rank == 0:\n    dist.all_reduce(t)\nelse:\n    dist.broadcast(t, src=0)\n",
    "another_shape": "dist.all_reduce(torch.zeros(2 + rank))\n",
    "another_dtype": "dist.all_reduce(torch.zeros(2, dtype=torch.float32 if rank == 0 else torch.float64))\n",
    "both_receive": "dist.recv(t, src=1 - rank)\n",
    "receive_without_send": "if rank == 0:\n    dist.recv(t, src=1)\n",
    "an_error_on_one_rank": "if rank == 1:\n    raise ValueError('bad batch')\ndist.all_reduce(t)\n",
    "barrier_after_exit": "if rank == 0:\n    dist.barrier()\n    dist.barrier()\nelse:\n    dist.barrier()\n",
}
PROGRAMS = {**ENDING, **STUCK}

# Each program has a group of its own; a rank that is done waits until the other one is, so that a partner that
# is missing shows as one that does not come and not as a closed connection.
MAIN = """
import datetime, json, os, sys, time, warnings
from pathlib import Path
import torch
import torch.distributed as dist
warnings.simplefilter("ignore")
torch.set_num_threads(1)
folder, rank = Path(sys.argv[1]), int(sys.argv[2])
begin = dist.init_process_group
ends = {}
programs = list(enumerate(json.loads((folder / "programs.json").read_text()).items()))
# Those that are stuck only wait: some processes for each rank, which share the import.
parts = int(sys.argv[3])
part = next((part for part in range(parts) if os.fork() == 0), None)
if part is None:
    for _ in range(parts):
        os.wait()
    os._exit(0)
for number, (name, program) in programs[part::parts]:
    store = dist.FileStore(str(folder / f"store{number}"), 2)
    begin("gloo", store=store, rank=rank, world_size=2, timeout=datetime.timedelta(seconds=3))
    dist.init_process_group = lambda *args, **more: None
    try:
        exec(compile(program, name, "exec"), {"__name__": "__main__"})
        ends[name] = "ok"
    except Exception as error:
        ends[name] = f"{type(error).__name__}: {error}"
    (folder / f"done{number}.{rank}").write_text("")
    other = folder / f"done{number}.{1 - rank}"
    limit = time.monotonic() + 30
    while not other.exists() and time.monotonic() < limit:
        time.sleep(0.01)
    dist.destroy_process_group()
(folder / f"ends{rank}.{part}.part").write_text(json.dumps(ends))
(folder / f"ends{rank}.{part}.part").rename(folder / f"ends{rank}.{part}.json")
os._exit(0)
"""


PARTS = 10
"""Processes for each rank, which go through some of the programs one after the other."""


@pytest.fixture(scope="module")
def gloo(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, str]]:
    """How each program ended on each of two real ranks."""
    folder = tmp_path_factory.mktemp("gloo")
    (folder / "programs.json").write_text(json.dumps({name: HEAD + body for name, body in PROGRAMS.items()}))
    (folder / "main.py").write_text(MAIN)
    environment = os.environ | {"TORCH_DISTRIBUTED_DEBUG": "DETAIL", "OMP_NUM_THREADS": "1"}
    processes = [
        subprocess.Popen(
            [sys.executable, "main.py", str(folder), str(rank), str(PARTS)],
            cwd=folder,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in (0, 1)
    ]
    told = [process.communicate(timeout=300)[1] for process in processes]
    found = [[folder / f"ends{rank}.{part}.json" for part in range(PARTS)] for rank in (0, 1)]
    assert all(path.exists() for paths in found for path in paths), "\n".join(text[-2000:] for text in told)
    return [
        {name: end for path in paths for name, end in json.loads(path.read_text()).items()} for paths in found
    ]


@pytest.fixture(scope="module")
def simulated(worker) -> dict[str, str]:
    """How each program ended in the worker."""
    batch = [Request(HEAD + body, kind="ranks", world=2, key=name) for name, body in PROGRAMS.items()]
    return {answer.key: answer.outcome for answer in worker.run(batch, 2.0)}


@pytest.mark.torch
@pytest.mark.slow
@pytest.mark.processes
def test_simulated_and_real_ranks_agree(gloo: list[dict[str, str]], simulated: dict[str, str]):
    problems = []
    for name in PROGRAMS:
        real = [ends[name] for ends in gloo]
        if (set(real) == {"ok"}) != (name in ENDING):
            problems.append(f"{name}: real ranks: {real}")
        if simulated[name] not in (("passed",) if name in ENDING else ("deadlock", "mismatch", "raised")):
            problems.append(f"{name}: simulated ranks: {simulated[name]}")
    assert not problems, "\n".join(["", *problems])


WRAPPED = """
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a = torch.nn.Linear(1, 1)
        self.b = torch.nn.Linear(1, 1)

    def forward(self, t):
        return {}

model = torch.nn.parallel.DistributedDataParallel(Model(){})
for _ in range({}):
    model(t).sum().backward()
"""


@pytest.mark.torch
@pytest.mark.parametrize(
    ("forward", "options", "steps", "outcome"),
    [
        ("self.a(t)", "", 2, "raised"),
        ("self.a(t)", "", 1, "passed"),
        ("self.a(t)", ", find_unused_parameters=True", 2, "passed"),
        ("self.a(t) + self.b(t)", "", 2, "passed"),
    ],
)
def test_a_wrapper_refuses_to_go_on_without_all_gradients(worker, forward, options, steps, outcome):
    """What real ranks do is measured by the page of TL810."""
    program = HEAD + WRAPPED.format(forward, options, steps)
    (answer,) = worker.run([Request(program, kind="ranks", world=2, key="wrapped")], 2.0)
    assert answer.outcome == outcome
