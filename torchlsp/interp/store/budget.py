"""Limits the steps that a root, a call or an imported file may cost."""

from __future__ import annotations

from typing import Protocol

from torchlsp.program import ir

MIN_MEANS = 40
"""Steps below which a call is not started."""

STEPS_PER_ROOT = 6_000
"""Expressions evaluated for one function, calls into others included, before its analysis is given up."""

STEPS_PER_NODE = 30
"""The same for a large function, for each node of it."""

MODULE_ALLOWANCE = 30_000
"""Steps that a module's body, usually the whole program of a script, may spend on calls."""

POOL, POOL_PER_NODE = 1_500, 0.1
"""Steps that all calls of a file share, and additional ones for each of its nodes.

Ten times as many for each node found nothing more in 40 repositories, and cost large files a quarter of their time.
"""

MIN_ALLOWANCE, ALLOWANCE_PER_NODE = 300, 3
"""Steps that the calls in one function may cost: the first at most, the second for each of its nodes."""


class Imports(Protocol):
    """Finds and lowers other files of the workspace."""

    def module(self, dotted_name: str, importing_path: str) -> ir.Module | None:
        """Returns the file that an import in `importing_path` names; None if it is not in the workspace."""


class BudgetExceeded(Exception):
    """Signals that a function has spent all its steps."""
