"""Detects updates written by hand, `w -= 0.1 * w.grad`, in loops that never clear the gradients."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlsp.core.records import dataclass, field, replace
from torchlsp.facts.tensor import LEAF, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import Value
from torchlsp.interp.checks.hooks import Hooks
from torchlsp.interp.checks.training import gradient_clearing
from torchlsp.interp.model.trace_flow import Place, place
from torchlsp.interp.store.lifetimes import gathered, merge_by, running_state
from torchlsp.interp.store.trace import Event, EventKind
from torchlsp.program import ir
from torchlsp.program.walking import dotted, walk

if TYPE_CHECKING:
    from torchlsp.interp.checks.training.gradient_clearing import MissingClear
    from torchlsp.interp.store.analysis import Analysis
    from torchlsp.interp.store.evaluator import Evaluator
    from torchlsp.ops.signature import Arguments


STEP = "by hand"
"""The `name` of the event of such an update."""
_SAME_MEMORY = frozenset({"data", "detach"})


@dataclass(frozen=True, slots=True)
class ManualUpdate:
    """An update that is written by hand; the subject of its event is its `ref`.  It is a `GradientOwner`.

    `owns`: the modules and the memory whose gradients are used; `statement` is its place.
    """

    ref: str
    owns: frozenset[str]
    label: str
    statement: Place
    others: tuple[ManualUpdate, ...] = field(default=(), compare=False)
    """All updates that are written by hand: what they do with gradients is known."""

    def may_touch(self, event: Event) -> bool:
        """Returns whether an unknown call, or naming a `.grad` outside of such updates, may change gradients."""
        if event.kind is EventKind.GRADIENT:
            return not any(one._holds(event) for one in self.others)
        return bool(event.subjects or event.handed)

    def _holds(self, event: Event) -> bool:
        path, start, end = self.statement
        return path == event.path and start <= event.start and event.end <= end

    def clears(self, event: Event) -> bool:
        """Returns True: any clearing call may clear these gradients."""
        return True

    def clears_all(self, event: Event) -> bool:
        """Returns False: no clearing call is known to clear all of these gradients."""
        return False

    def makes(self, event: Event) -> bool:
        """Returns whether an event creates what the update writes to."""
        return bool(self.owns & event.subjects)


def _merged(known: ManualUpdate, new: ManualUpdate) -> ManualUpdate:
    return replace(new, owns=new.owns | known.owns)


@running_state
class ManualUpdates:
    """The updates that a program writes by hand, as an optimizer would do them."""

    optimizers: dict[str, ManualUpdate] = gathered(dict, merge_by(_merged))
    """By ref."""


def record_gradient_read(it: Evaluator, node: ir.Attribute) -> None:
    """Records that the `.grad` of something is named, so that it may be changed."""
    _event(it, EventKind.GRADIENT, node)


def record_in_place_update(it: Evaluator, target: TensorFact, node: ir.Node) -> None:
    """Records an update that changes a tensor in place, by an augmented assignment or a method."""
    match node:
        case ir.Augmented(target=holder, value=value):
            _record_update(it, target, holder, (value,), node)
        case ir.Call(function=ir.Attribute(object=holder), args=args, keywords=keywords):
            _record_update(it, target, holder, (args, keywords), node)


def record_assigned_update(it: Evaluator, node: ir.Assign, target: Value) -> None:
    """Records an update `w.data = w.data - 0.1 * w.grad`: `target` is `w`."""
    if type(target) is TensorFact:
        _record_update(it, target, node.targets[0], (node.value,), node)


def record_new_leaf(it: Evaluator, result: TensorFact, sources: tuple[Value, ...], node: ir.Node) -> None:
    """Records a new leaf that requires grad and has no gradient yet, unless a source of it is that leaf."""
    if result.storage.ids is not None and not any(_may_be(one, result) for one in sources):
        _event(it, EventKind.MADE, node, result.storage.ids)


def _may_be(value: Value, leaf: TensorFact) -> bool:
    """Returns whether a value may be the leaf itself."""
    return (
        type(value) is TensorFact
        and value.grad.requires is not Tri.NO
        and value.storage.may_share(leaf.storage) is not Tri.NO
    )


def _record_update(it: Evaluator, target: TensorFact, node: ir.Node, read: tuple, statement: ir.Node) -> None:
    """Records a write to `node` as a step if it reads the gradient of what it writes to."""
    owner, ids = _owner(node), target.storage.ids
    if not owner or not ids:
        return
    if not any(
        type(inner) is ir.Attribute and inner.name == "grad" and dotted(inner.object) == owner
        for inner in walk(read)
    ):
        return
    ref = f"by hand@{it.frame.module.path}:{statement.start}"
    known = it.states[ManualUpdates].optimizers.get(ref)
    here = it.frame.module.path, statement.start, statement.end
    it.states[ManualUpdates].optimizers[ref] = ManualUpdate(
        ref, ids if known is None else ids | known.owns, owner, here
    )
    _event(it, EventKind.STEP, statement, frozenset({ref}), STEP, owner)


def _event(
    it: Evaluator,
    kind: EventKind,
    node: ir.Node,
    subjects: frozenset[str] = frozenset(),
    name: str = "",
    label: str = "",
) -> None:
    path, statement = it.frame.module.path, it.frame.statement
    it.recorder.add(Event(kind, node.start, node.end, subjects, name, path, label=label, node=statement))


def _owner(node: ir.Node) -> str:
    """Returns `w` of `w`, `w.data` and `w.detach()`; "" for what is no name or attribute."""
    match node:
        case ir.Attribute(object=inner, name=name) if name in _SAME_MEMORY:
            return dotted(inner)
        case ir.Call(function=ir.Attribute(object=inner, name=name)) if name in _SAME_MEMORY:
            return dotted(inner)
    return dotted(node)


def missing_clears(analysis: Analysis) -> Iterator[MissingClear]:
    """Yields the missing clears of updates written by hand, one for each backward.

    Where nothing clears any gradient, what is said of one tensor holds of all.
    """
    if not analysis.states[ManualUpdates].optimizers:
        return
    everything = tuple(analysis.states[ManualUpdates].optimizers.values())
    reported: set[Place] = set()
    for loop, ref in (
        found for root in analysis.roots for found in gradient_clearing.steps_in_loops(root.trace)
    ):
        if ref not in analysis.states[ManualUpdates].optimizers:
            continue
        miss = gradient_clearing.missing_clear(
            loop, replace(analysis.states[ManualUpdates].optimizers[ref], others=everything)
        )
        if miss is not None and place(miss.backward) not in reported:
            reported.add(place(miss.backward))
            yield miss


def _result_given(it: Evaluator, arguments: Arguments, result: Value, node: ir.Node) -> None:
    if type(result) is TensorFact and result.grad == LEAF:
        record_new_leaf(it, result, arguments.positional, node)


HOOKS = Hooks(operator_result=_result_given)
