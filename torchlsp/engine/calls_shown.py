"""Describes a call to the user: the function, and the facts of its arguments and result."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from torchlsp import ops
from torchlsp.core.records import dataclass
from torchlsp.engine.modules_shown import notes_on_module
from torchlsp.engine.pitfalls import CallMade
from torchlsp.engine.recorded import Recorded, has_shapes, says_less
from torchlsp.engine.values_shown import (
    AS_CALLED,
    Note,
    Step,
    layer_parameters,
    layer_text,
    said,
    shortened,
)
from torchlsp.facts import values as v
from torchlsp.facts.notation import value_text
from torchlsp.facts.tensor import REFUSED, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.lint.ir_nodes import path_to
from torchlsp.ops.signature import parse
from torchlsp.program import ir

_MAX_SOURCE_LENGTH = 60
_WORTH_SAYING = (ir.Name, ir.Attribute, ir.Subscript, ir.Call, ir.Binary)
"""Arguments whose value is not what is written."""
_NOTHING = value_text(TensorFact())
"""Text for a tensor of which nothing is known."""

# torch documents these as giving a view or the tensor itself where that can be, and a copy otherwise.
_VIEWS_IF_POSSIBLE = frozenset(
    "reshape reshape_as flatten ravel contiguous to type type_as float double half bfloat16 int long cpu cuda numpy"
    " as_tensor asarray".split()
)


@dataclass(frozen=True, slots=True)
class Told:
    """A call: its facts as `f32[8, 3] → f32[8, 10]` (empty where nothing is known), and the dotted name of
    what is called."""

    fact: str
    symbol: str | None
    notes: tuple[Note, ...]
    trail: tuple[Step, ...]
    layer: str
    """The layer that is called, as its class would be called: `Conv2d(3, 64, kernel_size=3)`."""
    made: CallMade


@dataclass(frozen=True, slots=True)
class _Given:
    """An argument: a tensor, an array, a sequence of them, or (with no `values`) anything else that is not written out in
    the call; `name` is the parameter's."""

    name: str
    source: str
    values: tuple[TensorFact | v.ArrayValue, ...]
    text: str


def told(facts: Recorded, call: ir.Call) -> Told | None:
    """Returns the description of a call; None where there is nothing to describe."""
    result, remark = facts.value(call.start, call.end)
    parts = (call.function, *call.args, *(node for _, node in call.keywords))
    if remark is None and any(facts.value(node.start, node.end)[1] is AS_CALLED for node in parts):
        result, remark = facts.called(call.start, call.end) or result, AS_CALLED
    if remark is None or remark is AS_CALLED:
        passed = facts.passed(call.start, call.end)
        elsewhere = (facts.value(node.start, node.end)[1] for node in parts)
        if passed is not None and any(one is not None and one.calls for one in elsewhere):
            result, remark = result if isinstance(passed[0], v.Unknown) else passed[0], passed[1]

    def value(node: ir.Node) -> v.Value:
        if remark is AS_CALLED:
            return facts.called(node.start, node.end) or facts.value(node.start, node.end)[0]
        if remark is not None and remark.calls:
            return facts.of_caller(node.start, node.end)
        return facts.value(node.start, node.end)[0]

    callee = value(call.function)
    symbol = symbol_of(callee) or _symbol_of_result(result, call)
    given = tuple(_given(facts, call, callee, value))
    notes: list[Note] = []
    steps: tuple[Step, ...] = ()
    layer = ""
    match callee:
        case v.LayerValue():
            layer = layer_text(callee)
            notes.extend(layer_parameters(callee))
            steps = facts.origins(callee)
        case v.FunctionValue() | v.ClassValue() | v.InstanceValue():
            notes.extend(_definition(callee))
            steps = facts.origins(callee)
    notes.extend(_memory(callee, symbol, given, result))
    notes.extend(notes_on_module(facts, callee, call.function, remark))
    if isinstance(result, v.LayerValue):
        notes.extend(layer_parameters(result))
    notes.extend(notes_on_module(facts, result, call, remark))
    if _is_refused(result, call):
        notes.insert(0, Note("torch refuses this call; shown is what it would give"))
    if remark is not None:
        notes.append(remark)
    fact = _transition(given, result)
    if symbol is not None and fact == symbol.rpartition(".")[2] and notes in ([], [remark]):
        fact = ""  # `torch.optim.AdamW(…)` makes an AdamW
    if remark is None and fact:
        notes.extend(_as_called(facts, call, result, fact))
    if (
        isinstance(result, v.Scalar)
        and not any(one.values for one in given)
        and not (symbol or "").startswith("torch.")
    ):
        fact = ""  # `math.sqrt(2)`
    if not fact and not _is_worth_naming(callee, symbol):
        return None
    if not fact and not layer and notes == [remark]:
        notes = []  # there is nothing that it would be said of
    if (
        isinstance(callee, v.External)
        and symbol is None
        and not isinstance(result, TensorFact | v.ArrayValue)
    ):
        return None  # a builtin: `print(x)`
    return Told(fact, symbol, tuple(notes), steps, layer, _made(facts, call, callee, result, value))


def _as_called(facts: Recorded, call: ir.Call, result: v.Value, fact: str) -> Iterator[Note]:
    """Yields the same for this file's calls, where they give numbers for the sizes that are named."""
    called = facts.called(call.start, call.end)
    if called is None or not has_shapes(called) or says_less(called, result):
        return

    def value(node: ir.Node) -> v.Value:
        return facts.called(node.start, node.end) or facts.value(node.start, node.end)[0]

    text = _transition(tuple(_given(facts, call, value(call.function), value)), called)
    if text and text != fact:
        yield Note(f"{AS_CALLED.words}:", text)


def _made(
    facts: Recorded, call: ir.Call, callee: v.Value, result: v.Value, value: Callable[[ir.Node], v.Value]
) -> CallMade:
    """Returns what decides which pitfalls concern a call."""
    names = _parameters(callee)
    arguments: dict[str, v.Value] = {}
    if isinstance(callee, v.BoundExternal):
        arguments["input"] = callee.receiver
    if isinstance(callee, v.LayerValue):
        arguments.update(_chosen(callee))
    given = [arguments["input"]] if "input" in arguments else []
    is_whole = not any(isinstance(node, ir.Starred) for node in call.args) and (names != [] or not call.args)
    for position, node in enumerate(call.args):
        given.append(_written(facts, node, value))
        # Further ones are of the last parameter, which takes several: `*dims`.
        if is_whole and position < len(names):
            arguments[names[position]] = given[-1]
    for name, node in call.keywords:
        given.append(_written(facts, node, value))
        is_whole = is_whole and name is not None
        arguments[name or ""] = given[-1]
    is_dropped = is_in_loop = False
    for outer in path_to(facts.module, call.start, call.end):
        if isinstance(outer, ir.Function):
            is_in_loop = False
        is_in_loop = is_in_loop or isinstance(outer, ir.For | ir.While)
        is_dropped = isinstance(outer, ir.Expression) and outer.value is call or is_dropped
    is_known = isinstance(callee, v.External | v.BoundExternal | v.LayerValue) and (
        all(map(_is_known, given))
        or _is_known(result)
        and not isinstance(result, TensorFact | v.ArrayValue | v.TupleValue)
    )
    return CallMade(arguments, is_whole, is_dropped, is_in_loop, is_known)


def _is_refused(result: v.Value, call: ir.Call) -> bool:
    """Returns whether a result is what a call would have given that torch refuses."""
    if not isinstance(result, TensorFact) or REFUSED not in result.assumed or result.origin is None:
        return False
    is_own = (result.origin.start, result.origin.end) == (call.start, call.end)
    return is_own and not any(REFUSED in parent.assumed for parent in result.origin.parents)


def _chosen(layer: v.LayerValue) -> Iterator[tuple[str, v.Value]]:
    """Yields the arguments of a layer's constructor that are not the defaults."""
    row = ops.layer(layer.qualname)
    defaults = {param.name: param.default for param in parse(row.signature).params} if row else {}
    for name, value in layer.config:
        if value != defaults.get(name):
            yield name, value


def _written(facts: Recorded, node: ir.Node, value: Callable[[ir.Node], v.Value]) -> v.Value:
    match node:
        case ir.Constant(value=constant) if isinstance(constant, bool | int | float | str):
            return v.Scalar(type(constant).__name__, constant)
        case ir.Constant(value=None):
            return v.NONE
        case ir.Unary(op="-", operand=ir.Constant(value=int() | float() as constant)):
            return v.Scalar(type(-constant).__name__, -constant)
        case ir.Display(kind="list" | "tuple"):
            return v.TupleValue(tuple(_written(facts, item, value) for item in node.items))
    found = value(node)
    content = facts.content(node.start, node.end) if isinstance(found, v.ListRef) else None
    return found if content is None else content


def _is_known(value: v.Value) -> bool:
    """Returns whether something is known of a value: of a tensor, its shape."""
    if isinstance(value, TensorFact | v.ArrayValue):
        return value.shape is not None
    return not isinstance(value, v.Unknown | v.Parameter)


def symbol_called(facts: Recorded, call: ir.Call) -> str | None:
    """Returns the public dotted name of the called function."""
    result, _ = facts.value(call.start, call.end)
    callee, _ = facts.value(call.function.start, call.function.end)
    return symbol_of(callee) or _symbol_of_result(result, call)


def argument_name(facts: Recorded, call: ir.Call, node: ir.Node | ir.Param) -> str | None:
    """Returns the parameter that an argument of a call is passed to."""
    for name, value in call.keywords:
        if value is node:
            return name
    callee, _ = facts.value(call.function.start, call.function.end)
    names = _parameters(callee)
    for position, value in enumerate(call.args):
        if isinstance(value, ir.Starred):
            return None
        if value is node:
            return names[position] if position < len(names) else None
    return None


def _is_worth_naming(callee: v.Value, symbol: str | None) -> bool:
    if symbol is not None:
        return symbol.startswith("torch.")
    return isinstance(callee, v.FunctionValue | v.ClassValue)


def symbol_of(value: v.Value) -> str | None:
    """Returns the public dotted name of something outside the workspace; None for builtins too."""
    match value:
        case v.External(name=name):
            return None if name.startswith("builtins.") else name
        case v.LayerValue(qualname=name):
            return name
        case v.BoundExternal(receiver=receiver, name=name):
            match receiver:
                case TensorFact():
                    return f"torch.Tensor.{name}"
                case v.ArrayValue():
                    return f"numpy.ndarray.{name}"
                case v.LayerValue() | v.InstanceValue():
                    return f"torch.nn.Module.{name}"
                case v.OptimizerValue(qualname=owner) | v.Engine(qualname=owner):
                    return f"{owner}.{name}"
    return None


def _symbol_of_result(result: v.Value, call: ir.Call) -> str | None:
    """Returns the symbol of a method called on something unknown, derived from the tensor that it returned."""
    origin = result.origin if isinstance(result, TensorFact) else None
    if origin is None or (origin.start, origin.end) != (call.start, call.end):
        return None
    return f"torch.{origin.op}" if origin.op.startswith("Tensor.") else None


def _given(
    facts: Recorded, call: ir.Call, callee: v.Value, value: Callable[[ir.Node], v.Value]
) -> Iterator[_Given]:
    names = _parameters(callee)
    if isinstance(callee, v.BoundExternal) and isinstance(callee.receiver, TensorFact | v.ArrayValue):
        receiver = callee.receiver
        source = facts.source(call.function.object) if isinstance(call.function, ir.Attribute) else ""
        yield _Given("input", source, (receiver,), value_text(receiver))
    is_named = True
    for position, node in enumerate(call.args):
        is_named = is_named and not isinstance(node, ir.Starred)
        name = names[min(position, len(names) - 1)] if is_named and names else ""
        if position >= len(names) - 1 and len(call.args) > len(names) or not is_named:
            yield from (one for one in _one(facts, name, node, value) if one.values)
            continue
        yield from _one(facts, name, node, value)
    for keyword, node in call.keywords:
        yield from _one(facts, keyword or "", node, value)


def _one(facts: Recorded, name: str, node: ir.Node, value: Callable[[ir.Node], v.Value]) -> Iterator[_Given]:
    source = facts.source(node)
    found = value(node)
    if isinstance(node, ir.Display) and node.kind != "set":
        items = tuple(value(item) for item in node.items)
    else:
        if isinstance(found, TensorFact | v.ArrayValue):
            yield _Given(name, source, (found,), value_text(found))
            return
        content = facts.content(node.start, node.end) if isinstance(found, v.ListRef) else found
        items = content.items if isinstance(content, v.TupleValue) else ()
    tensors = tuple(item for item in items if isinstance(item, TensorFact | v.ArrayValue))
    if tensors:
        text = said(v.ListRef(""), v.TupleValue(items))
        yield _Given(name, source, tensors, text or "")
    elif name and isinstance(node, _WORTH_SAYING):
        text = said(found)
        if (
            isinstance(found, v.Unknown | v.Parameter)
            or text
            and text != source
            and not isinstance(found, v.InstanceValue)
        ):
            yield _Given(name, source, (), text or "?")


def _parameters(callee: v.Value) -> list[str]:
    """Returns the names of the positional parameters, the receiver's left out."""
    signature: str | None = None
    match callee:
        case v.BoundExternal(receiver=TensorFact() | v.ArrayValue() as receiver, name=name):
            kind = "Tensor" if isinstance(receiver, TensorFact) else "ndarray"
            row = ops.operator(f"{kind}.{name}")
            return _names(row.signature)[1:] if row is not None else []
        case v.External(name=name):
            operator, layer = ops.operator(name), ops.layer(name)
            signature = (
                operator.signature if operator is not None else layer.signature if layer is not None else None
            )
        case v.LayerValue(qualname=name):
            called = ops.layer(name)
            signature = called.forward.signature if called is not None else None
        case v.FunctionValue(ir=function, receiver=receiver):
            names = [param.name for param in function.params if param.kind in ("positional", "variadic")]
            return names if receiver is None else names[1:]
        case v.InstanceValue(cls=cls):
            method = cls.ir.methods.get("forward") or cls.ir.methods.get("__call__")
            return [param.name for param in method.params][1:] if method is not None else []
    return _names(signature) if signature is not None else []


def _names(signature: str) -> list[str]:
    return [param.name for param in parse(signature).params if param.kind in ("positional", "variadic")]


def _transition(given: tuple[_Given, ...], result: v.Value) -> str:
    text = _result_text(result)
    if not any(one.values for one in given):
        is_worth_telling = text and (result != v.NONE and not isinstance(result, v.InstanceValue))
        return text if is_worth_telling else ""
    if not text and all(one.text in (_NOTHING, "?") for one in given):
        return ""
    if len(given) == 1:
        taken = given[0].text
    else:
        taken = ", ".join(f"{one.name}: {one.text}" if one.name else one.text for one in given)
        taken = f"({taken})"
    return f"{taken} → {text or '?'}"


def _result_text(result: v.Value) -> str:
    match result:
        case v.Scalar(kind="none"):
            return "None"
        case v.Scalar(kind="int" | "float" | "bool" | "complex" as kind):
            return said(result) or kind
    return said(result) or ""


def _memory(
    callee: v.Value, symbol: str | None, given: tuple[_Given, ...], result: v.Value
) -> Iterator[Note]:
    """Returns whether the result has memory of its own."""
    given = tuple(one for one in given if one.values)
    if not isinstance(result, TensorFact | v.ArrayValue) or not given:
        return
    row = ops.operator((symbol or "").removeprefix("torch.")) or ops.operator(symbol or "")
    if row is not None and row.mutates is not None:
        yield Note("writes into", shortened(given[0].source, _MAX_SOURCE_LENGTH))
        return
    for one in given:
        for value in one.values:
            if value.storage.may_share(result.storage) is Tri.YES:
                yield Note("shares memory with", shortened(one.source, _MAX_SOURCE_LENGTH))
                return
    name = (symbol or "").rpartition(".")[2]
    if name in _VIEWS_IF_POSSIBLE and given[0].values[0].storage.may_share(result.storage) is Tri.NO:
        yield Note("copies: the result has memory of its own")


def _definition(callee: v.FunctionValue | v.ClassValue | v.InstanceValue) -> Iterator[Note]:
    """Yields the signature of a definition of the workspace and the first line of its docstring."""
    definition: ir.Function | ir.Class
    function: ir.Function | None
    if isinstance(callee, v.FunctionValue):
        definition = function = callee.ir
        is_bound = callee.receiver is not None
    else:
        method = "__init__" if isinstance(callee, v.ClassValue) else "forward"
        definition = callee.cls.ir if isinstance(callee, v.InstanceValue) else callee.ir
        function, is_bound = definition.methods.get(method), True
    params = [] if function is None else list(function.params)[1 if is_bound else 0 :]
    if function is not None or isinstance(callee, v.ClassValue):
        yield Note("", f"{definition.name}({', '.join(_parameter_text(param) for param in params)})")
    first = definition.body[0] if definition.body else None
    if isinstance(first, ir.Expression) and isinstance(first.value, ir.Constant):
        text = first.value.value
        if isinstance(text, str) and text.strip():
            yield Note(text.strip().splitlines()[0].strip())


def _parameter_text(param: ir.Param) -> str:
    stars = {"variadic": "*", "mapping": "**"}.get(param.kind, "")
    if param.default is None:
        return stars + param.name
    shown = f"{param.default.value!r}" if isinstance(param.default, ir.Constant) else "..."
    return f"{param.name}={shown}"
