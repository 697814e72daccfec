"""Detects a network's result that enters two losses of another network without `detach()`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from torchlsp.facts.tensor import Origin, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import Value
from torchlsp.interp.store.lifetimes import per_root, running_state
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

_MAX_NODES = 1_000
_Key = tuple[int, int, int]


@running_state
class ModuleCalls:
    """The calls of modules that took and returned each result in a graph, by its node."""

    taken: dict[tuple[int, int, int], list[tuple[int, int, Origin]]] = per_root(dict)
    """When the calls began and ended, and where they are."""
    given: dict[tuple[int, int, int], Origin] = per_root(dict)


def record_module_call(it: Evaluator, arguments: Arguments, result: Value, began: int, node: ir.Node) -> None:
    """Records an outermost call of a module with the results in a graph that it took and returned."""
    place = None
    for value in arguments.positional:
        origin = _node(value) if type(value) is TensorFact else None
        if origin is not None:
            place = Origin(node.start, node.end, "", (), it.frame.module.path)
            it.states[ModuleCalls].taken.setdefault(_key(origin), []).append((began, it.graph.clock, place))
    origin = _node(result) if type(result) is TensorFact else None
    if origin is not None:
        place = place or Origin(node.start, node.end, "", (), it.frame.module.path)
        it.states[ModuleCalls].given[_key(origin)] = place


def find_shared_result(
    it: Evaluator, first: TensorFact, second: TensorFact
) -> tuple[Origin, Origin | None] | None:
    """Returns the call that computed the shared result, and the first loss's call that took it.

    None when the losses are not of that kind: the other network must run again for the second one.
    """
    before, after = graph_of(first), graph_of(second)
    again = _layers(origin for key, origin in before.items() if key not in after) & _layers(
        origin for key, origin in after.items() if key not in before
    )
    if not again:
        return None
    for origin in after.values():
        for parent in parents_of(origin):
            if _key(parent) not in before or _key(origin) in before:
                continue
            makers = _layers(_graph(parent).values()) - again
            if makers and not _are_trained_together(it, makers, again):
                made = it.states[ModuleCalls].given.get(_key(parent), parent)
                given = _taker(it, before.values(), parent)
                later = _taker(it, (one for key, one in after.items() if key not in before), parent)
                return made, None if given == later else given
    return None


def _are_trained_together(it: Evaluator, makers: set[str], again: set[str]) -> bool:
    """Returns whether one optimizer owns both networks, or may own them."""
    running = {frame.site for frame in it.frames}
    return any(
        ref.removeprefix("optimizer@").rpartition(":")[0] in running
        if one.owns is None
        else one.owns & makers and one.owns & again
        for ref, one in it.analysis.optimizers.items()
    )


def _taker(it: Evaluator, nodes: Iterable[Origin], given: Origin) -> Origin | None:
    """Returns the only module call that took the result `given` and computed one of these nodes."""
    moments = {node.at for node in nodes if any(_key(parent) == _key(given) for parent in parents_of(node))}
    found = {
        (place.path, place.start, place.end): place
        for began, ended, place in it.states[ModuleCalls].taken.get(_key(given), ())
        if any(began < moment <= ended for moment in moments)
    }
    return next(iter(found.values())) if len(found) == 1 else None


def _layers(nodes: Iterable[Origin]) -> set[str]:
    return {origin.layer[0] for origin in nodes if origin.layer is not None}


def graph_of(tensor: TensorFact) -> dict[_Key, Origin]:
    """Returns the nodes of a tensor's graph."""
    origin = _node(tensor)
    return {} if origin is None else _graph(origin)


def _graph(last: Origin) -> dict[_Key, Origin]:
    """Returns a node of a graph and all nodes that it was computed from."""
    found: dict[_Key, Origin] = {}
    to_visit = [last]
    while to_visit and len(found) < _MAX_NODES:
        origin = to_visit.pop()
        key = _key(origin)
        if key not in found:
            found[key] = origin
            to_visit.extend(parents_of(origin))
    return found


def parents_of(origin: Origin) -> Iterator[Origin]:
    """Yields the nodes that a node of a graph was computed from."""
    for fact in origin.parents:
        parent = _node(fact)
        if parent is not None:
            yield parent


def _node(fact: TensorFact) -> Origin | None:
    """Returns the origin of a tensor if it is one certain node of a graph."""
    origin = fact.origin
    if origin is None or origin.merged or origin.at == 0:
        return None
    return origin if fact.grad.requires is Tri.YES and fact.grad.leaf is Tri.NO else None


def _key(origin: Origin) -> _Key:
    return origin.at, origin.start, origin.end
