"""Faults that are seen only when a whole run is known: read off the traces after the analysis, and only when a rule asks.

A mechanism is one function from the analysis to faults.  A fault that can be told while its statement runs belongs there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.interp.interpreter import Analysis

FOUND_AFTERWARDS: dict[FaultKind, Callable[[Analysis], Iterable[Fault]]] = {}
