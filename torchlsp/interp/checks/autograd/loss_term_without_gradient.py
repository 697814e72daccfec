"""Detects terms of a loss that no gradient flows through, although they are computed from what is trained.

A loss is followed through sums, products with numbers and means down to its terms. One that certainly requires no grad adds a constant:
torch raises nothing as long as another term has a graph. Many tensors leave the graph on purpose, so a term counts only if it is the
gradient of something, or if a function of distance compares values that the other terms train: `detach()` alone says what is meant.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.tensor import Origin, TensorFact, ancestors
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.checks.hooks import Hooks
from torchlsp.interp.model import classes, heap_access
from torchlsp.interp.model.reporting import fault
from torchlsp.ops.signature import Arguments
from torchlsp.ops.tensor import undifferentiable
from torchlsp.program import ir
from torchlsp.program.reading import names_of_target, unpacked_from
from torchlsp.program.walking import walk, word

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

_SUMS = frozenset("add sub add_ sub_ rsub".split())
_PRODUCTS = frozenset("mul mul_ div div_ true_divide".split())
_WHOLE = frozenset(
    "mean sum squeeze view reshape to float double half bfloat16 cpu cuda neg stack cat scale".split()
)
"""Operators whose result is a sum or a copy of the terms in their operands."""
_DETACHING = frozenset({"Tensor.detach", "Tensor.data", "torch.detach"})
_GRADIENTS = "torch.autograd.grad"
_DISTANCES = frozenset("pow square norm abs vector_norm cosine_similarity pairwise_distance".split())
_RETURNING = {"training_step": ".LightningModule", "compute_loss": "Trainer"}
"""Methods that return a loss to the class from which theirs derives."""
_MOVING = frozenset("to cuda cpu float double view reshape flatten squeeze unsqueeze".split())
_MAX_NODES = 2_000
_Node = tuple[int, int, int]


def report_constant_terms(it: Evaluator, loss: Value, arguments: Arguments, node: ir.Node) -> None:
    """Reports the terms of a loss that depend on trained values only through what no gradient passes."""
    if type(loss) is not TensorFact and arguments.positional:
        loss = arguments.positional[0]  # `accelerator.backward(loss)`
    _report_terms(it, loss, node)


def report_returned_loss(it: Evaluator, value: Value) -> None:
    """Reports the constant terms of a loss that a method returns to a framework, which runs backward on it."""
    function, owner = it.frame.function, it.frame.owner
    if function is None or owner is None or function.name not in _RETURNING:
        return
    ending = _RETURNING[function.name]
    if not any(isinstance(base, v.External) and base.name.endswith(ending) for base in classes.mro(owner)):
        return
    if type(value) is v.DictRef:
        entries = heap_access.entries_at(it, value.ref)
        value = entries.get("loss", UNKNOWN_VALUE) if isinstance(entries, dict) else UNKNOWN_VALUE
    elif type(value) is v.TupleValue and value.items:
        value = value.items[0]
    _report_terms(it, value, ir.Node(*it.frame.statement))


def _report_terms(it: Evaluator, loss: Value, node: ir.Node) -> None:
    if type(loss) is not TensorFact or loss.grad.requires is Tri.NO or it.silent:
        return
    trained: set[_Node] | None = None
    for term in _constant_terms(loss):
        if term.grad.requires is not Tri.NO:
            cuts = [cut for cut in _cuts_in(term, True) if cut.op == _GRADIENTS]
            if cuts and _is_compared_with_data(it, term):
                _report(it, term, cuts, node, frozenset({"labels"}))
            continue
        cuts = _cuts_in(term)
        gradients = [cut for cut in cuts if cut.op == _GRADIENTS]
        if not gradients:
            if trained is None:
                trained = _trained_by(loss)
            cuts = [cut for cut in cuts if any(_is_trained(parent, trained) for parent in cut.parents)]
            if not cuts or all(cut.op in _DETACHING for cut in cuts) and not _is_distance(term):
                continue
        _report(it, term, gradients or cuts, node)


def _report(
    it: Evaluator,
    term: TensorFact,
    cuts: list[Origin],
    node: ir.Node,
    assumptions: frozenset[str] = frozenset(),
) -> None:
    """Reports a term where its graph ends; where that is in another file or in several places, at the term itself."""
    path = it.frame.module.path
    places = (
        cuts[0] if len(cuts) == 1 else term.origin,
        term.origin,
        Origin(node.start, node.end, "", (), path),
    )
    place = next(one for one in places if one is not None and one.path == path)
    fault(
        it,
        FaultKind.CONSTANT_TERM,
        ir.Node(place.start, place.end),
        cuts[0].op,
        assumptions,
        input=term,
        cuts=tuple(replace(cut, parents=()) for cut in cuts),
        backward=places[-1],
    )


def _is_compared_with_data(it: Evaluator, term: TensorFact) -> bool:
    """Returns whether a loss function compares its first operand with what a loop or a framework takes from a loader."""
    origin, function = term.origin, it.frame.function
    if origin is None or origin.path != it.frame.module.path:
        return False
    body = it.frame.module.ir.body if function is None else function.body
    for call in walk(body):
        if type(call) is ir.Call and (call.start, call.end) == (origin.start, origin.end):
            named = [value for name, value in call.keywords if name in ("target", "labels")]
            targets = call.args[1:2] or named
            base: ir.Node | None = targets[0] if len(targets) == 1 else None
            while isinstance(base, ir.Attribute | ir.Subscript | ir.Call):
                if isinstance(base, ir.Call):
                    if word(base.function) not in _MOVING:
                        return False
                    base = base.function
                else:
                    base = base.object
            return type(base) is ir.Name and _is_from_loader(function, body, base.id)
    return False


def _is_from_loader(function: ir.Function | None, body: tuple[ir.Node, ...], name: str) -> bool:
    """Returns whether a name stands for an item of what a loop goes through, or for a batch that a framework gives."""
    given = {one.name for one in function.params[1:]} if function is not None else set()
    loops = {
        bound for loop in walk(body) if type(loop) is ir.For for bound in names_of_target(loop.target)
    } | (given if function is not None and function.name in _RETURNING else set())
    if name in loops:
        return True
    sources = list(unpacked_from(body, name))
    for source in sources:
        while isinstance(source, ir.Attribute | ir.Subscript):
            source = source.object
        if type(source) is not ir.Name or source.id not in loops:
            return False
    return bool(sources)


def _constant_terms(loss: TensorFact) -> Iterator[TensorFact]:
    """Yields the scalars that are added up to a loss and certainly require no grad.

    Also those that a loss function computes from such operands and from others of which nothing is known.
    """
    seen: set[int] = set()
    to_visit = [loss]
    while to_visit and len(seen) < _MAX_NODES:
        fact = to_visit.pop()
        origin = fact.origin
        if id(fact) in seen or origin is None or origin.merged:
            continue
        seen.add(id(fact))
        if fact.grad.requires is Tri.NO:
            if fact.shape == ():
                yield fact
            continue
        name = origin.op.rpartition(".")[2]
        if fact.grad.requires is Tri.UNKNOWN and name.endswith(("_loss", "Loss")) and origin.parents:
            if all(parent.grad.requires is Tri.NO for parent in origin.parents):
                yield fact
        elif name in _SUMS or name in _WHOLE:
            to_visit.extend(reversed(origin.parents))
        elif name in _PRODUCTS:
            weighed = [parent for parent in origin.parents if parent.grad.requires is not Tri.NO]
            to_visit.extend(weighed if len(weighed) == 1 else ())


def _cuts_in(term: TensorFact, below: bool = False) -> list[Origin]:
    """Returns the operators in a term, or `below` it, that take something with a graph and give something without, in their order."""
    found: list[Origin] = []
    seen: set[int] = set()
    to_visit = list(term.origin.parents) if below and term.origin is not None else [term]
    while to_visit and len(seen) < _MAX_NODES:
        fact = to_visit.pop()
        origin = fact.origin
        if id(fact) in seen or origin is None or fact.grad.requires is not Tri.NO:
            continue
        seen.add(id(fact))
        if origin.merged:
            return []
        if origin.op == _GRADIENTS:
            found.append(origin)
        elif any(parent.grad.requires is Tri.YES for parent in origin.parents):
            if origin.op in _DETACHING or undifferentiable.has_no_graph(fact, origin):
                found.append(origin)
        else:
            to_visit.extend(origin.parents)
    return sorted(found, key=lambda cut: abs(cut.at))


def _is_distance(term: TensorFact) -> bool:
    """Returns whether a loss function or a norm computes a term, as opposed to the entropy of a distribution."""
    for _, origin in ancestors(term, _DETACHING):
        name = origin.op.rpartition(".")[2]
        if name in _DISTANCES or name.endswith(("_loss", "Loss")) or "entropy" in name or name == "kl_div":
            return True
    return False


def _trained_by(loss: TensorFact) -> set[_Node]:
    """Returns the nodes of a loss's graph."""
    found: set[_Node] = set()
    to_visit = [loss]
    while to_visit and len(found) < _MAX_NODES:
        fact = to_visit.pop()
        node = _node(fact)
        if fact.origin is None or node in found:
            continue
        if node is not None:
            found.add(node)
        if fact.grad.requires is not Tri.NO:
            to_visit.extend(fact.origin.parents)
    return found


def _is_trained(fact: TensorFact, trained: set[_Node]) -> bool:
    """Returns whether a tensor is in a loss's graph, or is a parameter."""
    return _node(fact) in trained or fact.provenance == "parameter" and fact.grad.requires is Tri.YES


def _node(fact: TensorFact) -> _Node | None:
    """Returns the name of the node that gave a tensor; None where there is none for certain."""
    origin = fact.origin
    if origin is None or origin.merged or origin.at == 0 or fact.grad.requires is not Tri.YES:
        return None
    return origin.at, origin.start, origin.end


HOOKS = Hooks(backward=report_constant_terms, returned=report_returned_loss)
