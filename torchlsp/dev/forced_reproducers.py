"""Creates programs as if a rule reported calls that no rule reports: they must run through. For tests, and
for the table of verdicts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from torchlsp.core.finding import ProbeRequest
from torchlsp.facts.values import Condition
from torchlsp.interp.checks.distributed.collective_divergence import Divergence, whole_traces
from torchlsp.interp.checks.training.gradient_clearing import EarlyClear, MissingClear, stepping_loops
from torchlsp.interp.store.trace import BranchItem, CallItem, Event, EventKind, Item, IterationItem, LoopItem
from torchlsp.lint.reproducers import reproducer, reproducer_of_call

if TYPE_CHECKING:
    from torchlsp.interp.store.analysis import Analysis


def forced(analysis: Analysis) -> Iterator[tuple[str, ProbeRequest]]:
    """Yields the question that a rule asks, and a program: of every call that was recorded (`faults`), of
    every optimizer in a loop (`missing_clears`), of every clearing call before its step (`early_clears`) and
    of every collective (`divergences`)."""
    for called in analysis.made.values():
        yield from _asked("faults", reproducer_of_call(called))
    for loop, watched in stepping_loops(analysis):
        events = [event for event in _events(loop.body) if isinstance(event, Event)]
        backward = next((event for event in events if event.kind is EventKind.BACKWARD), None)
        step = next(
            (one for one in events if one.kind is EventKind.STEP and watched.ref in one.subjects), None
        )
        if backward is None or step is None:
            continue
        missing = MissingClear("optimizer", watched.ref, backward, step, loop, False, watched=watched)
        yield from _asked("missing_clears", reproducer(missing))
        for clear in events:
            if clear.kind is EventKind.ZERO_GRAD and watched.clears(clear):
                early = EarlyClear(clear, backward, step, "optimizer", watched, loop.body)
                yield from _asked("early_clears", reproducer(early))
    for trace in whole_traces(analysis):
        items = list(_events(trace))
        tests = [one for one in items if isinstance(one, Condition)]
        for event in items:
            if isinstance(event, Event) and event.kind is EventKind.COLLECTIVE and tests:
                place = (event.start, event.end)
                found = Divergence("branch", event, tests[0], None, (), place, event.path, trace=trace)
                yield from _asked("divergences", reproducer(found))


def _asked(question: str, made: ProbeRequest | None) -> Iterator[tuple[str, ProbeRequest]]:
    if made is not None:
        yield question, made


def _events(items: tuple[Item, ...]) -> Iterator[Any]:
    """Returns events and tests about ranks, in order."""
    for item in items:
        match item:
            case Event():
                yield item
            case BranchItem(condition=condition, body=body, orelse=orelse):
                if condition is not None and condition.kind == "rank":
                    yield condition
                yield from _events(body)
                yield from _events(orelse)
            case LoopItem(body=body) | CallItem(body=body) | IterationItem(body=body):
                yield from _events(body)
