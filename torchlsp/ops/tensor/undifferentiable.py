"""Detects operators that no gradient passes: results outside of any graph, and derivatives of 0 everywhere."""

from __future__ import annotations

from torchlsp.facts import dtype as dtypes
from torchlsp.facts.tensor import Origin, TensorFact
from torchlsp.facts.tri import Tri

_FLAT = frozenset(
    "round floor ceil trunc fix sign sgn bernoulli round_ floor_ ceil_ trunc_ fix_ sign_ sgn_".split()
)
_STEPS = frozenset({"heaviside", "nextafter"})
"""Operators on floats of which torch knows no derivative."""
_ALWAYS_CUT = frozenset("argmax argmin argsort max min topk sort eq ne lt le gt ge".split())
_MAX_NODES = 2_000


def cut_by(tensor: TensorFact) -> Origin | None:
    """Returns the operator that has detached a tensor from the graph, as argmax and `>` do.

    None where it is anything else, if only in part: `detach()`, a mode, a constant.
    """
    found: Origin | None = None
    seen: set[int] = set()
    to_visit = [tensor]
    while to_visit and len(seen) < _MAX_NODES:
        fact = to_visit.pop()
        origin = fact.origin
        if id(fact) in seen or origin is None:
            continue
        seen.add(id(fact))
        if origin.merged or fact.grad.requires is not Tri.NO:
            return None
        if any(parent.grad.requires is Tri.YES for parent in origin.parents):
            if not has_no_graph(fact, origin):
                return None
            found = origin
        elif _is_of_unknown_result(fact, origin):
            found = origin
        else:
            to_visit.extend(origin.parents)
    return found


def _is_of_unknown_result(fact: TensorFact, origin: Origin) -> bool:
    """Returns whether this is the index or the truth of an unknown operation's result, which may have been in
    a graph."""
    return (
        origin.op.rpartition(".")[2] in _ALWAYS_CUT
        and has_no_graph(fact, origin)
        and all(parent.grad.requires is Tri.UNKNOWN for parent in origin.parents)
    )


def has_no_graph(fact: TensorFact, origin: Origin) -> bool:
    if fact.dtype is not None and not dtypes.can_require_grad(fact.dtype):
        return True
    return origin.op.rpartition(".")[2].removesuffix("_") in _STEPS


def flat_by(tensor: TensorFact) -> Origin | None:
    """Returns the newest operator with derivative 0 on all paths of a tensor's graph.

    None as soon as one way may lead around.
    """
    found: list[Origin] = []
    seen: set[int] = set()
    to_visit = [tensor]
    while to_visit:
        fact = to_visit.pop()
        origin = fact.origin
        if id(fact) in seen or fact.grad.requires is Tri.NO:
            continue
        if len(seen) > _MAX_NODES or origin is None or origin.merged or fact.grad.requires is Tri.UNKNOWN:
            return None
        seen.add(id(fact))
        if fact.grad.leaf is not Tri.NO or origin.layer is not None and origin.layer[1] is not Tri.NO:
            return None
        if origin.op.rpartition(".")[2] in _FLAT:
            found.append(origin)
            continue
        parents = [parent for parent in origin.parents if parent.grad.requires is not Tri.NO]
        if not parents:
            return None  # what it was computed from is not seen
        to_visit.extend(parents)
    return max(found, key=lambda one: abs(one.at)) if found else None
