"""Detects what is no tensor in the place of one: `linear(lstm(x))`, `out[:, -1]` of a tuple, `conv(image)` of a PIL image."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.values import Value
from torchlsp.interp.checks.api.reduction_pairs import is_pair
from torchlsp.interp.checks.hooks import ANY, Hooks, for_names
from torchlsp.interp.model import classes
from torchlsp.interp.store.lifetimes import per_root, running_state
from torchlsp.ops import operator
from torchlsp.ops.marks import TAKES_A_TENSOR
from torchlsp.ops.signature import Arguments
from torchlsp.ops.table import LayerState
from torchlsp.program import ir
from torchlsp.program.reading import reads_name
from torchlsp.program.walking import walk

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

_ASKS = frozenset({"hasattr", "getattr", "callable"})
_TYPE_TESTS = frozenset({"isinstance", "type"})
_FUNCTIONAL = "torch.nn.functional."
TAKES_NO_SEQUENCE = frozenset(
    f"torch.{name}"
    for name in """abs argmax argmin clamp cumsum exp flatten log log_softmax matmul mean mm norm permute relu reshape round sigmoid
    softmax sqrt squeeze std sum tanh topk transpose unsqueeze var""".split()
)
"""Functions of `torch` whose first argument is a tensor, and never a tuple or list."""
TAKES_SEQUENCES = frozenset({f"{_FUNCTIONAL}multi_head_attention_forward"})
"""Functions of `torch.nn.functional` whose first argument may be something else than a tensor."""
_IN_SEQUENTIAL = re.compile(r"\.[1-9]\d*\Z")
"""The end of the site while a Sequential calls its second child, or a later one."""


@running_state
class ReportedValues:
    """What was reported once: the refs of lists, and the places where the first items of tuples are made."""

    seen: set[object] = per_root(set)


def check_layer_call(
    it: Evaluator, layer: v.LayerValue, state: LayerState, arguments: Arguments, node: ir.Node
) -> None:
    """Reports what is passed to a layer that takes one tensor."""
    if arguments.positional:
        _check_argument(it, layer.qualname, arguments.positional[0], node)


def check_function_call(it: Evaluator, name: str, arguments: Arguments, node: ir.Node) -> None:
    """Reports the first argument of a function that takes a tensor there."""
    if not arguments.positional or is_pair(arguments.positional[0]) or name in TAKES_SEQUENCES:
        return
    if name.startswith(_FUNCTIONAL):
        row = operator(name)
        if row is None or not row.signature.startswith("input"):
            return
    elif name not in TAKES_NO_SEQUENCE:
        return
    _check_argument(it, name, arguments.positional[0], node)


def check_attribute(it: Evaluator, value: Value, node: ir.Attribute) -> None:
    """Reports an attribute of a tuple or list that only a tensor has, as `out.shape`."""
    kind = _kind(it, value)
    if kind not in ("tuple", "list") or isinstance(value, v.TupleValue) and (value.names or value.is_size):
        return
    has_it = hasattr(tuple if kind == "tuple" else list, node.name)
    if not has_it and operator(f"Tensor.{node.name}") is not None and not _asks_first(it):
        _report(it, kind, value, "attribute", node.name, node, node.object)


def check_index(it: Evaluator, value: Value, node: ir.Node) -> None:
    """Reports `out[:, -1]` and `out[None]` of a tuple or list, which take one integer or slice."""
    kind = _kind(it, value)
    if kind not in ("tuple", "list") or type(node) is not ir.Subscript or is_pair(value):
        return
    if _is_of_tensors(node.index):
        _report(it, kind, value, "index", "", node, node.object)


def _is_of_tensors(index: ir.Node) -> bool:
    """Returns whether an index is written as only tensors and arrays take it: of several parts, or with None or `...`.

    An attribute that is None may be set elsewhere.
    """
    if type(index) is ir.Display:
        return len(index.items) > 1
    return type(index) is ir.Constant and index.value in (None, ...)


def _check_argument(it: Evaluator, name: str, value: Value, node: ir.Node) -> None:
    kind = _kind(it, value)
    if kind is None:
        return
    operand = None
    inside = _IN_SEQUENTIAL.search(it.frame.site)  # the result of the child before it
    if not inside and type(node) is ir.Call and node.args and type(node.args[0]) is not ir.Starred:
        operand = node.args[0]
    _report(it, kind, value, "argument", name, node, operand)


def _kind(it: Evaluator, value: Value) -> str | None:
    """Returns what a value is that is certainly no tensor; None for tensors and for what may be one."""
    match value:
        case v.TupleValue():
            return "tuple"
        case v.ListRef():
            return "list"
        case v.DictRef() | v.DictValue():
            return "dict"
        case v.ArrayValue():
            return "NumPy array"
        case v.ImageValue():
            return "PIL image"
        case v.DeviceValue(of=of) if of:
            return "device"
        case v.LayerValue():
            return "module"
        case v.InstanceValue(cls=cls) if classes.is_module(cls) and not classes.has_unknown_base(cls):
            return "module"
    return None


def _asks_first(it: Evaluator) -> bool:
    """Returns whether the function asks for attributes or classes, so that the value is expected to be something else at times."""
    function = it.frame.function
    body = it.main.ir.body if function is None else function.body
    return reads_name(body, _ASKS)


def _stands_under_type_test(it: Evaluator, node: ir.Node) -> bool:
    """Returns whether a place is in a branch that a test of some value's class chooses: other values may be of another class there too."""
    function = it.frame.function
    body = it.frame.module.ir.body if function is None else function.body
    for outer in walk(body):
        if isinstance(outer, ir.Branch | ir.Conditional) and outer.start <= node.start < outer.end:
            test = outer.test
            if not test.start <= node.start < test.end and reads_name((test,), _TYPE_TESTS):
                return True
    return False


def _report(
    it: Evaluator, kind: str, value: Value, use: str, name: str, node: ir.Node, operand: ir.Node | None
) -> None:
    if _stands_under_type_test(it, node):
        return
    first = value.items[0] if isinstance(value, v.TupleValue) and value.items else None
    origin = first.origin if isinstance(first, TensorFact) else None
    key = origin or getattr(value, "ref", None)
    if key is not None and not it.silent:
        if key in it.states[ReportedValues].seen:
            return
        it.states[ReportedValues].seen.add(key)
    count = len(value.items) if isinstance(value, v.TupleValue) else None
    written = operand is not None and operand.start >= node.start and operand.end <= node.end
    data = (
        ("value", kind), ("count", count), ("use", use), ("name", name), ("first", origin),
        ("operand", (operand.start, operand.end) if operand is not None and written else None),
        ("is_tensor", isinstance(first, TensorFact)),
    )  # fmt: skip
    it.report([Fault(FaultKind.NOT_A_TENSOR, node.start, node.end, kind, data, path=it.frame.module.path)])


HOOKS = Hooks(
    layer_call=for_names(TAKES_A_TENSOR, check_layer_call), external_call={ANY: check_function_call}
)
