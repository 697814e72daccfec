"""Runs a page's programs in real torch and says how each ended."""

from __future__ import annotations

import contextlib
import io
import os
import random
import sys
import traceback
import types
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import torch
from torch.optim import optimizer as optimizers

from torchlsp.lint.pages import Block, Page
from torchlsp.probe.worker.logical import one_logical_cuda_device
from torchlsp.probe.worker.ranks import World


@dataclass(frozen=True)
class Ended:
    """`error` is "" at the program's end, else "Type: message" or "hang: …".

    `lines` are those of the program (1-based) on the stack of the error, innermost first; `names` is what the
    program left behind (one mapping a rank).
    """

    error: str
    lines: tuple[int, ...] = ()
    names: list[dict] = field(default_factory=list)


def run_block(page: Page, block: Block, folder: str, *, emulate: bool = True) -> Ended:
    """Runs the page's `watch` and then the block, in fresh namespaces, with `folder` as working directory.

    A block that needs CUDA gets a logical device, or with `emulate` false the real one.
    """
    watch = "".join(b.source for b in page.of_role("watch"))
    filename = f"{page.path.name}:{block.line}"
    with _fresh_torch(folder):
        if block.attr("world"):
            return _run_ranks(block.source, filename, int(block.attr("world")))
        emulated = emulate and block.attr("needs") == "cuda-emulated"
        with one_logical_cuda_device() if emulated else contextlib.nullcontext():
            return run_program(watch, block.source, filename)


def prove(page: Page, ended: Ended) -> str:
    """Evaluates the page's proof after a program; the message of the assertion that failed, or ""."""
    for names in ended.names:
        for block in page.of_role("proof"):
            try:
                exec(compile(block.source, f"{page.path.name}:{block.line}", "exec"), names)
            except AssertionError as error:
                return str(error) or "AssertionError"
    return ""


def run_program(watch: str, source: str, filename: str) -> Ended:
    """Runs `watch` and then `source` in one fresh namespace."""
    # torch.compile looks the program's names up in the module that it says it is.
    module = types.ModuleType("__main__")
    names, before = module.__dict__, sys.modules["__main__"]
    sys.modules["__main__"] = module
    try:
        exec(compile(watch, "<watch>", "exec"), names)
        exec(compile(source, filename, "exec"), names)
    except Exception as error:
        frames = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == filename]
        return Ended(f"{type(error).__name__}: {error}", tuple(reversed(frames)), [names])
    finally:
        sys.modules["__main__"] = before
    return Ended("", (), [names])


def _run_ranks(source: str, filename: str, size: int) -> Ended:
    result = World(source, filename, size).run()
    if result.stuck:
        waits = ", ".join(f"rank {rank} waits in {kind}" for rank, (kind, _) in result.stuck.items())
        lines = tuple(line for _, lines in result.stuck.values() for line in lines)
        return Ended(f"hang: {waits}", lines, result.namespaces)
    for rank, error in result.errors.items():
        return Ended(f"{type(error).__name__}: {error} (rank {rank})", (), result.namespaces)
    return Ended("", (), result.namespaces)


@contextlib.contextmanager
def _fresh_torch(folder: str) -> Iterator[None]:
    """Seeds, and afterwards takes back what a program may have changed for the whole process."""
    here = os.getcwd()
    # Pages watch torch by putting functions of their own in place of its.
    owners = (
        torch.Tensor,
        torch.nn.Module,
        torch.nn.utils,
        torch.autograd,
        torch.distributed,
        torch.nn.parallel,
        torch.cuda,
        torch.optim.Optimizer,
        torch.optim.SGD,
    )
    before = [dict(vars(owner)) for owner in owners]
    # Else only the first program of a process hears of some warnings.
    torch.set_warn_always(True)
    torch.manual_seed(0)
    random.seed(0)
    np.random.seed(0)
    os.chdir(folder)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        os.chdir(here)
        torch.set_warn_always(False)
        for owner, names in zip(owners, before):
            _restore(owner, names)
        torch.set_grad_enabled(True)
        torch.set_default_dtype(torch.float32)
        optimizers._global_optimizer_pre_hooks.clear()
        optimizers._global_optimizer_post_hooks.clear()


def _restore(owner: object, names: dict) -> None:
    """Takes back what was put into a class or a module; modules that were imported meanwhile stay."""
    for name, value in list(vars(owner).items()):
        if name in names and names[name] is not value:
            setattr(owner, name, names[name])
        elif name not in names and not isinstance(value, types.ModuleType) and not name.startswith("__slot"):
            delattr(owner, name)
