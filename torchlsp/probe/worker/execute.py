"""Runs one program in the current process and reports how it ended. It knows nothing of locks, pipes or
deadlines."""

from __future__ import annotations

import errno
import os
import sys
import time
import traceback
import warnings
from contextlib import ExitStack, contextmanager

import logical
import torch
from results import MAX_NAME_LENGTH, clean

FILE = "<program>"
KINDS = ("eager-cpu", "logical-device", "ranks", "real-cuda")

# What our own limits and the lack of a GPU and of ranks make torch and Python say: no faults of the program.
_OUT_OF_MEMORY = ("can't allocate memory", "not enough memory", "std::bad_alloc", "Cannot allocate memory")
_DENIED = (os.strerror(errno.EPERM), os.strerror(errno.EACCES), "can't start new thread", "/dev/urandom")
_NO_GPU = (
    "not linked with support for",
    "not compiled with CUDA",
    "Found no NVIDIA driver",
    "No CUDA GPUs are available",
    "hasPrimaryContext expects",
    "Cannot access accelerator device",
    "Cannot get CUDA generator without ATen_cuda library",
)
# An error from in there is one of a machine without GPU and ranks: what is emulated does not get there.
_NOT_EMULATED = ("torch.cuda", "torch.distributed", "torch.accelerator")
_WITHOUT_GROUP = "Default process group has not been initialized"
# What depends on the device in ways that the emulation does not follow.
_BEYOND_EMULATION = ("autocast", "GradScaler", "Generator", "CUDAGraph")


def run(program, kind="eager-cpu", flag=None, world=1, crew=None, hears=False):
    # type: (str, str, object, int, object, bool) -> dict
    """Compiles and runs a program. `flag` is (first row, last row) whose completion is watched; with `hears`
    its warnings are raised."""
    began = time.perf_counter()
    answer = {"outcome": "passed", "error": None, "reached": None, "lines": None}
    _run(answer, program, kind, flag, world, crew, hears)
    answer["ms"] = round((time.perf_counter() - began) * 1000, 3)
    return answer


def _run(answer, program, kind, flag, world, crew, hears):
    if kind not in KINDS:
        answer.update(outcome="unsupported", error={"class": "Unsupported", "text": "kind", "row": None})
        return
    beyond = [word for word in _BEYOND_EMULATION if word in program]
    if kind == "logical-device" and beyond:
        text = f"{beyond[0]} is beyond the emulated device"
        answer.update(outcome="unsupported", error={"class": "Unsupported", "text": text, "row": None})
        return
    try:
        code = compile(program, FILE, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:  # ValueError: a null character
        row = getattr(error, "lineno", None)
        answer.update(outcome="syntax", error=describe(error, row))
        return
    watch = Watch(code, flag) if flag else None
    with _fresh(hears):
        if kind == "ranks":
            _run_ranks(answer, program, world, crew, watch)
        else:
            _run_alone(answer, code, kind, watch)
    if watch is not None:
        answer["reached"] = watch.reached


def _run_alone(answer, code, kind, watch):
    names = {"__name__": "__main__"}
    with ExitStack() as stack:
        if kind == "logical-device":
            stack.enter_context(logical.one_logical_cuda_device())
        if watch is not None:
            stack.enter_context(watch.watching())
        try:
            exec(code, names)
        except BaseException as error:  # whatever the program raises is its outcome
            sys.settrace(None)
            answer["outcome"], answer["error"] = judge(error)
            if kind == "eager-cpu" and answer["error"]["text"].startswith(_WITHOUT_GROUP):
                answer["outcome"] = "raised"  # no ranks were promised to this program


def _run_ranks(answer, program, world, crew, watch):
    import ranks

    tags = {}

    @contextmanager
    def within():
        with ExitStack() as stack:
            if "cuda" in program:
                stack.enter_context(logical.LogicalDevice(tags))
            if watch is not None:
                stack.enter_context(watch.watching())
            yield

    with ExitStack() as stack:
        if "cuda" in program:
            stack.enter_context(logical.one_logical_cuda_device())
        result = ranks.World(program, FILE, world, crew=crew, within=within).run()
    errors = {rank: judge(error) for rank, error in result.errors.items()}
    if result.stuck:
        answer["outcome"] = "mismatch" if result.differ else "deadlock"
        answer["lines"] = {
            str(rank): result.stuck[rank][1][0] if rank in result.stuck and result.stuck[rank][1] else None
            for rank in range(world)
        }
        waits = [
            f"rank {rank} waits in {result.stuck[rank][0]}"
            if rank in result.stuck
            else f"rank {rank} has ended"
            for rank in range(world)
        ]
        first = next((row for row in answer["lines"].values() if row is not None), None)
        answer["error"] = {"class": answer["outcome"].title(), "text": ", ".join(waits), "row": first}
    # A rank that was stopped by us, or raised, is why the others wait.
    for rank, (outcome, error) in errors.items():
        error["text"] += f" (rank {rank})"
        answer["error"] = error
        if outcome != "raised" or not result.stuck:
            answer["outcome"] = outcome
            break


@contextmanager
def _fresh(hears):
    # type: (bool) -> object
    """Seeds torch, and restores what a program may have left changed."""
    # Not `torch.manual_seed`, which turns to CUDA too, and is slow where files cannot be read.
    torch.default_generator.manual_seed(0)
    # A warning is heard by each program that asks for it, not only by the first one in this process.
    torch.set_warn_always(True)
    # What torch says once in a process, it says to each program that asks for it.
    torch.set_warn_always(hears)
    with warnings.catch_warnings():
        warnings.simplefilter("error" if hears else "ignore")
        try:
            yield
        finally:
            sys.settrace(None)
            torch.set_grad_enabled(True)
            torch.set_default_dtype(torch.float32)


def judge(error):
    # type: (BaseException) -> tuple
    """Returns the outcome that an exception means, and its description."""
    described = describe(error, row_of(error))
    text = described["text"]
    if isinstance(error, MemoryError) or any(word in text for word in _OUT_OF_MEMORY):
        return "resource", described
    if type(error).__name__ == "Unsupported" and not isinstance(error, Exception):
        return "unsupported", described
    if isinstance(error, PermissionError) or any(word in text for word in _DENIED):
        return "denied", described
    if isinstance(error, ImportError):
        return "import", described
    if isinstance(error, Warning):
        described["text"] = text.partition(" (Triggered internally at ")[0]
        return "raised", described
    if any(word in text for word in _NO_GPU) or _passed_through(error, _NOT_EMULATED):
        return "unsupported", described
    return "raised", described


def describe(error, row):
    # type: (BaseException, object) -> dict
    try:
        text = str(error)
    except BaseException as again:
        text = f"(its text raises {type(again).__name__})"
    if not isinstance(row, int):
        row = None
    return {"class": type(error).__name__[:MAX_NAME_LENGTH], "text": clean(text), "row": row}


def row_of(error):
    # type: (BaseException) -> object
    """Returns the row of the program's innermost frame on the way to the error."""
    rows = [row for frame, row in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == FILE]
    return rows[-1] if rows else None


def _passed_through(error, modules):
    # type: (BaseException, tuple) -> bool
    for frame, _ in traceback.walk_tb(error.__traceback__):
        name = frame.f_globals.get("__name__") or ""
        if any(name == module or name.startswith(module + ".") for module in modules):
            return True
    return False


class Watch:
    """Detects whether the flagged rows were executed to their end.

    They were when a frame that was on them went on to another row or returned without an error; functions and
    lambdas written on the rows must have come to their own end as well.
    """

    def __init__(self, code, flag):
        self.first, self.last = flag
        self.wanted = {one for one in _inner_codes(code) if self.first <= one.co_firstlineno <= self.last}
        self.outer_done = False

    @property
    def reached(self):
        return self.outer_done and not self.wanted

    @contextmanager
    def watching(self):
        before = sys.gettrace()
        sys.settrace(self._enter)
        try:
            yield
        finally:
            sys.settrace(before)

    def _enter(self, frame, event, argument):
        if frame.f_code.co_filename != FILE:
            return None
        is_inner = frame.f_code in self.wanted
        place = {"inside": False, "failed": False}

        def step(frame, event, argument):
            if event == "exception":
                place["failed"] = True
                return step
            if event == "return" and place["failed"]:
                return step
            row = frame.f_lineno
            if event == "return" and is_inner:
                self.wanted.discard(frame.f_code)
                return step
            here = self.first <= row <= self.last
            if place["inside"] and not place["failed"] and (event == "return" or not here) and not is_inner:
                self.outer_done = True
            if event == "line":
                place["failed"] = False
                place["inside"] = here
            return step

        return step


def _inner_codes(code):
    for constant in code.co_consts:
        if hasattr(constant, "co_code"):
            yield constant
            yield from _inner_codes(constant)
