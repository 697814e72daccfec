"""The simulator ends as the same program ends on real ranks: all at their end, or stuck where they would hang."""

from __future__ import annotations

from pathlib import Path

import pytest
from gloo_processes import run_processes
from torch_runs import Ended, Program, TorchRuns

pytestmark = pytest.mark.torch

SETUP = """import torch, torch.distributed as dist
dist.init_process_group("gloo")
rank = dist.get_rank()
x = torch.ones(3) * (rank + 1)
"""

HANGS = {
    "one rank alone": "if rank == 0:\n    dist.all_reduce(x)\n",
    "another collective on the other side": "if rank == 0:\n    dist.all_reduce(x)\ndist.barrier()\n",
    "two in another order": (
        "if rank == 0:\n    dist.all_reduce(x); dist.broadcast(x, 0)\n"
        "else:\n    dist.broadcast(x, 0); dist.all_reduce(x)\n"
    ),
    "the source differs": "dist.broadcast(x, src=rank)\n",
    "the shape differs": "dist.all_reduce(torch.ones(rank + 1))\n",
    "the dtype differs": "dist.all_reduce(x.half() if rank else x)\n",
    "an early return": "def f():\n    if rank == 1: return\n    dist.all_reduce(x)\nf()\n",
    "an exception on one rank": "if rank == 1: raise ValueError('bad')\ndist.barrier()\n",
    "one more iteration": "for i in range(3 + rank):\n    dist.all_reduce(x)\n",
    "both receive first": "dist.recv(x, 1 - rank); dist.send(x, 1 - rank)\n",
    "a group made by one rank": "if rank == 0:\n    g = dist.new_group([0, 1])\n",
}

ENDS = {
    "work on one rank, then a barrier": "if rank == 0:\n    y = x.sum().item()\ndist.barrier()\n",
    "a group of the one that enters": (
        "g = dist.new_group([0])\nif rank == 0: dist.all_reduce(x, group=g)\ndist.barrier()\n"
    ),
    "send and receive": "if rank == 0: dist.send(x, 1)\nelse: dist.recv(x, 0)\nassert x.sum() == 3\n",
    "a loop that all leave together": (
        "done = torch.tensor(0); n = 0\nwhile not done.item():\n    n += 1\n"
        "    done = torch.tensor(1 if n > rank else 0); dist.all_reduce(done, op=dist.ReduceOp.MIN)\n"
    ),
    "values are summed": "dist.all_reduce(x)\nassert x.tolist() == [3, 3, 3]\n",
    "values are gathered": (
        "parts = [torch.zeros(3) for _ in range(dist.get_world_size())]\n"
        "dist.all_gather(parts, x)\nassert parts[1][0] == 2\n"
    ),
    "objects are gathered": "out = [None, None]\ndist.all_gather_object(out, rank)\nassert out == [0, 1]\n",
    "a backward past the wrapper reduces nothing": (
        "layer = torch.nn.Linear(3, 1)\nmodel = torch.nn.parallel.DistributedDataParallel(layer)\n"
        "model.module(x).sum().backward()\nassert layer.weight.grad[0, 0] == rank + 1\n"
        "layer.zero_grad(); model(x).sum().backward()\nassert layer.weight.grad[0, 0] == 1.5\n"
    ),
    "a value is broadcast": "dist.broadcast(x, 1)\nassert x[0] == 2\n",
}

RAISES = {
    "a list that is too short": ("dist.all_gather([torch.ones(3)], x)\n", "expected length 2, got 1"),
    "a list of another dtype": (
        "dist.all_gather([torch.ones(3).long() for _ in range(2)], x)\n",
        "Invalid usage of tensors with different dtypes",
    ),
    "a list of other sizes": (
        "dist.all_gather([torch.ones(2) for _ in range(2)], x)\n",
        "invalid tensor size at index 0",
    ),
    "nothing where tensors must be": (
        "dist.all_gather([None, None], x)\n",
        "Expected parameter `tensor_list`",
    ),
    "a tensor where a list must be": (
        "dist.all_gather(torch.ones(6), x)\n",
        "Expected parameter `tensor_list`",
    ),
    "a number": ("dist.all_reduce(1.0)\n", "Expected parameter `tensor` of type torch.Tensor"),
    "no place for an object": ("dist.all_gather_object([], rank)\n", "list assignment index out of range"),
    "a list on every rank": (
        "dist.gather(x, [torch.ones(3) for _ in range(2)])\n",
        "must NOT be specified on non-destination ranks",
    ),
    "a list on no rank": ("dist.scatter(x, None)\n", "must be specified on source rank"),
    "a call behind the end": (
        "dist.destroy_process_group()\ndist.barrier()\n",
        "Default process group has not been initialized",
    ),
}


def on_ranks(torch_runs: TorchRuns, program: str, size: int = 2) -> Ended:
    return torch_runs.run(Program(SETUP + program, world=size))


@pytest.mark.parametrize(("program", "text"), RAISES.values(), ids=RAISES.keys())
def test_what_torch_refuses_is_refused(torch_runs: TorchRuns, program: str, text: str):
    ended = on_ranks(torch_runs, program)
    assert any(text in error for error in ended.errors.values()), ended


@pytest.mark.slow
@pytest.mark.processes
def test_processes_refuse_it_in_the_same_words(tmp_path: Path):
    ends = run_processes([(SETUP + program, 2) for program, _ in RAISES.values()], tmp_path)
    other = {
        name: ended
        for (name, (_, text)), ended in zip(RAISES.items(), ends)
        if not any(text in end for end in ended)
    }
    assert not other


@pytest.mark.parametrize("program", HANGS.values(), ids=HANGS.keys())
def test_hang_is_seen(torch_runs: TorchRuns, program: str):
    assert on_ranks(torch_runs, program).stuck


@pytest.mark.parametrize("program", ENDS.values(), ids=ENDS.keys())
def test_every_rank_ends(torch_runs: TorchRuns, program: str):
    ended = on_ranks(torch_runs, program)
    assert (ended.stuck, ended.errors) == ({}, {})


def test_crossed_groups_hang(torch_runs: TorchRuns):
    program = (
        "a = dist.new_group([0, 1, 2]); b = dist.new_group([1, 2, 3])\n"
        "if rank in (0, 1): dist.barrier(group=a)\n"
        "if rank in (2, 3): dist.barrier(group=b)\n"
        "if rank == 1: dist.barrier(group=b)\n"
        "if rank == 2: dist.barrier(group=a)\n"
    )
    assert on_ranks(torch_runs, program, 4).stuck


def test_halves_reduce_on_their_own(torch_runs: TorchRuns):
    program = (
        "a = dist.new_group([0, 1]); b = dist.new_group([2, 3])\n"
        "dist.all_reduce(x, group=a if rank < 2 else b)\n"
        "assert x[0] == (3 if rank < 2 else 7)\n"
    )
    ended = on_ranks(torch_runs, program, 4)
    assert (ended.stuck, ended.errors) == ({}, {})


def test_wait_is_located(torch_runs: TorchRuns):
    ended = on_ranks(torch_runs, "if rank == 0:\n    dist.barrier()\n")
    assert (ended.stuck, ended.waits) == ({0: "barrier"}, {0: (6,)})
