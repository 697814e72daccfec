"""The autograd graph: nodes that a backward has freed, and values that it needs and somebody has changed.

The graph of a tensor is the origins of its fact and of those it was computed from.  A node is named by its place and by the
moment at which it ran.  In-place writes, freed nodes and layers that gradients have reached are marks in the heap; where ways
meet, only what holds on all of them is left.  Without a backward nothing is looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlsp.facts import dim as dims
from torchlsp.facts import shape as shapes
from torchlsp.facts import values as v
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.tensor import IN_GRAPH, Origin, Storage, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.checks.autograd import (
    adversarial_losses,
    detached_writes,
    non_differentiable_losses,
    python_scalar_cuts,
)
from torchlsp.interp.checks.devices import argument_mutation
from torchlsp.interp.checks.hooks import Hooks
from torchlsp.interp.model.graph_marks import FREED, REACHED, WRITTEN, Mark, mark_at
from torchlsp.interp.model.reporting import fault, is_in_graph
from torchlsp.interp.store.graph_progress import Iteration
from torchlsp.interp.store.state import Delta
from torchlsp.ops.signature import Arguments
from torchlsp.ops.tensor.saved import KEEPS_ITS_INPUT, LABELS, WEIGHTS, saved_by
from torchlsp.ops.tensor.undifferentiable import flat_by
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

UNSEEN = "unseen"
"""The operator of a loss whose making nobody has seen; that it has a graph is told by `backward()`."""
KINDS = frozenset(
    {
        FaultKind.BACKWARD_TWICE,
        FaultKind.GRAD_SWITCHED_OFF,
        FaultKind.NOT_DETACHED,
        FaultKind.CARRIED_GRAPH,
        FaultKind.SAVED_CHANGED,
        FaultKind.GRAPH_GROWS,
    }
)
_MOST_NODES = 3_000

_TAKEN = frozenset(
    "gradient retain_graph create_graph tensors grad_tensors grad_variables loss model".split()
)
"""Keywords of calls of backward that are followed: without `inputs`, and without what torch does not know."""
_ONE_PARENT = frozenset("to type view_as expand_as reshape_as type_as".split())
"""Operators whose further operands only tell a shape or a dtype."""
_NO_VERSION = frozenset(
    "requires_grad_ detach_ resize_ set_ share_memory_ pin_memory squeeze_ unsqueeze_ transpose_ t_".split()
)
"""Methods that change a tensor and not its values."""


# ---- writes -------------------------------------------------------------------------------------------------------------


def wrote(it: Evaluator, target: TensorFact, op: str, node: ir.Node) -> None:
    """A tensor was changed in place."""
    ids = target.storage.ids
    if ids is None or len(ids) != 1 or op.rpartition(".")[2] in _NO_VERSION or _is_behind_autograd(target):
        return
    (storage,) = ids
    detached_writes.written(it, target, node)
    argument_mutation.written(it, target, storage, node)
    it.state.set(it.state.heap, (storage, WRITTEN), mark_at(it, node, op, target))


def _is_behind_autograd(tensor: TensorFact) -> bool:
    """Is this `.data`, or a view of it?  Its versions are counted apart."""
    for _ in range(12):
        origin = tensor.origin
        if origin is None:
            return False
        if origin.op == "Tensor.data":
            return True
        if not origin.parents or tensor.storage.may_share(origin.parents[0].storage) is not Tri.YES:
            return False
        tensor = origin.parents[0]
    return True


def stepped(it: Evaluator, optimizer: v.OptimizerValue, node: ir.Node) -> None:
    """An optimizer changes the weights of the layers that gradients have reached since they were cleared."""
    heap = it.state.heap
    for ref in sorted(optimizer.owns or ()):
        if type(heap.get((ref, REACHED))) is Mark:
            it.state.set(heap, (ref, WRITTEN), mark_at(it, node, "step"))


def cleared(it: Evaluator, refs) -> None:
    heap = it.state.heap
    for ref in sorted(refs or ()):
        if (ref, REACHED) in heap:
            it.state.set(heap, (ref, REACHED), None)


# ---- backward -----------------------------------------------------------------------------------------------------------


def call_of_backward(it: Evaluator, value: Value, arguments: Arguments, node: ir.Node, first: int) -> None:
    """`backward` of one tensor or of several; `first` is the place of `retain_graph` among the positional arguments."""
    keywords = dict(arguments.keywords)
    if arguments.open_keywords or arguments.open_positional or not _TAKEN.issuperset(keywords):
        return
    retain = _flag(arguments, keywords, "retain_graph", first)
    if retain is None:
        retain = _flag(arguments, keywords, "create_graph", first + 1)
    if retain is None:
        retain = Tri.NO
    tensors = (value,) if type(value) is TensorFact else it.elements(value) or ()
    if (arguments.positional[first - 1 : first] or (keywords.get("gradient", v.NONE),))[0] == v.NONE:
        counts = [shapes.numel(one.shape) for one in tensors if type(one) is TensorFact]
        if any(count is not None and dims.equal(count, 1) is Tri.NO for count in counts):
            return  # which is a mistake of its own
    backward(it, [tensor for tensor in tensors if type(tensor) is TensorFact], retain, node)


def _flag(arguments: Arguments, keywords: dict, name: str, place: int) -> Tri | None:
    """None where the argument is absent or None."""
    value = arguments.positional[place] if place < len(arguments.positional) else keywords.get(name, v.NONE)
    if value == v.NONE:
        return None
    known = v.known(value, bool)
    return Tri.UNKNOWN if known is None else Tri.of(known)


def backward(it: Evaluator, tensors: list[TensorFact], retain: Tri, node: ir.Node) -> None:
    """Goes back through the graph of the tensors, newest nodes first, as torch does."""
    for tensor in tensors:
        if tensor.grad.requires is Tri.UNKNOWN:
            non_differentiable_losses.gone_back_through(it, node)
        if is_in_graph(tensor) and (cut := flat_by(tensor)) is not None:
            op = "torch.autograd.backward" if getattr(node, "args", ()) else "Tensor.backward"
            fault(it, FaultKind.NO_DERIVATIVE, node, op, input=tensor, cut=cut, flat=True)
    nodes = {key: found for tensor in tensors for key, found in _nodes(tensor)}
    if not nodes:
        return
    it.graph.backwards += 1
    if it.states[python_scalar_cuts.PythonScalarCuts].cuts:
        for tensor in tensors:
            python_scalar_cuts.reached(it, tensor)
    heap = it.state.heap
    here = mark_at(it, node, "backward", *tensors[:1])
    found = sorted(nodes.items(), key=lambda item: -abs(item[1].origin.at))
    for key, fact in found:
        freed = heap.get((key, FREED))
        if type(freed) is Mark and fact.origin.op != UNSEEN:
            _report_twice(it, tensors[0], fact, freed, node)
            return
        if fact.origin.at > 0:
            for which, written in _writes(it, fact):
                if written.at > fact.origin.at:
                    fault(
                        it, FaultKind.SAVED_CHANGED, node, "backward", input=tensors[0], saver=fact.origin, which=which,
                        written=written,
                    )  # fmt: skip
                    return
    if retain is not Tri.NO:
        it.graph.retained = it.graph.clock
    for key, fact in found:
        if retain is Tri.NO:
            it.state.set(heap, (key, FREED), here)
        layer = fact.origin.layer
        if layer is not None and layer[1] is Tri.YES:
            it.state.set(heap, (layer[0], REACHED), here)


def unseen_loss(it: Evaluator, arguments: Arguments, node: ir.Node) -> None:
    """`loss.backward()`, of which nothing else is known: a tensor with a graph, which is freed now.

    What was computed before keeps its unknown value: only the name is bound anew.
    """
    function = node.function if type(node) is ir.Call else None
    if type(function) is not ir.Attribute or type(function.object) is not ir.Name or arguments.positional:
        return
    name = function.object
    it.graph.clock += 1
    path = it.frame.module.path
    fact = TensorFact(
        grad=IN_GRAPH,
        storage=Storage(frozenset({f"unseen@{it.frame.site}:{name.start}"})),
        assumed=frozenset({"tensor"}),
        origin=Origin(name.start, name.end, UNSEEN, (), path, at=it.graph.clock),
    )
    it.state.set(it.scope_of(name.id).variables, name.id, fact)
    call_of_backward(it, fact, arguments, node, 1)


def _report_twice(it: Evaluator, tensor: TensorFact, fact: TensorFact, freed: Mark, node: ir.Node) -> None:
    """The graph of an earlier iteration, or another one."""
    kind, name = FaultKind.BACKWARD_TWICE, None
    iterations = [
        loop.iteration for frame in reversed(it.frames) for loop in reversed(frame.loops) if loop.iteration
    ]
    if it.graph.rehearsing:
        iterations.append(it.graph.iteration)
    for iteration in iterations:
        if iteration.first < abs(fact.origin.at) <= iteration.this:
            kind, name = FaultKind.CARRIED_GRAPH, _carried(tensor, iteration)
            break
    if kind is FaultKind.BACKWARD_TWICE and freed.data:
        between = adversarial_losses.between(it, freed.data[0], tensor)
        if between is not None:
            made, given = between
            kind = FaultKind.NOT_DETACHED
            fault(
                it,
                kind,
                node,
                "backward",
                input=tensor,
                shared=fact.origin,
                first=freed,
                made=made,
                given=given,
            )
            return
    fault(it, kind, node, "backward", input=tensor, shared=fact.origin, first=freed, name=name)


def _nodes(tensor: TensorFact) -> Iterator[tuple[str, TensorFact]]:
    """The nodes of a graph that keep something, by name, each with a result of its operator."""
    seen: set[str] = set()
    waiting = [tensor]
    while waiting and len(seen) < _MOST_NODES:
        fact = waiting.pop()
        origin = fact.origin
        if origin is None or origin.merged or origin.at == 0 or fact.storage.ids is None:
            continue
        if fact.grad.requires is not Tri.YES or fact.grad.leaf is not Tri.NO:
            continue
        key = _key(origin)
        if key in seen:
            continue
        seen.add(key)
        if saved_by(origin.op) is not None or origin.op == UNSEEN:
            yield key, fact
        name = origin.op.rpartition(".")[2]
        waiting.extend(origin.parents[:1] if name in _ONE_PARENT else origin.parents)


def _key(origin: Origin) -> str:
    return f"node{origin.at}:{origin.start}_{origin.end}"


def _writes(it: Evaluator, fact: TensorFact) -> Iterator[tuple[str, Mark]]:
    """What was changed in place of the tensors that a node keeps: a word for it, and the last certain write."""
    origin = fact.origin
    kept = saved_by(origin.op) or ""
    heap = it.state.heap
    parents = origin.parents
    for word in kept.split():
        for what, tensor in _kept(word, fact, parents):
            written = heap.get((_block(tensor.storage), WRITTEN))
            if type(written) is Mark:
                yield what, written
    if origin.layer is not None and origin.op.rpartition(".")[2] in WEIGHTS:
        if origin.layer[1] is Tri.YES and any(parent.grad.requires is Tri.YES for parent in parents):
            written = heap.get((origin.layer[0], WRITTEN))
            if type(written) is Mark:
                yield "weight", written


def _kept(word: str, fact: TensorFact, parents: tuple[TensorFact, ...]) -> Iterator[tuple[str, TensorFact]]:
    if word == "out":
        yield "result", fact
        return
    if word == "crossed":
        if len(parents) == 2:
            for this, other in ((0, 1), (1, 0)):
                if parents[other].grad.requires is Tri.YES:
                    yield "operand", parents[this]
        return
    place = 0 if word == "weighted" else int(word)
    if place >= len(parents) or parents[place].storage.may_share(fact.storage) is not Tri.NO:
        return
    if word == "weighted":
        layer = fact.origin.layer
        weight = (
            layer[1] if layer is not None else parents[1].grad.requires if len(parents) > 1 else Tri.UNKNOWN
        )
        if weight is not Tri.YES and parents[0].grad.requires is not Tri.NO:
            return  # it is the input alone that requires grad: its own values are not needed
    yield "operand", parents[place]


def _block(storage: Storage) -> str | None:
    return next(iter(storage.ids)) if storage.ids is not None and len(storage.ids) == 1 else None


# ---- inference mode -----------------------------------------------------------------------------------------------------


def keeps_inference(it: Evaluator, result: Value, node: ir.Node) -> None:
    """An operator that is recorded, and keeps a tensor that was made in inference mode."""
    if type(result) is v.TupleValue and result.items:
        result = result.items[0]
    if type(result) is not TensorFact or result.grad.requires is not Tri.YES or result.origin is None:
        return
    if it.state.modes["inference"] is not Tri.NO or result.grad.leaf is not Tri.NO:
        return
    origin = result.origin
    name = origin.op.rpartition(".")[2]
    kept = [
        tensor
        for word in (saved_by(origin.op) or "").split()
        if word != "out"
        for _, tensor in _kept(word, result, origin.parents)
    ]
    place = LABELS.get(name)
    if place is not None and place < len(origin.parents):
        label = origin.parents[place]
        if (
            "entropy" not in name.lower() or "binary" in name or label.dtype == "i64"
        ):  # not class probabilities
            kept.append(label)
    if name in KEEPS_ITS_INPUT and origin.layer is not None and origin.layer[1] is Tri.YES:
        kept.extend(origin.parents[:1])
    for tensor in kept:
        if tensor.storage.is_inference:
            place = next(i for i, parent in enumerate(origin.parents) if parent is tensor)
            fault(it, FaultKind.INFERENCE_TENSOR, node, origin.op, input=tensor, action="save", place=place)
            return


# ---- loops --------------------------------------------------------------------------------------------------------------


def _carried(tensor: TensorFact, iteration: Iteration) -> tuple[str, bool] | None:
    """The name under which an iteration got hold of the graph of the one before."""
    seen: set[int] = set()
    waiting = [tensor]
    while waiting and len(seen) < _MOST_NODES:
        fact = waiting.pop()
        if id(fact) in seen or fact.origin is None or fact.grad.requires is not Tri.YES:
            continue
        seen.add(id(fact))
        if abs(fact.origin.at) > iteration.this:
            waiting.extend(fact.origin.parents)
        elif id(fact) in iteration.names:
            return iteration.names[id(fact)]
    return None


# ---- what grows ---------------------------------------------------------------------------------------------------------


def grown(it: Evaluator, before: set[tuple[int, object]], first: Delta, second: Delta, loop: ir.Node) -> None:
    """What two iterations have added up although its graph was freed in each of them.

    `before` are the entries that there were at the loop's head, with the changes of the first iteration and of the second.
    """
    found = dict(_slots(second))
    for slot, fact in _slots(first):
        if slot[:2] not in before or slot not in found or not _is_freed(it, fact):
            continue
        later = found[slot]
        if type(slot[1]) is tuple and slot[1][1] == "[]":
            _appended(it, slot[1][0], later, loop)
        elif later is not fact and _reaches(later, fact):
            place = later.origin
            node = ir.Node(place.start, place.end)
            if place.path == it.frame.module.path:
                _report_growing(it, node, place.op, later, 1)


def _slots(changes: Delta) -> Iterator[tuple[tuple, TensorFact]]:
    """Names, attributes, lists and items of dicts that hold a tensor in a graph."""
    for identity, (_, _, value) in changes.items():
        if type(value) is dict:
            held = [((*identity, key), item) for key, item in value.items()]
        elif type(value) is v.Repeated:
            held = [(identity, value.element)]
        elif type(value) is tuple and value and identity[1][1:] == ("[]",):
            held = [(identity, value[-1])]
        else:
            held = [(identity, value)]
        for slot, item in held:
            if type(item) is TensorFact and item.grad.requires is Tri.YES and item.grad.leaf is not Tri.YES:
                yield slot, item


def _is_freed(it: Evaluator, fact: TensorFact) -> bool:
    heap = it.state.heap
    return any(type(heap.get((key, FREED))) is Mark for key, _ in _nodes(fact))


def _reaches(fact: TensorFact, wanted: TensorFact) -> bool:
    seen: set[int] = set()
    waiting = [fact]
    while waiting and len(seen) < _MOST_NODES:
        one = waiting.pop()
        if one is wanted:
            return True
        if id(one) in seen or one.origin is None or one.grad.requires is not Tri.YES:
            continue
        seen.add(id(one))
        waiting.extend(one.origin.parents)
    return False


def _appended(it: Evaluator, ref: str, fact: TensorFact, loop: ir.Node) -> None:
    """Reports the calls of `append` in the loop's own block that put a tensor in a freed graph into the list."""
    for statement in loop.body:
        match statement:
            case ir.Expression(
                value=ir.Call(function=ir.Attribute(object=inner, name="append"), args=(arg,)) as call
            ):
                holder, given = _held(it, inner), it.lookup(arg.id) if type(arg) is ir.Name else None
                if (
                    type(holder) is v.ListRef
                    and holder.ref == ref
                    and type(given) is TensorFact
                    and is_in_graph(given)
                ):
                    if _is_freed(it, given):
                        _report_growing(it, call, "append", given, 0)


def _held(it: Evaluator, node: ir.Node) -> Value:
    """What `losses`, `self.losses` and `history["loss"]` stand for."""
    heap = it.state.heap
    match node:
        case ir.Name(id=name):
            return it.lookup(name)
        case ir.Attribute(object=inner, name=name):
            owner = _held(it, inner)
            return heap.get((owner.ref, name)) if type(owner) is v.InstanceValue else UNKNOWN_VALUE
        case ir.Subscript(object=inner, index=ir.Constant(value=key)):
            owner = _held(it, inner)
            entries = heap.get((owner.ref, "{}")) if type(owner) is v.DictRef else None
            return entries.get(key, UNKNOWN_VALUE) if type(entries) is dict else UNKNOWN_VALUE
    return UNKNOWN_VALUE


def _report_growing(it: Evaluator, node: ir.Node, op: str, tensor: TensorFact, place: int) -> None:
    single = tensor.shape is not None and all(size == 1 for size in tensor.shape)
    fault(it, FaultKind.GRAPH_GROWS, node, op, input=tensor, place=place, single=single)


def _result_given(it: Evaluator, arguments: Arguments, result: Value, node: ir.Node) -> None:
    if it.graph.inference:
        keeps_inference(it, result, node)


HOOKS = Hooks(operator_result=_result_given)
