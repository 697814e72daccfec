"""Expressions: constants, names, operators, displays and comprehensions.

Long because every kind of expression has its function here.
"""

from __future__ import annotations

from collections.abc import Callable

from torchlsp.facts import dim as dims
from torchlsp.facts import values as v
from torchlsp.facts.tensor import OF_ANY_CLASS, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp import (
    async_work,
    branches,
    by_hand,
    calls,
    conditions,
    containers,
    cuts,
    graph,
    guards,
    loader_use,
    loops,
    main_guards,
    moved,
    nothing,
    numpy_calls,
    objects,
    pairs,
    parameters,
    saves,
    shared_items,
    state,
    statements,
    timers,
    torch_api,
    truth,
    uneven,
    unsharded,
)
from torchlsp.interp import join as joins
from torchlsp.interp.called import with_call
from torchlsp.interp.trace import Event, EventKind
from torchlsp.ops import operator
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

ROWS = {
    "+": "add", "-": "sub", "*": "mul", "/": "true_divide", "//": "floor_divide", "%": "remainder", "**": "pow",
    "@": "matmul", "&": "__and__", "|": "__or__", "^": "__xor__", "<<": "__lshift__", ">>": "__rshift__",
    "==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge",
}  # fmt: skip
"""Python's operators to the methods of Tensor and ndarray whose rows give their results."""


LONGEST_TEXT = 1_000
LARGEST_NUMBER = 256
"""In bits."""
MANY_ITEMS = 256
"""Sequences of more items are known by what all items are."""
MANY_ATOMS = 64
"""Formulas for sizes of more symbols than this are given up."""


def _constant(it, node: ir.Constant) -> Value:
    value = node.value
    kind = type(value)
    if kind is not int and kind is not str:
        if value is None:
            return v.NONE
        return v.ELLIPSIS if value is Ellipsis else v.Scalar(kind.__name__, value)
    # Equal constants of other kinds need not be the same: 0.0 and -0.0, 1 and True.
    known = it.constants.get(value)
    if known is None:
        known = it.constants[value] = v.Scalar(kind.__name__, value)
    return known


def _name(it, node: ir.Name) -> Value:
    value = it.frame.scope.variables.get(node.id, state.MISSING)
    if value is not state.MISSING and type(value) is not v.Imported:
        return value
    return it.lookup(node.id)


def _attribute(it, node: ir.Attribute) -> Value:
    value = it.eval(node.object)
    if node.name == "grad":
        by_hand.read(it, node)
    if it.api is not None and type(value) in torch_api.OWNERS:
        torch_api.attribute(it, value, node)
    return objects.attribute(it, value, node.name, node)


def _binary(it, node: ir.Binary) -> Value:
    left, right = it.eval(node.left), it.eval(node.right)
    if type(left) is timers.Reading:
        timers.subtracted(it, node, left, right)
    return binary_value(it, node, node.op, left, right)


def binary_value(it, node: ir.Node, op: str, left: Value, right: Value, inplace: bool = False) -> Value:
    """`left op right`; `inplace` for `left op= right` on a tensor or list."""
    if nothing.is_nothing(left) or nothing.is_nothing(right):
        nothing.in_operator(it, op, left, right, node)
        return UNKNOWN_VALUE
    if pairs.is_pair(left) or pairs.is_pair(right):
        pairs.operated(it, node, op, left, right)
    if isinstance(left, v.ArrayValue) or isinstance(right, v.ArrayValue):  # a tensor beside an array too
        numpy_calls.combined(it, node, op, left, right)
        row = operator(f"ndarray.{ROWS.get(op, op)}")
        return _apply(it, row, f"ndarray.{ROWS.get(op, op)}", (left, right), node)
    if isinstance(left, (TensorFact, v.Moved)) and isinstance(right, (TensorFact, v.Moved)):
        left, right = moved.tensors((left, right))
    if isinstance(left, TensorFact) or isinstance(right, TensorFact):
        return tensor_binary(it, node, op, left, right, inplace)
    x, y = left, right
    if type(x) in uneven.OF_RANK or type(y) in uneven.OF_RANK:
        return uneven.combined(op, x, y)
    if isinstance(x, v.Scalar) and isinstance(y, v.Scalar):
        result = _scalars(op, x, y)
        return result if x.cut is None and y.cut is None else cuts.passed_on(result, x, y)
    if isinstance(x, v.TupleValue) and isinstance(y, v.TupleValue) and op == "+":
        if len(x.items) + len(y.items) > MANY_ITEMS:
            return v.Repeated(joins.join_all([*x.items, *y.items], node))
        return v.TupleValue(x.items + y.items, is_size=x.is_size and y.is_size)
    if op == "*" and isinstance(x, v.TupleValue) and isinstance(v.as_int(y), int) and 0 <= v.as_int(y) <= 8:
        return v.TupleValue(x.items * v.as_int(y))
    if op == "+" and (isinstance(x, v.ParametersOf) or isinstance(y, v.ParametersOf)):
        return parameters.added(it, node, x, y)
    if isinstance(x, v.ListRef) or isinstance(y, v.ListRef):
        return _lists(it, node, op, x, y, inplace)
    a, b = v.as_dim(x), v.as_dim(y)
    size = _arithmetic(op, a, b) if a is not None and b is not None else None
    if isinstance(size, dims.Poly):
        return v.Unknown(size)  # of anything: tensors too have all these operators
    # What a parameter is divided by says nothing of it: it may be a tensor.
    if op in ("/", "**") and isinstance(y, v.Scalar) and y.kind == "float" and _is_setting(it, x, op):
        return v.Scalar("float")
    return UNKNOWN_VALUE


def _is_setting(it, value: Value, op: str) -> bool:
    """A parameter that is a number: its default is one, or a constructor takes its root (`head_dim ** -0.5`)."""
    if isinstance(value, v.Parameter) and isinstance(value.default, v.Scalar):
        return value.default.kind in ("int", "float")
    function = it.frame.function
    return op == "**" and function is not None and function.name == "__init__" and v.as_dim(value) is not None


def tensor_binary(it, node, op: str, left: Value, right: Value, inplace: bool) -> Value:
    """An operator of which at least one operand is a tensor."""
    name = ROWS.get(op)
    if name is None:
        return UNKNOWN_VALUE
    left, right = (UNKNOWN_VALUE if isinstance(one, v.Parameter) else one for one in (left, right))
    if inplace and isinstance(left, TensorFact):
        twin = {"true_divide": "div", "__and__": "bitwise_and", "__or__": "bitwise_or"}.get(name, name)
        row = operator(f"Tensor.{twin}_")
        if row is not None:
            return _apply(it, row, f"Tensor.{twin}_", (left, right), node)
    full = f"Tensor.{name}"
    row = operator(full)
    if row is None and name.startswith("__"):
        full = f"Tensor.{ {'__and__': 'bitwise_and', '__or__': 'bitwise_or', '__xor__': 'bitwise_xor'}.get(name, name) }"
        row = operator(full)
    result = _apply(it, row, full, (left, right), node)
    if type(result) is TensorFact and UNKNOWN_VALUE in (left, right) and result.provenance is None:
        # The other operand may be of a class that says itself what the operator gives.
        return result.but(provenance=OF_ANY_CLASS)
    return result


def _apply(it, row, name: str, args: tuple[Value, ...], node: ir.Node) -> Value:
    if row is None:
        return UNKNOWN_VALUE
    if it.state.modes["pending"]:
        async_work.used(it, name, Arguments(args), node)
    result, faults = row.apply(name, Arguments(args), it.context(node))
    if faults:
        it.report(with_call(it, faults, name, Arguments(args)))
    it.record_call(node, name, Arguments(args))
    if it.graph.inference:
        graph.keeps_inference(it, result, node)
    if type(args[-1]) is v.Scalar or type(args[0]) is v.Scalar:
        cuts.used(it, args, result)
    return result


def _scalars(op: str, left: v.Scalar, right: v.Scalar) -> Value:
    kinds = {left.kind, right.kind}
    if left.value is None or right.value is None:
        if kinds <= {"int", "bool"} and op in ("+", "-", "*", "//", "%"):
            return v.Scalar("int")
        if kinds <= {"int", "bool", "float"} and op in ("+", "-", "*", "/"):
            return v.Scalar("float")
        return v.Scalar("str") if kinds == {"str"} and op == "+" else UNKNOWN_VALUE
    if isinstance(left.value, dims.Poly) or isinstance(right.value, dims.Poly):
        if not kinds <= {"int", "bool"}:
            return (
                v.Scalar("float") if "float" in kinds and op in ("+", "-", "*", "/", "**") else UNKNOWN_VALUE
            )
        if op == "/":
            return v.Scalar("float")
        size = _arithmetic(op, left.value, right.value)
        return v.Scalar("int", size)
    try:
        if op in ("**", "<<") and (not isinstance(right.value, (int, float)) or abs(right.value) > 64):
            return UNKNOWN_VALUE
        if op == "*" and kinds & {"str", "bytes"}:
            return UNKNOWN_VALUE
        if op == "+" and kinds & {"str", "bytes"} and len(left.value) + len(right.value) > LONGEST_TEXT:
            return v.Scalar(left.kind)
        result = _PYTHON[op](left.value, right.value)
        if type(result) is int and result.bit_length() > LARGEST_NUMBER:
            return v.Scalar("int")
    except Exception:  # whatever Python itself would raise here: the value is unknown
        return UNKNOWN_VALUE
    return (
        v.Scalar(type(result).__name__, result)
        if isinstance(result, (int, float, str, complex))
        else UNKNOWN_VALUE
    )


_PYTHON: dict[str, Callable] = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a / b,
    "//": lambda a, b: a // b, "%": lambda a, b: a % b if not isinstance(a, str) else None, "**": lambda a, b: a**b,
    "<<": lambda a, b: a << b, ">>": lambda a, b: a >> b, "|": lambda a, b: a | b, "&": lambda a, b: a & b,
    "^": lambda a, b: a ^ b,
}  # fmt: skip


def _arithmetic(op: str, a, b):
    """Arithmetic on sizes; None when the result is no polynomial, or too long a one."""
    size = _polynomial(op, a, b)
    return None if isinstance(size, dims.Poly) and _atoms(size) > MANY_ATOMS else size


def _atoms(size) -> int:
    """How many symbols a size is written with."""
    count = 0
    if isinstance(size, dims.Poly):
        for monomial, _ in size.terms:
            for atom, power in monomial:
                inner = (
                    _atoms(atom.numerator) + _atoms(atom.denominator)
                    if isinstance(atom, dims.Quotient)
                    else 1
                )
                count += inner + (power > 8) * MANY_ATOMS
    return count


def _polynomial(op: str, a, b):
    match op:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "//":
            return dims.floor_divide(a, b) if b != 0 else None
        case "%":
            return 0 if b != 0 and dims.exact_quotient(a, b) is not None else None
        case "**" if isinstance(b, int) and 0 < b <= 4:
            result = a
            for _ in range(b - 1):
                result = result * a
            return result
    return None


def _lists(it, node, op: str, left: Value, right: Value, inplace: bool) -> Value:
    heap = it.state.heap
    if isinstance(left, (v.LayerValue, v.InstanceValue)):
        if op != "+" or not inplace or (left.ref, "[]") not in heap:
            return UNKNOWN_VALUE
        return containers.change_list(it, left.ref, "extend", Arguments((right,)), result=left)
    if op == "+":
        a, b = it.elements(left), it.elements(right)
        if a is not None and b is not None and len(a) + len(b) <= MANY_ITEMS:
            if inplace and isinstance(left, v.ListRef):
                it.state.set(heap, (left.ref, "[]"), a + b)
                return left
            return new_list(it, node, a + b)
        if isinstance(left, v.ListRef):
            sum_of_both = containers.together(it, heap.get((left.ref, "[]")), right)
            if inplace:
                it.state.set(heap, (left.ref, "[]"), sum_of_both)
                return left
            return new_list(it, node, sum_of_both)
        return new_list(it, node, None)
    if op == "*":
        items, count = it.elements(left), v.as_int(right)
        if items is not None and count is not None and 0 <= count * len(items) <= 64:
            made = new_list(it, node, items * count)
            shared_items.repeated(it, node, items, right, made)
            return made
        if items is not None and len(items) == 1:
            made = new_list(it, node, v.Repeated(items[0]))
            shared_items.repeated(it, node, items, right, made)
            return made
        return new_list(it, node, None)
    return UNKNOWN_VALUE


def new_list(it, node: ir.Node, content) -> v.ListRef:
    """A new list: a tuple of its items, a Repeated, or None for unknown content."""
    ref = f"list@{it.frame.site}:{node.start}"
    it.list_loops[ref] = containers.open_loop(it)
    it.state.set(it.state.heap, (ref, "[]"), UNKNOWN_VALUE if content is None else content)
    return v.ListRef(ref)


def _unary(it, node: ir.Unary) -> Value:
    if node.op == "not":
        answer = conditions.test(it, node)
        if answer.condition is not None:
            return answer.condition
        return {Tri.YES: v.TRUE, Tri.NO: v.FALSE}.get(answer.truth, v.Scalar("bool"))
    value = it.eval(node.operand)
    if isinstance(value, v.Scalar) and value.value is not None and node.op in ("-", "+"):
        if isinstance(value.value, (int, float, complex, dims.Poly)) and value.kind != "str":
            result = -value.value if node.op == "-" else value.value
            return v.Scalar("int" if isinstance(result, dims.Poly) else type(result).__name__, result)
    if pairs.is_pair(value):
        pairs.negated(it, node, value)
    if isinstance(value, TensorFact):
        name = {"-": "Tensor.neg", "~": "Tensor.bitwise_not", "+": "Tensor.positive"}[node.op]
        return _apply(it, operator(name), name, (value,), node)
    if isinstance(value, v.ArrayValue):
        name = {"-": "ndarray.neg", "~": "ndarray.invert", "+": "ndarray.pos"}[node.op]
        return _apply(it, operator(name), name, (value,), node)
    size = v.as_dim(value)
    if isinstance(size, dims.Poly) and node.op == "-":
        return v.Unknown(-size)
    return UNKNOWN_VALUE


def _logical(it, node: ir.Logical) -> Value:
    """`a and b` as a value: a test where it is one, else the join of what it may be."""
    result: Value | None = None
    is_and = node.op == "and"
    first = it.eval(node.operands[0])
    truth.demanded(it, node.operands[0], first, node.op, node)
    answer = conditions.truth_of(it, node.operands[0], first)
    if answer.condition is not None and answer.condition.kind != "tensor":
        whole = conditions.test(it, node, as_value=True)
        return whole.condition if whole.condition is not None else UNKNOWN_VALUE
    stops = Tri.NO if is_and else Tri.YES
    if answer.truth is stops:
        return first
    if answer.truth is Tri.UNKNOWN:
        result = first
    for operand in node.operands[1:]:
        guarded = it.api is not None and guards.asks_before(it, node, operand)
        it.frame.guards += guarded
        doubtful = result is not None
        it.frame.undecided += doubtful
        value = it.eval(operand)
        if operand is not node.operands[-1]:
            truth.demanded(it, operand, value, node.op, node)
        it.frame.guards -= guarded
        it.frame.undecided -= doubtful
        answer = conditions.truth_of(it, operand, value)
        if answer.truth is stops:
            return value if result is None else joins.join(result, value, f"{node.start}")
        if answer.truth is Tri.UNKNOWN or operand is node.operands[-1]:
            result = value if result is None else joins.join(result, value, f"{node.start}")
    return result if result is not None else UNKNOWN_VALUE


def _conditional(it, node: ir.Conditional) -> Value:
    answer = conditions.test(it, node.test)
    if answer.truth is Tri.YES:
        conditions.narrow(it, answer.when_true)
        return it.eval(node.body)
    if answer.truth is Tri.NO:
        conditions.narrow(it, answer.when_false)
        return it.eval(node.orelse)
    values: list[Value] = []

    def run(part: ir.Node):
        def evaluate() -> bool:
            values.append(it.eval(part))
            return True

        return evaluate

    branches.either(it, node, answer, run(node.body), run(node.orelse))
    cuda = answer.condition is not None and answer.condition.kind == "cuda"
    if cuda and answer.condition.negated:
        values.reverse()
    return joins.join(values[0], values[1], f"{it.frame.site}:{node.start}", cuda)


def _subscript(it, node: ir.Subscript) -> Value:
    value = it.eval(node.object)
    if type(value) is v.LoaderValue:
        loader_use.as_sequence(it, value, "index", node)
    return objects.item(it, value, it.eval(node.index), node)


def _slice(it, node: ir.Slice) -> Value:
    def part(inner: ir.Node | None) -> Value:
        return v.NONE if inner is None else it.eval(inner)

    return v.SliceValue(part(node.lower), part(node.upper), part(node.step))


def _display(it, node: ir.Display) -> Value:
    items: list[Value] = []
    known = True
    for part in node.items:
        if type(part) is ir.Starred:
            value = it.eval(part.value)
            found = it.elements(value)
            if found is None:
                known = False
                items.append(value.element if isinstance(value, v.Repeated) else UNKNOWN_VALUE)
            else:
                items.extend(found)
        else:
            items.append(it.eval(part))
    containers.kept(it, items)
    if node.kind == "set":
        return UNKNOWN_VALUE
    if node.kind == "tuple":
        return v.TupleValue(tuple(items)) if known else v.Repeated(joins.join_all(items, node))
    if known and len(items) <= MANY_ITEMS:
        return new_list(it, node, tuple(items))
    return new_list(it, node, v.Repeated(joins.join_all(items, node)))


def _dict(it, node: ir.DictDisplay) -> Value:
    entries: dict = {}
    known = len(node.keys) <= 256
    for key, value in zip(node.keys, node.values):
        result = it.eval(value)
        containers.kept(it, (result,))
        if key is None:
            inner = it.state.heap.get((result.ref, "{}")) if isinstance(result, v.DictRef) else None
            if isinstance(inner, dict):
                entries.update(inner)
            else:
                known = False
            continue
        name = it.eval(key)
        if isinstance(name, v.Scalar) and isinstance(name.value, (str, int)):
            entries[name.value] = result
        else:
            known = False
    return new_dict(it, node, entries if known else None)


def new_dict(it, node: ir.Node, entries: dict | v.Repeated | None) -> v.DictRef:
    """A new dict: its known entries, what each value is where the keys are not known, or None for unknown content."""
    ref = f"dict@{it.frame.site}:{node.start}"
    it.state.set(it.state.heap, (ref, "{}"), UNKNOWN_VALUE if entries is None else entries)
    return v.DictRef(ref)


def _lambda(it, node: ir.Lambda) -> Value:
    return calls.function_value(it, node.function)


def _comprehension(it, node: ir.Comprehension) -> Value:
    frame = it.frame
    outer, conditional, undecided = frame.scope, frame.conditional, frame.undecided
    scope = state.Scope("comprehension", outer, outer.module)
    frame.scope = scope
    try:
        if len(node.clauses) == 1 and not node.clauses[0][2] and node.kind != "set":
            target, iterable, _ = node.clauses[0]
            source = it.eval(iterable)
            unsharded.gone_through(it, source, iterable)
            main_guards.gone_through(it, source, iterable)
            items = loops.known_items(it, source)
            if items is not None and len(items) <= loops.UNROLLED:
                results = []
                values = []
                for index, value in enumerate(items):
                    site, frame.site = frame.site, f"{frame.site}.{index}"
                    try:
                        statements.assign(it, target, value)
                        results.append(it.eval(node.element))
                        if node.value is not None:
                            values.append(it.eval(node.value))
                    finally:
                        frame.site = site
                if node.kind == "dict":
                    return new_dict(it, node, entries_of(results, values))
                return (
                    new_list(it, node, tuple(results))
                    if node.kind == "list"
                    else v.TupleValue(tuple(results))
                )
            frame.undecided += 1  # there may be no item
            statements.assign(it, target, loops.element_of(it, source, node))
            length = _length(it, source)
        else:
            length = None
            frame.undecided += 1
            for target, iterable, filters in node.clauses:
                source = it.eval(iterable)
                if node.kind == "list" and loops.known_items(it, source) == ():
                    return new_list(it, node, ())
                statements.assign(it, target, loops.element_of(it, source, node))
                for condition in filters:
                    answer = conditions.test(it, condition)
                    conditions.narrow(it, answer.when_true)
                    frame.conditional += answer.truth is not Tri.YES
        element = it.eval(node.element)
        value = it.eval(node.value) if node.value is not None else UNKNOWN_VALUE
    finally:
        frame.scope, frame.conditional, frame.undecided = outer, conditional, undecided
    if node.kind != "generator" and len(node.clauses) == 1:
        parameters.consume(it, source)
    if node.kind == "list":
        return new_list(it, node, v.Repeated(element, length))
    if node.kind == "dict":
        return new_dict(it, node, v.Repeated(value))
    return v.Repeated(element, length) if node.kind == "generator" else UNKNOWN_VALUE


def entries_of(keys: list[Value], values: list[Value]) -> dict | None:
    """A dict's entries; None where a key is not a known constant."""
    entries: dict = {}
    for key, value in zip(keys, values):
        if not isinstance(key, v.Scalar) or not isinstance(key.value, (str, int)):
            return None
        entries[key.value] = value
    return entries


def _length(it, value: Value):
    return value.length if isinstance(value, v.Repeated) else None


def _joined_string(it, node: ir.JoinedString) -> Value:
    texts: list[str] = []
    known = node.is_plain
    for part in node.parts:
        value = it.eval(part)
        if type(value) is v.RankValue and texts == ["cuda:"]:
            saves.device(it, value, node)
        if isinstance(value, v.Scalar) and value.kind != "bool" and isinstance(value.value, (str, int)):
            texts.append(str(value.value))
        else:
            known = False
    text = "".join(texts) if known else None
    return v.Scalar("str", text if text is not None and len(text) <= LONGEST_TEXT else None)


def _walrus(it, node: ir.Walrus) -> Value:
    value = it.eval(node.value)
    scope = it.scope_of(node.target.id)
    while scope.kind == "comprehension":
        scope = scope.parent
    it.state.set(scope.variables, node.target.id, value)
    return value


def _yield(it, node: ir.Yield) -> Value:
    frame = it.frame
    # Whoever goes through the generator may do anything meanwhile.
    it.recorder.add(
        Event(EventKind.UNKNOWN_CALL, node.start, node.end, path=frame.module.path, handed=frozenset({"*"}))
    )
    if node.value is None:
        value = UNKNOWN_VALUE if node.is_opaque else v.NONE
    else:
        value = it.eval(node.value)
        if node.delegates:
            items = loops.known_items(it, value)
            value = loops.element_of(it, value, node) if items is None else joins.join_all(list(items), node)
    if not node.is_opaque:
        before = frame.yielded
        frame.yielded = value if before is None else joins.join(before, value, f"{frame.site}:y")
    return UNKNOWN_VALUE


def _starred(it, node: ir.Starred) -> Value:
    it.eval(node.value)
    return UNKNOWN_VALUE


EXPRESSIONS: dict[type, Callable] = {
    ir.Constant: _constant,
    ir.Name: _name,
    ir.Attribute: _attribute,
    ir.Binary: _binary,
    ir.Unary: _unary,
    ir.Logical: _logical,
    ir.Conditional: _conditional,
    ir.Subscript: _subscript,
    ir.Slice: _slice,
    ir.Display: _display,
    ir.DictDisplay: _dict,
    ir.Lambda: _lambda,
    ir.Comprehension: _comprehension,
    ir.Starred: _starred,
    ir.JoinedString: _joined_string,
    ir.Walrus: _walrus,
    ir.Await: lambda it, node: it.eval(node.value),
    ir.Yield: _yield,
}
"""Expressions but calls and comparisons; `dispatch` has them all."""
