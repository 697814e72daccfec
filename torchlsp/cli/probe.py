"""Implements `torchlsp probe --program`: runs a torch program in the sandbox and prints its result."""

from __future__ import annotations

import io
import json
import tokenize
from typing import TYPE_CHECKING, Any

from torchlsp.engine.config import ConfigError
from torchlsp.engine.interpreters import choose
from torchlsp.engine.probe_places import command_for, worker_for
from torchlsp.engine.snippets import FAILED, run_snippet
from torchlsp.files import read_named
from torchlsp.probe import remote
from torchlsp.probe.client import Unavailable, Worker
from torchlsp.probe.kinds import kind_of
from torchlsp.probe.worker.gpu import idle_gpu

if TYPE_CHECKING:
    import argparse

    from torchlsp.probe.request import Answer


def probe(options: argparse.Namespace) -> int:
    """Prints the verdict on a program or on a finding; exit status 0 whatever it is."""
    if not 0 < options.deadline <= 600:
        raise ConfigError(f"--deadline {options.deadline:g}: give seconds, more than 0 and at most 600")
    if options.gpu and options.place is not None:
        raise ConfigError("--gpu goes with --program")
    if options.place is not None:
        from torchlsp.cli.probe_finding import probe_finding

        return probe_finding(options)
    program = _read(options.program)
    command = command_for(options.probe_on)
    interpreter = choose(explicit=options.python)
    told: dict[str, Any] = {
        "program": options.program,
        "kind": "real-cuda" if options.gpu else kind_of(program),
    }
    gpu = None
    try:
        if options.gpu and command:
            gpu = "idle"  # found over there
        elif options.gpu:
            gpu, why = idle_gpu()
            if gpu is None:
                raise Unavailable(why)
        with worker_for(interpreter.path, command, gpu=gpu) as worker:
            told |= _judged(worker, program, told["kind"], options.deadline)
    except Unavailable as problem:
        told |= {"verdict": "inconclusive", "reason": f"no {'GPU' if options.gpu else 'torch'}: {problem}"}
    if options.output_format == "json":
        print(json.dumps(told))
        return 0
    print(f"{told['verdict']}: {told['reason']}")
    if "torch" in told:
        locked = "in a sandbox" if told["locked"] else "without a sandbox"
        where = f" on {remote.shown(command)}" if command else ""
        print(f"{told['kind']}, torch {told['torch']}{where}, {locked}")
    return 0


def _judged(worker: Worker, program: str, kind: str, deadline: float) -> dict[str, Any]:
    ended = run_snippet(worker, program, deadline, kind)
    answer = ended.answer
    verdict, reason = _verdict(answer)
    return {
        "verdict": verdict,
        "reason": reason,
        "outcome": answer.outcome,
        "evidence": "torch" if kind in ("eager-cpu", "real-cuda") else "emulated",
        "error": answer.error
        and {"class": answer.error.name, "text": answer.error.text, "row": answer.error.row},
        "torch": ended.torch,
        "locked": ended.is_locked,
        "ms": answer.ms,
    }


def _verdict(answer: Answer) -> tuple[str, str]:
    if answer.outcome == "passed":
        return "refuted", "it ran through"
    text = str(answer.error)
    if answer.outcome in FAILED:
        row = f" (row {answer.error.row})" if answer.error and answer.error.row else ""
        return "confirmed", text + row
    return "inconclusive", f"{answer.outcome}: {answer.error.text if answer.error else ''}"


def _read(path: str) -> str:
    try:
        content = read_named(path, 5_000_000)
        encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
        return io.IncrementalNewlineDecoder(None, translate=True).decode(content.decode(encoding), final=True)
    except OSError as problem:
        raise ConfigError(f"{path}: {problem.strerror or problem}") from None
    except (SyntaxError, UnicodeDecodeError) as problem:
        raise ConfigError(f"{path}: {problem}") from None
