"""Detects `backward(retain_graph=True)` in a loop where nothing uses the retained graph.

Either each iteration computes its own graph, or the graph of one iteration is part of the next one's, so that each backward pass
runs through all earlier iterations. That nothing outside of the loop is in the graph is known from the facts, or from the
statements that compute the loss where facts are missing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp import ops
from torchlsp.core.records import dataclass
from torchlsp.facts import values as v
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import Value
from torchlsp.interp.checks.hooks import Hooks
from torchlsp.interp.model.reporting import fault
from torchlsp.interp.store.frame import Frame, Loop
from torchlsp.interp.store.heap_keys import KEPT
from torchlsp.interp.store.lifetimes import gathered, per_root, running_state, union
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir
from torchlsp.program.reading import unpacked_from

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

_COLLECTING = frozenset("append extend insert add update log write put add_scalar set_postfix".split())
_MAX_NODES = 2_000
_Key = tuple[FaultKind, str | None, int, int]


@dataclass(frozen=True, slots=True)
class _Pending:
    """A backward that retains a graph; `nodes` are the moments of its nodes, None where they are not known."""

    key: _Key
    root: Frame
    nodes: frozenset[int] | None


@running_state
class RetainedGraphs:
    """The backward passes so far that retain a graph, and those whose graph a later one may use."""

    pending: list[_Pending] = per_root(list)
    needed: set[_Key] = gathered(set, union)

    def settle(self, it: Evaluator) -> None:
        """Removes the faults of graphs that are needed after all."""
        for key in self.needed:
            it.faults.pop(key, None)


def report_backward(it: Evaluator, loss: Value, arguments: Arguments, node: ir.Node) -> None:
    """Reports a backward that retains a graph for nothing; its loss may be unknown."""
    graphs = it.states[RetainedGraphs]
    nodes = _nodes(loss) if type(loss) is TensorFact and loss.grad.requires is Tri.YES else None
    if graphs.pending:
        record_reuse(it, None if nodes is None else frozenset(nodes), node)
    keywords = dict(arguments.keywords)
    if keywords.get("retain_graph") != v.TRUE or keywords.get("create_graph", v.FALSE) != v.FALSE:
        return
    if nodes is not None:
        mark = (node.start, it.frame.module.path)
        for at in nodes:
            it.state.set(it.state.heap, (f"node{at}", KEPT), mark)
    frame_and_loop = _in_a_loop(it)
    if frame_and_loop is None or it.frame.module.path != it.main.path:
        return
    carried = _carried(it, loss, nodes, frame_and_loop, node)
    if carried is None:
        return
    key = (FaultKind.RETAINED_GRAPH, it.frame.module.path, node.start, node.end)
    graphs.pending.append(_Pending(key, it.frames[0], None if nodes is None else frozenset(nodes)))
    subject = loss if type(loss) is TensorFact else None
    fault(it, FaultKind.RETAINED_GRAPH, node, "Tensor.backward", input=subject, carried=carried)


def record_reuse(it: Evaluator, nodes: frozenset[int] | None, node: ir.Node) -> None:
    """Records that a backward pass may use the nodes of a graph (None: not known which) again."""
    graphs, path = it.states[RetainedGraphs], it.frame.module.path
    for entry in graphs.pending:
        if entry.key[1:] == (path, node.start, node.end) or entry.root is not it.frames[0]:
            continue
        if nodes is None or entry.nodes is None or nodes & entry.nodes:
            graphs.needed.add(entry.key)


def record_gradients_call(it: Evaluator, arguments: Arguments, node: ir.Node) -> None:
    """Records the graphs that a call of `torch.autograd.grad` uses again."""
    if not it.states[RetainedGraphs].pending:
        return
    seen = arguments.positional and type(arguments.positional[0]) is TensorFact
    record_unknown_call(it, arguments, node) if seen else record_reuse(it, None, node)


def record_unknown_call(it: Evaluator, arguments: Arguments, node: ir.Node) -> None:
    """Records the graphs that a call of an unknown function may use again; methods that only collect values do not."""
    if type(node) is ir.Call and type(node.function) is ir.Attribute and node.function.name in _COLLECTING:
        return
    for value in (*arguments.positional, *(value for _, value in arguments.keywords)):
        if type(value) is TensorFact and value.grad.requires is Tri.YES:
            record_reuse(it, frozenset(_nodes(value) or ()) or None, node)


def _in_a_loop(it: Evaluator) -> tuple[Frame, Loop] | None:
    """Returns the innermost loop around the running code, and its frame."""
    for frame in reversed(it.frames):
        if frame.loops:
            return frame, frame.loops[-1]
    return None


def _nodes(tensor: TensorFact) -> dict[int, TensorFact] | None:
    """Returns the graph of a tensor, by the moments at which its operators ran; None where a part is not known."""
    nodes: dict[int, TensorFact] = {}
    to_visit = [tensor]
    while to_visit and len(nodes) < _MAX_NODES:
        fact = to_visit.pop()
        origin = fact.origin
        if fact.grad.requires is not Tri.YES or fact.grad.leaf is Tri.YES:
            continue
        if origin is None or origin.merged or not origin.at or origin.op == "unseen":
            return None
        if abs(origin.at) not in nodes:
            nodes[abs(origin.at)] = fact
            to_visit.extend(origin.parents)
    return nodes


def _carried(
    it: Evaluator,
    loss: Value,
    nodes: dict[int, TensorFact] | None,
    found: tuple[Frame, Loop],
    node: ir.Node,
) -> bool | None:
    """Returns whether this iteration's graph has that of earlier ones. None if the loop may not compute all
    of it."""
    frame, loop = found
    old = [] if nodes is None else [at for at in nodes if at <= loop.began]
    if old:
        first = getattr(loop.iteration, "first", loop.began)
        mark = (node.start, it.frame.module.path)
        own = all(at > first and it.state.heap.get((f"node{at}", KEPT)) == mark for at in old)
        return True if own else None
    if type(node) is not ir.Call:
        return None
    expression: ir.Node | None = node.args[0] if node.args else getattr(node.function, "object", None)
    if expression is None:
        return None
    return _LossExpression(it, node, nodes is not None).carries(expression)


class _LossExpression:
    """What the expression of a loss is computed from, inside of the innermost loop around it."""

    def __init__(self, it: Evaluator, node: ir.Node, is_seen: bool) -> None:
        self.it, self.node, self.is_seen = it, node, is_seen
        function = it.frame.function
        self.loop = _innermost(it.frame.module.ir.body if function is None else function.body, node)
        self.answers: dict[str, bool | None] = {}

    def carries(self, expression: ir.Node) -> bool | None:
        """Returns whether it uses a value of an earlier iteration. None if its graph may reach outside of the
        loop."""
        match expression:
            case ir.Constant():
                return False
            case ir.Name(id=name):
                return self._name(name)
            case ir.Attribute(object=inner):
                value = self._held(expression)
                if value is not None:
                    return False if _has_no_graph(value) else None
                return self._inside(inner)
            case ir.Subscript(object=inner, index=index):
                return self._any(inner, index)
            case ir.Slice(lower=lower, upper=upper, step=step):
                return self._any(*(one for one in (lower, upper, step) if one is not None))
            case ir.Binary(left=left, right=right):
                return self._any(left, right)
            case ir.Unary(operand=inner):
                return self.carries(inner)
            case ir.Compare(left=left, rights=rights):
                return self._any(left, *rights)
            case ir.Conditional(test=test, body=body, orelse=orelse):
                return self._any(test, body, orelse)
            case ir.Display(items=items):
                return self._any(*items)
            case ir.Call(function=function, args=args, keywords=keywords):
                called = False if type(function) is ir.Name else self._callee(function)
                given = self._any(*args, *(value for _, value in keywords))
                return _either(called, given)
        return None

    def _any(self, *parts: ir.Node) -> bool | None:
        return _either(*(self.carries(part) for part in parts))

    def _name(self, name: str) -> bool | None:
        if name in self.answers:
            return self.answers[name]
        self.answers[name] = True  # it is computed from itself
        self.answers[name] = answer = self._of_name(name)
        return answer

    def _of_name(self, name: str) -> bool | None:
        if self.loop is not None:
            sources = list(unpacked_from(self.loop.body, name))
            if sources:
                if all(source.start > self.node.start for source in sources):
                    return True
                return self._any(*sources)
            if type(self.loop) is ir.For and name in _targets(self.loop.target):
                return False
        value = self.it.lookup(name)
        if _has_no_graph(value):
            return False
        return (
            False if self.is_seen and type(value) is TensorFact and value.grad.requires is Tri.YES else None
        )

    def _callee(self, function: ir.Node) -> bool | None:
        """Returns whether a method is called on what `carries` a graph: a tensor, or a module with its parts."""
        if type(function) is not ir.Attribute:
            return None
        if function.name == "scale":
            return False  # of a gradient scaler
        if type(function.object) is ir.Attribute and ops.operator(f"Tensor.{function.name}") is not None:
            return self.carries(function.object)  # `self.state.mean()`
        return self._inside(function.object)

    def _inside(self, holder: ir.Node) -> bool | None:
        """Returns whether what has an attribute `carries` a graph.

        That is `self.model`, `torch.nn.functional`, `F`, or an expression.
        """
        root = holder
        while type(root) is ir.Attribute:
            root = root.object
        if type(root) is ir.Name and type(self.it.lookup(root.id)) in _HOLDERS:
            return False
        return self.carries(holder)

    def _held(self, node: ir.Attribute) -> Value | None:
        """Returns the value of an attribute of an object; None for an attribute of anything else."""
        holder = self.it.lookup(node.object.id) if type(node.object) is ir.Name else None
        if type(holder) is not v.InstanceValue:
            return None
        return self.it.state.heap.get((holder.ref, node.name), v.UNKNOWN_VALUE)


def _either(*answers: bool | None) -> bool | None:
    """Combines answers of parts: one that is certainly carried decides, then one that is not known."""
    return True if True in answers else None if None in answers else False


_HOLDERS = frozenset(
    {
        v.External,
        v.LayerValue,
        v.InstanceValue,
        v.Wrapped,
        v.WorkspaceModule,
        v.ClassValue,
        v.Engine,
        v.SuperValue,
    }
)


def _has_no_graph(value: Value) -> bool:
    """Returns whether a value certainly has no graph of its own."""
    match value:
        case TensorFact(grad=grad):
            return grad.requires is Tri.NO or grad.leaf is Tri.YES
        case (
            v.Scalar() | v.DTypeValue() | v.DeviceValue() | v.LayerValue() | v.FunctionValue() | v.External()
        ):
            return True
    return False


def _targets(node: ir.Node) -> set[str]:
    if type(node) is ir.Name:
        return {node.id}
    items = node.items if type(node) is ir.Display else ()
    return set().union(*map(_targets, items))


def _innermost(body: tuple[ir.Node, ...], place: ir.Node) -> ir.For | ir.While | None:
    """Returns the innermost loop around a place; functions and classes inside the body are not entered."""
    found = None
    to_visit = list(body)
    while to_visit:
        node = to_visit.pop()
        if not node.start <= place.start < node.end or isinstance(node, ir.Define | ir.DefineClass):
            continue
        if isinstance(node, ir.For | ir.While):
            found = node
        for part in ("body", "orelse", "final"):
            to_visit.extend(getattr(node, part, ()) or ())
        for part in ("handlers", "cases"):
            for inner in getattr(node, part, ()) or ():
                to_visit.extend(inner.body)
    return found


def _unknown_called(it: Evaluator, arguments: Arguments, node: ir.Node) -> None:
    if it.states[RetainedGraphs].pending:
        record_unknown_call(it, arguments, node)


HOOKS = Hooks(unknown_call=_unknown_called, backward=report_backward)
