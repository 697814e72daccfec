"""Detects uninitialised memory that the next statement reads, or that becomes a parameter.

A parameter is reported only if the script itself creates it and has nothing that could initialise it: no in-place call or
initialiser on a name or an attribute like its own, no iteration over all parameters, and no loaded weights.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlsp import ops
from torchlsp.facts import values as v
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.tensor import Origin, TensorFact
from torchlsp.interp.checks.hooks import Hooks
from torchlsp.interp.model import classes
from torchlsp.interp.model.reporting import fault
from torchlsp.interp.store.lifetimes import extend, gathered, running_state
from torchlsp.program import ir
from torchlsp.program.walking import scope_nodes

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

_MAKERS = frozenset(
    "empty empty_like new_empty Tensor FloatTensor DoubleTensor HalfTensor empty_strided".split()
)
_BY_SIZE = frozenset({"Tensor", "FloatTensor", "DoubleTensor", "HalfTensor"})
"""Constructors that create uninitialised memory from sizes, but a tensor of these numbers from a list."""
_MOVES = frozenset("to cuda cpu float double half bfloat16 requires_grad_".split())
_KEEPS = _MOVES | {"Parameter", "Variable"}
"""Calls that give their tensor's elements as they are: any other, as `init.xavier_normal_(…)`, may fill it."""
_READS = frozenset(
    """sum mean std var max min prod norm item tolist abs exp log sqrt softmax sigmoid tanh relu pow matmul mm bmm mv dot add sub
    mul div argmax argmin cumsum sort topk any all median round clamp square neg einsum log_softmax cross_entropy mse_loss""".split()
)
_READING = frozenset({"+", "-", "*", "/", "//", "%", "**", "@"})
_SETS_ANYTHING = frozenset(
    """apply load_state_dict from_pretrained load setattr __dict__ vars _parameters init_weights _init_weights weight_init
    vector_to_parameters skip_init""".split()
)
"""Names in a file through which any parameter may be initialised."""


_COLLECT = frozenset("append extend add insert print len".split())
_GIVE_ALL = frozenset("parameters named_parameters modules named_modules children named_children".split())


@running_state
class Unfilled:
    """Parameters in uninitialised memory: the fault's key and the parameter's name."""

    found: list[tuple[tuple[FaultKind, str, int, int], str]] = gathered(list, extend)

    def settle(self, it: Evaluator) -> None:
        """Removes the faults of parameters that something in the file may initialise."""
        words: _FilledNames | None = None
        for key, name in self.found:
            if key not in it.faults:
                continue
            if words is None:
                words = _FilledNames(it)
            if words.may_fill(name):
                del it.faults[key]


def report_uninitialised(it: Evaluator, value: TensorFact, node: ir.Assign) -> None:
    """Reports an assignment of uninitialised memory that is read next or is a parameter.

    Targets are `name` and `self.name`.
    """
    if value.provenance != "parameter":
        maker = _maker(it, value, node.value)
        if maker is not None and type(node.targets[0]) is ir.Name and len(node.targets) == 1:
            _read_next(it, value, node.targets[0].id, node)
        return
    if it.frame.module is not it.main or it.frames[0].function is not None or it.silent:
        return  # another file's, or of an object that other files may fill
    if type(node.value) is not ir.Call or _maker(it, value, node.value) is None:
        return
    for target in node.targets:
        match target:
            case ir.Name(id=name):
                pass
            case ir.Attribute(object=ir.Name(id=holder), name=name):
                instance = it.lookup(holder)
                if type(instance) is not v.InstanceValue or not classes.is_module(instance.cls):
                    return
                if classes.has_unknown_base(instance.cls):
                    return
            case _:
                return
        key = (FaultKind.UNFILLED, it.frame.module.path, node.value.start, node.value.end)
        fault(
            it, FaultKind.UNFILLED, node.value, "torch.nn.Parameter", input=value, name=name, parameter=True
        )
        it.states[Unfilled].found.append((key, name))


def _maker(it: Evaluator, value: TensorFact, node: ir.Node) -> Origin | None:
    """Returns the call in this expression that allocated the memory, if nothing has written to it."""
    origin = value.origin
    while origin is not None and origin.op.rpartition(".")[2] in _MOVES and origin.parents:
        origin = origin.parents[0].origin
    if origin is None or origin.merged or origin.path != it.frame.module.path:
        return None
    name = origin.op.rpartition(".")[2]
    if name not in _MAKERS or not node.start <= origin.start < origin.end <= node.end:
        return None
    if value.shape is not None and 0 in value.shape:
        return None
    call = next(
        (inner for inner in scope_nodes(node) if (inner.start, inner.end) == (origin.start, origin.end)), None
    )
    if type(call) is not ir.Call or name in _BY_SIZE and not _are_sizes(it, call):
        return None
    around = (
        inner
        for inner in scope_nodes(node)
        if type(inner) is ir.Call and inner is not call and inner.start <= call.start < call.end <= inner.end
    )
    return origin if all(_last_name(one.function) in _KEEPS for one in around) else None


def _last_name(function: ir.Node) -> str:
    return function.name if type(function) is ir.Attribute else getattr(function, "id", "")


def _are_sizes(it: Evaluator, call: ir.Call) -> bool:
    """Returns whether a constructor's arguments are sizes.

    Those of `Tensor(2, 3)` are, those of `Tensor([2, 3])` and `Tensor(array)` are data.
    """
    if call.keywords or not call.args or any(type(arg) is ir.Starred for arg in call.args):
        return False
    if len(call.args) > 1:
        return True
    match call.args[0]:
        case ir.Constant(value=int()):
            return True
        case ir.Name(id=name):
            value = it.lookup(name)
            return type(value) is v.Scalar and value.kind == "int"
    return False


# ---- read at once -------------------------------------------------------------------------------------------------------


def _read_next(it: Evaluator, value: TensorFact, name: str, node: ir.Assign) -> None:
    """Reports the first use of a name after its assignment if it reads the elements."""
    if it.silent:
        return
    function = it.frame.function
    for statement in _following(it.frame.module.ir.body if function is None else function.body, node):
        if not any(type(inner) is ir.Name and inner.id == name for inner in scope_nodes(statement)):
            if isinstance(statement, ir.Assign | ir.Expression | ir.Annotated | ir.Import | ir.Assert):
                continue
            return
        while isinstance(statement, ir.For) and not _mentions((statement.target, statement.iterable), name):
            naming = [one for one in statement.body if _mentions(one, name)]
            if not naming:
                return
            statement = naming[0]  # the first iteration reaches it with nothing written
        place = _reading(it, statement, name)
        if place is not None:
            fault(it, FaultKind.UNFILLED, place, "torch.empty", input=value, name=name, parameter=False)
        return


def _following(body: tuple[ir.Node, ...], node: ir.Node) -> tuple[ir.Node, ...]:
    """Returns the statements that follow this one in its own block."""
    for position, statement in enumerate(body):
        if statement is node:
            return body[position + 1 :]
        if statement.start <= node.start < statement.end and not isinstance(
            statement, ir.Define | ir.DefineClass
        ):
            for part in ("body", "orelse", "final"):
                found = _following(getattr(statement, part, ()) or (), node)
                if found:
                    return found
    return ()


def _reading(it: Evaluator, statement: ir.Node, name: str) -> ir.Node | None:
    """Returns the expression that reads the elements, where the statement only reads the name."""
    match statement:
        case ir.Augmented(target=ir.Name(id=target)) if target == name:
            return statement
        case ir.Augmented(target=ir.Subscript(object=ir.Name(id=target))) if target == name:
            return statement
        case ir.Assign(targets=targets, value=value):
            if any(_mentions(target, name) for target in targets if type(target) is not ir.Name):
                return None
        case ir.Expression(value=value):
            pass
        case ir.Return(value=value) if value is not None:
            pass
        case _:
            return None
    reads = [node for node in scope_nodes(value) if _is_read(it, node, name)]
    mentions = sum(1 for node in scope_nodes(value) if type(node) is ir.Name and node.id == name)
    own = sum(_operands(read, name) for read in reads)
    return reads[-1] if reads and own == mentions else None


def _is_read(it: Evaluator, node: ir.Node, name: str) -> bool:
    return _operands(node, name) > 0 and (type(node) is not ir.Call or _is_torchs(it, node.function, name))


def _operands(node: ir.Node, name: str) -> int:
    """Returns how many operands of an operator that reads its operands are this name."""

    def own(*parts: ir.Node) -> int:
        return sum(1 for part in parts if type(part) is ir.Name and part.id == name)

    match node:
        case ir.Binary(op=op, left=left, right=right) if op in _READING:
            return own(left, right)
        case ir.Call(function=ir.Attribute(object=receiver, name=method), args=args) if method in _READS:
            return own(receiver, *args)
    return 0


def _is_torchs(it: Evaluator, function: ir.Node, name: str) -> bool:
    """Returns whether a callee is a method of the tensor itself, as in `x.sum()`, or a function of torch."""
    if type(function) is not ir.Attribute:
        return False
    if type(function.object) is ir.Name and function.object.id == name:
        return True
    holder = function.object
    while type(holder) is ir.Attribute:
        holder = holder.object
    found = it.lookup(holder.id) if type(holder) is ir.Name else None
    return type(found) is v.External and found.name.startswith("torch") or type(found) is TensorFact


# ---- parameters ---------------------------------------------------------------------------------------------------------


class _FilledNames:
    """The names of a file that a statement may initialise, directly or by passing them on."""

    def __init__(self, it: Evaluator) -> None:
        self.scope = it.main.scope
        self.filled: set[str] = set()
        self.fills_all = False
        for node in _everything(it.main.ir):
            match node:
                case ir.For(iterable=iterable) if _names(iterable) & _GIVE_ALL:
                    self.fills_all = True
                case ir.Name(id=word) | ir.Attribute(name=word) if word in _SETS_ANYTHING:
                    self.fills_all = True
                case ir.Call():
                    self._call(node)
                case ir.Assign(targets=targets):
                    for target in targets:
                        if type(target) is not ir.Name and not _is_plain_attribute(target):
                            self.filled |= _names(target)
                case ir.Augmented(target=target):
                    self.filled |= _names(target)

    def _call(self, node: ir.Call) -> None:
        function = node.function
        method = function.name if type(function) is ir.Attribute else getattr(function, "id", "")
        if method in _COLLECT:
            return
        if self._is_torchs(function) and not method.endswith("_"):
            given = tuple(value for keyword, value in node.keywords if keyword == "out")
        else:
            given = (*node.args, *(value for _, value in node.keywords))
            if type(function) is ir.Attribute and (
                method.endswith("_") or ops.operator(f"Tensor.{method}") is None
            ):
                self.filled |= _names(function.object)
        for item in given:
            self.filled |= _names(item)

    def _is_torchs(self, function: ir.Node) -> bool:
        while type(function) is ir.Attribute:
            function = function.object
        found = self.scope.variables.get(function.id) if type(function) is ir.Name else None
        name = found.name if type(found) is v.External else found.module if type(found) is v.Imported else ""
        return name.partition(".")[0] == "torch"

    def may_fill(self, name: str) -> bool:
        """Returns whether something in the file may initialise a parameter of this name."""
        return self.fills_all or name in self.filled


def _is_plain_attribute(target: ir.Node) -> bool:
    return type(target) is ir.Attribute and type(target.object) is ir.Name


def _names(node: ir.Node) -> set[str]:
    names: set[str] = set()
    for inner in scope_nodes(node):
        if type(inner) is ir.Attribute:
            names.add(inner.name)
        elif type(inner) is ir.Name:
            names.add(inner.id)
    return names


def _everything(module: ir.Module) -> Iterator[ir.Node]:
    yield from scope_nodes(module.body)
    for function in module.functions:
        yield from scope_nodes(function.body)
    for cls in module.classes:
        yield from scope_nodes(cls.body)


def _mentions(part: ir.Node | tuple[ir.Node, ...], name: str) -> bool:
    return any(type(node) is ir.Name and node.id == name for node in scope_nodes(part))


HOOKS = Hooks(assigned=report_uninitialised)
