"""Chooses the pitfall of a note that concerns a call, by the facts of its arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.core.records import dataclass
from torchlsp.docs_db.notes import CONDITION
from torchlsp.facts import shape as shapes
from torchlsp.facts import values as v
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri

if TYPE_CHECKING:
    from collections.abc import Mapping

    from torchlsp.docs_db.notes import Note, Part


@dataclass(frozen=True, slots=True)
class CallMade:
    """A call, as far as it decides which pitfalls concern it.

    `arguments` are by the names of the parameters, what a method is called on as `input`; `is_whole`: there are no others.
    """

    arguments: Mapping[str, v.Value]
    is_whole: bool
    is_dropped: bool = False
    """Whether nothing is done with the result."""
    is_in_loop: bool = False
    is_known: bool = False
    """Whether so much is known of the call that what it might do otherwise is not worth saying."""


def concerning(note: Note, call: CallMade | None) -> tuple[Part | None, bool]:
    """Returns the pitfall that concerns a call, and whether the facts of the call say so; where they are not known, the first
    one that may.

    What raises does not concern a call that is known not to.
    """
    if call is None:
        return None, False
    possible: list[Part] = []
    for pitfall in note.pitfalls:
        if call.is_known and pitfall.raises and not pitfall.when:
            continue
        answer = _all_hold(pitfall.when, call)
        if answer is Tri.YES and pitfall.when:
            return pitfall, True
        if answer is not Tri.NO:
            possible.append(pitfall)
    return None if call.is_known or not possible else possible[0], False


def _all_hold(conditions: tuple[str, ...], call: CallMade) -> Tri:
    answer = Tri.YES
    for one in conditions:
        answer = answer.both(_holds(one, call))
    return answer


def _holds(condition: str, call: CallMade) -> Tri:
    found = CONDITION.fullmatch(condition)
    assert found is not None  # checked when the note was read
    given = call.arguments
    if found["given"]:
        if found["given"] not in given and not call.is_whole:
            return Tri.UNKNOWN
        return Tri.of((found["given"] in given) is not bool(found["negated"]))
    if found["place"]:
        return Tri.of(call.is_dropped if found["place"] == "result dropped" else call.is_in_loop)
    if found["name"]:
        return _is_constant(given.get(found["name"]), found["constant"], call)
    if found["holder"]:
        return _holds_tensors(given.get(found["holder"], v.UNKNOWN_VALUE))
    if found["pair"]:
        first, second = (given.get(name, v.UNKNOWN_VALUE) for name in found["pair"].split(" and "))
        return _differ(first, second)
    return _is_of_kind(given.get(found["subject"], v.UNKNOWN_VALUE), found["kind"])


def _is_constant(value: v.Value | None, written: str, call: CallMade) -> Tri:
    if value is None:
        return Tri.NO if call.is_whole else Tri.UNKNOWN
    if not isinstance(value, v.Scalar) or value.value is None:
        return Tri.UNKNOWN
    return Tri.of(str(value.value) == written)


def _holds_tensors(value: v.Value) -> Tri:
    match value:
        case v.TupleValue(items=items) if items:
            return Tri.of(any(isinstance(item, TensorFact) for item in items))
        case TensorFact() | v.ArrayValue() | v.Scalar():
            return Tri.NO
    return Tri.UNKNOWN


def _differ(first: v.Value, second: v.Value) -> Tri:
    if not isinstance(first, TensorFact) or not isinstance(second, TensorFact):
        return Tri.UNKNOWN
    return shapes.same(first.shape, second.shape).negated()


def _is_of_kind(value: v.Value, kind: str) -> Tri:
    if isinstance(value, v.Scalar) and kind == "floating":
        return Tri.of(value.kind == "float")
    if not isinstance(value, TensorFact):
        return Tri.UNKNOWN
    match kind:
        case "a scalar" | "no scalar":
            return Tri.UNKNOWN if value.rank is None else Tri.of((value.rank == 0) is (kind == "a scalar"))
        case "noncontiguous":
            return value.is_contiguous().negated()
        case "grad":
            return value.grad.requires
        case "softmax" | "sigmoid":
            return Tri.YES if value.provenance == kind else Tri.UNKNOWN
    if value.dtype is None:
        return Tri.UNKNOWN
    if kind == "floating":
        return Tri.of(value.dtype.startswith(("f", "bf")))
    if kind == "whole numbers":
        return Tri.of(value.dtype[0] in "iu")
    return Tri.of(value.dtype == kind)
