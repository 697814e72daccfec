"""Statements: assignments, definitions, imports, and the ways out of a block."""

from __future__ import annotations

from collections.abc import Callable
from itertools import takewhile

from torchlsp.facts import values as v
from torchlsp.facts.dim import symbol
from torchlsp.facts.tensor import ONLY_SHAPED, Origin, TensorFact
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp import (
    annotations,
    branches,
    by_hand,
    callers_tensors,
    calls,
    caught,
    conditions,
    containers,
    contexts,
    cuts,
    detached,
    discarded,
    expressions,
    gradients,
    graph,
    guards,
    loops,
    lost_writes,
    objects,
    repeated,
    setting,
    shared_items,
    stale,
    star_imports,
    torch_api,
    uninitialised,
    unpacking,
    unused,
    whole_models,
)
from torchlsp.interp.state import Scope
from torchlsp.interp.trace import Exit
from torchlsp.program import ir


def _assign(it, node: ir.Assign) -> None:
    value = it.eval(node.value)
    if type(value) is TensorFact:
        gradients.kept(it, value, node.value)
        uninitialised.kept(it, value, node)
    for target in node.targets:
        assign(it, target, value, node.value)
    if it.watched.compiling is node.value:
        whole_models.bound(it, node.targets, value)
    if type(node.targets[0]) is ir.Attribute and node.targets[0].name == "data":
        by_hand.replaced(it, node, it.eval(node.targets[0].object))


def assign(it, target: ir.Node, value: Value, source: ir.Node | None = None) -> None:
    """Binds a target to a value, taking tuples apart."""
    kind = type(target)
    if kind is ir.Name:
        if it.analysis.optimizers:
            stale.bound(it, target, value, source)
        it.bind(target.id, value)
        it.record(target, value)
    elif kind is ir.Display:
        _unpack(it, target, value, source)
    elif kind is ir.Attribute:
        containers.kept(it, (value,))
        setting.set_attribute(it, it.eval(target.object), target, value)
        it.record(target, value)
    elif kind is ir.Subscript:
        containers.kept(it, (value,))
        setting.set_item(it, target, value)
    elif kind is ir.Starred:
        assign(it, target.value, UNKNOWN_VALUE)


def _unpack(it, target: ir.Display, value: Value, source: ir.Node | None) -> None:
    names = target.items
    starred = next((i for i, item in enumerate(names) if type(item) is ir.Starred), None)
    items = unpacked(it, value, len(names) if starred is None else None, source, target)
    if items is None:
        for item in names:
            assign(it, item, _element(it, value))
        return
    if starred is None:
        if len(items) != len(names):
            if isinstance(value, v.TupleValue) and source is not None:
                it.report([unpacking.miscounted(it, source, value, len(names))])
            for item in names:
                assign(it, item, UNKNOWN_VALUE)
            return
        for item, part in zip(names, items):
            assign(it, item, part)
        return
    after = len(names) - starred - 1
    if len(items) < len(names) - 1:
        for item in names:
            assign(it, item, UNKNOWN_VALUE)
        return
    for item, part in zip(names[:starred], items):
        assign(it, item, part)
    rest = tuple(items[starred : len(items) - after])
    assign(it, names[starred].value, expressions.new_list(it, names[starred], rest))
    for item, part in zip(names[starred + 1 :], items[len(items) - after :]):
        assign(it, item, part)


def _element(it, value: Value) -> Value:
    return loops.another(value.element) if isinstance(value, v.Repeated) else UNKNOWN_VALUE


def unpacked(
    it, value: Value, count: int | None, source: ir.Node | None, target: ir.Node
) -> tuple[Value, ...] | None:
    """The items that unpacking gives.  Unpacking the shape of a tensor of unknown rank tells its rank."""
    items = it.elements(value)
    if items is not None:
        return items
    if isinstance(value, v.ShapeOf) and count is not None:
        return reveal_rank(it, value, count, target)
    if isinstance(value, TensorFact) and count is not None and value.shape:
        return tuple(loops.element_of(it, value, target) for _ in range(count))
    if isinstance(value, v.Repeated) and count is not None:
        return tuple(loops.another(value.element) for _ in range(count))
    if isinstance(value, v.DictValue):
        return tuple(
            v.Scalar("str", key) if isinstance(key, str) else UNKNOWN_VALUE for key, _ in value.entries
        )
    return None


def reveal_rank(it, shape: v.ShapeOf, rank: int, target: ir.Node) -> tuple[Value, ...]:
    """Sizes with the names they are unpacked to; the tensor gets its rank wherever it is named."""
    names = [
        item.id if type(item) is ir.Name and item.id != "_" else f"d{i}"
        for i, item in enumerate(target.items)
    ]
    site = f"{it.frame.site}:{target.start}".lstrip(":").replace("@", "")
    sizes = tuple(symbol(f"{name}@{_digits(site)}") for name in names)
    tensor = shape.tensor
    if isinstance(tensor, TensorFact):
        it.replace(tensor, tensor.but(shape=sizes))
    else:
        it.replace(tensor, assumed_tensor(tensor).but(shape=sizes, provenance=ONLY_SHAPED))
    return tuple(v.integer(size) for size in sizes)


def _digits(site: str) -> str:
    return "".join(char for char in site if char.isdigit())


def assumed_tensor(parameter: v.Parameter) -> TensorFact:
    """A parameter that is used as a tensor: nothing is known but that it is taken for contiguous.

    Its origin is where the parameter is declared, which its name tells.
    """
    from torchlsp.facts.layout import ROW_MAJOR
    from torchlsp.facts.tensor import Storage

    storage = Storage(frozenset({parameter.name}))
    name, _, place = parameter.name.partition("@")
    start = int("".join(takewhile(str.isdigit, place)) or 0)
    origin = Origin(start, start + len(name), "parameter")
    if parameter.passed:
        return TensorFact(storage=storage, origin=origin)
    return TensorFact(layout=ROW_MAJOR, storage=storage, assumed=frozenset({"layout"}), origin=origin)


def _augmented(it, node: ir.Augmented) -> None:
    target = node.target
    kind = type(target)
    if kind is ir.Subscript:
        container, index = it.eval(target.object), it.eval(target.index)
        left = objects.item(it, container, index, target)
        if isinstance(container, TensorFact):
            repeated.tell(it, container, index, node)
        elif it.analysis.shared_items:
            shared_items.written(it, container, left, node)
    elif kind is ir.Attribute:
        container = it.eval(target.object)
        if target.name == "data":
            gradients.data_changed(it, container, target)
        left = objects.attribute(it, container, target.name, target)
    else:
        left = it.eval(target)
        lost_writes.of_augmented(it, node, left)
    value = expressions.binary_value(it, node, node.op, left, it.eval(node.value), inplace=True)
    if isinstance(left, TensorFact) and isinstance(value, TensorFact):
        it.rewrite(left, value)
        graph.wrote(it, left, f"{node.op}=", node)
    elif isinstance(left, v.ArrayValue):
        detached.written(it, left, node)
    if isinstance(left, TensorFact):
        by_hand.written(it, left, node)
    if kind is ir.Subscript:
        setting.put_item(it, container, index, value, target)
    elif kind is ir.Attribute:
        setting.set_attribute(it, container, target, value)
        it.record(target, value)
    else:
        assign(it, target, value)


def _annotated(it, node: ir.Annotated) -> None:
    if node.value is not None:
        value = it.eval(node.value)
        if value == UNKNOWN_VALUE:
            value = annotations.from_annotation(it, node.annotation, UNKNOWN_VALUE)
        assign(it, node.target, value)
    elif it.frame.scope.kind == "class" and type(node.target) is ir.Name:
        it.bind(node.target.id, UNKNOWN_VALUE)


def _return(it, node: ir.Return) -> bool:
    frame = it.frame
    value = it.eval(node.value) if node.value is not None else v.NONE
    if it.graph.cuts:
        cuts.returned(it, value)
    if frame.changed:
        callers_tensors.returned(it, value)
    changes = it.state.changes_outside(frame.mark, frame.managers, frame.scope.variables)
    frame.exits += 1
    frame.returns.append((value, changes))
    it.recorder.add(Exit("return", node.start, node.end))
    return False


def _raise(it, node: ir.Raise) -> bool:
    if node.value is not None:
        it.eval(node.value)
    it.frame.exits += 1
    it.recorder.add(Exit("raise", node.start, node.end))
    return False


def _break(it, node: ir.Break) -> bool:
    if it.frame.loops:
        loop = it.frame.loops[-1]
        loop.breaks.append(it.state.changes_outside(loop.mark, it.frame.managers[loop.managers :]))
    it.recorder.add(Exit("break", node.start, node.end))
    return False


def _continue(it, node: ir.Continue) -> bool:
    if it.frame.loops:
        loop = it.frame.loops[-1]
        loop.continues.append(it.state.changes_outside(loop.mark, it.frame.managers[loop.managers :]))
    it.recorder.add(Exit("continue", node.start, node.end))
    return False


def _define(it, node: ir.Define) -> None:
    it.bind(node.function.name, definition(it, node))


def definition(it, node: ir.Node) -> Value:
    """The value of a `def` or `class` statement."""
    if type(node) is ir.DefineClass:
        return class_value(it, node.cls)
    function = node.function
    return calls.function_value(it, function)


def class_value(it, cls: ir.Class) -> v.ClassValue:
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


def _define_class(it, node: ir.DefineClass) -> None:
    it.bind(node.cls.name, class_value(it, node.cls))


def _import(it, node: ir.Import) -> None:
    if it.api is not None:
        torch_api.imported(it, node)
    for name, module, attribute in node.names:
        if name == "*":
            _star_import(it, module)
            continue
        it.bind(name, v.Imported(module, attribute))


def _star_import(it, module: str) -> None:
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


def _exported(it, info) -> list[str]:
    """What `import *` brings in: the names that `__all__` lists, or else those without a leading underscore."""
    listed = it.elements(info.scope.variables.get("__all__", UNKNOWN_VALUE))
    names = None if listed is None else [v.known(name, str) for name in listed]
    if names is None or None in names:
        return [name for name in info.scope.variables if not name.startswith("_")]
    return names


def _with(it, node: ir.With) -> bool:
    frame, state = it.frame, it.state
    outside = len(frame.managers)
    objects_entered: list[tuple[v.InstanceValue, ir.Node]] = []
    suppresses = False
    for expression, target in node.items:
        manager = it.eval(expression)
        if type(manager) is v.External:
            gradients.entered_class(it, expression, manager.name)
        entered, modes = contexts.enter(it, manager, expression)
        expected = caught.expected(it, expression)
        hears = caught.hears_warnings(it, expression)
        if expected or hears:
            modes["caught"] = expected | hears | state.modes["caught"]
        for mode, value in modes.items():
            frame.managers.append((mode, state.modes[mode]))
            state.set(state.modes, mode, value)
        if isinstance(manager, v.InstanceValue):
            entered = objects.call_own(it, manager, "__enter__", (), expression)
            objects_entered.append((manager, expression))
            suppresses |= contexts.may_suppress(manager)
        suppresses |= bool(expected)
        if target is not None:
            assign(it, target, entered)
    if suppresses:  # the body may stop anywhere, as that of `try … except: pass`
        handler = ir.Handler(node.start, node.end, None, None, ())
        falls = branches.run_try(it, ir.Try(node.start, node.end, node.body, (handler,), (), ()))
    else:
        falls = it.block(node.body)
    leave(it, outside)
    for manager, expression in reversed(objects_entered):
        objects.call_own(it, manager, "__exit__", (UNKNOWN_VALUE,) * 3, expression)
    return falls


def leave(it, outside: int) -> None:
    """Gives the modes back the values they had before all but `outside` managers of the running frame were entered."""
    managers, state = it.frame.managers, it.state
    while len(managers) > outside:
        mode, value = managers.pop()
        if state.modes[mode] is not value:
            state.set(state.modes, mode, value)


def _assert(it, node: ir.Assert) -> None:
    it.watched.asserted = node.test
    answer = conditions.test(it, node.test)
    conditions.narrow(it, answer.when_true)
    if it.api is not None and guards.asks_for_torch(it, node):
        it.frame.guards += 1


def _delete(it, node: ir.Delete) -> None:
    for target in node.targets:
        if type(target) is ir.Name:
            it.state.delete(it.scope_of(target.id).variables, target.id)
        elif type(target) is ir.Subscript:
            setting.delete_item(it, it.eval(target.object), it.eval(target.index))
        elif type(target) is ir.Attribute:
            if target.name == "grad":
                by_hand.read(it, target)
            setting.delete_attribute(it, it.eval(target.object), target.name)
        elif type(target) is ir.Display:
            _delete(it, ir.Delete(node.start, node.end, target.items))


def _global(it, node: ir.Global) -> None:
    scope = it.frame.scope
    if node.is_global:
        scope.globals = (scope.globals or set()) | set(node.names)
    else:
        scope.nonlocals = (scope.nonlocals or set()) | set(node.names)


_EXITS = frozenset({"builtins.exit", "builtins.quit", "sys.exit", "os._exit", "os.abort"})


def _expression(it, node: ir.Expression) -> bool | None:
    value = node.value
    before = unused.receiver(it, value)
    result = discarded.statement(it, value) if discarded.converted(value) else it.eval(value)
    if type(result) is TensorFact and type(value) is ir.Call:
        lost_writes.of_statement(it, value, result)
    if before is not None:
        unused.of_statement(it, value, before, result)
    if type(result) is v.ContextValue and type(value) is ir.Call:
        gradients.not_entered(it, value, result)
    if (
        type(value) is ir.Call
        and type(result) is v.Unknown
        and type(value.function) in (ir.Name, ir.Attribute)
    ):
        callee = _quick_name(it, value.function)
        if callee in _EXITS:
            it.recorder.add(Exit("raise", node.start, node.end))
            return False
    return None


def _quick_name(it, node: ir.Node) -> str | None:
    """The dotted external name of a plain callee, without evaluating anything twice."""
    if type(node) is ir.Name:
        found = it.lookup(node.id)
        return found.name if isinstance(found, v.External) else None
    if type(node) is ir.Attribute and type(node.object) is ir.Name:
        base = it.lookup(node.object.id)
        return f"{base.name}.{node.name}" if isinstance(base, v.External) else None
    return None


STATEMENTS: dict[type, Callable] = {
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
"""Statements without inner control flow; `dispatch` has them all."""
