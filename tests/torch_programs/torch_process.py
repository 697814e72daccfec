"""Runs programs in real torch, each in a fork of this process, which imports torch once and executes nothing itself.

Started by `torch_runs.py`. Reads jobs as JSON lines on stdin and writes how each ended as JSON lines on stdout. As every
program begins in a process where nothing has run yet, none can see what another has changed in torch.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import selectors
import shutil
import signal
import sys
import tempfile
import time
import traceback
import types
import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.random

# An optimizer imports dynamo when it is made, which takes longer than most programs.
import torch
import torch._dynamo
import torch.export
import torch.onnx
import torch.profiler
import torch.utils.data

from torchlsp.probe.worker.logical import one_logical_cuda_device
from torchlsp.probe.worker.ranks import World

AT_ONCE = 4
"""Programs in flight: some only wait, for a worker of a loader or for a time-out."""
DEADLINE_S = 120.0

Answer = dict[str, Any]


# ---- in the fork ---------------------------------------------------------------------------------------------------


def answer_to(job: Answer) -> Answer:
    """Runs the job's `watch` and `source`; after their end, evaluates its proofs on the names that they leave behind."""
    # Else only the first program of a process hears of some warnings.
    torch.set_warn_always(True)
    torch.manual_seed(0)
    random.seed(0)
    np.random.seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if job["world"]:
            answer, namespaces = on_ranks(job)
        else:
            with one_logical_cuda_device() if job["emulate"] else contextlib.nullcontext():
                answer, namespaces = on_its_own(job)
        if not answer["error"]:
            answer["proof"] = next((text for names in namespaces for text in refuted(job, names)), "")
    return answer


def on_its_own(job: Answer) -> tuple[Answer, list[dict]]:
    """Runs `watch` and then `source` in one fresh namespace."""
    # torch.compile looks the program's names up in the module that it says it is.
    module = sys.modules["__main__"] = types.ModuleType("__main__")
    names, filename = module.__dict__, job["filename"]
    try:
        exec(compile(job["watch"], "<watch>", "exec"), names)
        exec(compile(job["source"], filename, "exec"), names)
    except Exception as error:
        frames = [
            frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == filename
        ]
        return {"error": f"{type(error).__name__}: {error}", "lines": frames[::-1]}, [names]
    return {"error": ""}, [names]


def on_ranks(job: Answer) -> tuple[Answer, list[dict]]:
    """Runs `source` on the simulated ranks."""
    result = World(job["source"], job["filename"], job["world"]).run()
    errors = {str(rank): f"{type(error).__name__}: {error}" for rank, error in result.errors.items()}
    answer: Answer = {
        "error": "",
        "errors": errors,
        "stuck": {str(rank): kind for rank, (kind, _) in result.stuck.items()},
    }
    answer["waits"] = {str(rank): list(lines) for rank, (_, lines) in result.stuck.items()}
    if result.stuck:
        waits = ", ".join(f"rank {rank} waits in {kind}" for rank, (kind, _) in result.stuck.items())
        answer |= {
            "error": f"hang: {waits}",
            "lines": [row for lines in answer["waits"].values() for row in lines],
        }
    elif errors:
        rank, text = next(iter(errors.items()))
        answer["error"] = f"{text} (rank {rank})"
    return answer, result.namespaces


def refuted(job: Answer, names: dict):
    """The messages of the proofs whose assertion fails."""
    for number, proof in enumerate(job["proofs"]):
        try:
            exec(compile(proof, f"<proof {number}>", "exec"), names)
        except AssertionError as error:
            yield str(error) or "AssertionError"


def run_in_fork(job: Answer, folder: str, answers: int) -> None:
    """Ends the process."""
    try:
        os.setpgid(0, 0)
        os.chdir(folder)
        nothing = os.open(os.devnull, os.O_RDWR)
        for standard in (0, 1, 2):
            os.dup2(nothing, standard)
        sys.argv = ["program.py"]
        try:
            answer = answer_to(job)
        except BaseException as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        with open(answers, "w", encoding="utf-8", closefd=False) as file:
            file.write(json.dumps(answer) + "\n")
    finally:
        os._exit(0)


# ---- in the process that forks -------------------------------------------------------------------------------------


@dataclass
class Running:
    """A program in flight: what it has answered so far, and the folder that it works in."""

    number: int
    process: int
    folder: str
    ends_by: float
    answer: bytes = field(default=b"")


class Forks:
    """Keeps some programs in flight, and writes down the answer of each."""

    def __init__(self) -> None:
        self.waiting: list[Answer] = []
        self.running: dict[int, Running] = {}
        self.selector = selectors.DefaultSelector()

    def serve(self) -> None:
        """Works until stdin ends and every program has."""
        self.selector.register(0, selectors.EVENT_READ)
        rest, is_open = b"", True
        while is_open or self.waiting or self.running:
            for key, _ in self.selector.select(timeout=1.0):
                if key.fd == 0:
                    read = os.read(0, 1 << 16)
                    *lines, rest = (rest + read).split(b"\n")
                    self.waiting.extend(map(json.loads, lines))
                    if not read:
                        is_open = False
                        self.selector.unregister(0)
                else:
                    self.hear(key.fd)
            for pipe in [pipe for pipe, one in self.running.items() if time.monotonic() > one.ends_by]:
                self.end(pipe, {"error": f"no end within {DEADLINE_S:.0f} s"})
            while self.waiting and len(self.running) < AT_ONCE:
                self.start(self.waiting.pop(0))

    def start(self, job: Answer) -> None:
        folder = tempfile.mkdtemp(prefix="program")
        mine, theirs = os.pipe()
        process = os.fork()
        if process == 0:
            run_in_fork(job, folder, theirs)
        os.close(theirs)
        self.running[mine] = Running(job["number"], process, folder, time.monotonic() + DEADLINE_S)
        self.selector.register(mine, selectors.EVENT_READ)

    def hear(self, pipe: int) -> None:
        one = self.running[pipe]
        read = os.read(pipe, 1 << 16)
        one.answer += read
        # What the program has started may hold the pipe open: an answer ends with its line.
        if one.answer.endswith(b"\n"):
            self.end(pipe, json.loads(one.answer))
        elif not read:
            self.end(pipe, {"error": "the process ended without an answer"})

    def end(self, pipe: int, answer: Answer) -> None:
        one = self.running.pop(pipe)
        self.selector.unregister(pipe)
        os.close(pipe)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(one.process, signal.SIGKILL)
        os.waitpid(one.process, 0)
        shutil.rmtree(one.folder, ignore_errors=True)
        print(json.dumps({"number": one.number, **answer}), flush=True)


if __name__ == "__main__":
    torch.set_num_threads(1)
    Forks().serve()
