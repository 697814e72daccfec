"""Evaluates calls: finds the callee, evaluates the arguments, and runs functions of the workspace."""

from __future__ import annotations

from collections.abc import Set
from typing import TYPE_CHECKING, TypeVar

from torchlsp import ops
from torchlsp.core.records import replace
from torchlsp.facts import values as v
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.checks import running
from torchlsp.interp.checks.api import (
    loaded_files,
    not_callable,
    reduction_pairs,
    torch_api,
    wrong_argument_count,
)
from torchlsp.interp.checks.autograd import forward_hooks
from torchlsp.interp.checks.autograd.forward_hooks import ForwardHooks
from torchlsp.interp.checks.devices import unsynchronized_timers
from torchlsp.interp.checks.distributed import async_collectives, bypassed_wrapper
from torchlsp.interp.checks.distributed.async_collectives import PENDING
from torchlsp.interp.checks.modules import module_use
from torchlsp.interp.evaluate import external_functions
from torchlsp.interp.model import (
    assumed_tensors,
    context_managers,
    decorator_names,
    given_functions,
    heap_values,
    later_changes,
    module_tree,
    moved_unknowns,
    partial_effects,
)
from torchlsp.interp.model.annotations import from_annotation
from torchlsp.interp.model.context_managers import GRAD_DECORATORS
from torchlsp.interp.objects import (
    attributes_and_methods,
    decorated_functions,
    followed_calls,
    optimizers_and_engines,
    process_groups,
    python_library,
    rows,
)
from torchlsp.interp.objects.unknown_calls import unknown_call
from torchlsp.interp.store import join
from torchlsp.interp.store.analysis import CallSite
from torchlsp.interp.store.budget import MIN_MEANS, BudgetExceeded
from torchlsp.interp.store.frame import Frame, enclosing_scope
from torchlsp.interp.store.heap_keys import UNMADE
from torchlsp.interp.store.possible_objects import objects_of, one_of
from torchlsp.interp.store.state import Scope
from torchlsp.interp.store.trace import CallItem
from torchlsp.ops.libraries import collectives
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir
from torchlsp.program.reading import is_stub
from torchlsp.program.walking import walk

Member = TypeVar("Member")

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

CALL_DEPTH = 10

TRANSPARENT_DECORATORS = frozenset(GRAD_DECORATORS) | collectives.RANK_ZERO_DECORATORS | frozenset({
    "builtins.staticmethod", "builtins.classmethod", "builtins.property", "functools.wraps", "functools.lru_cache",
    "functools.cache", "functools.cached_property", "torch.jit.script", "torch.jit.ignore", "torch.jit.export",
    "torch.jit.unused", "torch.compile", "torch.compiler.disable", "abc.abstractmethod", "typing.overload", "typing.final",
    "torch.fx.wrap", "torch.cuda.amp.autocast", "torch.amp.autocast", "torch.cuda.amp.custom_fwd", "torch.jit.script_method",
    "jaxtyping.jaxtyped", "beartype.beartype", "typeguard.typechecked", "torch.compiler.allow_in_graph", "torch.library.impl",
    "dataclasses.dataclass", "torch.autograd.function.once_differentiable",
})  # fmt: skip
"""Decorators that do not change what a call of the function does."""


def evaluate_call(it: Evaluator, node: ir.Call) -> Value:
    """Evaluates a call expression."""
    function = node.function
    unknown: Value | None = None
    callee: Value
    if type(function) is ir.Attribute:
        receiver = it.eval(function.object)
        if isinstance(receiver, (v.Unknown, v.Parameter)):
            unknown, callee = receiver, UNKNOWN_VALUE
        else:
            if it.api is not None and type(receiver) in torch_api.OWNERS:
                torch_api.check_attribute(it, receiver, function, node)
            callee = attributes_and_methods.get_attribute(it, receiver, function.name, function)
            it.record_callee(function, callee)
            if function.name == "forward":
                module_use.report_forward_called(it, receiver, node)
            if _is_set_out_of_sight(receiver):
                unknown = UNKNOWN_VALUE
    else:
        callee = it.eval(function)
    positional: list[Value] = []
    open_positional = False
    for arg in node.args:
        if type(arg) is ir.Starred:
            inner = it.eval(arg.value)
            items = it.elements(inner)
            if items is None:
                items = heap_values.children_in_order(it, inner)
            if items is None:
                if callee == python_library.ZIP and len(node.args) == 1 and not node.keywords:
                    return python_library.transpose(it, inner, node)
                open_positional = True
            else:
                positional.extend(items)
        elif open_positional:
            it.eval(arg)
        else:
            positional.append(it.eval(arg))
    keywords: list[tuple[str, Value]] = []
    open_keywords = False
    for name, value in node.keywords:
        result = it.eval(value)
        if name is not None:
            keywords.append((name, result))
            continue
        entries = it.state.heap.get((result.ref, "{}")) if isinstance(result, v.DictRef) else None
        if isinstance(result, v.DictValue):
            entries = dict(result.entries)
        if isinstance(entries, dict) and all(isinstance(key, str) for key in entries):
            keywords.extend(entries.items())
        else:
            open_keywords = True
    arguments = Arguments(tuple(positional), tuple(keywords), open_positional, open_keywords)
    if unknown is not None and type(function) is ir.Attribute:
        return attributes_and_methods.call_unknown_method(it, unknown, function.name, arguments, node)
    return invoke(it, callee, arguments, node)


def invoke(it: Evaluator, callee: Value, arguments: Arguments, node: ir.Node) -> Value:
    """Calls a value."""
    if type(callee) is v.External:
        return _call_external(it, callee.name, arguments, node)
    if type(callee) is v.BoundExternal:
        if type(callee.receiver) is v.Work:
            return async_collectives.evaluate_handle_method(it, callee.receiver, callee.name)
        if type(callee.receiver) is v.Scalar:
            unsynchronized_timers.record_read(it, *arguments.positional)  # `text.format(loss)`
        return attributes_and_methods.call_method(it, callee.receiver, callee.name, arguments, node)
    if type(callee) is v.FunctionValue:
        begin = it.graph.clock
        result = call_function(it, callee, arguments, node)
        if it.analysis.replicated and callee.receiver is not None:
            bypassed_wrapper.record_direct_call(it, callee.receiver, begin, node)
        return result
    if type(callee) is v.ClassValue:
        return attributes_and_methods.instantiate(it, callee, arguments, node)
    match callee:
        case v.LayerValue() | v.InstanceValue() | v.Wrapped():
            begin = it.graph.clock
            result = attributes_and_methods.call_object(it, callee, arguments, node)
            given_functions.run_given(it)  # the object's hooks
            if it.analysis.replicated:
                bypassed_wrapper.record_direct_call(it, callee, begin, node)
            return result
        case v.PartialValue(function=function, args=args, kwargs=kwargs):
            passed = dict(kwargs) | dict(arguments.keywords)
            merged = Arguments(
                (*args, *arguments.positional),
                tuple(passed.items()),
                arguments.open_positional,
                arguments.open_keywords,
            )
            return invoke(it, function, merged, node)
        case v.DTypeValue(numpy=True, dtype=dtype) if dtype is not None:
            return UNKNOWN_VALUE
        case v.Engine():
            return optimizers_and_engines.call_engine_method(it, callee, "__call__", arguments, node)
        case v.Loaded():
            loaded_files.report_use_as_module(it, callee, "__call__", node)
        case v.LoadedKeys():
            module_use.report_keys_used(it, callee, None, node)
        case v.Parameter(name=name):
            it.analysis.called_parameters.add(name)
            if it.states[ForwardHooks].hooks:
                forward_hooks.report_hooks(it, callee, UNKNOWN_VALUE)
    not_callable.check_call(it, callee, node)
    result_if_moved = moved_unknowns.evaluate_call(it, callee, arguments, node)
    unknown_call(it, arguments, node, callee)
    return result_if_moved or UNKNOWN_VALUE


def _call_external(it: Evaluator, name: str, arguments: Arguments, node: ir.Node) -> Value:
    if name in it.states[torch_api.PatchedNames].names:  # `F.softmax = own_softmax`
        unknown_call(it, arguments, node)
        return UNKNOWN_VALUE
    if it.state.modes[PENDING]:
        async_collectives.record_external_call(it, name, arguments, node)
    if name in it.wanted_calls:
        _record_call(it, name, arguments, node)
    if arguments.keywords:
        partial_effects.forget_out_argument(it, arguments)
        given_functions.give_all(it, (value for _, value in arguments.keywords))  # `sorted(rows, key=take)`
    for hook in running.EXTERNAL_CALL.get(name, running.EXTERNAL_CALL.any):
        hook(it, name, arguments, node)
    if it.api is not None:
        torch_api.check_call(it, name, arguments, node)
    handler = external_functions.HANDLERS.get(name)
    if handler is not None:
        result = handler(it, arguments, node)
        return _may_return_argument(name, arguments) if result == UNKNOWN_VALUE else result
    if name.startswith("torch.Tensor.") and arguments.positional and not arguments.open_positional:
        receiver, *rest = arguments.positional
        method = name.rpartition(".")[2]
        return attributes_and_methods.call_method(
            it, receiver, method, replace(arguments, positional=tuple(rest)), node
        )
    if arguments.positional and reduction_pairs.is_pair(arguments.positional[0]):
        reduction_pairs.report_argument(it, name, node, arguments.positional[0])
    row = ops.operator(name)
    if row is not None:
        arguments = assumed_tensors.with_tensor_parameters(it, row, arguments)
        return rows.apply_row(it, row, name, arguments, node)
    result = external_functions.call_unlisted(it, name, arguments, node)
    return _may_return_argument(name, arguments) if result == UNKNOWN_VALUE else result


def _is_set_out_of_sight(receiver: Value) -> bool:
    """Returns whether a method is called on what only code out of sight can have set: None has no such methods, and an
    attribute that nothing in sight sets has a value all the same."""
    return (
        receiver == v.NONE
        or isinstance(receiver, v.BoundExternal)
        and type(receiver.receiver) is v.InstanceValue
    )


_OF_PYTHON = frozenset("builtins itertools functools collections copy operator heapq random typing".split())


def _may_return_argument(name: str, arguments: Arguments) -> Value:
    """Returns the unknown result of a function, which may be, or hold, what a function of Python itself is given."""
    return one_of(*arguments.positional) if name.partition(".")[0] in _OF_PYTHON else UNKNOWN_VALUE


def _record_call(it: Evaluator, name: str, arguments: Arguments, node: ir.Node) -> None:
    if not it.silent:
        it.analysis.calls.append(CallSite(
            name, node.start, node.end, arguments.positional, arguments.keywords,
            arguments.is_open, it.frame.module.path,
        ))  # fmt: skip


# ---- functions of the workspace -----------------------------------------------------------------------------------------


def call_function(
    it: Evaluator,
    function: v.FunctionValue,
    arguments: Arguments,
    node: ir.Node,
    receiver: Value | None = None,
) -> Value:
    """Runs a function of the workspace; the result is unknown where that is too deep or not possible."""
    definition: ir.Function = function.ir
    receiver = receiver if receiver is not None else function.receiver
    if receiver is not None:
        arguments = Arguments(
            (receiver, *arguments.positional),
            arguments.keywords,
            arguments.open_positional,
            arguments.open_keywords,
        )
    decorators = decorator_names.decorator_names(it, definition, function.scope)
    if function.is_bare:
        decorators = frozenset()
    elif decorators == {"?"} and (wrapper := decorated_functions.wrapper_of(it, function, node)) is not None:
        return call_function(it, wrapper, arguments, node)
    if decorators - TRANSPARENT_DECORATORS or "abc.abstractmethod" in decorators and is_stub(definition):
        return _not_followed(it, function, arguments, node)
    if len(it.frames) >= CALL_DEPTH or _is_running(it, definition):
        return _not_followed(it, function, arguments, node)
    bound = _bind_parameters(it, function, arguments)
    if bound is None:
        it.record_missed(function)
        if definition.name in ("forward", "__init__"):
            wrong_argument_count.check_own_call(it, function, arguments, node)
        if receiver is not None:
            module_tree.mark_ready(it, receiver)
        # `Base.__init__(self)` gives the object by hand.
        _mark_unmade(it, definition, arguments.positional[0] if arguments.positional else None)
        for frame in it.frames:
            _mark_unmade(it, frame.function, frame.receiver)
        return UNKNOWN_VALUE
    if all(frame.is_root for frame in it.frames):
        result = _run_within_budget(it, function, bound, node, decorators, arguments)
    else:
        result = _run_function(it, function, bound, node, decorators)
    # A method that does nothing is there to be overridden: what it returns is not known.
    return (
        UNKNOWN_VALUE if result == v.NONE and function.owner is not None and is_stub(definition) else result
    )


def _not_followed(it: Evaluator, function: v.FunctionValue, arguments: Arguments, node: ir.Node) -> Value:
    """Evaluates a call that is not run: it may change the objects that it is given as their own methods do."""
    it.record_missed(function)
    it.raising[id(node)] = False
    unknown_call(it, arguments, node, function)
    given_functions.forget_changed_by(it, function)
    for param, value in zip(function.ir.params, arguments.positional):
        if isinstance(value, v.InstanceValue | v.LayerValue):
            partial_effects.forget_set_attributes(it, function.ir, param.name, value)
    process_groups.record_unfollowed_call(it, function, node)
    for value in arguments.positional:
        if isinstance(value, v.InstanceValue):
            later_changes.forget_changing(it, value)
    return UNKNOWN_VALUE


def _mark_unmade(it: Evaluator, definition: ir.Function | None, receiver: Value | None) -> None:
    """Records that an object's `__init__` raises, so that there is no such object."""
    if definition is not None and definition.name == "__init__" and isinstance(receiver, v.InstanceValue):
        it.state.set(it.state.heap, (receiver.ref, UNMADE), Tri.YES)


def _add(sets: dict[int, frozenset[Member]], key: int, item: Member) -> None:
    """Adds an item to one of the sets of a dict; they are frozen, so that each root need not copy them."""
    known = sets.get(key, frozenset())
    if item not in known:
        sets[key] = known | {item}


def _is_running(it: Evaluator, definition: ir.Function) -> bool:
    for frame in it.frames:
        if frame.function is definition:
            return True
    return False


def _run_within_budget(
    it: Evaluator,
    function: v.FunctionValue,
    bound: dict[str, Value],
    node: ir.Node,
    decorators: Set[str],
    arguments: Arguments,
) -> Value:
    """Runs a call of a root within the steps that it may spend; a call that needs more is unknown."""
    means = max(it.allowance, 0) + max(it.pool, 0)
    if means < max(MIN_MEANS, it.least_cost(function.ir)):
        it.analysis.unfollowed += 1
        it.is_limited = True
        return _not_followed(it, function, arguments, node)
    start, limit, mark, silent = it.steps, it.limit, it.state.mark(), it.silent
    frames, traces, buffers = list(it.frames), len(it.recorder.stack), len(it.buffers)
    it.limit = start + means
    try:
        return _run_function(it, function, bound, node, decorators)
    except BudgetExceeded:
        it.frames, it.frame, it.silent = frames, frames[-1], silent
        del it.recorder.stack[traces:], it.buffers[buffers:]
        it.state.take(mark)
        it.analysis.unfollowed += 1
        it.is_limited = True
        it.costs[id(function.ir)] = 2 * means
        return _not_followed(it, function, arguments, node)
    finally:
        used = it.steps - start
        it.limit = limit + used
        it.allowance -= used
        if it.allowance < 0:
            it.pool += it.allowance
            it.lowest_pool = min(it.lowest_pool, it.pool)
            it.allowance = 0


def _run_function(
    it: Evaluator,
    function: v.FunctionValue,
    bound: dict[str, Value],
    node: ir.Node,
    decorators: Set[str],
) -> Value:
    """Runs the body of a function on these values of its parameters."""
    definition: ir.Function = function.ir
    caller = it.frame
    outer: Scope = function.scope
    module = outer.module if outer is not None else caller.module
    scope = Scope("function", enclosing_scope(outer), module)
    scope.variables.update(bound)
    state = it.state
    mark = state.mark()
    frame = Frame(definition, scope, module, f"{caller.site}:{node.end}", mark)
    frame.call = (caller.module.path, node.start, node.end, definition.name)
    if state.modes["grad_assumed"] and state.modes["grad"] is Tri.YES and it.frames[0].function is not None:
        _add(it.grad_callers, id(definition), id(it.frames[0].function))
    else:
        _add(it.grad_modes, id(definition), state.modes["grad"])
    frame.owner = function.owner
    frame.receiver = next(iter(bound.values()), None) if function.owner is not None else None
    for name in decorators:
        it.graph.inference |= name == "torch.inference_mode"
        for key, value in GRAD_DECORATORS.get(name, {}).items():
            frame.managers.append((key, state.modes[key]))
            state.set(state.modes, key, value)
    it.recorder.open()
    it.push(frame)
    falls = True
    try:
        for param in definition.params:
            given = scope.variables.get(param.name)
            if given == UNKNOWN_VALUE or type(given) is v.OneOf and not given.is_list:
                objects = objects_of(given)
                passed = v.Parameter(f"{param.name}@{param.start}", param.name, passed=True, objects=objects)
                if param.annotation is not None:
                    it.annotated[passed.name] = param.annotation, module
                    scope.variables[param.name] = from_annotation(it, param.annotation, passed, param.name)
                else:
                    scope.variables[param.name] = passed
        falls = it.block(definition.body)
    finally:
        if frame.managers:
            context_managers.leave(it, 0)
        it.pop()
        trace = it.recorder.close()
    raises = not falls and not frame.returns
    if raises:
        _mark_unmade(it, definition, frame.receiver)
        raises = not definition.is_generator and not _is_to_be_overridden(definition)
    it.raising[id(node)] = raises and it.raising.get(id(node), True)
    state.forget(mark, scope.variables)
    result = _result(it, frame, falls, mark)
    if definition.is_generator:
        partial_effects.forget_changes(it, mark)
    if trace and decorators & collectives.RANK_ZERO_DECORATORS:
        trace = (process_groups.rank_zero_branch(definition, trace, module.path),)
    if trace:
        path = caller.module.path
        it.recorder.add(CallItem(node.start, node.end, definition.name, trace, path))
    if not frame.conditional and falls is not None:
        it.seen_functions.add(id(definition))
        followed_calls.record_followed_call(it, frame, bound)
    if definition.is_generator:
        return v.Repeated(frame.yielded if frame.yielded is not None else UNKNOWN_VALUE)
    return result


def _is_to_be_overridden(definition: ir.Function) -> bool:
    """Returns whether a function raises NotImplementedError, in the place of one that is not seen."""
    return any(type(node) is ir.Raise and _is_not_implemented(node.value) for node in definition.body)


def _is_not_implemented(node: ir.Node | None) -> bool:
    error = node.function if type(node) is ir.Call else node
    return type(error) is ir.Name and error.id in ("NotImplementedError", "NotImplemented")


def _result(it: Evaluator, frame: Frame, falls: bool, mark: int) -> Value:
    """Joins the values of all returns, and the changes that each has made to the store."""
    state = it.state
    outcomes = list(frame.returns)
    if falls:
        outcomes.append((v.NONE, state.changes(mark), state.modes["cuda"]))
    if not outcomes:
        return UNKNOWN_VALUE
    value = _join_returns([(value, cuda) for value, _, cuda in outcomes], frame.site)
    if len(outcomes) == 1 and not falls and outcomes[0][1] == state.changes(mark):
        return value
    if len(outcomes) == 1 and falls:
        return value
    state.take(mark)
    known_cuda = state.modes["cuda"]
    own = id(frame.scope.variables)
    deltas = [{key: entry for key, entry in delta.items() if key[0] != own} for _, delta, _ in outcomes]
    state.apply(deltas[0])
    for i, delta in enumerate(deltas[1:]):
        here = state.take(mark)
        it.merge(here, delta, f"{frame.site}:s{i}")
    if known_cuda is not Tri.UNKNOWN:
        state.set(state.modes, "cuda", known_cuda)
    return value


def _join_returns(values: list[tuple[Value, Tri]], site: str) -> Value:
    """Joins returned values, each with whether CUDA is available where it is returned.

    Where each path knows that, `if torch.cuda.is_available(): return "cuda"` chooses a device as an expression does.
    """
    with_cuda = [value for value, cuda in values if cuda is Tri.YES]
    without = [value for value, cuda in values if cuda is Tri.NO]
    if with_cuda and without and len(with_cuda) + len(without) == len(values):
        first = join.join_series(with_cuda, f"{site}:c")
        return join.join(first, join.join_series(without, f"{site}:n"), f"{site}:r", cuda=True)
    value = values[0][0]
    for i, (other, _) in enumerate(values[1:]):
        value = join.join(value, other, f"{site}:r{i}")
    return value


def _bind_parameters(
    it: Evaluator, function: v.FunctionValue, arguments: Arguments
) -> dict[str, Value] | None:
    """Returns the values of parameters by name; None if the call does not fit, which other tools report."""
    definition: ir.Function = function.ir
    positional = list(arguments.positional)
    given = dict(arguments.keywords)
    bound: dict[str, Value] = {}
    for param in definition.params:
        if param.kind == "variadic":
            bound[param.name] = (
                v.Repeated(UNKNOWN_VALUE) if arguments.open_positional else v.TupleValue(tuple(positional))
            )
            positional = []
        elif param.kind == "mapping":
            node = ir.Constant(param.start, param.end, None)
            bound[param.name] = heap_values.new_dict(
                it, node, None if arguments.open_keywords else dict(given)
            )
            given = {}
        elif param.kind == "positional" and positional:
            if param.name in given and all(other.kind != "mapping" for other in definition.params):
                return None  # given twice
            bound[param.name] = _as_any_call_gives(param, positional.pop(0))
        elif param.name in given:
            bound[param.name] = _as_any_call_gives(param, given.pop(param.name))
        elif arguments.open_keywords or (arguments.open_positional and param.kind == "positional"):
            bound[param.name] = UNKNOWN_VALUE
        elif param.default is not None:
            bound[param.name] = _default_value(it, function, param, param.default)
        else:
            return None
    if positional or given:
        return None
    return bound


_MAY_BE_TEXT = frozenset({"str", "Device", "DeviceLikeType"})
"""Names in the annotation of a device that may be given as text, those of `torch.types` included."""


def _as_any_call_gives(param: ir.Param, value: Value) -> Value:
    """Returns the value of a parameter: a device is not certainly a `torch.device` where other calls may pass its name."""
    if type(value) is not v.DeviceValue or not value.of:
        return value
    default, annotation = param.default, param.annotation
    if type(default) is ir.Constant and isinstance(default.value, str):
        return replace(value, of="")
    parts = () if annotation is None else tuple(walk((annotation,)))
    names = {getattr(part, "id", getattr(part, "name", None)) for part in parts}
    texts = [part.value for part in parts if type(part) is ir.Constant and isinstance(part.value, str)]
    if names & _MAY_BE_TEXT or any(name in text for text in texts for name in _MAY_BE_TEXT):
        return replace(value, of="")
    return value


def create_function(it: Evaluator, function: ir.Function) -> v.FunctionValue:
    """Creates the value of a `def` or a lambda.  Defaults are evaluated here, once, as Python does."""
    frame = it.frame
    if function.decorators and it.api is not None:
        torch_api.check_decorators(it, function)
    value = v.FunctionValue(f"{frame.module.index}:{function.start}@{frame.site}", function, frame.scope)
    for param in function.params:
        if param.default is not None and type(param.default) is not ir.Constant:
            it.state.set(it.state.heap, (value.ref, f"={param.name}"), it.eval(param.default))
    return value


def _default_value(it: Evaluator, function: v.FunctionValue, param: ir.Param, default: ir.Node) -> Value:
    """Returns a parameter's default, as it was when the function was defined."""
    if type(default) is ir.Constant:
        return it.eval(default)
    defined = function
    if function.owner is not None and function.owner.scope is not None:
        held = function.owner.scope.variables.get(function.ir.name)
        if isinstance(held, v.FunctionValue) and held.ir is function.ir:
            defined = held
    value = it.state.heap.get((defined.ref, f"={param.name}"))
    if value is not None:
        return value
    scope = function.scope
    if scope is None:
        return UNKNOWN_VALUE
    outer = it.frame
    site = f"{outer.site}:d{param.start}"
    it.push(Frame(None, scope, scope.module, site, it.state.mark(), is_root=outer.is_root))
    try:
        return it.eval(default)
    finally:
        it.pop()
