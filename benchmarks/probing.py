"""What the probe costs: the worker's start, one program, one file of findings, memory; in wall milliseconds."""

from __future__ import annotations

import statistics
import sys
import time
from pathlib import Path
from typing import Any

FINDINGS = 10
ROUNDS = 40

_HEAD = "import torch\nfrom torch import nn\n\n\n"
_FAULTY = """def f{number}(x=torch.zeros({number}, 3, 4)):
    y = torch.zeros({size}, 3, 4).permute(0, 2, 1)
    return y.view({size}, 12)


"""


def probing(rounds: int = ROUNDS) -> dict[str, Any]:
    """Figures of one worker under the running Python, which needs torch; None in `torch` where there is none."""
    from torchlsp.core.text import Document
    from torchlsp.engine.config import Overrides
    from torchlsp.engine.engine import Engine, Options
    from torchlsp.engine.interpreters import site_packages, torch_version
    from torchlsp.engine.probing import Prober
    from torchlsp.probe.client import Unavailable
    from torchlsp.probe.request import Request

    torch = torch_version(sys.executable)
    prober = Prober(sys.executable, site_packages(sys.executable))
    try:
        start = time.perf_counter()
        hello = prober.hello()
        started = time.perf_counter() - start
    except Unavailable as reason:
        return {"torch": torch, "problem": str(reason)}
    worker = prober._worker
    program = "import torch\ntorch.zeros(2, 3).t().view(6)\n"
    one = [_timed(lambda: worker.run([Request(program)], 1.0)) for _ in range(rounds)]
    many = [_timed(lambda: worker.run([Request(program)] * 100, 1.0)) for _ in range(5)]
    engine = Engine(Options(Overrides(isolated=True)))
    whole = []
    for number in range(rounds):
        # Other sizes each time, or the verdicts would be known.
        parts = (_FAULTY.format(number=n, size=2 + 10 * number + n) for n in range(FINDINGS))
        findings = engine.check_document(Document("faulty.py", _HEAD + "".join(parts))).findings
        assert len(findings) == FINDINGS, len(findings)
        whole.append(_timed(lambda findings=findings: prober.verdicts(findings)))
    memory = _memory(worker.pid)
    prober.close()
    return {
        "torch": torch,
        "sandbox": dict(hello.sandbox),
        "worker_start_ms": round(1000 * started),
        "one_program_ms": _spread(one),
        "a_program_among_100_ms": round(1000 * statistics.median(many) / 100, 3),
        f"{FINDINGS}_findings_to_verdicts_ms": _spread(whole),
        "worker_memory_mb": memory,
    }


def _timed(work) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _spread(seconds: list[float]) -> dict[str, float]:
    ordered = sorted(1000 * one for one in seconds)
    return {
        "p50": round(statistics.median(ordered), 1),
        "p95": round(ordered[int(0.95 * (len(ordered) - 1))], 1),
    }


def _memory(pid: int | None) -> int | None:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return None
    return int(status.split("VmRSS:")[1].split()[0]) // 1024
