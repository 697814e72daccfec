"""`--probe`: the findings of a run put to the test before they are shown."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from torchlsp.engine.interpreters import choose, site_packages, torch_version
from torchlsp.engine.probing import Prober, Unavailable, counted, with_verdicts
from torchlsp.engine.verdict_store import store_for

if TYPE_CHECKING:
    import argparse

    from torchlsp.engine.engine import CheckResult


def probe_findings(result: CheckResult, options: argparse.Namespace) -> tuple[list[str], bool]:
    """Give the findings their verdicts and withdraw what torch refutes. Answers what is to be said of it beside the
    summary, and whether a worker could be had."""
    if not result.findings and options.probe == "auto":
        return [], True
    python = choose(options.python).path
    torch = torch_version(python)
    prober = Prober(python, site_packages(python), store=store_for(python, torch))
    try:
        if options.probe == "require":
            torch = prober.hello().torch
        verdicts = prober.verdicts(result.findings)
    except Unavailable as reason:
        if options.probe == "require":
            print(f"torchlsp: nothing can be probed: {reason}", file=sys.stderr)
            return [], False
        return [f"nothing was probed: {reason}"], True
    finally:
        prober.close()
    result.findings[:] = with_verdicts(result.findings, verdicts, keep_refuted=options.show_refuted)
    return [f"probed with torch {(torch or '').partition('+')[0]}: {counted(verdicts)}"], True
