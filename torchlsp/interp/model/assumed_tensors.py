"""Turns an unknown parameter into a tensor when it is used in a way in which only tensors are used."""

from __future__ import annotations

from dataclasses import replace
from itertools import takewhile
from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.tensor import Origin, TensorFact
from torchlsp.ops.signature import Arguments
from torchlsp.ops.table import Row

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator


def with_tensor_parameters(it: Evaluator, row: Row, arguments: Arguments) -> Arguments:
    """Returns the arguments of a torch function; an unknown parameter in the place of its first tensor becomes a tensor."""
    if not arguments.positional or not isinstance(arguments.positional[0], v.Parameter):
        return arguments
    if not row.signature.startswith("input"):
        return arguments
    parameter = arguments.positional[0]
    if not row.names[0].startswith(("torch.nn.functional.", "Tensor.", "torch.")):
        return arguments
    fact = assumed_tensor(parameter)
    it.replace(parameter, fact)
    return replace(arguments, positional=(fact, *arguments.positional[1:]))


def assumed_tensor(parameter: v.Parameter) -> TensorFact:
    """Returns the fact of a parameter that is used as a tensor, of which only contiguity is assumed.

    Its origin is the declaration of the parameter, which is a part of its name.
    """
    from torchlsp.facts.layout import ROW_MAJOR
    from torchlsp.facts.tensor import Storage

    storage = Storage(frozenset({parameter.name}))
    name, _, place = parameter.name.partition("@")
    start = int("".join(takewhile(str.isdigit, place)) or 0)
    origin = Origin(start, start + len(name), "parameter")
    if parameter.passed:
        return TensorFact(storage=storage, origin=origin)
    return TensorFact(layout=ROW_MAJOR, storage=storage, assumed=frozenset({"layout"}), origin=origin)
