"""Detects methods like `x.unsqueeze(0)` that return a new tensor which is discarded.

Conversions (`x.cuda()`) are checked in `devices.discarded_conversions`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp import ops
from torchlsp.facts import shape as shapes
from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import Origin, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import Value
from torchlsp.interp.checks.devices.discarded_conversions import (
    can_be_assigned,
    is_name_or_part,
    is_shown_by_notebook,
)
from torchlsp.interp.model.call_records import with_call
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir
from torchlsp.program.reading import is_read
from torchlsp.program.walking import walk

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

_NEVER_REFUSE = frozenset({"unsqueeze", "contiguous", "clone", "detach"})
"""Methods that are never called just to see whether they raise."""
_TRIED = frozenset({"view", "reshape", "expand", "expand_as", "unflatten"})
"""Methods that are often called to check sizes: reported only for a tensor that was created in analysed code."""
_ONLY_SHAPE = _TRIED | {"squeeze", "flatten"}
"""Methods that give the same values in the same order."""
_PURE = _NEVER_REFUSE | frozenset(
    """squeeze flatten t transpose reshape view permute movedim swapaxes expand expand_as repeat flip roll unflatten add sub mul div pow neg abs clamp clip exp
    log sqrt round floor ceil relu sigmoid tanh softmax log_softmax masked_fill scatter scatter_add index_fill index_add index_copy
    masked_scatter fill_diagonal tril triu sort where logical_not logical_and logical_or""".split()
)


def evaluate_receiver(it: Evaluator, node: ir.Node) -> TensorFact | None:
    """Returns the tensor whose method a statement calls, where the method only computes.

    It is evaluated before the call, since the call itself would make a tensor of an unknown value.
    """
    if (
        type(node) is not ir.Call
        or type(node.function) is not ir.Attribute
        or node.function.name not in _PURE
    ):
        return None
    if it.silent or not _is_of_a_name(node.function.object) or is_shown_by_notebook(it):
        return None
    if any(name == "out" for name, _ in node.keywords) or any(map(_is_text, node.args)):
        return None
    found = it.eval(node.function.object)
    return found if isinstance(found, TensorFact) else None


def _is_text(node: ir.Node) -> bool:
    """Returns whether an argument is a string, which none of these methods takes: the object is no tensor."""
    return type(node) is ir.Constant and type(node.value) is str


def _is_of_a_name(node: ir.Node) -> bool:
    """Returns whether an expression is a name, an attribute, or a part of one like `boxes[:, 0::2]`."""
    return is_name_or_part(_whole(node))


def _whole(node: ir.Node) -> ir.Node:
    """Returns what slices and constant indices select from."""
    while type(node) is ir.Subscript and _cuts(node.index):
        node = node.object
    return node


def _cuts(index: ir.Node) -> bool:
    """Returns whether an index consists of slices, constants and names."""
    match index:
        case ir.Slice(lower=lower, upper=upper, step=step):
            return all(part is None or _cuts(part) for part in (lower, upper, step))
        case ir.Display(kind="tuple", items=items):
            return all(map(_cuts, items))
        case ir.Unary(operand=operand):
            return _cuts(operand)
    return type(index) in (ir.Constant, ir.Name)


def report_discarded(it: Evaluator, node: ir.Node, receiver: TensorFact, result: Value) -> None:
    """Reports a statement that calls a method of a tensor and discards the new tensor that it returns."""
    if type(node) is not ir.Call or type(node.function) is not ir.Attribute:
        return
    function = node.function
    given = result.items[0] if type(result) is v.TupleValue and result.items else result
    if not isinstance(given, TensorFact) or given is receiver:
        return
    if function.name in _TRIED and _was_passed_in(receiver):
        return
    if function.name not in _NEVER_REFUSE and not _is_needed(it, node, function.object):
        return
    name = f"Tensor.{function.name}"
    twin = f"{function.name}_" if ops.operator(f"{name}_") is not None else None
    data = (
        ("input", receiver),
        ("result", given),
        ("method", function.name),
        ("again", type(function.object) is not ir.Subscript and can_be_assigned(it, function.object)),
        ("twin", twin),
        ("is_pair", given is not result),
        (
            "needed",
            _changes(function.name, receiver, given) and not _is_lost_anyhow(it, node, function.object),
        ),
    )
    fault = Fault(FaultKind.RESULT_DISCARDED, node.start, node.end, name, data, path=it.frame.module.path)
    values = [it.eval(arg) for arg in node.args if type(arg) is not ir.Starred]
    keywords = tuple((key, it.eval(value)) for key, value in node.keywords if key is not None)
    is_open = len(values) < len(node.args) or len(keywords) < len(node.keywords)
    it.report(with_call(it, [fault], name, Arguments((receiver, *values), keywords, is_open, is_open)))


def _is_needed(it: Evaluator, node: ir.Call, target: ir.Node) -> bool:
    """Returns whether the tensor is read later, as if it had changed. A call whose result nobody reads may be
    there to be timed or to raise."""
    target = _whole(target)
    if type(target) is not ir.Name:
        return type(target) is ir.Attribute
    function = it.frame.function
    body = function.body if function is not None else it.frame.module.ir.body
    after: list[ir.Node] = []
    for statement in _after(body, node.start):
        if _forgets(statement, target.id):
            break
        if not _is_trial(it, statement, target.id):
            after.append(statement)
    return is_read(tuple(after), target.id)


def _changes(method: str, receiver: TensorFact, given: TensorFact) -> bool:
    """Returns whether a method gives another tensor than it is called on; for methods that try sizes, whether it certainly does."""
    if method not in _ONLY_SHAPE:
        return True
    same = shapes.same(receiver.shape, given.shape)
    return same is Tri.NO or same is Tri.UNKNOWN and method not in _TRIED


def _is_lost_anyhow(it: Evaluator, node: ir.Call, target: ir.Node) -> bool:
    """Returns whether a function drops the tensor without reading it again: by `del`, by another value for its name, or at its end."""
    target, function = _whole(target), it.frame.function
    if type(target) is not ir.Name or function is None or _is_needed(it, node, target):
        return False
    if any(_forgets(one, target.id) for one in _after(function.body, node.start)):
        return True
    if any(type(one) is ir.Global and target.id in one.names for one in walk(function.body)):
        return False
    is_kept = any(one.name == target.id for one in function.params)
    return not is_kept and not any(
        type(one) in (ir.For, ir.While) and one.start <= node.start < one.end for one in walk(function.body)
    )


def _forgets(statement: ir.Node, name: str) -> bool:
    """Returns whether a statement deletes the name or binds it to something that does not use it."""
    match statement:
        case ir.Delete():
            return is_read(statement.targets, name)
        case ir.Assign(targets=targets, value=value):
            return any(type(target) is ir.Name and target.id == name for target in targets) and not is_read(
                (value,), name
            )
    return False


def _was_passed_in(tensor: TensorFact) -> bool:
    """Returns whether a tensor was computed from a parameter, or from something unknown."""
    origin = first_origin(tensor)
    return origin is None or origin.op == "parameter"


def _is_trial(it: Evaluator, statement: ir.Node, name: str) -> bool:
    """Returns whether a statement is another expression of torch whose result is discarded."""
    part = statement.value if type(statement) is ir.Expression else None
    if part is None:
        return False
    while True:
        match part:
            case ir.Subscript(object=inner) | ir.Attribute(object=inner) | ir.Call(function=inner):
                part = inner
            case ir.Binary(left=inner) | ir.Compare(left=inner):
                part = inner
            case ir.Name(id=root):
                held = it.lookup(root)
                return root == name or (type(held) is v.External and held.name.startswith("torch"))
            case _:
                return False


def first_origin(fact: TensorFact) -> Origin | None:
    """Returns the origin of the oldest tensor that this one was computed from, by first operands."""
    origin = fact.origin
    while origin is not None and origin.parents and origin.parents[0].origin is not None:
        origin = origin.parents[0].origin
    return origin


def _after(body: tuple[ir.Node, ...], offset: int) -> tuple[ir.Node, ...]:
    """Returns the statements after a place, those of the blocks around it included."""
    found: list[ir.Node] = []
    for statement in body:
        if statement.start > offset:
            found.append(statement)
        elif statement.end > offset:
            for part in ("body", "orelse", "final", "handlers"):
                inner = getattr(statement, part, None)
                if isinstance(inner, tuple):
                    found.extend(_after(inner, offset))
    return tuple(found)
