"""Runs programs of the catalogue in torch, in a process of its own: jobs come as JSON on stdin, answers go out the same way.

A job has `front` and `program`, `probe` ("logical-device", "real-cuda" and "ranks" are emulated), and `check` and `good_check`, each
run after it. An answer has `error` ("" at the program's end, else "Type: message" or "hang"), `check` and `good_check`: whether
that held, None where there is none.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import tempfile
import types
import warnings
from typing import Any

MODULE = "catalogue_program"


def main() -> int:
    jobs = json.load(sys.stdin)
    answers = []
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for job in jobs:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                answers.append(answered(job))
        os.chdir("/")
    json.dump(answers, sys.stdout)
    return 0


def answered(job: dict[str, Any]) -> dict[str, Any]:
    import torch

    torch.manual_seed(0)
    torch.set_grad_enabled(True)
    torch.set_default_dtype(torch.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if job["probe"] == "ranks":
            return _on_ranks(job)
        if job["probe"] not in ("logical-device", "real-cuda"):
            return _here(job)
        from torchlsp.probe.worker.logical import one_logical_cuda_device

        with one_logical_cuda_device():
            return _here(job)


def _here(job: dict[str, Any]) -> dict[str, Any]:
    # Classes and pickles look their module up.
    module = sys.modules[MODULE] = types.ModuleType(MODULE)
    names = module.__dict__
    error = _ended(job["front"] + job["program"], names)
    return {"error": error} | {
        name: _ended(job[name], names) == "" if job[name] and not error else None
        for name in ("check", "good_check")
    }


def _ended(source: str, names: dict[str, Any]) -> str:
    try:
        exec(compile(source, "<catalogue>", "exec"), names)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def _on_ranks(job: dict[str, Any]) -> dict[str, Any]:
    def ended(*parts: str) -> str:
        from torchlsp.probe.worker.ranks import World

        result = World("\n".join(parts), "<catalogue>", 2).run()
        if result.stuck:
            return "hang"
        return next((f"{type(error).__name__}: {error}" for error in result.errors.values()), "")

    error = ended(job["front"], job["program"])
    return {"error": error} | {
        name: ended(job["front"], job["program"], job[name]) == "" if job[name] and not error else None
        for name in ("check", "good_check")
    }


if __name__ == "__main__":
    sys.exit(main())
