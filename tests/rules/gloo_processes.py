"""Runs a program of several ranks as real processes that talk through gloo.

One process imports torch, once for all programs of a run of tests, and forks a process for each rank.
"""

from __future__ import annotations

import atexit
import json
import os
import socket
import subprocess
import sys
from functools import cache
from pathlib import Path

TIMEOUT_S = 5
# No rank that is not stuck comes near to it: of the two that gloo lets go after TIMEOUT_S one waits thrice as long.
PATIENCE_S = 30

# A rank that has ended stays until the others have, so that a missing partner shows as a hang and not as a
# closed connection. The program's own init_process_group gets the short time-out.
MAIN = """
import datetime, functools, json, os, signal, sys, time, warnings
from pathlib import Path
import torch.distributed as dist
import torch
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


def is_over(process):
    return os.waitpid(process, os.WNOHANG) != (0, 0)


for line in sys.stdin:
    world, port, folder = json.loads(line)
    alive = []
    for rank in range(world):
        process = os.fork()
        if process == 0:
            try:
                run(rank, world, port, folder)
            finally:
                os._exit(0)
        alive.append(process)
    deadline = time.time() + PATIENCE
    while alive and time.time() < deadline:
        alive = [process for process in alive if not is_over(process)]
        time.sleep(0.02)
    for process in alive:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
    print("over", flush=True)
"""


@cache
def _forking() -> subprocess.Popen:
    """The process that has imported torch; it ends with its stdin."""
    constants = f"TIMEOUT, PATIENCE = {TIMEOUT_S}, {PATIENCE_S}\n"
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


def run_processes(source: str, size: int, folder: Path) -> list[str]:
    """How each rank ended: "ok", "Type: message", or "no result"."""
    (folder / "program.py").write_text(source)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    forking = _forking()
    forking.stdin.write(json.dumps([size, port, str(folder)]) + "\n")
    forking.stdin.flush()
    assert forking.stdout.readline() == "over\n"
    results = [folder / f"result{rank}" for rank in range(size)]
    return [path.read_text() if path.exists() else "no result" for path in results]
