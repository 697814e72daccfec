"""Detects missing clears where the optimizer is an unknown argument: `def train(model, optimizer)`.

What is stepped without arguments in a loop after `loss.backward()` is taken for an optimizer when nothing in the whole
function could have cleared a gradient: no `zero_grad` of anything, no known optimizer, no unknown call that has access to it
or to a model.  It remains an assumption: a scheduler alone, or a wrapper whose `step` clears, looks the same.
"""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.core.records import dataclass, replace
from torchlsp.interp.checks.training import gradient_clearing
from torchlsp.interp.checks.training.gradient_clearing import MissingClear
from torchlsp.interp.model.trace_flow import Place, events, place
from torchlsp.interp.store.analysis import Analysis
from torchlsp.interp.store.trace import Event, EventKind

_ASSUMED = frozenset({"optimizer"})
_ANY = "*"


@dataclass(frozen=True, slots=True)
class ArgumentOptimizer:
    """An argument of a function that is taken for an optimizer.  It is a `GradientOwner`.

    `models`: arguments that are called as modules are, by name.  `steps` are the places of its own steps, which are calls of
    something unknown, too.
    """

    ref: str
    label: str
    models: frozenset[str]
    steps: frozenset[tuple[int, int]]

    def may_touch(self, event: Event) -> bool:
        """Returns whether an unknown call, or the naming of a `.grad`, may change gradients."""
        if event.subjects:
            return True  # it is passed something known, which may hold the optimizer or the model
        if (event.start, event.end) in self.steps:
            return False
        return any(self._reaches(name) for name in event.handed)

    def _reaches(self, name: str) -> bool:
        """Returns whether the optimizer or the model is accessible by an argument, or by a call of a method
        of it."""
        if name == _ANY or name in self.models:
            return True
        name = name.removesuffix("()")
        return name == self.ref or self.ref.startswith(f"{name}.") or name.startswith(f"{self.ref}.")

    def clears(self, event: Event) -> bool:
        """Returns True: any clearing call may clear these gradients."""
        return True

    def clears_all(self, event: Event) -> bool:
        """Returns False: no clearing call is known to clear all of these gradients."""
        return False

    def makes(self, event: Event) -> bool:
        """Returns False: the caller created the optimizer and its model."""
        return False


def missing_clears(analysis: Analysis) -> Iterator[MissingClear]:
    """Yields the loops over data in which such an optimizer steps and nothing clears gradients.

    A backward that also runs beside known optimizers, by a visible call, is left to the check of these.
    """
    known: set[Place] | None = None
    for root in analysis.roots:
        seen = list(events(root.trace))
        if not any(event.kind is EventKind.UNSEEN_STEP for event in seen) or _speaks_against(seen):
            continue
        optimizers = {ref: _watched(analysis, seen, ref) for ref in _stepped(seen)}
        for loop, ref in gradient_clearing.steps_in_loops(root.trace):
            one = optimizers.get(ref)
            if one is None or any(_escapes(one, event) for event in seen):
                continue
            miss = gradient_clearing.missing_clear(loop, one)
            if miss is None:
                continue
            known = _with_known_optimizers(analysis) if known is None else known
            if place(miss.backward) not in known:
                yield replace(miss, assumptions=_ASSUMED)


def _with_known_optimizers(analysis: Analysis) -> set[Place]:
    """Returns the places of all backward calls that run in one trace with steps of known optimizers."""
    found: set[Place] = set()
    for root in analysis.roots:
        seen = list(events(root.trace))
        if any(event.kind is EventKind.STEP for event in seen):
            found.update(place(event) for event in seen if event.kind is EventKind.BACKWARD)
    return found


def _speaks_against(seen: list[Event]) -> bool:
    """Returns whether something is cleared or stepped somewhere, by hand or by what is known."""
    return any(
        event.kind in (EventKind.ZERO_GRAD, EventKind.STEP, EventKind.WRITE)
        or (event.kind is EventKind.BACKWARD and event.name)
        or (event.kind is EventKind.UNSEEN_STEP and event.name == "given")
        for event in seen
    )


def _stepped(seen: list[Event]) -> Iterator[str]:
    """Yields what steps first after each backward; what steps next, or is called a scheduler, is taken for one."""
    expects_step = False
    for event in seen:
        if event.kind is EventKind.BACKWARD:
            expects_step = True
        elif event.kind is EventKind.UNSEEN_STEP and expects_step and "sched" not in event.label.lower():
            expects_step = False
            yield from sorted(event.subjects)


def _watched(analysis: Analysis, seen: list[Event], ref: str) -> ArgumentOptimizer:
    steps = [event for event in seen if event.kind is EventKind.UNSEEN_STEP and ref in event.subjects]
    places = frozenset((event.start, event.end) for event in steps)
    return ArgumentOptimizer(ref, steps[0].label, frozenset(analysis.called_parameters), places)


def _escapes(one: ArgumentOptimizer, event: Event) -> bool:
    """Returns whether it is passed to something unknown, which may keep it.  Calls of its own methods do not
    count."""
    return (
        event.kind is EventKind.UNKNOWN_CALL
        and one.ref in event.handed
        and (event.start, event.end) not in one.steps
    )
