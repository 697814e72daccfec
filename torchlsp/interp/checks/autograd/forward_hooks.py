"""Detects forward hooks that store a module's output with its graph, which no backward pass uses.

Reported when the module is then called while gradients are recorded, and the hook has not been removed. In a file that runs any
backward pass, a stored output is reported only if it is never read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlsp.core.records import dataclass
from torchlsp.facts import values as v
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.checks.hooks import Hooks
from torchlsp.interp.model import given_functions, heap_values, inner_modules, module_tree, possible_parts
from torchlsp.interp.model.reporting import fault, is_in_graph
from torchlsp.interp.store.frame import Frame
from torchlsp.interp.store.heap_keys import GRAD
from torchlsp.interp.store.lifetimes import per_root, running_state
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir
from torchlsp.program.walking import scope_nodes, word

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

HANDLE = "torch.utils.hooks.RemovableHandle"
_CUTS = frozenset("detach detach_ numpy item tolist data no_grad inference_mode set_grad_enabled".split())
_GOES_BACK = frozenset("backward grad autograd functional_call vjp jvp jacrev jacfwd manual_backward".split())
_STORES = frozenset("append add insert extend put".split())
_GIVE_NOTHING = frozenset("append add extend update insert clear print copy_ write info debug".split())
"""Functions and methods that return None, or the object itself, which a hook that is a lambda only calls."""
_GIVE_SEVERAL = frozenset("RNN LSTM GRU LSTMCell MultiheadAttention AdaptiveMaxPool2d".split())


@dataclass(frozen=True, slots=True)
class Hook:
    """A registered hook. `module` is the ref of a module, or the name of a parameter that is one.

    `stored` is the expression that the hook stores in what is called `holder`.
    """

    handle: str
    module: str
    root: Frame
    function: ir.Function
    stored: ir.Node
    path: str
    holder: str
    is_tensor: bool


@running_state
class ForwardHooks:
    """Forward hooks that store an output."""

    hooks: list[Hook] = per_root(list)


def evaluate_register(it: Evaluator, module: Value | None, arguments: Arguments, node: ir.Node) -> Value:
    """Evaluates `module.register_forward_hook(function)` and records a hook that stores the output.

    `module` None: nothing is known of it.
    """
    handle = f"hook@{it.frame.site}:{node.start}"
    given = _given(arguments)
    if given is not None:
        given_functions.give_hook(it, given)
    given = _without_partial(given)
    owner = _owner(it, module, node)
    if type(given) is v.FunctionValue and owner is not None and not it.silent:
        kept = _kept(given)
        path = given.scope.module.path if given.scope is not None else it.frame.module.path
        if kept is not None and path == it.main.path:
            stored, holder = kept
            name = module.qualname.rpartition(".")[2] if type(module) is v.LayerValue else ""
            is_tensor = bool(name) and name not in _GIVE_SEVERAL
            it.states[ForwardHooks].hooks.append(
                Hook(handle, owner, it.frames[0], given.ir, stored, path, holder, is_tensor)
            )
    return v.Engine(handle, HANDLE)


REGISTERING = frozenset({"register_forward_hook", "register_forward_pre_hook"})
"""Methods whose hook may change what a module is given or returns."""


def _given(arguments: Arguments) -> Value | None:
    """Returns the hook that is registered."""
    return arguments.positional[0] if arguments.positional else dict(arguments.keywords).get("hook")


def _without_partial(hook: Value | None) -> Value | None:
    while type(hook) is v.PartialValue:
        hook = hook.function
    return hook


def forget_call(it: Evaluator, module: Value, arguments: Arguments) -> None:
    """Forgets what a module does when it is called, if the hook that is registered may change what it is given or returns."""
    hook = _without_partial(_given(arguments))
    if hook is None or type(hook) is v.FunctionValue and not _may_return(hook.ir):
        return
    match module:
        case v.LayerValue(ref=ref) | v.InstanceValue(ref=ref) | v.Wrapped(ref=ref):
            heap_values.put_attribute(it, ref, "forward", UNKNOWN_VALUE)
        case v.Unknown():
            inner_modules.forget_changed(it, module, "forward", UNKNOWN_VALUE, is_computed=False)
            possible_parts.set_attribute(it, module, "forward", UNKNOWN_VALUE)


def _may_return(function: ir.Function) -> bool:
    """Returns whether a hook may return something else than None, which then takes the place of the input or the output."""
    return any(
        type(node) is ir.Return
        and node.value is not None
        and not (type(node.value) is ir.Constant and node.value.value is None)
        and not (type(node.value) is ir.Call and word(node.value.function) in _GIVE_NOTHING)
        for node in scope_nodes(function.body)
    )


def evaluate_remove(it: Evaluator, handle: str | None) -> Value:
    """Evaluates `handle.remove()`; `handle` None: of an unknown value, which may be any handle."""
    it.states[ForwardHooks].hooks = (
        [] if handle is None else [hook for hook in it.states[ForwardHooks].hooks if hook.handle != handle]
    )
    return v.NONE


def report_hooks(it: Evaluator, module: Value, result: Value) -> None:
    """Reports hooks of a module that was called, not from within another one, and of the modules below it."""
    if it.state.modes["grad"] is not Tri.YES or it.silent:
        return
    if type(module) is v.Parameter:
        inside = {module.name}
    elif is_in_graph(result) and isinstance(module, v.LayerValue | v.InstanceValue | v.Wrapped):
        inside = {module.ref, *(module_tree.owned_refs(it, module) or ())}
    else:
        return
    for hook in tuple(it.states[ForwardHooks].hooks):
        if hook.module not in inside or hook.root is not it.frames[0]:
            continue
        if it.state.heap.get((hook.module, GRAD), Tri.YES) is not Tri.YES or _is_wanted(it, hook):
            continue
        it.states[ForwardHooks].hooks.remove(hook)
        fault(
            it, FaultKind.HOOK_KEEPS, hook.stored, "hook", name=hook.holder, tensor=hook.is_tensor,
        )  # fmt: skip


def _owner(it: Evaluator, module: Value | None, node: ir.Node) -> str | None:
    """Returns the ref of the module that a hook is registered on, or the name of its parameter."""
    if isinstance(module, v.LayerValue | v.InstanceValue):
        return module.ref
    inner = node.function.object if type(node) is ir.Call and type(node.function) is ir.Attribute else None
    while isinstance(inner, ir.Attribute | ir.Subscript):
        inner = inner.object
    value = it.lookup(inner.id) if type(inner) is ir.Name else None
    if type(value) is v.Parameter:
        return value.name
    return value.ref if isinstance(value, v.LayerValue | v.InstanceValue) and module is None else None


def _kept(hook: v.FunctionValue) -> tuple[ir.Node, str] | None:
    """Returns the expression that a hook stores of the module's output, and the name that holds it."""
    params = hook.ir.params[1:] if hook.receiver is not None else hook.ir.params
    if len(params) < 3 or any(param.kind in ("variadic", "mapping") for param in params[:3]):
        return None
    output = params[2].name
    if any(word(node) in _CUTS for node in scope_nodes((hook.ir.body, hook.ir.decorators))):
        return None
    for node in scope_nodes(hook.ir.body):
        match node:
            case ir.Call(function=ir.Attribute(object=holder, name=method), args=(*_, stored)) if (
                method in _STORES
            ):
                pass
            case ir.Assign(targets=(ir.Subscript(object=holder),), value=stored):
                pass
            case ir.Assign(targets=(ir.Attribute() as holder,), value=stored):
                pass
            case _:
                continue
        last = _last(holder)
        if _is_output(stored, output) and last is not None and _root(holder) != params[0].name:
            if not any(_binds(inner, output) for inner in scope_nodes(hook.ir.body)):
                return stored, last
    return None


def _is_output(node: ir.Node, output: str) -> bool:
    """Returns whether an expression is `output`, a part of it, or a copy that is in the graph as well."""
    while True:
        match node:
            case ir.Name(id=name):
                return name == output
            case ir.Subscript(object=inner) | ir.Call(function=ir.Attribute(object=inner)):
                node = inner
            case _:
                return False


def _binds(node: ir.Node, name: str) -> bool:
    return type(node) is ir.Assign and any(
        type(target) is ir.Name and target.id == name for target in node.targets
    )


def _last(holder: ir.Node) -> str | None:
    """Returns the last name of an expression: `feats` of `feats`, `self.feats` and `self.feats["a"]`."""
    while type(holder) is ir.Subscript:
        holder = holder.object
    match holder:
        case ir.Name(id=name) | ir.Attribute(name=name):
            return name
    return None


def _root(holder: ir.Node) -> str | None:
    """Returns the name that a chain of attributes and items begins with."""
    while isinstance(holder, ir.Subscript | ir.Attribute):
        holder = holder.object
    return holder.id if type(holder) is ir.Name else None


def _is_wanted(it: Evaluator, hook: Hook) -> bool:
    """Returns whether a backward pass may use the stored output, perhaps in another file that gets it."""
    if _is_given_away(it, hook):
        return True
    goes_back = any(word(node) in _GOES_BACK for node in _everything(it.main.ir))
    return goes_back and _is_read_elsewhere(it, hook)


def _is_given_away(it: Evaluator, hook: Hook) -> bool:
    """Returns whether a function that nothing in this file calls returns what holds the output."""
    module, start = it.main.ir, hook.function.start
    around = [function for function in module.functions if function.start < start < function.end]
    giving = {
        function.name
        for function in around or module.functions
        if function is not hook.function
        and any(word(part) == hook.holder for one in _returned(function) for part in scope_nodes(one))
    }
    called = (
        {word(node.function) for node in _everything(module) if type(node) is ir.Call} if giving else set()
    )
    return not giving <= called


def _returned(function: ir.Function) -> Iterator[ir.Node | None]:
    return (node.value for node in scope_nodes(function.body) if type(node) is ir.Return)


def _is_read_elsewhere(it: Evaluator, hook: Hook) -> bool:
    """Returns whether the name of what holds the output is read anywhere but in the hook."""
    function = hook.function
    for node in _everything(it.main.ir):
        if function.start <= node.start < function.end:
            continue
        if word(node) == hook.holder and not _is_target(it, node):
            return True
    return False


def _is_target(it: Evaluator, node: ir.Node) -> bool:
    """Returns whether a node is the target of an assignment."""
    return any(
        type(one) is ir.Assign
        and any((target.start, target.end) == (node.start, node.end) for target in one.targets)
        for one in _everything(it.main.ir)
    )


def _everything(module: ir.Module) -> Iterator[ir.Node]:
    yield from scope_nodes(module.body)
    for function in module.functions:
        yield from scope_nodes(function.body)


def _evaluate_method(
    it: Evaluator, handle: v.Engine, name: str, arguments: Arguments, node: ir.Node
) -> Value:
    return evaluate_remove(it, handle.ref if name == "remove" else None)


HOOKS = Hooks(object_method={HANDLE: _evaluate_method})
