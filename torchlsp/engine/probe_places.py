"""Makes the worker and the prober for a Python here, or for one that a command reaches on another machine."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from torchlsp.engine.config import ConfigError
from torchlsp.engine.interpreters import site_packages, torch_version
from torchlsp.engine.probing import Prober
from torchlsp.engine.verdict_store import store_for
from torchlsp.probe import remote
from torchlsp.probe.client import Worker

if TYPE_CHECKING:
    from collections.abc import Sequence


def command_for(option: str | None) -> tuple[str, ...]:
    """Returns the command of `--probe-on` or of the environment; empty where the worker runs here. Raises ConfigError."""
    try:
        return remote.chosen(option)
    except ValueError as problem:
        raise ConfigError(str(problem)) from None


def worker_for(python: str, command: Sequence[str], *, gpu: str | None = None) -> Worker:
    """Returns the worker of a Python here, unless a command names another machine; it is not started yet."""
    if command:
        return Worker("", command=command, gpu=gpu)
    return Worker(python, site_packages(python), gpu=gpu)


def prober_for(
    python: str,
    command: Sequence[str],
    *,
    deadline: float,
    folder: str | None = None,
    worker: Worker | None = None,
    on_gpu: bool = False,
) -> Prober:
    """Returns a prober that keeps its verdicts in `folder`, else in the user's cache folder.

    `deadline`: seconds for one run of a program. `worker`: one that is shared with others. `on_gpu`:
    programs about devices also run on a real GPU there that is idle.
    """
    worker = worker or worker_for(python, command)
    gpu = worker_for(python, command, gpu="idle") if on_gpu else None
    mark = "gpu\0" if on_gpu else ""
    if command:
        name = mark + shlex.join(command)
        return Prober(
            "",
            (),
            deadline=deadline,
            worker=worker,
            stores=lambda torch: store_for("", torch, folder, command=name),
            gpu=gpu,
        )
    store = store_for(python, torch_version(python), folder, command=f"{mark}{python}" if mark else "")
    return Prober(python, site_packages(python), deadline=deadline, store=store, worker=worker, gpu=gpu)
