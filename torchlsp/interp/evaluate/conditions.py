"""Evaluates tests to their truth, and to what they imply of values on each of their two paths."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp import ops
from torchlsp.core.records import dataclass, replace
from torchlsp.facts import dim as dims
from torchlsp.facts import values as v
from torchlsp.facts.tensor import Origin, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import Condition, Value
from torchlsp.interp.checks.distributed import uneven_collectives, varying_values
from torchlsp.interp.checks.dtypes import tensor_truth_value
from torchlsp.interp.checks.training import scheduler_arguments
from torchlsp.interp.evaluate import comparison_checks, type_tests
from torchlsp.interp.evaluate.type_tests import Narrowing
from torchlsp.interp.model import classes, old_version_tests, version_tests
from torchlsp.interp.store import equal_sizes
from torchlsp.interp.store.heap_keys import OF_OTHER_CLASS
from torchlsp.interp.store.trace import BranchItem
from torchlsp.ops.modules.class_bases import derives
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

_MOST_RANKS = 10_000
"""Ranks are listed up to this number."""


@dataclass(frozen=True, slots=True)
class Test:
    """The answer of a test: its truth, and what each answer implies.

    `condition` is the meaning of the test where that matters (CUDA is available, which rank runs).
    """

    truth: Tri = Tri.UNKNOWN
    when_true: tuple[Narrowing, ...] = ()
    when_false: tuple[Narrowing, ...] = ()
    condition: Condition | None = None

    def negated(self) -> Test:
        """Returns the answer of `not` of the test."""
        condition = self.condition and replace(self.condition, negated=not self.condition.negated)
        return Test(self.truth.negated(), self.when_false, self.when_true, condition)


def narrow(it: Evaluator, narrowings: tuple[Narrowing, ...]) -> None:
    """Changes the store to what a test implies on the path that is run."""
    for narrowing in narrowings:
        narrowing(it)


def evaluate_test(it: Evaluator, node: ir.Node, as_value: bool = False) -> Test:
    """Evaluates a test.  `as_value`: it is the last operand of `and` or `or`, whose truth is not needed."""
    if type(node) is ir.Unary and node.op == "not":
        return evaluate_test(it, node.operand).negated()
    if type(node) is ir.Logical:
        return _logical(it, node, as_value)
    if type(node) is ir.Compare and len(node.ops) == 1:
        left, right = it.eval(node.left), it.eval(node.rights[0])
        comparison_checks.check_test(it, node, left, right, as_value)
        return compare_values(it, node.ops[0], left, right, node)
    value = it.eval(node)
    if not as_value:
        tensor_truth_value.report_truth_value(it, node, value)
    answer = truth_of(it, node, value)
    if type(node) is ir.Call and answer.truth is Tri.UNKNOWN:
        when_true, when_false = type_tests.narrowed_by_call(it, node)
        return replace(answer, when_true=when_true, when_false=when_false)
    return answer


def truth_of(it: Evaluator, node: ir.Node, value: Value) -> Test:
    """Returns the answer of a value that is used as a test."""
    match value:
        case v.Scalar(kind="none"):
            return Test(Tri.NO)
        case v.Scalar(kind="int", value=dims.Poly()):
            return Test()
        case v.Scalar(value=known) if known is not None:
            return Test(Tri.of(bool(known)))
        case v.Condition():
            return Test(condition=value)
        case v.RankValue(convention=convention):
            # `if rank:` holds on every rank but 0
            condition = Condition("rank", True, frozenset({0}), convention, scope=value.scope)
            return Test(condition=replace(condition, source=value.origin))
        case v.TupleValue(items=items):
            return Test(Tri.of(bool(items)))
        case v.ListRef(ref=ref):
            content = it.state.heap.get((ref, "[]"))
            return Test(Tri.of(bool(content))) if isinstance(content, tuple) else Test()
        case v.DeviceValue(of=v.ACCELERATOR):
            return Test(condition=Condition("cuda"))
        case (
            v.LayerValue() | v.OptimizerValue() | v.FunctionValue() | v.ClassValue() | v.External() | v.DTypeValue()
            | v.DeviceValue() | v.Engine()
        ):  # fmt: skip
            return Test(Tri.YES)
        case v.Unknown():
            return Test(condition=varying_values.condition_of(it, node, value))
        case v.Scalar() | TensorFact():
            return Test(condition=uneven_collectives.own_loss(it, node, value))
    return Test()


def _logical(it: Evaluator, node: ir.Logical, as_value: bool) -> Test:
    """Evaluates `and` / `or` left to right: each operand under what the ones before it imply."""
    is_and = node.op == "and"
    known = Tri.YES if is_and else Tri.NO
    when_true: tuple[Narrowing, ...] = ()
    when_false: tuple[Narrowing, ...] = ()
    condition: Condition | None = None
    parts: list[Test] = []
    mark = it.state.mark()
    decided: Condition | None = None
    guarded = False
    for number, operand in enumerate(node.operands):
        if parts and decided is None and (last := parts[-1].condition) is not None:
            has_group = last.kind == "group" and is_and != last.negated and last.mixed != "or"
            decided = last if last.kind == "rank" or has_group else None
        guarded = it.api is not None and (
            guarded or number > 0 and version_tests.asks_for_torch(it, node.operands[number - 1])
        )
        it.frame.guards += guarded
        doubtful = bool(parts) and known is Tri.UNKNOWN
        it.frame.undecided += doubtful
        if decided is None:
            part = evaluate_test(it, operand, as_value and operand is node.operands[-1])
        else:
            part = _evaluate_on_undecided_ranks(it, decided, is_and, node, operand)
        it.frame.guards -= guarded
        it.frame.undecided -= doubtful
        parts.append(part)
        known = known.both(part.truth) if is_and else known.either(part.truth)
        if is_and:
            when_true += part.when_true
            narrow(it, part.when_true)
        else:
            when_false += part.when_false
            narrow(it, part.when_false)
        if known is (Tri.NO if is_and else Tri.YES):
            break
    if any(part.when_true or part.when_false for part in parts):
        it.state.take(mark)
    ranks = [part.condition for part in parts if part.condition is not None and part.condition.kind == "rank"]
    cudas = [part.condition for part in parts if part.condition is not None and part.condition.kind == "cuda"]
    groups = [
        part.condition for part in parts if part.condition is not None and part.condition.kind == "group"
    ]
    if ranks:
        condition = ranks[0] if len(parts) == 1 else _join_rank_test(ranks[0], is_and)
    elif cudas and is_and:
        condition = cudas[0]
    elif groups:
        condition = _join_group_tests(groups, len(groups) == len(parts), is_and)
    elif len(parts) == len(node.operands):
        condition = _own_test(it, node, parts)
    return Test(known, when_true, when_false, condition)


def _own_test(it: Evaluator, node: ir.Logical, parts: list[Test]) -> Condition | None:
    """Returns the condition of a test of a rank's own values and, besides, of the number of the iteration only."""
    own = [part.condition for part in parts if part.condition is not None and part.condition.kind == "own"]
    others = [
        operand
        for operand, part in zip(node.operands, parts)
        if part.condition is None or part.condition.kind != "own"
    ]
    return own[0] if own and all(uneven_collectives.asks_for_turn(it, one) for one in others) else None


def _join_group_tests(groups: list[Condition], alone: bool, is_and: bool) -> Condition | None:
    """Joins tests for the process group with each other and, unless `alone`, with other tests.

    As for ranks, `mixed` tells which answer is conclusive: only yes ("and"), or only no ("or").
    """
    negated = groups[0].negated
    if any(one.negated != negated for one in groups):
        return None
    is_and = is_and != negated  # `not a or not b` is `not (a and b)`
    yes = [one.mixed != "or" for one in groups]
    no = [one.mixed != "and" for one in groups]
    up = any(yes) if is_and else alone and all(yes)
    none = alone and all(no) if is_and else any(no)
    if not up and not none:
        return None
    return replace(groups[0], mixed=None if up and none else "and" if up else "or")


def _evaluate_on_undecided_ranks(
    it: Evaluator, condition: Condition, is_and: bool, node: ir.Logical, operand: ir.Node
) -> Test:
    """Evaluates an operand that only those ranks evaluate for which the ones before it are not decisive, or only with a group."""
    it.recorder.open()
    part = evaluate_test(it, operand, as_value=True)
    trace = it.recorder.close()
    if trace:
        body, orelse = (trace, ()) if is_and else ((), trace)
        first = node.operands[0]
        it.recorder.add(BranchItem(first.start, first.end, condition, body, orelse, it.frame.module.path))
    return part


def _join_rank_test(condition: Condition, is_and: bool) -> Condition:
    """Joins a test of the rank with one whose answer is the same on all ranks: `rank == 0 and verbose`."""
    mixed = "and" if is_and != condition.negated else "or"
    return replace(condition, mixed=mixed)


def compare_values(it: Evaluator, op: str, left: Value, right: Value, node: ir.Node) -> Test:
    """Returns the answer of a comparison of two values."""
    if op in ("is", "is not", "==", "!=") and (right == v.NONE or left == v.NONE):
        answer = _is_none(left if right == v.NONE else right)
        return answer if op in ("is", "==") else answer.negated()
    ranked = _rank_test(it, op, left, right, node)
    if ranked is not None:
        return ranked
    if type(node) is ir.Compare:
        of_class = type_tests.answer_of(it, op, node, left, right, _is_instance)
        if of_class is not Tri.UNKNOWN:
            return Test(of_class)
        unseen = type_tests.narrowed_by_comparison(it, op, node)
        if unseen:
            holds = op in ("==", "is", "in")
            return Test(when_true=unseen if holds else (), when_false=() if holds else unseen)
    if op in ("==", "!=", "is", "is not"):
        answer = _equality(it, left, right)
        if op in ("==", "!=") and isinstance(left, TensorFact):
            answer = replace(
                answer, condition=uneven_collectives.own_loss(it, node, left) or answer.condition
            )
        elif answer.truth is Tri.UNKNOWN and answer.condition is None:
            answer = replace(answer, condition=varying_values.condition_of(it, node, left, right))
        return answer if op in ("==", "is") else answer.negated()
    if op in ("<", "<=", ">", ">="):
        known = _ordered(op, left, right)
        own = uneven_collectives.own_loss(it, node, left, right) if known is Tri.UNKNOWN else None
        return Test(old_version_tests.result_of_test(node) if known is Tri.UNKNOWN else known, condition=own)
    if op in ("in", "not in"):
        answer = _membership(it, left, right)
        return answer if op == "in" else answer.negated()
    return Test()


def _is_none(value: Value) -> Test:
    match value:
        case v.Scalar(kind="none"):
            return Test(Tri.YES)
        case v.Unknown():
            return Test()
        case v.DeviceValue(of=v.ACCELERATOR):
            return Test(condition=Condition("cuda", negated=True))
        case v.Parameter():

            def become_none(it: Evaluator) -> None:
                it.replace(value, v.NONE)

            return Test(when_true=(become_none,))
    return Test(Tri.NO)


def _rank_test(it: Evaluator, op: str, left: Value, right: Value, node: ir.Node) -> Test | None:
    of_rank = uneven_collectives.asked_of_rank(op, left, right)
    if of_rank is not None:
        op, left, right = of_rank
    if isinstance(right, v.RankValue):
        left, right = right, left
        op = uneven_collectives.FLIPPED.get(op, op)
    if not isinstance(left, v.RankValue):
        return None
    negated = op in ("!=", "is not", "not in")
    ranks: frozenset[int] | None = None
    number = v.as_int(right)
    match op:
        case "==" | "!=" | "is" | "is not":
            if number == -1:
                return Test()  # `local_rank == -1` asks whether the run is distributed: the answer is the same on all ranks
            if number is None:
                return Test()  # neither the rank asked for nor the answers of the others are known
            ranks = frozenset({number})
        case "in" | "not in":
            items = it.elements(right)
            if items is not None:
                numbers = {v.as_int(item) for item in items}
                if len(items) > 1:
                    numbers.discard(-1)
                known = frozenset(number for number in numbers if number is not None)
                if len(known) == len(numbers):
                    ranks = known
        case "<" | "<=" | ">" | ">=" if number is not None and number > _MOST_RANKS:
            return Test()
        case "<" if number is not None:
            ranks = frozenset(range(number))
        case "<=" if number is not None:
            ranks = frozenset(range(number + 1))
        case ">" if number is not None and number >= 0:
            ranks, negated = frozenset(range(number + 1)), True
        case ">=" if number is not None:
            if number <= 0:
                return Test()
            ranks, negated = frozenset(range(number)), True
        case ">" if number is not None:
            return Test()
    if ranks is not None and (not ranks or (len(ranks) > 1 and ranks == frozenset(range(len(ranks))))):
        return Test()  # the first n ranks: there may be no other
    source = Origin(node.start, node.end, "rank", (), it.frame.module.path)
    return Test(condition=Condition("rank", negated, ranks, left.convention, scope=left.scope, source=source))


def _equality(it: Evaluator, left: Value, right: Value) -> Test:
    match left, right:
        case v.Scalar(kind=a), v.Scalar(kind=b) if left.is_known and right.is_known:
            numeric = {"int", "float", "bool"}
            if a == "int" and b == "int":
                truth = dims.equal(left.value, right.value)
                if truth is not Tri.UNKNOWN or isinstance(left.value, int) or isinstance(right.value, int):
                    return Test(truth)
                return Test(when_true=(equal_sizes.tie(left.value, right.value),))
            if a != b and not {a, b} <= numeric:
                return Test(Tri.NO)
            if isinstance(left.value, dims.Poly) or isinstance(right.value, dims.Poly):
                return Test()
            return Test(Tri.of(left.value == right.value))
        case (TensorFact(assumed=assumed), v.Scalar(kind="str")) | (
            v.Scalar(kind="str"),
            TensorFact(assumed=assumed),
        ) if not assumed:
            return Test(Tri.NO)  # torch leaves it to Python
        case v.DTypeValue(dtype=a), v.DTypeValue(dtype=b) if a is not None and b is not None:
            return Test(Tri.of(a == b))
        case v.TupleValue(items=a), v.TupleValue(items=b):
            if len(a) != len(b):
                return Test(Tri.NO)
            answers = [_equality(it, x, y) for x, y in zip(a, b)]
            truth = Tri.YES
            for answer in answers:
                truth = truth.both(answer.truth)
            return Test(truth, tuple(narrowing for answer in answers for narrowing in answer.when_true))
        case ((v.External() | v.ClassValue()), (v.External() | v.ClassValue())):
            same = left == right if _is_layer_class(left) and _is_layer_class(right) else None
            return Test(Tri.of(same))
        case v.DeviceValue(), _:
            return Test(condition=_device_test(left, right))
        case v.Scalar(kind="str"), v.Scalar(kind="str"):
            return Test()
        case v.TensorFact() | v.ArrayValue(), _:
            return Test(condition=Condition("tensor"))
    return Test()


def _is_layer_class(value: v.ClassValue | v.External) -> bool:
    """Returns whether it is a class of the workspace or one of torch's layers, which have only one name."""
    return (
        isinstance(value, v.ClassValue)
        or value.name.startswith("torch.nn.")
        and ops.layer(value.name) is not None
    )


def _device_test(left: v.DeviceValue, right: Value) -> Condition | None:
    """Returns the condition of `device == "cpu"` for a device that depends on CUDA: the test for CUDA again."""
    text = v.known(right, str)
    if isinstance(right, v.DeviceValue) and right.device is not None and not right.device.relative:
        text = right.device.kind
    if left.device is None or not left.device.relative or text is None:
        return None
    kind = text.partition(":")[0]
    return Condition("cuda", negated=kind == "cpu") if kind in ("cpu", "cuda") else None


def _ordered(op: str, left: Value, right: Value) -> Tri:
    x, y = v.as_dim(left), v.as_dim(right)
    if isinstance(left, v.Scalar) and isinstance(right, v.Scalar) and left.is_known and right.is_known:
        if isinstance(left.value, (int, float)) and isinstance(right.value, (int, float)):
            return Tri.of({"<": left.value < right.value, "<=": left.value <= right.value,
                           ">": left.value > right.value, ">=": left.value >= right.value}[op])  # fmt: skip
    if x is None or y is None or not isinstance(left, v.Scalar) or not isinstance(right, v.Scalar):
        return Tri.UNKNOWN
    difference = x - y
    if isinstance(difference, int):
        return Tri.of(
            {"<": difference < 0, "<=": difference <= 0, ">": difference > 0, ">=": difference >= 0}[op]
        )
    lowest, highest = dims.lower_bound(difference), dims.lower_bound(-difference)
    if lowest is not None:
        if op == ">=" and lowest >= 0 or op == ">" and lowest > 0:
            return Tri.YES
        if op == "<" and lowest >= 0 or op == "<=" and lowest > 0:
            return Tri.NO
    if highest is not None:
        if op == "<=" and highest >= 0 or op == "<" and highest > 0:
            return Tri.YES
        if op == ">" and highest >= 0 or op == ">=" and highest > 0:
            return Tri.NO
    return Tri.UNKNOWN


def _membership(it: Evaluator, left: Value, right: Value) -> Test:
    if isinstance(right, v.DeviceValue) and v.known(left, str) is not None:
        return Test(condition=_device_test(right, left))
    items = it.elements(right)
    if items is None or not isinstance(left, (v.Scalar, v.DTypeValue, v.External, v.ClassValue)):
        return Test()
    truth = Tri.NO
    for item in items:
        truth = truth.either(_equality(it, left, item).truth)
    return Test(truth)


def isinstance_test(it: Evaluator, value: Value, classinfo: Value) -> Tri:
    """Returns the answer of `isinstance(value, classinfo)`."""
    truth = Tri.NO
    for cls in it.elements(classinfo) or (classinfo,):
        truth = truth.either(_is_instance(it, value, cls))
    # Code that asks expects that an argument may be something else, such as an array, which has sizes too.
    return Tri.UNKNOWN if truth is Tri.YES and type_tests.is_only_used_as_tensor(it, value) else truth


_KINDS = {
    "builtins.int": ("int", "bool"), "builtins.float": ("float",), "builtins.str": ("str",), "builtins.bool": ("bool",),
}  # fmt: skip


def _one_of(yes: bool, no: bool) -> Tri:
    return Tri.YES if yes else Tri.NO if no else Tri.UNKNOWN


def _is_instance(it: Evaluator, value: Value, cls: Value) -> Tri:
    if isinstance(value, v.InstanceValue | v.LayerValue) and (value.ref, OF_OTHER_CLASS) in it.state.heap:
        return Tri.YES if cls == v.External("torch.nn.Module") else Tri.UNKNOWN
    if isinstance(cls, v.External):
        name = cls.name
        match value:
            case TensorFact():
                return _one_of(name == "torch.Tensor", name.startswith("builtins."))
            case v.Scalar(kind=kind):
                if name in _KINDS:
                    return Tri.of(kind in _KINDS[name])
                is_container = name in ("builtins.list", "builtins.tuple", "builtins.dict")
                return _one_of(
                    False, is_container or name.startswith("torch.") and not name.startswith("torch.Sym")
                )
            case v.ListRef():
                return _one_of(name == "builtins.list", name in _BUILTIN_TYPES)
            case v.TupleValue():
                return _one_of(name == "builtins.tuple", name in _BUILTIN_TYPES)
            case v.DictRef():
                return _one_of(name == "builtins.dict", name in _BUILTIN_TYPES)
            case v.ArrayValue():
                return _one_of(name == "numpy.ndarray", name in _BUILTIN_TYPES)
            case v.LayerValue(qualname=qualname):
                return Tri.NO if name in _BUILTIN_TYPES else derives(qualname, name)
            case v.InstanceValue(cls=own):
                return Tri.NO if _is_no_such_layer(own, name) else classes.is_subclass(it, own, cls)
            case v.Engine():
                return scheduler_arguments.is_instance(value, name)
        return Tri.UNKNOWN
    if isinstance(cls, v.ClassValue):
        match value:
            case v.InstanceValue(cls=own):
                return classes.is_subclass(it, own, cls)
            case TensorFact() if classes.has_unknown_base(cls):
                return Tri.UNKNOWN  # which may be torch.Tensor or one that derives from it
            case v.Scalar() | TensorFact() | v.ListRef() | v.TupleValue() | v.DictRef() | v.LayerValue():
                return Tri.NO
    return Tri.UNKNOWN


def _is_no_such_layer(own: v.ClassValue, name: str) -> bool:
    """Returns whether a class of the workspace certainly does not derive from one of torch's layers."""
    if not name.startswith("torch.nn.") or ops.layer(name) is None or classes.has_unknown_base(own):
        return False
    bases = [base.name for base in classes.mro(own) if isinstance(base, v.External)]
    layers = [base for base in bases if base.startswith("torch.nn.") and base != "torch.nn.Module"]
    return "torch.nn.Module" in bases and not layers


_BUILTIN_TYPES = frozenset(
    f"builtins.{name}" for name in ("int", "float", "str", "bool", "list", "tuple", "dict", "set", "bytes")
) | {"torch.Tensor", "numpy.ndarray"}


def mentions_loop_target(it: Evaluator, node: ir.Node) -> bool:
    """Returns whether a test reads a loop's target, so that it depends on the iteration, not on arguments."""
    targets = it.frame.loop_targets
    if not targets or not isinstance(node, (ir.Branch, ir.Conditional, ir.While)):
        return False
    stack = [node.test]
    while stack:
        item = stack.pop()
        if type(item) is ir.Name and item.id in targets:
            return True
        for child in _children(item):
            stack.append(child)
    return False


def _children(node: ir.Node) -> tuple[ir.Node, ...]:
    match node:
        case ir.Binary(left=left, right=right):
            return (left, right)
        case ir.Compare(left=left, rights=rights):
            return (left, *rights)
        case ir.Logical(operands=operands):
            return operands
        case ir.Unary(operand=operand):
            return (operand,)
        case ir.Call(function=function, args=args):
            return (function, *args)
        case ir.Attribute(object=inner) | ir.Subscript(object=inner):
            return (inner,)
    return ()
