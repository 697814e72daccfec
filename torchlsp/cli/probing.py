"""Implements `--probe`: tests the findings of a run in torch before they are shown."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from torchlsp.cli.progress import Bar
from torchlsp.engine.cache_folder import cache_folder
from torchlsp.engine.interpreters import choose
from torchlsp.engine.probe_places import command_for, prober_for
from torchlsp.engine.probing import Unavailable, counted, with_verdicts
from torchlsp.engine.slices import with_slices
from torchlsp.probe import remote

if TYPE_CHECKING:
    import argparse

    from torchlsp.engine.engine import CheckResult

DEADLINE = 5.0
"""Seconds for one run of a program: no user is typing, and what is found must not depend on how busy the machine is."""


def probe_findings(result: CheckResult, options: argparse.Namespace) -> tuple[list[str], bool]:
    """Adds verdicts to the findings and withdraws refuted ones. Returns the notes for the summary, and whether
    there was a worker. Verdicts are kept in the folder of `--cache-dir`, else in the user's. Raises ConfigError."""
    if not result.findings and options.probe != "require":
        return [], True
    command = command_for(options.probe_on)
    prober = prober_for(
        choose(options.python).path,
        command,
        deadline=DEADLINE,
        folder=cache_folder(options.cache_dir),
        on_gpu=options.probe == "gpu",
    )
    problem = None
    sliced = with_slices(result.findings, result.documents.values(), result.internal_errors.append)
    bar = Bar(sys.stderr, shown=not options.quiet and sys.stderr.isatty())
    try:
        if options.probe == "require":
            prober.hello()
        verdicts = prober.verdicts(sliced, progress=lambda done, total: bar.draw(done, total, "in torch"))
    except Unavailable as reason:
        problem = str(reason)
        verdicts = [prober.known(finding) for finding in sliced]
    finally:
        bar.clear()
        prober.close()
    if problem is not None and options.probe == "require":
        print(f"torchlsp: nothing can be probed: {problem}", file=sys.stderr)
        return [], False
    torch = next((one.torch for one in verdicts if one is not None and one.torch is not None), prober.torch)
    if problem is not None and torch is None:
        return [f"nothing was probed: {problem}"], True
    result.findings[:] = with_verdicts(result.findings, verdicts, keep_refuted=options.show_refuted)
    by = f" with torch {torch.partition('+')[0]}" if torch is not None else ""
    if command:
        by += f" on {remote.shown(command)}"
    if prober.is_locked is False:
        by += ", without a sandbox"
    notes = [f"probed{by}: {counted(verdicts)}"]
    if prober.why_no_gpu is not None:
        notes.append(f"devices were emulated: {prober.why_no_gpu}")
    if problem is not None:
        notes.append(f"not all was probed: {problem}")
    return notes, True
