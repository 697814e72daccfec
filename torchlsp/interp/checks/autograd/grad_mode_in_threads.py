"""Detects threads started under `no_grad()` that run a module and record gradients.

The grad mode is a setting of each thread. Reported is a function that runs a module in another thread, or asks there for the
grad mode, and does not switch gradients off itself. A module is known by its value, or else by the methods that the file calls
by its name, as in `model.eval()`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.checks.autograd.global_grad_mode import SWITCHED_OFF
from torchlsp.interp.checks.hooks import Hooks, for_names
from torchlsp.interp.model import classes
from torchlsp.interp.model.reporting import fault
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir
from torchlsp.program.walking import walk

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator
    from torchlsp.interp.store.state import Scope

EXECUTORS = frozenset(
    {"concurrent.futures.ThreadPoolExecutor", "concurrent.futures.thread.ThreadPoolExecutor", "multiprocessing.pool.ThreadPool",
     "multiprocessing.dummy.Pool"}
)  # fmt: skip
_SUBMITS = frozenset(
    "submit map apply apply_async map_async imap imap_unordered starmap starmap_async".split()
)
_SWITCHES = frozenset("no_grad inference_mode set_grad_enabled enable_grad _set_grad_enabled".split())
_MODULE_METHODS = frozenset("eval train parameters state_dict load_state_dict named_parameters".split())
_MAX_DEPTH = 3


def evaluate_thread(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    """Evaluates `threading.Thread(target=function, args=(…))`."""
    keywords = dict(arguments.keywords)
    target = keywords.get(
        "target", arguments.positional[1] if len(arguments.positional) > 1 else UNKNOWN_VALUE
    )
    given = keywords.get(
        "args", arguments.positional[3] if len(arguments.positional) > 3 else v.TupleValue(())
    )
    _check(it, target, it.elements(given) or (), node)
    it.unknown_call(arguments, node)
    return UNKNOWN_VALUE


def evaluate_executor(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    """Returns the thread pool that a constructor call creates."""
    return v.Engine(f"executor@{it.frame.site}:{node.start}", "concurrent.futures.ThreadPoolExecutor")


def evaluate_submit(
    it: Evaluator, executor: v.Engine, name: str, arguments: Arguments, node: ir.Node
) -> Value:
    """Evaluates a method of a thread pool, as `executor.submit(function, *args)`."""
    if name in _SUBMITS and arguments.positional:
        given = arguments.positional[1:] if name == "submit" else ()
        _check(it, arguments.positional[0], given, node)
    it.unknown_call(arguments, node)
    return UNKNOWN_VALUE


def _check(it: Evaluator, target: Value, given: tuple[Value, ...], node: ir.Node) -> None:
    """Reports a call in another thread that records gradients, which this thread has switched off."""
    if it.state.modes["grad"] is not Tri.NO or it.state.modes[SWITCHED_OFF] is not None or it.silent:
        return
    if _records_gradients(it, target, given, 0):
        fault(it, FaultKind.GRAD_IN_THREAD, node, "threading.Thread")


def _records_gradients(it: Evaluator, target: Value, given: tuple[Value, ...], depth: int) -> bool:
    """Returns whether a function does something that depends on the grad mode, and leaves the mode as it is."""
    match target:
        case v.PartialValue(function=function, args=args):
            return _records_gradients(it, function, (*args, *given), depth)
        case v.FunctionValue(ir=function) if depth < _MAX_DEPTH:
            names = set(_names_used(function.decorators)) | set(_names_used(function.body))
            if names & _SWITCHES:
                return False
            bound = _bind_parameters(target, given)
            return any(
                _depends_on_grad_mode(it, target, bound, node, depth) for node in _calls(function.body)
            )
    return _is_module(target)


def _bind_parameters(function: v.FunctionValue, given: tuple[Value, ...]) -> dict[str, Value]:
    """Returns the values of a function's parameters in a call with these positional arguments."""
    names = [param.name for param in function.ir.params if param.kind not in ("variadic", "mapping")]
    if function.receiver is not None:
        given = (function.receiver, *given)
    # a parameter without an argument here hides a name outside of the function
    return dict.fromkeys(names, UNKNOWN_VALUE) | dict(zip(names, given))


def _depends_on_grad_mode(
    it: Evaluator, function: v.FunctionValue, bound: dict[str, Value], node: ir.Call, depth: int
) -> bool:
    """Returns whether a call in a function's body runs a module or asks for the grad mode."""
    called = node.function
    if type(called) is ir.Attribute and called.name == "is_grad_enabled":
        return _value(it, function, bound, called.object) == v.External("torch")
    value = _value(it, function, bound, called)
    if type(value) is v.FunctionValue:
        return _records_gradients(
            it, value, tuple(_value(it, function, bound, arg) for arg in node.args), depth + 1
        )
    return (
        _is_module(value)
        or type(value) in (v.Unknown, v.OneOf, v.Parameter)
        and _is_used_as_module(it, called)
    )


def _value(it: Evaluator, function: v.FunctionValue, bound: dict[str, Value], node: ir.Node) -> Value:
    """Returns the value of a name or attribute in a function's body without running it; else `v.NONE`."""
    match node:
        case ir.Name(id=name):
            if name in bound:
                return bound[name]
            scope: Scope | None = function.scope
            while scope is not None:
                if name in scope.variables and scope.kind != "class":
                    value = scope.variables[name]
                    return it.resolve_import(value) if type(value) is v.Imported else value
                scope = scope.parent
        case ir.Attribute(object=inner, name=name):
            holder = _value(it, function, bound, inner)
            if type(holder) is v.InstanceValue:
                held = it.state.heap.get((holder.ref, name))
                if held is not None:
                    return held
                found = classes.find_method(holder.cls, name)
                if found is not None:
                    owner, method = found
                    return v.FunctionValue(f"{owner.ref}.{name}", method, owner.scope, holder, owner)
    return v.NONE


def _is_module(value: Value) -> bool:
    match value:
        case v.LayerValue() | v.Wrapped():
            return True
        case v.InstanceValue(cls=cls):
            return classes.is_module(cls)
    return False


def _is_used_as_module(it: Evaluator, called: ir.Node) -> bool:
    """Returns whether the file uses what is called here by its name as a module, as in `model.eval()`."""
    name = called.id if type(called) is ir.Name else called.name if type(called) is ir.Attribute else None
    if name is None:
        return False
    functions = [function.body for function in it.main.ir.functions]
    for node in _calls((it.main.ir.body, *functions)):
        match node.function:
            case ir.Attribute(object=ir.Name(id=holder) | ir.Attribute(name=holder), name=method):
                if holder == name and method in _MODULE_METHODS:
                    return True
    return False


def _calls(body: object) -> Iterator[ir.Call]:
    """Yields the calls in statements, those in functions defined there left out."""
    for node in walk((body,)):
        if type(node) is ir.Call:
            yield node


def _names_used(body: object) -> Iterator[str]:
    """Yields the names and attributes in statements."""
    for node in walk((body,)):
        if type(node) is ir.Name:
            yield node.id
        elif type(node) is ir.Attribute:
            yield node.name


# `evaluate_submit` is called for methods of the `Engine` that `evaluate_executor` returns: its qualname is in EXECUTORS
HOOKS = Hooks(
    external_result={"threading.Thread": evaluate_thread, **for_names(EXECUTORS, evaluate_executor)},
    object_method=for_names(EXECUTORS, evaluate_submit),
)
