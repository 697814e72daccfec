"""Declares what a check is called for while a program runs.

A check that runs along names the events that it wants in `HOOKS`, at the end of its file, and stands in the list of
`checks.running`. An event that concerns certain functions, layers or operators is declared by their dotted names
(`for_names`), or for `ANY` of them. The evaluator looks the hooks of a name up once and knows no check by name.

A hook must not change what is evaluated. What gives the value of a call is a handler (`external_result`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from torchlsp.facts import values as v
    from torchlsp.facts.tensor import TensorFact
    from torchlsp.facts.values import Value
    from torchlsp.interp.store.evaluator import Evaluator
    from torchlsp.ops.signature import Arguments
    from torchlsp.ops.table import LayerState, Row
    from torchlsp.program import ir

Hook = TypeVar("Hook")

ANY = "*"
"""The name under which a hook is declared that is called whatever the name."""


def for_names(names: Iterable[str], hook: Hook) -> dict[str, Hook]:
    """Declares one hook for several dotted names."""
    return dict.fromkeys(names, hook)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hooks:
    """The events of one check. `it` is the running interpreter, `node` the place in the program."""

    external_call: Mapping[str, Callable[[Evaluator, str, Arguments, ir.Node], None]] = field(
        default_factory=dict
    )
    """A function or class of a library is called, by its dotted name: (it, name, arguments, node), before it is evaluated."""
    external_result: Mapping[str, Callable[[Evaluator, Arguments, ir.Node], Value]] = field(
        default_factory=dict
    )
    """The same, where the check gives the value of the call: (it, arguments, node). One check for each name."""
    object_method: Mapping[str, Callable[[Evaluator, v.Engine, str, Arguments, ir.Node], Value]] = field(
        default_factory=dict
    )
    """A method of an object that the check has created as `v.Engine(ref, dotted name)`, by that name: (it, object, method,
    arguments, node). The check gives the value. One check for each name."""
    layer_created: Mapping[str, Callable[[Evaluator, str, dict[str, Value], Arguments, ir.Node], None]] = (
        field(default_factory=dict)
    )
    """A layer of torch.nn is created: (it, name, its arguments by parameter, the call's arguments, node)."""
    layer_call: Mapping[str, Callable[[Evaluator, v.LayerValue, LayerState, Arguments, ir.Node], None]] = (
        field(default_factory=dict)
    )
    """A layer is called: (it, layer, its state, arguments, node), before it is evaluated."""
    before_operator: Callable[[Evaluator, Row, str, Arguments, ir.Node], None] | None = None
    """An operator of the tables is applied: (it, row, name, arguments, node), before it is evaluated."""
    applied: Mapping[str, Callable[[Evaluator, ir.Node, str, Arguments, object], None]] = field(
        default_factory=dict
    )
    """An operator or a layer was evaluated: (it, node, name, arguments, layer and state or None), before tensors that it changes
    are changed."""
    operator_result: Callable[[Evaluator, Arguments, Value, ir.Node], None] | None = None
    """The result of an operator: (it, arguments, result, node)."""
    assigned: Callable[[Evaluator, TensorFact, ir.Assign], None] | None = None
    """A tensor is about to be assigned: (it, tensor, statement)."""
    statement: Callable[[Evaluator, ir.Call, Value], None] | None = None
    """A call stood as a statement of its own: (it, call, result)."""
    compared: Callable[[Evaluator, ir.Compare, Value, Value], None] | None = None
    """Two values are compared: (it, node, left, right)."""
    returned: Callable[[Evaluator, Value], None] | None = None
    """A function returns: (it, value)."""
    unknown_call: Callable[[Evaluator, Arguments, ir.Node], None] | None = None
    """A function that is not known is called: (it, arguments, node)."""
    backward: Callable[[Evaluator, Value, Arguments, ir.Node], None] | None = None
    """A backward pass runs: (it, loss, arguments of the call, node); the loss may be unknown."""
    loader_created: (
        Callable[[Evaluator, v.LoaderValue, dict[str, Value], Value, Arguments, ir.Node], None] | None
    ) = None
    """A DataLoader is created: (it, loader, its arguments by parameter, an element of the dataset, the call's arguments, node)."""
    class_initialised: Callable[[Evaluator, v.InstanceValue, ir.Class, ir.Function], None] | None = None
    """The `__init__` of a class of the file was run for itself: (it, the object, class, `__init__`)."""
