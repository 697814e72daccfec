"""What the probe costs behind a command that reaches another machine (`--probe-on`), and whether verdicts are the same
there and here; in wall milliseconds."""

from __future__ import annotations

import os
import signal
import statistics
import sys
import time
from dataclasses import replace
from typing import Any

EACH = 60
"""So many findings are asked about one at a time."""


def probing_elsewhere(command: str) -> dict[str, Any]:
    """Compares the verdicts on the faulty programs of all rules' pages; `command` as for `--probe-on`."""
    from torchlsp.engine.interpreters import site_packages
    from torchlsp.engine.probing import Prober
    from torchlsp.probe import remote
    from torchlsp.probe.client import Worker

    findings = _findings()
    there = Worker("", command=remote.command_of(command))
    begin = time.perf_counter()
    hello = there.hello()
    answer: dict[str, Any] = {
        "torch": hello.torch,
        "sandbox": dict(hello.sandbox),
        "worker_start_ms": round(1000 * (time.perf_counter() - begin)),
        "findings": len(findings),
    }
    worker = Worker(sys.executable, site_packages(sys.executable))
    with worker, there:
        worker.hello()
        here, answer["here_ms"] = _judged(worker, findings)
        other, answer["there_ms"] = _judged(there, findings)
        killed: list[int] = []

        def kill(done: int, total: int) -> None:
            if there.pid is not None:
                os.kill(there.pid, signal.SIGKILL)
                killed.append(done)

        after = Prober("", (), worker=there).verdicts(findings, progress=kill)
        answer["connections_killed"] = len(killed)
        answer["other_verdict_there"] = _differing(findings, here, other)
        answer["other_verdict_after_a_killed_connection"] = _differing(findings, here, after)
        answer["one_finding_ms"] = {
            "here": _one_by_one(worker, findings[:EACH]),
            "there": _one_by_one(there, findings[:EACH]),
        }
    return answer


def _findings() -> list[Any]:
    """Returns what is found in the faulty programs of the pages and can be probed."""
    from torchlsp.core.text import Document
    from torchlsp.engine.config import Overrides
    from torchlsp.engine.engine import Engine, Options
    from torchlsp.lint.pages import load_page
    from torchlsp.lint.registry import rules

    engine = Engine(Options(Overrides(isolated=True, select=("ALL",))))
    found = []
    for info in rules():
        for block in load_page(info.page_path).of_role("bad"):
            checked = engine.check_document(Document(f"{info.code}.py", block.source))
            found += [one for one in checked.findings if one.probe is not None]
    return found


def _judged(worker: Any, findings: list[Any]) -> tuple[list[Any], int]:
    from torchlsp.engine.probing import Prober

    begin = time.perf_counter()
    given = Prober("", (), worker=worker).verdicts(findings)
    return given, round(1000 * (time.perf_counter() - begin))


def _one_by_one(worker: Any, findings: list[Any]) -> dict[str, float]:
    """Returns the spread of what one finding takes to its verdict."""
    seconds = sorted(_judged(worker, [one])[1] for one in findings)
    return {"p50": statistics.median(seconds), "p95": seconds[int(0.95 * (len(seconds) - 1))]}


def _differing(findings: list[Any], expected: list[Any], given: list[Any]) -> list[str]:
    """Returns the findings on which two verdicts differ in more than time."""
    return [
        f"{finding.path}:{finding.span.start}: {one} / {other}"
        for finding, one, other in zip(findings, expected, given, strict=True)
        if _timeless(one) != _timeless(other)
    ]


def _timeless(verdict: Any) -> Any:
    # torch writes some sets out, whose order differs between processes.
    return verdict and replace(verdict, ms=None, error=verdict.error and "".join(sorted(verdict.error)))
