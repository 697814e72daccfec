"""Detects `[x] * n` where x is a module or a tensor: the list holds one object n times."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp import ops
from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.values import Value
from torchlsp.interp.model import classes
from torchlsp.interp.store.heap_keys import ATTRIBUTES
from torchlsp.interp.store.lifetimes import gathered, last_wins, running_state
from torchlsp.program import ir
from torchlsp.program.walking import dotted, walk

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

_WITHOUT_PARAMETERS = frozenset(
    {"torch.nn.Sequential", "torch.nn.ModuleList", "torch.nn.ModuleDict", "torch.nn.ParameterList"}
)


@running_state
class RepeatedTensors:
    """Where each list that holds one tensor several times was created, by its ref."""

    places: dict[str, tuple[str, int, int]] = gathered(dict, last_wins)


def check_multiplication(
    it: Evaluator, node: ir.Node, items: tuple[Value, ...], count: Value, made: v.ListRef
) -> None:
    """Reports `[Layer(…)] * n`, and records lists that repeat a tensor."""
    number = v.as_int(count)
    if isinstance(number, int) and number < 2 or len(items) != 1:
        return
    written = node.left if type(node) is ir.Binary else None
    if type(node) is ir.Binary and (type(node.right) is ir.Compare or _is_flag(count)):
        return  # the list holds the item or nothing
    if type(written) is not ir.Display or len(written.items) != 1:
        return
    if isinstance(items[0], TensorFact) and number is not None:
        it.states[RepeatedTensors].places[made.ref] = (it.frame.module.path, node.start, node.end)
    elif (
        type(written.items[0]) is ir.Call
        and _learns(it, items[0])
        and not _is_chosen(it, node, written.items[0])
    ):
        _report(it, (it.frame.module.path, node.start, node.end), "module", None)


def _is_flag(count: Value) -> bool:
    """Returns whether a factor is a truth value."""
    given = count.default if isinstance(count, v.Parameter) else count
    return isinstance(given, v.Condition) or isinstance(given, v.Scalar) and given.kind == "bool"


def report_shared_write(it: Evaluator, container: Value, left: Value, node: ir.Augmented) -> None:
    """Reports an in-place write to a tensor that the list holds at other indices too.

    Such a write is `states[i] += …`.
    """
    place = it.states[RepeatedTensors].places.get(container.ref) if type(container) is v.ListRef else None
    if place is None or not isinstance(left, TensorFact) or not left.storage.ids:
        return
    same = [
        item
        for item in it.elements(container) or ()
        if isinstance(item, TensorFact) and item.storage.ids == left.storage.ids
    ]
    if len(same) > 1:
        _report(it, place, "tensor", (it.frame.module.path, node.start, node.end))


def _is_chosen(it: Evaluator, node: ir.Node, item: ir.Call) -> bool:
    """Returns whether the other side of an `if` around a list creates each such layer separately, so that sharing is meant."""
    made = dotted(item.function)
    body = it.frame.module.ir.body if it.frame.function is None else it.frame.function.body
    for branch in walk(body):
        if type(branch) is ir.Branch and branch.start <= node.start < branch.end:
            inside = any(one.start <= node.start < one.end for one in branch.body)
            for other in walk(branch.orelse if inside else branch.body):
                if type(other) is ir.Comprehension and type(other.element) is ir.Call:
                    if dotted(other.element.function) == made:
                        return True
    return False


def _learns(it: Evaluator, value: Value) -> bool:
    """Returns whether a value is a layer with parameters or a module class of the program that may have some."""
    if isinstance(value, v.LayerValue):
        row = ops.layer(value.qualname)
        return row is not None and row.owns_parameters
    if not isinstance(value, v.InstanceValue) or not classes.is_module(value.cls) or not _has_layers(value):
        return False
    names = it.state.heap.get((value.ref, ATTRIBUTES), ())
    return not names or not all(_is_number(it.state.heap.get((value.ref, name))) for name in names)


def _is_number(value: object) -> bool:
    """Returns whether a value is a constant, or an argument whose default is one."""
    return isinstance(value.default if isinstance(value, v.Parameter) else value, v.Scalar)


def _has_layers(value: v.InstanceValue) -> bool:
    return (
        value.cls.ir is not None and "forward" in value.cls.ir.methods and "__init__" in value.cls.ir.methods
    )


def _report(
    it: Evaluator, place: tuple[str, int, int], what: str, write: tuple[str, int, int] | None
) -> None:
    from torchlsp.facts.tensor import Origin

    path, start, end = place
    changed = None if write is None else Origin(write[1], write[2], "write", (), write[0])
    data = (("what", what), ("write", changed))
    it.report([Fault(FaultKind.SHARED_ITEMS, start, end, "list", data, path=path)])
