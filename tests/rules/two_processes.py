"""Runs a program of several ranks as real processes that talk through gloo."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

TIMEOUT_S = 5

# A rank that has ended stays until the others have, so that a missing partner shows as a hang and not as a
# closed connection. The program's own init_process_group gets the short time-out.
MAIN = """
import datetime, functools, os, sys, time, warnings
from pathlib import Path
import torch.distributed as dist
import torch
warnings.simplefilter("ignore")
torch.set_num_threads(1)
torch.manual_seed(0)
folder, world = Path(sys.argv[1]), int(os.environ["WORLD_SIZE"])
dist.init_process_group = functools.partial(
    dist.init_process_group, timeout=datetime.timedelta(seconds={timeout}))
try:
    exec(compile((folder / "program.py").read_text(), "program.py", "exec"), {{"__name__": "__main__"}})
    text = "ok"
except BaseException as error:
    text = type(error).__name__ + ": " + str(error)
(folder / f"part{{os.environ['RANK']}}").write_text(text)
(folder / f"part{{os.environ['RANK']}}").rename(folder / f"result{{os.environ['RANK']}}")
deadline = time.time() + 3 * {timeout}
while time.time() < deadline and not all((folder / f"result{{r}}").exists() for r in range(world)):
    time.sleep(0.05)
os._exit(0)
"""


def run_processes(source: str, size: int, folder: Path) -> list[str]:
    """How each rank ended: "ok", "Type: message", or "no result"."""
    (folder / "program.py").write_text(source)
    (folder / "main.py").write_text(MAIN.format(timeout=TIMEOUT_S))
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    shared = {
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(port),
        "WORLD_SIZE": str(size),
        "OMP_NUM_THREADS": "1",
    }
    processes = [
        subprocess.Popen(
            [sys.executable, "main.py", str(folder)],
            cwd=folder,
            env={**os.environ, **shared, "RANK": str(rank), "LOCAL_RANK": str(rank)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for rank in range(size)
    ]
    for process in processes:
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
    results = [folder / f"result{rank}" for rank in range(size)]
    return [path.read_text() if path.exists() else "no result" for path in results]
