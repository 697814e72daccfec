"""Finds a GPU that a probe may use: idle, and not shared by NVIDIA's multi-process service.

Written from NVIDIA's documentation and not yet run beside a GPU.
"""

from __future__ import annotations

import os
import subprocess

MAX_USE = 20
"""Percent of use above which a GPU counts as in use."""
MIN_FREE_MEMORY = 2048
"""MiB that must be free."""
_SECONDS = 10


def idle_gpu() -> tuple[str | None, str]:
    """Returns the UUID of an idle GPU, or None; and a remark for the user."""
    pipe = os.environ.get("CUDA_MPS_PIPE_DIRECTORY", "/tmp/nvidia-mps")
    if os.path.exists(os.path.join(pipe, "control")):
        # A fault of one client of that service ends all of them, a training run of the user's included.
        return None, "the multi-process service of NVIDIA is running"
    table, why = _nvidia_smi("uuid,utilization.gpu,memory.free", "csv,noheader,nounits")
    return (None, why) if table is None else chosen(table)


def described_gpus() -> list[str]:
    """Returns the names of the machine's GPUs, each with what is free of it."""
    table, _ = _nvidia_smi("name,memory.free,utilization.gpu", "csv,noheader")
    rows = [row.split(", ") for row in (table or "").splitlines()]
    return ["{} ({} free, {} in use)".format(*row) for row in rows if len(row) == 3]


def _nvidia_smi(columns: str, style: str) -> tuple[str | None, str]:
    """Returns the table of these columns that nvidia-smi prints, a row for each GPU; or None, and why there is none."""
    try:
        printed = subprocess.run(
            ["nvidia-smi", f"--query-gpu={columns}", f"--format={style}"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_SECONDS,
        )
    except FileNotFoundError:
        return None, "there is no GPU: nvidia-smi is not installed"
    except (OSError, subprocess.TimeoutExpired) as problem:
        return None, f"nvidia-smi could not be asked: {problem}"
    if printed.returncode != 0:
        said = (printed.stdout + printed.stderr).strip().partition("\n")[0]
        return None, f"nvidia-smi says: {said or 'nothing'}"
    return printed.stdout, ""


def chosen(table: str) -> tuple[str | None, str]:
    """Returns the first idle GPU of a table of nvidia-smi: UUID, percent of use, MiB free."""
    seen = 0
    for line in table.splitlines():
        parts = [part.strip() for part in line.split(",")]
        if len(parts) != 3 or not parts[0]:
            continue
        seen += 1
        # Some GPUs do not tell their use: "[N/A]" is no sign of idleness.
        if parts[1].isdigit() and parts[2].isdigit():
            if int(parts[1]) <= MAX_USE and int(parts[2]) >= MIN_FREE_MEMORY:
                return parts[0], "idle"
    return None, "all GPUs are in use" if seen else "there is no GPU"
