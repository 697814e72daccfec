"""Two networks against each other: what the one has made goes undetached into two losses of the other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlsp.facts.tensor import Origin, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import Value
from torchlsp.interp.store.lifetimes import per_root, running_state
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

_MOST_NODES = 1_000
_Key = tuple[int, int, int]


@running_state
class ModuleCalls:
    """The calls of modules that took and gave each result in a graph."""

    taken: dict[tuple[int, int, int], list[tuple[int, int, Origin]]] = per_root(dict)
    """When the calls began and ended, and where they are."""
    given: dict[tuple[int, int, int], Origin] = per_root(dict)


def note(it: Evaluator, arguments: Arguments, result: Value, began: int, node: ir.Node) -> None:
    """A module was called, not from within another one."""
    place = None
    for value in arguments.positional:
        if type(value) is TensorFact and _is_node(value):
            place = Origin(node.start, node.end, "", (), it.frame.module.path)
            it.states[ModuleCalls].taken.setdefault(_key(value), []).append((began, it.graph.clock, place))
    if type(result) is TensorFact and _is_node(result):
        place = place or Origin(node.start, node.end, "", (), it.frame.module.path)
        it.states[ModuleCalls].given[_key(result)] = place


def between(it: Evaluator, first: TensorFact, second: TensorFact) -> tuple[Origin, Origin | None] | None:
    """Where the one network's result was computed, and where the other one was called on it for the first loss.

    None when the losses are not of that kind: the other network must be run anew for the second one.
    """
    before, after = dict(_graph(first)), dict(_graph(second))
    again = _layers(fact for key, fact in before.items() if key not in after) & _layers(
        fact for key, fact in after.items() if key not in before
    )
    if not again:
        return None
    for fact in after.values():
        for parent in _parents(fact):
            if _key(parent) not in before or _key(fact) in before:
                continue
            makers = _layers(one for _, one in _graph(parent)) - again
            if makers and not _are_trained_together(it, makers, again):
                made = it.states[ModuleCalls].given.get(_key(parent), parent.origin)
                given = _taker(it, before.values(), parent)
                later = _taker(it, (one for key, one in after.items() if key not in before), parent)
                return made, None if given == later else given
    return None


def _are_trained_together(it: Evaluator, makers: set[str], again: set[str]) -> bool:
    """Has one optimizer both networks, or may one have them that the running functions have made?"""
    running = {frame.site for frame in it.frames}
    return any(
        ref.removeprefix("optimizer@").rpartition(":")[0] in running
        if one.owns is None
        else one.owns & makers and one.owns & again
        for ref, one in it.analysis.optimizers.items()
    )


def _taker(it: Evaluator, facts, given: TensorFact) -> Origin | None:
    """The call of a module that takes the result, of those that are in the graph of the first loss."""
    moments = {fact.origin.at for fact in facts if any(_key(one) == _key(given) for one in _parents(fact))}
    found = {
        (place.path, place.start, place.end): place
        for began, ended, place in it.states[ModuleCalls].taken.get(_key(given), ())
        if any(began < moment <= ended for moment in moments)
    }
    return next(iter(found.values())) if len(found) == 1 else None


def _layers(facts) -> set[str]:
    return {fact.origin.layer[0] for fact in facts if fact.origin.layer is not None}


def _graph(tensor: TensorFact) -> Iterator[tuple[_Key, TensorFact]]:
    """The nodes of a graph, each with a result."""
    seen: set[_Key] = set()
    waiting = [tensor]
    while waiting and len(seen) < _MOST_NODES:
        fact = waiting.pop()
        if not _is_node(fact) or _key(fact) in seen:
            continue
        seen.add(_key(fact))
        yield _key(fact), fact
        waiting.extend(fact.origin.parents)


def _parents(fact: TensorFact) -> Iterator[TensorFact]:
    return (parent for parent in fact.origin.parents if _is_node(parent))


def _is_node(fact: TensorFact) -> bool:
    origin = fact.origin
    if origin is None or origin.merged or origin.at == 0:
        return False
    return fact.grad.requires is Tri.YES and fact.grad.leaf is Tri.NO


def _key(fact: TensorFact) -> _Key:
    return fact.origin.at, fact.origin.start, fact.origin.end
