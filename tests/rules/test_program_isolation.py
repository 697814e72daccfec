"""A program that runs in torch begins in a process where no other has run, and never takes the others with it."""

from __future__ import annotations

import pytest
from torch_runs import Program, TorchRuns

pytestmark = pytest.mark.torch

FLAGS = "import torch\ntorch.backends.cudnn.benchmark = torch.backends.cudnn.benchmark\n"


def test_what_one_program_changes_in_torch_is_unknown_to_the_next(torch_runs: TorchRuns):
    changing = Program(FLAGS + "torch.backends.disable_global_flags()\ntorch.Tensor.view = None\n")
    refused = Program("import torch\ntorch.backends.disable_global_flags()\n" + FLAGS)
    untouched = Program(FLAGS + "torch.ones(4).view(2, 2)\n")
    ends = [torch_runs.run(one).error for one in (changing, refused, untouched)]
    assert (ends[0], ends[2]) == ("", "")
    assert ends[1].startswith("RuntimeError: not allowed to set torch.backends.cudnn flags")


def test_a_program_that_ends_its_process_is_named_and_the_others_are_answered(torch_runs: TorchRuns):
    ends = torch_runs.run_all([Program("import os\nos._exit(3)\n"), Program("x = 1\n"), Program("1 / 0\n")])
    assert [one.error for one in ends] == [
        "the process ended without an answer",
        "",
        "ZeroDivisionError: division by zero",
    ]
    assert ends[2].lines == (1,)


def test_what_a_program_leaves_running_does_not_hold_up_its_answer(torch_runs: TorchRuns):
    program = "import os, time\nif os.fork() == 0:\n    time.sleep(60)\n    os._exit(0)\n"
    assert torch_runs.run(Program(program)).error == ""


def test_a_proof_that_fails_gives_its_message(torch_runs: TorchRuns):
    program = Program("x = 1\n", watch="y = 2\n", proofs=("assert x < y\n", "assert x == y, 'they differ'\n"))
    assert torch_runs.run(program).proof == "they differ"
