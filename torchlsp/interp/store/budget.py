"""Limits the steps that a root, a call or an imported file may cost."""

from __future__ import annotations

from typing import Protocol

from torchlsp.core.records import dataclass
from torchlsp.program import ir

MIN_MEANS = 40
"""Steps below which a call is not started."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The steps that an analysis may cost."""

    steps_per_root: int = 6_000
    """Expressions evaluated for one function, calls into others included, before its analysis is given up."""
    steps_per_node: int = 30
    """The same for a large function, for each node of it."""
    module_allowance: int = 30_000
    """Steps that a module's body, usually the whole program of a script, may spend on calls."""
    pool: int = 1_500
    """Steps that all calls of a file share."""
    pool_per_node: float = 0.1
    """Additional ones for each of its nodes.

    Ten times as many found nothing more in 40 repositories, and cost large files a quarter of their time.
    """
    steps_per_file: int = 180_000
    """Steps that the whole file may cost: what is left then is not analysed.

    The largest files of transformers, with 4,000 rows, take less than a third of it, those of timm a sixth.
    """
    min_allowance: int = 300
    """Steps that the calls in one function may cost at most."""
    allowance_per_node: int = 3
    """The same for a small function, for each of its nodes."""

    def allowance(self, size: int) -> int:
        """Returns the steps that the calls in a function of `size` nodes may cost."""
        return min(self.min_allowance, self.allowance_per_node * size)

    def of_root(self, size: int) -> int:
        """Returns the steps that a root of `size` nodes may take."""
        return self.steps_per_root + self.steps_per_node * size

    def of_body(self, size: int) -> int:
        """Returns the steps that the body of a module of `size` nodes may take, its main program included."""
        return min(self.of_root(size), self.steps_of_bodies)

    @property
    def steps_of_bodies(self) -> int:
        """Those of `steps_per_file` that a module's body may cost, so that its functions have as many."""
        return self.steps_per_file // 2


@dataclass(frozen=True, slots=True)
class Spare:
    """The steps that a module's body was given, and how many of them it has left, those that it has rehearsed not counted."""

    limit: int
    left: int

    def suffices(self, limit: int) -> bool:
        """Returns whether the body would run as it has if it were given `limit` steps."""
        return limit == self.limit or self.left + min(limit - self.limit, 0) > 0


FOR_FINDINGS = Limits()
"""The limits of `check` and of the diagnostics of a text that is being edited."""

FOR_DETAILS = Limits(module_allowance=150_000, pool=150_000, steps_per_file=1_000_000)
"""The limits for what an editor shows of values: more calls are followed, and nobody waits for the result."""


class Imports(Protocol):
    """Finds and lowers other files of the workspace."""

    def module(self, dotted_name: str, importing_path: str) -> ir.Module | None:
        """Returns the file that an import in `importing_path` names; None if it is not in the workspace."""


class BudgetExceeded(Exception):
    """Signals that a function has spent all its steps."""
