"""Finds out whether anything depends on a comparison: not where both ways do the same, or nothing reads what they set."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.program import ir
from torchlsp.program.reading import is_plain, is_read, is_same
from torchlsp.program.walking import below, dotted, walk, word

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

_HARMLESS = frozenset("int float bool str len min max round cpu_count device_count is_available".split())
"""Last names of functions that only give a number."""
_FREEING = frozenset({"torch.cuda.empty_cache", "gc.collect"})
"""Functions that only give unused memory back."""


def has_effect(it: Evaluator, node: ir.Compare) -> bool:
    """Returns whether something may depend on the answer of a comparison of the running body."""
    function = it.frame.function
    body = it.frame.module.ir.body if function is None else function.body
    for one in walk(body):
        match one:
            case ir.Branch(test=test, body=yes, orelse=no) if test is node:
                return not (is_same(yes, no) or _only_frees(yes, no) or _only_sets_unread(body, one))
            case ir.Conditional(test=test, body=yes, orelse=no) if test is node:
                return not (is_same(yes, no) or _gives_one_side(node, yes, no))
            case ir.Logical(op=op, operands=operands) if any(operand is node for operand in operands):
                return not any(_asks_the_same(node, operand, op) for operand in operands)
    return True


def _only_frees(yes: tuple[ir.Node, ...], no: tuple[ir.Node, ...]) -> bool:
    """Returns whether both ways of a branch only give unused memory back."""
    return all(
        type(one) is ir.Expression and type(one.value) is ir.Call and dotted(one.value.function) in _FREEING
        for one in (*yes, *no)
    )


def _gives_one_side(node: ir.Compare, yes: ir.Node, no: ir.Node) -> bool:
    """Returns whether a conditional expression is `a if a != b else b`, which is `a` whatever the answer."""
    if node.ops == ("==",):
        yes, no = no, yes
    return node.ops[0] in ("==", "!=") and is_same(yes, node.left) and is_same(no, node.rights[0])


def _only_sets_unread(body: tuple[ir.Node, ...], branch: ir.Branch) -> bool:
    """Returns whether both ways of a branch only set names that no other statement reads. They may print them."""
    statements = (*branch.body, *branch.orelse)
    names = [
        target.id
        for one in statements
        if type(one) is ir.Assign and _is_harmless(one.value)
        for target in one.targets
        if type(target) is ir.Name
    ]
    if len(names) < sum(len(one.targets) if type(one) is ir.Assign else 0 for one in statements):
        return False
    shown = [one for one in statements if type(one) is not ir.Assign]
    return (
        bool(names)
        and all(_only_prints(one, frozenset(names)) for one in shown)
        and not any(is_read(body, name, branch) for name in dict.fromkeys(names))
        and not any(type(one) is ir.Global and not set(names).isdisjoint(one.names) for one in below(body))
    )


def _is_harmless(node: ir.Node) -> bool:
    """Returns whether the evaluation of an expression certainly does nothing else than to give a value."""
    if type(node) is ir.Call:
        return word(node.function) in _HARMLESS and not node.keywords and all(map(_is_harmless, node.args))
    if type(node) is ir.Binary:
        return _is_harmless(node.left) and _is_harmless(node.right)
    return is_plain(node)


def _only_prints(statement: ir.Node, names: frozenset[str]) -> bool:
    """Returns whether a statement prints some of these names, and reads nothing else."""
    match statement:
        case ir.Expression(value=ir.Call(function=ir.Name(id="print"), args=args, keywords=())):
            return all(
                type(one) in (ir.Constant, ir.JoinedString) or type(one) is ir.Name and one.id in names
                for one in walk(args)
            )
    return False


def _asks_the_same(node: ir.Compare, operand: ir.Node, op: str) -> bool:
    """Returns whether an operand beside a comparison with a text asks for that kind of device as it should be asked."""
    text = _kind(node.rights[0]) or _kind(node.left)
    device = node.left if _kind(node.rights[0]) else node.rights[0]
    if operand is node or type(operand) is not ir.Compare or node.ops != (("==",) if op == "or" else ("!=",)):
        return False
    sides = (operand.left, *operand.rights)
    if operand.ops != node.ops or len(sides) != 2:
        return False
    return any(_asks_for(one, other, device, text) for one, other in (sides, sides[::-1]))


def _asks_for(side: ir.Node, other: ir.Node, device: ir.Node, text: str) -> bool:
    match side:
        case ir.Attribute(object=inner, name="type"):
            return is_same(inner, device) and _kind(other) == text
        case ir.Call(function=ir.Name(id="str"), args=(inner,)):
            return is_same(inner, device) and _kind(other) == text
    match other:
        case ir.Call(function=function, args=(ir.Constant() as named,)) if word(function) == "device":
            return is_same(side, device) and _kind(named) == text
    return False


def _kind(node: ir.Node) -> str:
    """Returns the kind of device that a text names; \"\" for what is no text."""
    value = node.value if type(node) is ir.Constant else None
    return value.partition(":")[0] if isinstance(value, str) else ""
