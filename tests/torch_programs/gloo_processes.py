"""Runs programs of several ranks as real processes that talk through gloo.

One process imports torch, once for all programs of a run of tests, and forks a process for each rank. Most programs that are
wrong only wait for a time-out, so several are in flight.
"""

from __future__ import annotations

import atexit
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterable
from contextlib import ExitStack
from functools import cache
from pathlib import Path

TIMEOUT_S = 5
# No rank that is not stuck comes near to it: of the two that gloo lets go after TIMEOUT_S one waits thrice as long.
PATIENCE_S = 20
AT_ONCE = 16

# A rank that has ended stays until the others have, so that a missing partner shows as a hang and not as a
# closed connection. The program's own init_process_group gets the short time-out.
MAIN = """
import datetime, functools, json, os, signal, sys, time, warnings
from pathlib import Path
import torch.distributed as dist
import torch
import torch._dynamo, torch.nn.parallel, numpy  # else each rank imports them anew
warnings.simplefilter("ignore")
torch.set_num_threads(1)
dist.init_process_group = functools.partial(
    dist.init_process_group, timeout=datetime.timedelta(seconds=TIMEOUT))


def run(rank, world, port, folder):
    os.chdir(folder)
    os.environ.update(RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(world), MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    os.dup2(os.open(os.devnull, os.O_RDWR), 0)
    os.dup2(0, 1)
    os.dup2(0, 2)
    sys.argv = ["main.py", folder]
    torch.manual_seed(0)
    try:
        exec(compile(Path("program.py").read_text(), "program.py", "exec"), {"__name__": "__main__"})
        text = "ok"
    except BaseException as error:
        text = type(error).__name__ + ": " + str(error)
    Path(f"part{rank}").write_text(text)
    Path(f"part{rank}").rename(f"result{rank}")
    deadline = time.time() + 3 * TIMEOUT
    while time.time() < deadline and not all(Path(f"result{r}").exists() for r in range(world)):
        time.sleep(0.05)


def start(world, port, folder):
    started = []
    for rank in range(world):
        process = os.fork()
        if process == 0:
            try:
                run(rank, world, port, folder)
            finally:
                os._exit(0)
        started.append(process)
    return time.time() + PATIENCE, started


def is_over(process):
    return os.waitpid(process, os.WNOHANG) != (0, 0)


for line in sys.stdin:
    waiting = json.loads(line)
    flying = []
    while waiting or flying:
        while waiting and len(flying) < AT_ONCE:
            flying.append(start(*waiting.pop(0)))
        still = []
        for deadline, alive in flying:
            alive = [process for process in alive if not is_over(process)]
            if time.time() > deadline:
                for process in alive:
                    os.kill(process, signal.SIGKILL)
                    os.waitpid(process, 0)
            elif alive:
                still.append((deadline, alive))
        flying = still
        time.sleep(0.02)
    print("over", flush=True)
"""


@cache
def _forking() -> subprocess.Popen:
    """The process that has imported torch; it ends with its stdin."""
    constants = f"TIMEOUT, PATIENCE, AT_ONCE = {TIMEOUT_S}, {PATIENCE_S}, {AT_ONCE}\n"
    process = subprocess.Popen(
        [sys.executable, "-c", constants + MAIN],
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    atexit.register(process.stdin.close)
    return process


NOT_MET = ("DistStoreError: Timed out", "DistNetworkError: ")
"""How a rank ends that has not met the others in time, which says as much of a busy machine as of the program."""


def run_processes(programs: Iterable[tuple[str, int]], folder: Path) -> list[list[str]]:
    """How each rank of each (source, ranks) ended: "ok", "Type: message", or "no result".

    A program whose ranks have not met is run once more, by itself. Pass those first whose ranks wait for each other:
    they start first, and the others run meanwhile.
    """
    programs = list(programs)
    outcomes = _run_side_by_side(programs, folder)
    for number, outcome in enumerate(outcomes):
        if any(text.startswith(NOT_MET) for text in outcome):
            alone = folder / f"again{number}"
            alone.mkdir()
            (outcomes[number],) = _run_side_by_side([programs[number]], alone)
    return outcomes


def _run_side_by_side(programs: list[tuple[str, int]], folder: Path) -> list[list[str]]:
    jobs = []
    with ExitStack() as held:
        for number, (source, size) in enumerate(programs):
            own = folder / f"ranks{number}"
            own.mkdir()
            (own / "program.py").write_text(source)
            # Held together until all are chosen, so that no two programs get the same one.
            probe = held.enter_context(socket.socket())
            probe.bind(("127.0.0.1", 0))
            jobs.append((size, probe.getsockname()[1], str(own)))
    forking = _forking()
    forking.stdin.write(json.dumps(jobs) + "\n")
    forking.stdin.flush()
    assert forking.stdout.readline() == "over\n"
    return [[_result(Path(own) / f"result{rank}") for rank in range(size)] for size, _, own in jobs]


def _result(path: Path) -> str:
    return path.read_text() if path.exists() else "no result"
