"""Runs programs given as JSON on stdin, all in this process, and writes what each raises or warns, as JSON lines.

Started by test_errors.py with the Python that has torch; imports nothing of ours. With the argument `ranks` the
programs run in a process group of one.
"""

import contextlib
import json
import os
import sys
import tempfile
import types
import warnings

PRELUDE = """
import os, time
import numpy as np
import torch, torch.nn as nn, torch.nn.functional as F
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.nn.utils.rnn import pack_padded_sequence
from torch.utils.data import DataLoader, Dataset, SequentialSampler, random_split
"""
FIXTURES = """
torch.manual_seed(0)
net = nn.Linear(4, 3)
x = torch.randn(8, 4)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
"""
NAME = "trigger_program"


def outcome(program: str, ranks: bool) -> dict:
    import torch

    torch.set_warn_always(True)
    # A module, so that classes of the program can be found by those who pickle them.
    module = sys.modules[NAME] = types.ModuleType(NAME)
    exec(PRELUDE + FIXTURES, module.__dict__)
    if ranks:
        store = "file://" + os.path.join(tempfile.mkdtemp(), "store")
        torch.distributed.init_process_group("gloo", init_method=store, rank=0, world_size=1)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            exec(compile(program, "<trigger>", "exec"), module.__dict__)
    except BaseException as failure:
        return {"exception": type(failure).__name__, "text": str(failure)}
    finally:
        if torch.distributed.is_initialized():
            torch.distributed.destroy_process_group()
    texts = [(one.category.__name__, str(one.message)) for one in caught]
    return {"warnings": texts}


def main() -> None:
    programs = json.load(sys.stdin)
    sys.stdout.flush()
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    os.chdir(tempfile.mkdtemp())
    for one in programs:
        with contextlib.redirect_stdout(sys.stderr):
            answer = outcome(one["program"], one["ranks"])
        answers.write(json.dumps({"id": one["id"], **answer}) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
