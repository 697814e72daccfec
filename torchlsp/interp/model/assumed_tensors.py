"""Turns an unknown parameter into a tensor when it is used in a way in which only tensors are used."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING, TypeGuard

from torchlsp.core.records import replace
from torchlsp.facts import values as v
from torchlsp.facts.tensor import ONLY_SHAPED, Origin, TensorFact
from torchlsp.interp.store.possible_objects import storage_of
from torchlsp.ops.signature import Arguments
from torchlsp.ops.table import Row

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator


def with_tensor_parameters(it: Evaluator, row: Row, arguments: Arguments) -> Arguments:
    """Returns the arguments of a torch function; an unknown parameter in the place of its first tensor becomes a tensor."""
    first = arguments.positional[0] if arguments.positional else None
    if not isinstance(first, v.Parameter) and not _may_be_array(first):
        return arguments
    if not row.signature.startswith("input"):
        return arguments
    if not row.names[0].startswith(("torch.nn.functional.", "Tensor.", "torch.")):
        return arguments
    return with_tensor_first(it, arguments)


def with_tensor_first(it: Evaluator, arguments: Arguments) -> Arguments:
    """Returns arguments whose first one is proven to be a tensor where it was a parameter."""
    first = arguments.positional[0] if arguments.positional else None
    if isinstance(first, v.Parameter):
        if first.is_other:
            return arguments
        fact = assumed_tensor(first)
        it.replace(first, fact)
    elif _may_be_array(first):
        fact = proven_tensor(it, first)
    else:
        return arguments
    return replace(arguments, positional=(fact, *arguments.positional[1:]))


def _may_be_array(value: v.Value | None) -> TypeGuard[TensorFact]:
    return type(value) is TensorFact and ONLY_SHAPED in value.assumed


def proven_tensor(it: Evaluator, fact: TensorFact) -> TensorFact:
    """Returns the fact of a tensor that is used as no array can be; wherever it is bound, it is no longer taken for one."""
    if ONLY_SHAPED not in fact.assumed:
        return fact
    proven = fact.but(assumed=fact.assumed - {ONLY_SHAPED})
    it.replace(fact, proven)
    return proven


def proven_array(it: Evaluator, fact: TensorFact, method: str, arguments: Arguments) -> v.ArrayValue | None:
    """Returns the array that a value is of which only the shape was used, where a method is called as tensors refuse it: with an
    array, or `dot` of two dims."""
    if ONLY_SHAPED not in fact.assumed:
        return None
    with_array = any(isinstance(value, v.ArrayValue) for value in arguments.positional)
    is_matrix_product = method == "dot" and fact.shape is not None and len(fact.shape) != 1
    if not with_array and not is_matrix_product:
        return None
    array = v.ArrayValue(fact.shape)
    it.replace(fact, array)
    return array


def assumed_tensor(parameter: v.Parameter) -> TensorFact:
    """Returns the fact of a parameter that is used as a tensor, of which only contiguity is assumed.

    Its origin is the declaration of the parameter, which is a part of its name.
    """
    from torchlsp.facts.layout import ROW_MAJOR

    storage = storage_of(parameter, parameter.name)
    name, _, place = parameter.name.partition("@")
    start = int("".join(takewhile(str.isdigit, place)) or 0)
    origin = Origin(start, start + len(name), "parameter")
    if parameter.passed:
        return TensorFact(storage=storage, origin=origin)
    return TensorFact(layout=ROW_MAJOR, storage=storage, assumed=frozenset({"layout"}), origin=origin)
