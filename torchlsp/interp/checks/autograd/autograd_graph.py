"""Detects double backward and saved tensors modified in place.

Also graphs that grow from iteration to iteration, and inference tensors that a graph saves.

The graph of a tensor is the origins of its fact and of those it was computed from. A node is named by its place and by the
moment at which it ran. In-place writes, freed nodes and layers that gradients have reached are marks in the heap; where paths
join, only what holds on all of them is left. Without a backward no graph is traversed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
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
    gradient_access,
    non_differentiable_losses,
    python_scalar_cuts,
)
from torchlsp.interp.checks.devices import argument_mutation
from torchlsp.interp.checks.hooks import Hooks
from torchlsp.interp.model.graph_marks import Mark, mark_at
from torchlsp.interp.model.reporting import fault, is_in_graph
from torchlsp.interp.store.graph_progress import Iteration
from torchlsp.interp.store.heap_keys import FREED, REACHED, WRITTEN
from torchlsp.interp.store.state import Delta, Key
from torchlsp.ops.signature import Arguments
from torchlsp.ops.tensor.saved import KEEPS_ITS_INPUT, LABELS, WEIGHTS, saved_by
from torchlsp.ops.tensor.undifferentiable import flat_by
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

UNKNOWN_LOSS = "unseen"
"""The operator of a loss that unknown code has computed; it has a graph, since `backward()` is called on it."""
_MAX_NODES = 3_000
_MAX_ORIGINS = 12

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


def record_write(it: Evaluator, target: TensorFact, op: str, node: ir.Node) -> None:
    """Records an in-place write to a tensor, of all checks that ask for one."""
    if op.rpartition(".")[2] in _NO_VERSION:
        return
    is_behind, read = _behind_autograd(target)
    if is_behind:
        if read is not None:
            gradient_access.report_write_through_data(it, read, node)
        return
    ids = target.storage.ids
    if ids is None or len(ids) != 1:
        return
    (storage,) = ids
    detached_writes.report_write(it, target, node)
    argument_mutation.record_write(it, target, storage, node)
    it.state.set(it.state.heap, (storage, WRITTEN), mark_at(it, node, op, target))


def _behind_autograd(tensor: TensorFact) -> tuple[bool, TensorFact | None]:
    """Returns whether a tensor is a view of `.data`, whose version autograd counts separately, and the one that `.data` gave.

    A chain of views that is too long counts as one.
    """
    for _ in range(_MAX_ORIGINS):
        origin = tensor.origin
        if origin is None:
            return False, None
        if origin.op == "Tensor.data":
            return True, tensor
        if not origin.parents or tensor.storage.may_share(origin.parents[0].storage) is not Tri.YES:
            return False, None
        tensor = origin.parents[0]
    return True, None


def record_step(it: Evaluator, optimizer: v.OptimizerValue, node: ir.Node) -> None:
    """Records that an optimizer's step writes weights that gradients have reached since the last clear."""
    heap = it.state.heap
    for ref in sorted(optimizer.owns or ()):
        if type(heap.get((ref, REACHED))) is Mark:
            it.state.set(heap, (ref, WRITTEN), mark_at(it, node, "step"))


def record_clear(it: Evaluator, refs: Iterable[str] | None) -> None:
    """Records that the gradients of these modules were cleared."""
    heap = it.state.heap
    for ref in sorted(refs or ()):
        if (ref, REACHED) in heap:
            it.state.set(heap, (ref, REACHED), None)


# ---- backward -----------------------------------------------------------------------------------------------------------


def run_backward_call(it: Evaluator, value: Value, arguments: Arguments, node: ir.Node, first: int) -> None:
    """Runs a call of `backward` on one tensor or several; `first` is the position of `retain_graph` in its arguments."""
    keywords = dict(arguments.keywords)
    if arguments.is_open or not _TAKEN.issuperset(keywords):
        return
    retain = _flag(arguments, keywords, "retain_graph", first)
    if retain is None:
        retain = _flag(arguments, keywords, "create_graph", first + 1)
    if retain is None:
        retain = Tri.NO
    tensors = (value,) if type(value) is TensorFact else it.elements(value) or ()
    if (arguments.positional[first - 1 : first] or (keywords.get("gradient", v.NONE),))[0] == v.NONE:
        counts = [shapes.numel(tensor.shape) for tensor in tensors if type(tensor) is TensorFact]
        if any(count is not None and dims.equal(count, 1) is Tri.NO for count in counts):
            return  # which is a fault of another kind
    run_backward(it, [tensor for tensor in tensors if type(tensor) is TensorFact], retain, node)


def _flag(arguments: Arguments, keywords: dict[str, Value], name: str, index: int) -> Tri | None:
    """Returns the truth of an argument; None where it is absent or None."""
    value = arguments.positional[index] if index < len(arguments.positional) else keywords.get(name, v.NONE)
    if value == v.NONE:
        return None
    known = v.known(value, bool)
    return Tri.UNKNOWN if known is None else Tri.of(known)


def run_backward(it: Evaluator, tensors: list[TensorFact], retain: Tri, node: ir.Node) -> None:
    """Runs a backward pass through the graph of the tensors, newest nodes first, as torch does.

    Reports nodes that were freed and saved tensors that were modified in place, then marks the nodes as freed.
    """
    for tensor in tensors:
        if tensor.grad.requires is Tri.UNKNOWN:
            non_differentiable_losses.report_backward(it, node)
        if is_in_graph(tensor) and (cut := flat_by(tensor)) is not None:
            op = "torch.autograd.backward" if getattr(node, "args", ()) else "Tensor.backward"
            fault(it, FaultKind.NO_DERIVATIVE, node, op, input=tensor, cut=cut, flat=True)
    nodes = {key: (fact, origin) for tensor in tensors for key, fact, origin in _nodes(tensor)}
    if not nodes:
        return
    it.graph.backwards += 1
    if it.states[python_scalar_cuts.PythonScalarCuts].cuts:
        for tensor in tensors:
            python_scalar_cuts.report_cuts(it, tensor)
    heap = it.state.heap
    here = mark_at(it, node, "backward", *tensors[:1])
    found = sorted(nodes.items(), key=lambda item: -abs(item[1][1].at))
    for key, (fact, origin) in found:
        freed = heap.get((key, FREED))
        if type(freed) is Mark and origin.op != UNKNOWN_LOSS:
            _report_twice(it, tensors[0], origin, freed, node)
            return
        if origin.at > 0:
            for which, written in _writes(it, fact, origin):
                if written.at > origin.at:
                    fault(
                        it, FaultKind.SAVED_CHANGED, node, "backward", input=tensors[0], saver=origin, which=which,
                        written=written,
                    )  # fmt: skip
                    return
    if retain is not Tri.NO:
        it.graph.retained = it.graph.clock
    for key, (_, origin) in found:
        if retain is Tri.NO:
            it.state.set(heap, (key, FREED), here)
        layer = origin.layer
        if layer is not None and layer[1] is Tri.YES:
            it.state.set(heap, (layer[0], REACHED), here)


def run_backward_of_unknown(it: Evaluator, arguments: Arguments, node: ir.Node) -> None:
    """Runs `loss.backward()` of an unknown value, which must be a tensor with a graph that is freed now.

    Values computed from it before stay unknown: only the name is bound to the tensor.
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
        origin=Origin(name.start, name.end, UNKNOWN_LOSS, (), path, at=it.graph.clock),
    )
    it.state.set(it.scope_of(name.id).variables, name.id, fact)
    run_backward_call(it, fact, arguments, node, 1)


def _report_twice(it: Evaluator, tensor: TensorFact, shared: Origin, freed: Mark, node: ir.Node) -> None:
    """Reports a backward through the freed node `shared`, perhaps of an earlier iteration's graph."""
    kind, name = FaultKind.BACKWARD_TWICE, None
    iterations: list[Iteration] = [
        loop.iteration for frame in reversed(it.frames) for loop in reversed(frame.loops) if loop.iteration
    ]
    if it.graph.rehearsing and it.graph.iteration is not None:
        iterations.append(it.graph.iteration)
    for iteration in iterations:
        if iteration.first < abs(shared.at) <= iteration.this:
            kind, name = FaultKind.CARRIED_GRAPH, _carried(tensor, iteration)
            break
    if kind is FaultKind.BACKWARD_TWICE and freed.data:
        between = adversarial_losses.find_shared_result(it, freed.data[0], tensor)
        if between is not None:
            made, given = between
            kind = FaultKind.NOT_DETACHED
            fault(
                it,
                kind,
                node,
                "backward",
                input=tensor,
                shared=shared,
                first=freed,
                made=made,
                given=given,
            )
            return
    fault(it, kind, node, "backward", input=tensor, shared=shared, first=freed, name=name)


def _nodes(tensor: TensorFact) -> Iterator[tuple[str, TensorFact, Origin]]:
    """Yields the name, a result and the origin of each node of a graph that saves tensors."""
    seen: set[str] = set()
    to_visit = [tensor]
    while to_visit and len(seen) < _MAX_NODES:
        fact = to_visit.pop()
        origin = fact.origin
        if origin is None or origin.merged or origin.at == 0 or fact.storage.ids is None:
            continue
        if fact.grad.requires is not Tri.YES or fact.grad.leaf is not Tri.NO:
            continue
        key = _key(origin)
        if key in seen:
            continue
        seen.add(key)
        if saved_by(origin.op) is not None or origin.op == UNKNOWN_LOSS:
            yield key, fact, origin
        name = origin.op.rpartition(".")[2]
        to_visit.extend(origin.parents[:1] if name in _ONE_PARENT else origin.parents)


def _key(origin: Origin) -> str:
    return f"node{origin.at}:{origin.start}_{origin.end}"


def _writes(it: Evaluator, fact: TensorFact, origin: Origin) -> Iterator[tuple[str, Mark]]:
    """Yields the saved tensors of a node that were modified in place, each with the last certain write.

    A word tells which it is: `result`, `operand` or `weight`.
    """
    kept = saved_by(origin.op) or ""
    heap = it.state.heap
    parents = origin.parents
    for word in kept.split():
        for what, tensor in _saved(word, fact, origin):
            block = _block(tensor.storage)
            written = None if block is None else heap.get((block, WRITTEN))
            if type(written) is Mark:
                yield what, written
    if origin.layer is not None and origin.op.rpartition(".")[2] in WEIGHTS:
        if origin.layer[1] is Tri.YES and any(parent.grad.requires is Tri.YES for parent in parents):
            written = heap.get((origin.layer[0], WRITTEN))
            if type(written) is Mark:
                yield "weight", written


def _saved(word: str, fact: TensorFact, origin: Origin) -> Iterator[tuple[str, TensorFact]]:
    """Yields the tensors that a word of `ops.saved` stands for, each with what it is to the operator."""
    parents = origin.parents
    if word == "out":
        yield "result", fact
        return
    if word == "crossed":
        if len(parents) == 2:
            for this, other in ((0, 1), (1, 0)):
                if parents[other].grad.requires is Tri.YES:
                    yield "operand", parents[this]
        return
    index = 0 if word == "weighted" else int(word)
    if index >= len(parents) or parents[index].storage.may_share(fact.storage) is not Tri.NO:
        return
    if word == "weighted":
        layer = origin.layer
        weight = (
            layer[1] if layer is not None else parents[1].grad.requires if len(parents) > 1 else Tri.UNKNOWN
        )
        if weight is not Tri.YES and parents[0].grad.requires is not Tri.NO:
            return  # it is the input alone that requires grad: its own values are not needed
    yield "operand", parents[index]


def _block(storage: Storage) -> str | None:
    """Returns the only memory block of a storage; None where it is not known which."""
    return next(iter(storage.ids)) if storage.ids is not None and len(storage.ids) == 1 else None


# ---- inference mode -----------------------------------------------------------------------------------------------------


def report_saved_inference_tensor(it: Evaluator, result: Value, node: ir.Node) -> None:
    """Reports an operator that is recorded in the graph and saves a tensor created in inference mode."""
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
        for _, tensor in _saved(word, result, origin)
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
    """Returns the name that carries the graph of the iteration before, and whether it holds a tuple."""
    seen: set[int] = set()
    to_visit = [tensor]
    while to_visit and len(seen) < _MAX_NODES:
        fact = to_visit.pop()
        if id(fact) in seen or fact.origin is None or fact.grad.requires is not Tri.YES:
            continue
        seen.add(id(fact))
        if abs(fact.origin.at) > iteration.this:
            to_visit.extend(fact.origin.parents)
        elif id(fact) in iteration.names:
            return iteration.names[id(fact)]
    return None


# ---- what grows ---------------------------------------------------------------------------------------------------------


def report_growing_graphs(
    it: Evaluator,
    before: Set[tuple[int, Key]],
    first: Delta,
    second: Delta,
    loop: ir.For | ir.While,
) -> None:
    """Reports tensors that accumulate graphs over two iterations, each of which frees its graph.

    `before` are the entries that existed at the loop's head; `first` and `second` are the changes of the two iterations.
    """
    later_slots = dict(_slots(second))
    for slot, fact in _slots(first):
        if slot[:2] not in before or slot not in later_slots or not _is_freed(it, fact):
            continue
        later, key = later_slots[slot], slot[1]
        if type(key) is tuple and key[1] == "[]":
            _appended(it, key[0], later, loop)
        elif later is not fact and _reaches(later, fact):
            place = later.origin
            if place is not None and place.path == it.frame.module.path:
                _report_growing(it, ir.Node(place.start, place.end), place.op, later, 1)


_Slot = tuple[object, ...]
"""(identity of the dict of the store, key), and the key of an item where a dict of the program holds it."""


def _slots(changes: Delta) -> Iterator[tuple[_Slot, TensorFact]]:
    """Yields the names, attributes, lists and items of dicts that hold a tensor in a graph."""
    entries: list[tuple[_Slot, object]]
    for identity, (_, _, value) in changes.items():
        if type(value) is dict:
            entries = [((*identity, key), item) for key, item in value.items()]
        elif type(value) is v.Repeated:
            entries = [(identity, value.element)]
        elif type(value) is tuple and value and identity[1][1:] == ("[]",):
            entries = [(identity, value[-1])]
        else:
            entries = [(identity, value)]
        for slot, item in entries:
            if type(item) is TensorFact and item.grad.requires is Tri.YES and item.grad.leaf is not Tri.YES:
                yield slot, item


def _is_freed(it: Evaluator, fact: TensorFact) -> bool:
    """Returns whether a backward has freed a node of a tensor's graph."""
    heap = it.state.heap
    return any(type(heap.get((key, FREED))) is Mark for key, _, _ in _nodes(fact))


def _reaches(fact: TensorFact, wanted: TensorFact) -> bool:
    """Returns whether a tensor was computed from another one, by operators that autograd records."""
    seen: set[int] = set()
    to_visit = [fact]
    while to_visit and len(seen) < _MAX_NODES:
        tensor = to_visit.pop()
        if tensor is wanted:
            return True
        if id(tensor) in seen or tensor.origin is None or tensor.grad.requires is not Tri.YES:
            continue
        seen.add(id(tensor))
        to_visit.extend(tensor.origin.parents)
    return False


def _appended(it: Evaluator, ref: str, fact: TensorFact, loop: ir.For | ir.While) -> None:
    """Reports `append` calls in the loop's own block that add a tensor in a freed graph to the list."""
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
    """Returns the value of an expression like `losses`, `self.losses` or `history["loss"]`."""
    heap = it.state.heap
    match node:
        case ir.Name(id=name):
            return it.lookup(name)
        case ir.Attribute(object=inner, name=name):
            owner = _held(it, inner)
            if type(owner) is v.InstanceValue:
                return heap.get((owner.ref, name), UNKNOWN_VALUE)
        case ir.Subscript(object=inner, index=ir.Constant(value=key)):
            owner = _held(it, inner)
            entries = heap.get((owner.ref, "{}")) if type(owner) is v.DictRef else None
            return entries.get(key, UNKNOWN_VALUE) if type(entries) is dict else UNKNOWN_VALUE
    return UNKNOWN_VALUE


def _report_growing(it: Evaluator, node: ir.Node, op: str, tensor: TensorFact, place: int) -> None:
    """Reports a tensor that accumulates graphs; `place` is its position in the operation that adds it."""
    single = tensor.shape is not None and all(size == 1 for size in tensor.shape)
    fault(it, FaultKind.GRAPH_GROWS, node, op, input=tensor, place=place, single=single)


def _result_given(it: Evaluator, arguments: Arguments, result: Value, node: ir.Node) -> None:
    if it.graph.inference:
        report_saved_inference_tensor(it, result, node)


HOOKS = Hooks(operator_result=_result_given)
