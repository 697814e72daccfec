"""Limits the steps that a root, a call or an imported file may cost."""

from __future__ import annotations

from typing import Protocol

from torchlsp.program import ir

LEAST_MEANS = 40
"""Steps below which a call is not even begun."""


STEPS_PER_ROOT = 6_000
"""Expressions evaluated for one function, calls into others included, before its analysis is given up."""


STEPS_PER_NODE = 30


MODULE_ALLOWANCE = 30_000
"""Steps that a module's body may spend on calls: a script's whole program, as a rule."""


POOL, POOL_PER_NODE = 1_500, 0.1
"""Ten times as much for a node found nothing more in 40 repositories, and cost large files a quarter of their time."""


LEAST_ALLOWANCE, ALLOWANCE_PER_NODE = 300, 3


class Imports(Protocol):
    """How other files of the workspace are reached."""

    def module(self, dotted_name: str, importing_path: str) -> ir.Module | None: ...


class BudgetExceeded(Exception):
    """A function cost more steps than it may."""
