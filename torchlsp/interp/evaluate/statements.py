"""Runs statements: assignments, definitions, imports, `with`, and those that leave a block; not branches and loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from torchlsp.facts import values as v
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.checks import running
from torchlsp.interp.checks.api import discarded_results, saved_models, torch_api
from torchlsp.interp.checks.api.compile_graph_breaks import CompiledFunctions
from torchlsp.interp.checks.autograd import (
    autograd_graph,
    detached_writes,
    gradient_access,
)
from torchlsp.interp.checks.devices import (
    discarded_conversions,
    list_multiplication,
)
from torchlsp.interp.checks.layout import duplicate_index_add, indexed_copy_writes
from torchlsp.interp.checks.modules import partial_layer_edits
from torchlsp.interp.checks.training import manual_updates, method_not_called
from torchlsp.interp.evaluate import branches, calls, conditions
from torchlsp.interp.model import (
    context_managers,
    decorator_names,
    expected_errors,
    heap_values,
    star_imports,
    store_entries,
    version_tests,
)
from torchlsp.interp.model.annotations import ANNOTATED, from_annotation
from torchlsp.interp.objects import (
    assignment,
    attributes_and_methods,
    binding,
    operators,
    subscripts,
    unknown_calls,
)
from torchlsp.interp.store.frame import ModuleInfo
from torchlsp.interp.store.possible_objects import may_be_tensor_only, objects_of, one_of, storage_of
from torchlsp.interp.store.state import Scope
from torchlsp.interp.store.trace import Exit
from torchlsp.ops.call import are_known
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator


def _assign(it: Evaluator, node: ir.Assign) -> bool | None:
    value = it.eval(node.value)
    if it.raising.pop(id(node.value), False):
        it.frame.exits += 1
        return False
    if type(value) is TensorFact:
        for hook in running.ASSIGNED:
            hook(it, value, node)
    if type(node.targets[0]) is ir.Attribute and node.targets[0].name == "data":
        partial_layer_edits.record_data_of_any(it, node, it.eval(node.targets[0].object), value)
    for target in node.targets:
        if binding.assign(it, target, value, node.value) is False:
            it.frame.exits += 1
            it.recorder.add(Exit("raise", node.start, node.end))
            return False
    if it.states[CompiledFunctions].compiling is node.value:
        saved_models.record_compiled_names(it, node.targets, value)
    if type(node.targets[0]) is ir.Attribute and node.targets[0].name == "data":
        manual_updates.record_assigned_update(it, node, it.eval(node.targets[0].object))
    return None


def _augmented(it: Evaluator, node: ir.Augmented) -> None:
    target = node.target
    if type(target) is ir.Subscript:
        container, index = it.eval(target.object), it.eval(target.index)
        left = subscripts.get_item(it, container, index, target)
        if isinstance(container, TensorFact):
            duplicate_index_add.report_repeated_index(it, container, index, node)
        elif it.states[list_multiplication.RepeatedTensors].places:
            list_multiplication.report_shared_write(it, container, left, node)
    elif type(target) is ir.Attribute:
        container = it.eval(target.object)
        if target.name == "data" and not gradient_access.is_straight_through(node):
            gradient_access.report_data_write(it, container, target)
        left = attributes_and_methods.get_attribute(it, container, target.name, target)
    else:
        left = it.eval(target)
        indexed_copy_writes.check_augmented_name(it, node, left)
    value = operators.binary_value(it, node, node.op, left, it.eval(node.value), inplace=True)
    if objects_of(left):
        unknown_calls.escape(it, left, set())
        store_entries.forget_tensors(it, left)
        value = one_of(left, value)
    if isinstance(left, TensorFact) and isinstance(value, TensorFact):
        it.rewrite(left, value)
        autograd_graph.record_write(it, left, f"{node.op}=", node)
    elif isinstance(left, v.ArrayValue):
        detached_writes.report_write(it, left, node)
    if isinstance(left, TensorFact):
        manual_updates.record_in_place_update(it, left, node)
    if type(target) is ir.Subscript:
        assignment.put_item(it, container, index, value, target)
    elif type(target) is ir.Attribute:
        assignment.set_attribute(it, container, target, value)
        it.record(target, value)
    else:
        binding.assign(it, target, value)


def _annotated(it: Evaluator, node: ir.Annotated) -> None:
    if node.value is not None:
        value = it.eval(node.value)
        if may_be_tensor_only(value) and not _has_default_none(node.value):
            known = from_annotation(it, node.annotation, value)
            if type(known) is TensorFact:
                known = known.but(storage=storage_of(value, f"{ANNOTATED}@{it.frame.site}:{node.start}"))
            value = known
        binding.assign(it, node.target, value)
    elif it.frame.scope.kind == "class" and type(node.target) is ir.Name:
        it.bind(node.target.id, UNKNOWN_VALUE)


def _has_default_none(node: ir.Node) -> bool:
    """Does a call like `field(default=None)` make the annotation of a field untrue?"""
    return isinstance(node, ir.Call) and any(
        name == "default" and isinstance(value, ir.Constant) and value.value is None
        for name, value in node.keywords
    )


def _return(it: Evaluator, node: ir.Return) -> bool:
    frame = it.frame
    value = it.eval(node.value) if node.value is not None else v.NONE
    for hook in running.RETURNED:
        hook(it, value)
    changes = it.state.changes_outside(frame.mark, frame.managers, frame.scope.variables)
    frame.exits += 1
    frame.returns.append((value, changes, it.state.modes["cuda"]))
    it.recorder.add(Exit("return", node.start, node.end))
    return False


def _raise(it: Evaluator, node: ir.Raise) -> bool:
    if node.value is not None:
        it.eval(node.value)
    it.frame.exits += 1
    it.recorder.add(Exit("raise", node.start, node.end))
    return False


def _break(it: Evaluator, node: ir.Break) -> bool:
    if it.frame.loops:
        loop = it.frame.loops[-1]
        loop.breaks.append(it.state.changes_outside(loop.mark, it.frame.managers[loop.managers :]))
    it.recorder.add(Exit("break", node.start, node.end))
    return False


def _continue(it: Evaluator, node: ir.Continue) -> bool:
    if it.frame.loops:
        loop = it.frame.loops[-1]
        loop.continues.append(it.state.changes_outside(loop.mark, it.frame.managers[loop.managers :]))
    it.recorder.add(Exit("continue", node.start, node.end))
    return False


def _define(it: Evaluator, node: ir.Define) -> None:
    it.bind(node.function.name, evaluate_definition(it, node))


def evaluate_definition(it: Evaluator, node: ir.Node) -> Value:
    """Evaluates a `def` or `class` statement."""
    if isinstance(node, ir.DefineClass):
        cls = create_class(it, node.cls)
        return _decorated(it, cls) if node.cls.decorators else cls
    assert isinstance(node, ir.Define)
    return calls.create_function(it, node.function)


def create_class(it: Evaluator, cls: ir.Class) -> v.ClassValue:
    """Runs the body of a class definition; returns the class."""
    bases = tuple(it.eval(base) for base in cls.bases)
    scope = Scope("class", it.frame.scope, it.frame.module)
    it.scopes.append(scope)
    value = v.ClassValue(f"{it.frame.module.index}:{cls.start}", cls, bases, scope)
    outer = it.frame.scope
    it.frame.scope = scope
    it.recorder.open()
    try:
        it.block(cls.body)
    finally:
        it.frame.scope = outer
        it.recorder.close()
    return value


def _define_class(it: Evaluator, node: ir.DefineClass) -> None:
    it.bind(node.cls.name, evaluate_definition(it, node))


def _decorated(it: Evaluator, cls: v.ClassValue) -> Value:
    """Returns what the decorators of a class make of it: those in sight are called, unknown ones may set any of its attributes."""
    made: Value = cls
    for decorator in reversed(cls.ir.decorators):
        if decorator_names.dotted(it, decorator, None).partition(".")[0] in _KEEPING:
            continue
        called = it.eval(decorator)
        if isinstance(called, v.Unknown | v.Parameter):
            heap_values.forget_class_attributes(it, cls)
        elif isinstance(called, v.FunctionValue | v.InstanceValue | v.PartialValue):
            result = it.invoke(called, Arguments((made,)), decorator)
            if isinstance(result, v.ClassValue | v.FunctionValue | v.PartialValue):
                made = result
            elif result != v.NONE:
                heap_values.forget_class_attributes(it, cls)
    return made


_KEEPING = frozenset("dataclasses typing typing_extensions functools enum abc unittest pytest torch".split())
"""Packages whose decorators keep what the body of a class assigns."""


def _import(it: Evaluator, node: ir.Import) -> None:
    if it.api is not None:
        torch_api.check_import(it, node)
    for name, module, attribute in node.names:
        if name == "*":
            _star_import(it, module)
            continue
        it.bind(name, v.Imported(module, attribute))


def _star_import(it: Evaluator, module: str) -> None:
    info = it.imported_module(module)
    if info is None:
        if module.split(".")[0] in ("torch", "numpy", "math"):
            for name in star_imports.star_names(module):
                it.bind(name, v.External(f"{module}.{name}"))
        return
    it.frame.module.stars.append(module)
    if it.frame.module is not it.main:
        return
    it.run_module(info)
    for name in _exported(it, info):
        it.bind(name, v.Imported(module, name))


def _exported(it: Evaluator, info: ModuleInfo) -> list[str]:
    """Returns the names that `import *` binds: those of `__all__`, or else those without a leading underscore."""
    listed = it.elements(info.scope.variables.get("__all__", UNKNOWN_VALUE))
    names = None if listed is None else [v.known(name, str) for name in listed]
    if names is None or not are_known(names):
        return [name for name in info.scope.variables if not name.startswith("_")]
    return names


def _with(it: Evaluator, node: ir.With) -> bool:
    frame, state = it.frame, it.state
    outside = len(frame.managers)
    objects_entered: list[tuple[v.InstanceValue, ir.Node]] = []
    suppresses = False
    mocks = 0
    for expression, target in node.items:
        manager = it.eval(expression)
        mocks += expected_errors.replaces_names(it, expression)
        if type(manager) is v.External:
            gradient_access.report_entered_class(it, expression, manager.name)
        entered, modes = context_managers.enter(it, manager, expression)
        expected = expected_errors.expected(it, expression)
        hears = expected_errors.hears_warnings(it, expression)
        if expected or hears:  # by pytest or unittest, which change no mode
            modes = {"caught": expected | hears | state.modes["caught"]}
        for mode, value in modes.items():
            frame.managers.append((mode, state.modes[mode]))
            state.set(state.modes, mode, value)
        if isinstance(manager, v.InstanceValue):
            entered = attributes_and_methods.call_special_method(it, manager, "__enter__", (), expression)
            objects_entered.append((manager, expression))
            suppresses |= context_managers.may_suppress(manager)
        suppresses |= bool(expected)
        if target is not None:
            binding.assign(it, target, entered)
    it.silent += mocks
    if suppresses:  # the body may stop anywhere, like that of `try … except: pass`
        handler = ir.Handler(node.start, node.end, None, None, ())
        falls = branches.run_try(it, ir.Try(node.start, node.end, node.body, (handler,), (), ()))
    else:
        falls = it.block(node.body)
    it.silent -= mocks
    context_managers.leave(it, outside)
    for manager, expression in reversed(objects_entered):
        attributes_and_methods.call_special_method(it, manager, "__exit__", (UNKNOWN_VALUE,) * 3, expression)
    return falls


def _assert(it: Evaluator, node: ir.Assert) -> bool:
    it.states[CompiledFunctions].asserted = node.test
    answer = conditions.evaluate_test(it, node.test)
    conditions.narrow(it, answer.when_true)
    if it.api is not None and version_tests.tests_torch(it, node):
        it.frame.guards += 1
    if answer.truth is not Tri.NO:
        return True
    it.frame.exits += 1
    it.recorder.add(Exit("raise", node.start, node.end))
    return False


def _delete(it: Evaluator, node: ir.Delete) -> None:
    for target in node.targets:
        if type(target) is ir.Name:
            it.state.delete(it.scope_of(target.id).variables, target.id)
        elif type(target) is ir.Subscript:
            assignment.delete_item(it, it.eval(target.object), it.eval(target.index))
        elif type(target) is ir.Attribute:
            if target.name == "grad":
                manual_updates.record_gradient_read(it, target)
            assignment.delete_attribute(it, it.eval(target.object), target.name)
        elif type(target) is ir.Display:
            _delete(it, ir.Delete(node.start, node.end, target.items))


def _global(it: Evaluator, node: ir.Global) -> None:
    scope = it.frame.scope
    if node.is_global:
        scope.globals = (scope.globals or set()) | set(node.names)
    else:
        scope.nonlocals = (scope.nonlocals or set()) | set(node.names)


_EXITS = frozenset({"builtins.exit", "builtins.quit", "sys.exit", "os._exit", "os.abort"})


def _expression(it: Evaluator, node: ir.Expression) -> bool | None:
    value = node.value
    before = discarded_results.evaluate_receiver(it, value)
    result = (
        discarded_conversions.evaluate_conversion(it, value)
        if discarded_conversions.is_conversion(value)
        else it.eval(value)
    )
    raises = it.raising.pop(id(value), False)
    if type(value) is ir.Call:
        for hook in running.STATEMENT:
            hook(it, value, result)
    elif type(value) is ir.Attribute:
        method_not_called.check_statement(it, value, result)
    if before is not None:
        discarded_results.report_discarded(it, value, before, result)
    if (
        type(value) is ir.Call
        and type(result) in (v.Unknown, v.OneOf)
        and type(value.function) in (ir.Name, ir.Attribute)
    ):
        callee = _external_name(it, value.function)
        if callee in _EXITS:
            it.recorder.add(Exit("raise", node.start, node.end))
            return False
    if raises:  # in the function that is called, as one that only checks its arguments
        it.frame.exits += 1
        return False
    return None


def _external_name(it: Evaluator, node: ir.Node) -> str | None:
    """Returns the dotted external name of a plain callee, without evaluating anything twice."""
    if type(node) is ir.Name:
        found = it.lookup(node.id)
        return found.name if isinstance(found, v.External) else None
    if type(node) is ir.Attribute and type(node.object) is ir.Name:
        base = it.lookup(node.object.id)
        return f"{base.name}.{node.name}" if isinstance(base, v.External) else None
    return None


Statement = Callable[["Evaluator", Any], "bool | None"]  # Any: each takes its own kind of node
"""Runs a statement; returns False if control does not reach its end."""

STATEMENTS: dict[type[ir.Node], Statement] = {
    ir.Assign: _assign,
    ir.Augmented: _augmented,
    ir.Annotated: _annotated,
    ir.Expression: _expression,
    ir.Return: _return,
    ir.With: _with,
    ir.Define: _define,
    ir.DefineClass: _define_class,
    ir.Import: _import,
    ir.Raise: _raise,
    ir.Assert: _assert,
    ir.Break: _break,
    ir.Continue: _continue,
    ir.Delete: _delete,
    ir.Global: _global,
}
"""The functions of all kinds of statements but branches and loops; `dispatch` has all."""
