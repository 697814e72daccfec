"""Measures where the time of a run is spent."""

from __future__ import annotations

import time

DISCOVERY = "discovery"
READING = "reading and parsing"
ANALYSIS = "analysis"
RULES = "rules"
"""The step of finding out which rules have something to do; each rule that runs is a step of its own, named
by its code."""
SUPPRESSION = "suppression"
FIXES = "fixes"
REPORTING = "reporting"
STEPS = (DISCOVERY, READING, ANALYSIS, RULES, SUPPRESSION, FIXES, REPORTING)


def by_step(seconds: dict[str, float]) -> dict[str, float]:
    """Returns the seconds of the STEPS, the rules together as one."""
    found = dict.fromkeys(STEPS, 0.0)
    for step, spent in seconds.items():
        found[step if step in found else RULES] += spent
    return found


def by_rule(seconds: dict[str, float]) -> list[tuple[str, float]]:
    """Returns the seconds of the rules that ran, the most expensive first."""
    ran = [(code, spent) for code, spent in seconds.items() if code not in STEPS]
    return sorted(ran, key=lambda one: (-one[1], one[0]))


class Stopwatch:
    """Adds seconds to the step that is under way. What imported files cost belongs to the analysis.

    It always runs: the half a dozen looks at the clock for each file cost nothing that could be measured.
    """

    __slots__ = ("_seconds", "_since", "_step")

    def __init__(self, seconds: dict[str, float]) -> None:
        self._seconds = seconds
        self._since = 0.0
        self._step: str | None = None

    def enter(self, step: str | None) -> None:
        """Ends the running step and starts another; None starts none."""
        now = time.perf_counter()
        if self._step is not None:
            self._seconds[self._step] = self._seconds.get(self._step, 0.0) + now - self._since
        self._step, self._since = step, now
