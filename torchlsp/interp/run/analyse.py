"""Analyses one module: the entry point of the interpreter."""

from __future__ import annotations

from collections.abc import Callable

from torchlsp.facts.torch_names import TorchNames
from torchlsp.interp.run.interpreter import Interpreter
from torchlsp.interp.store.analysis import Analysis
from torchlsp.interp.store.budget import FOR_FINDINGS, Imports, Limits
from torchlsp.interp.store.entry_facts import NO_ENTRIES, Entries
from torchlsp.program import ir


class NoImports:
    """Finds no other files: every import is of a library."""

    def module(self, dotted_name: str, importing_path: str) -> ir.Module | None:
        """Returns None."""
        return None


def analyse(
    module: ir.Module,
    imports: Imports | None = None,
    wanted_calls: frozenset[str] = frozenset(),
    recording: bool = False,
    strict: bool = False,
    cancelled: Callable[[], None] | None = None,
    api: TorchNames | None = None,
    observed: Entries = NO_ENTRIES,
    limits: Limits = FOR_FINDINGS,
) -> Analysis:
    """Runs the abstract interpreter on a module; returns what rules and editors ask about it.

    `recording`: the facts of all names and expressions are kept too (editors, tests).  `strict`: an internal error is raised
    instead of making the function unknown (tests).  `cancelled` is called between statements and may raise.  `api`: the names
    that the program's torch has; without it no missing name is reported.  `observed`: what a recorded run has seen; each function
    that is in it is run once more, with that.
    `limits`: the steps that it may cost.
    """
    kind: type[Interpreter] = Interpreter
    if recording:
        from torchlsp.interp.run.recording import RecordingInterpreter as kind
    return kind(module, imports or NoImports(), wanted_calls, strict, cancelled, api, observed, limits).run()
