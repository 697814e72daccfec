"""Detects writes that are lost in the copy that indexing with a mask, a list or a tensor gives.

These are `x[mask][0] = 1`, the statement `x[indices].add_(1)`, and `part = x[mask]; part[0] = 1` where `part` is never read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp import ops
from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import Origin, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import Value
from torchlsp.interp.checks.hooks import Hooks
from torchlsp.interp.model.call_records import record_of_call
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir
from torchlsp.program.reading import bound_to, is_plain, is_read, writes_in_place

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

_MAX_ORIGINS = 64
"""How many steps are taken back from a tensor to what it was indexed from: a loop may write to one tensor very often."""
_COPYING = frozenset({
    "Tensor.__getitem__", "Tensor.index_select", "Tensor.masked_select", "Tensor.take", "Tensor.gather",
    "Tensor.take_along_dim",
})  # fmt: skip
"""Operators that copy the elements they choose; indexing does where it does not give a view."""
_COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})
_NO_VALUES = frozenset({
    "requires_grad_", "detach_", "share_memory_", "rename_", "resize_", "squeeze_", "unsqueeze_", "t_", "transpose_",
    "swapaxes_", "swapdims_", "as_strided_",
})  # fmt: skip
"""Methods that change something other than the tensor's values."""


def check_item_write(it: Evaluator, target: ir.Node, container: Value, index: Value) -> None:
    """Reports a lost `container[index] = value`, also as part of `container[index] += …`."""
    if isinstance(container, TensorFact) and type(target) is ir.Subscript and not it.silent:
        _report(it, target, target.object, container, "Tensor.__setitem__", index)


def check_call_statement(it: Evaluator, node: ir.Call, result: Value) -> None:
    """Reports a lost write by a call that is a statement: `x[mask].zero_()`, `nn.init.zeros_(x[mask])`."""
    function = node.function
    if not isinstance(result, TensorFact) or type(function) is not ir.Attribute or it.silent:
        return
    if not writes_in_place(function.name) or function.name in _NO_VALUES:
        return
    if node.args and _is_initialiser(it, function.object):
        _report(it, node, node.args[0], result, f"torch.nn.init.{function.name}")
        return
    row = ops.operator(f"Tensor.{function.name}")
    if row is not None and row.mutates is not None:
        _report(it, node, function.object, result, f"Tensor.{function.name}")


def check_augmented_name(it: Evaluator, node: ir.Augmented, target: Value) -> None:
    """Reports a lost `part += 1` of a name."""
    if isinstance(target, TensorFact) and not it.silent:
        _report(it, node, node.target, target, f"Tensor.{node.op}=")


def _is_initialiser(it: Evaluator, holder: ir.Node) -> bool:
    """Returns whether an expression is `torch.nn.init`, by whatever name."""
    if type(holder) is ir.Name:
        found = it.lookup(holder.id)
    elif type(holder) is ir.Attribute and holder.name == "init":
        found = it.eval(holder)
    else:
        return False
    return isinstance(found, v.External) and found.name == "torch.nn.init"


def _report(
    it: Evaluator, node: ir.Node, written: ir.Node, fact: TensorFact, op: str, index: Value | None = None
) -> None:
    """Reports a write to a copy: `written` is the expression that is written to, `index` where in it an assignment writes."""
    copied = _copied_by(fact) or _chosen_by_comparison(written, fact)
    if copied is None or copied.path != it.frame.module.path:
        return
    name = None
    indexing = _indexing(written, copied)
    if indexing is None:
        name = _root(written)
        indexing = None if name is None else _held_by(it, name, copied)
        if indexing is None:
            return
    source, path = copied.parents[0], copied.path
    called, merges = None, None
    base = _inner(indexing)
    assert base is not None
    if isinstance(indexing, ir.Call):
        if all(_is_simple(it, arg) for arg in indexing.args) and not indexing.keywords:
            called = record_of_call(it, copied.op, Arguments((source, *map(it.eval, indexing.args))))
    elif _is_simple(it, indexing.index):
        chosen = it.eval(indexing.index)
        if not isinstance(chosen, TensorFact) and _is_comparison(indexing.index):
            chosen = TensorFact(dtype="bool")
        called = record_of_call(it, "Tensor.__getitem__", Arguments((source, chosen)))
        if indexing is written and isinstance(index, v.Scalar) and index.kind == "int":
            merges = _merging(chosen)
    data = (
        ("source", source), ("base", Origin(base.start, base.end, "", (), path)),
        ("copied", Origin(indexing.start, indexing.end, "", (), path)), ("name", name), ("merges", merges),
        ("direct", indexing is written),
    )  # fmt: skip
    it.report([Fault(FaultKind.LOST_WRITE, node.start, node.end, op, data, path=path, called=called)])


def _merging(chosen: Value) -> str | None:
    """Returns how a number in a second index can be merged into the first: among its numbers, or as a place in a mask."""
    if isinstance(chosen, TensorFact):
        if chosen.dtype in ("i64", "i32"):
            return "numbers"
        return "mask" if chosen.dtype == "bool" and chosen.rank == 1 else None
    return None


def _held_by(it: Evaluator, name: str, origin: Origin) -> ir.Subscript | ir.Call | None:
    """Returns what created the copy, if all that holds the copy is a name that is never read.

    The names of a module count only where nothing else can read them.
    """
    frame = it.frame
    if frame.function is not None:
        if frame.scope.kind != "function" or any(param.name == name for param in frame.function.params):
            return None
        body = frame.function.body
    else:
        module = frame.module.ir
        if frame.scope.kind != "module" or module.functions or module.classes:
            return None
        body = module.body
    found = (_indexing(value, origin) for value in bound_to(body, name))
    indexing = next((one for one in found if one is not None), None)
    return None if indexing is None or is_read(body, name) else indexing


def _is_simple(it: Evaluator, node: ir.Node) -> bool:
    """Returns whether an index may be evaluated once more, because it calls nothing but torch's functions."""
    match node:
        case ir.Call(function=ir.Attribute(object=ir.Name(id=name)), args=args):
            holder = it.lookup(name)
            torchs = isinstance(holder, TensorFact) or (
                isinstance(holder, v.External) and holder.name == "torch"
            )
            return torchs and all(map(is_plain, args))
    return is_plain(node)


def _copied_by(fact: TensorFact) -> Origin | None:
    """Returns the origin of the copy that indexing created, of which this is the whole or a view, changed in place or not."""
    ids = fact.storage.ids
    if ids is None or len(ids) != 1:
        return None
    for _ in range(_MAX_ORIGINS):
        origin = fact.origin
        if origin is None or not origin.parents:
            return None
        if origin.parents[0].storage.may_share(fact.storage) is not Tri.YES:
            break
        fact = origin.parents[0]
    origin = fact.origin
    if origin is None or origin.op not in _COPYING or not origin.parents:
        return None
    return origin if next(iter(ids)).endswith(f":{origin.start}_{origin.end}") else None


def _chosen_by_comparison(written: ir.Node, fact: TensorFact) -> Origin | None:
    """Returns the origin of what a comparison chooses of a tensor: be that a mask or a truth value, it is a copy."""
    for _ in range(_MAX_ORIGINS):
        origin = fact.origin
        if origin is None or not origin.parents:
            return None
        if origin.op == "Tensor.__getitem__":
            indexing = _indexing(written, origin)
            return origin if type(indexing) is ir.Subscript and _is_comparison(indexing.index) else None
        fact = origin.parents[0]
    return None


def _is_comparison(node: ir.Node) -> bool:
    """Returns whether an expression is a comparison, or several joined by `&`, `|` and `~`."""
    match node:
        case ir.Compare(ops=ops):
            return len(ops) == 1 and ops[0] in _COMPARISONS
        case ir.Unary(op="~", operand=inner):
            return _is_comparison(inner)
        case ir.Binary(op="&" | "|", left=left, right=right):
            return _is_comparison(left) and _is_comparison(right)
    return False


def _indexing(written: ir.Node, origin: Origin) -> ir.Subscript | ir.Call | None:
    """Returns the subscript or method call that created the copy, if it is part of the expression that is written to."""
    node: ir.Node | None = written
    while node is not None:
        if (node.start, node.end) == (origin.start, origin.end):
            if isinstance(node, ir.Call):
                return node if _inner(node) is not None else None
            return node if isinstance(node, ir.Subscript) else None
        node = _inner(node)
    return None


def _root(written: ir.Node) -> str | None:
    """Returns the name that an expression such as `part[0].T` begins with."""
    node: ir.Node | None = written
    while node is not None:
        if type(node) is ir.Name:
            return node.id
        node = _inner(node)
    return None


def _inner(node: ir.Node) -> ir.Node | None:
    """Returns what a subscript, an attribute or the call of a method is of."""
    match node:
        case ir.Subscript(object=inner) | ir.Attribute(object=inner):
            return inner
        case ir.Call(function=ir.Attribute(object=inner)):
            return inner
    return None


def _statement(it: Evaluator, node: ir.Call, result: Value) -> None:
    if type(result) is TensorFact:
        check_call_statement(it, node, result)


HOOKS = Hooks(statement=_statement)
