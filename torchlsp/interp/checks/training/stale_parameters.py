"""Detects optimizers that hold parameters which the model no longer has, since they were replaced.

While the program runs, what is put into a module, or bound to the name of one, is recorded as an event once there are
optimizers: the handlers of assignments, names, optimizers and module calls call the `record_*` functions.  The faults are found
afterwards by `stale_parameters`, an entry of `checks/after_the_run.py`: it follows each optimizer through the traces, whether
it is created again, its groups change, it steps.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.values import OptimizerValue, Value
from torchlsp.interp.model import module_tree, parameter_ownership
from torchlsp.interp.model.trace_flow import Chain, Flow, Place, events, place, place_order, text_order
from torchlsp.interp.store.lifetimes import gathered, last_wins, per_root, running_state
from torchlsp.interp.store.trace import Event, EventKind, Item
from torchlsp.program import ir
from torchlsp.program.walking import dotted

if TYPE_CHECKING:
    from torchlsp.interp.store.analysis import Analysis
    from torchlsp.interp.store.evaluator import Evaluator


_MODULES = (v.LayerValue, v.InstanceValue)
_REGROUPING = frozenset({"add_param_group", "param_groups", "load_state_dict"})


# ---- while the program runs -------------------------------------------------------------------------------------------------


@running_state
class StaleParameters:
    """The modules that have replaced others, and the name of the model of each optimizer."""

    replacements: frozenset[str] = per_root(frozenset)
    """Refs of the new modules, which were bound to the name of an old one."""
    held_as: dict[str, str] = gathered(dict, last_wins)
    """The name of the model at the creation of the optimizer, by the optimizer's ref."""


def record_model_name(it: Evaluator, optimizer: OptimizerValue, node: ir.Node) -> None:
    """Records the name of the model whose parameters a new optimizer gets: `SGD(model.parameters())`."""
    given = node.args[0] if type(node) is ir.Call and node.args else None
    if (
        type(given) is ir.Call
        and type(given.function) is ir.Attribute
        and given.function.name == "parameters"
    ):
        name = dotted(given.function.object)
        if name:
            it.states[StaleParameters].held_as[optimizer.ref] = f"{it.frame.site}:{name}"


def record_regrouping(it: Evaluator, optimizer: OptimizerValue, name: str, node: ir.Node) -> None:
    """Records that the optimizer may get other parameters."""
    if name in _REGROUPING:
        _record(it, node, "regrouped", {optimizer.ref})


def record_put_module(it: Evaluator, owner: Value, name: str, value: Value, node: ir.Node) -> None:
    """Records `owner.name = value`, or an item of a container of modules, where the value is trainable."""
    new = _trainable_refs(it, value)
    if not new:
        return
    held = f"{it.frame.site}:{dotted(node.object)}" if isinstance(node, (ir.Attribute, ir.Subscript)) else ""
    ref = getattr(owner, "ref", "")
    old = it.state.heap.get((ref, name))
    is_model = not isinstance(owner, v.InstanceValue) or parameter_ownership.may_be_module(owner)
    if not is_model:
        before = module_tree.owned_refs(it, old) if isinstance(old, _MODULES) else None
        if before:
            _rebound(it, node, before, new, name)
        return
    _record(it, node, "put", new, other=ref, label=name, handed=frozenset({held}))


def record_rebinding(it: Evaluator, target: ir.Name, value: Value, source: ir.Node | None) -> None:
    """Records `name = value` for a module: what the name was bound to before is no longer the model.

    The target of a loop or a comprehension is left out: it stands for one of several modules in turn.
    """
    if target.id in it.frame.loop_targets or it.frame.scope.kind == "comprehension":
        return
    old = it.frame.scope.variables.get(target.id)
    before = module_tree.owned_refs(it, old) if isinstance(old, _MODULES) else None
    if before and _is_load(it, source):
        _record(
            it, target, "bound", {f"loaded@{target.start}"}, label=target.id, handed=before, other="loaded"
        )
    elif before and (new := _trainable_refs(it, value)):
        _rebound(it, target, before, new, target.id)


def _is_load(it: Evaluator, node: ir.Node | None) -> bool:
    """Returns whether an expression is `torch.load(…)`."""
    function = node.function if type(node) is ir.Call else None
    if type(function) is not ir.Attribute or function.name != "load" or type(function.object) is not ir.Name:
        return False
    return it.lookup(function.object.id) == v.External("torch")


def _rebound(it: Evaluator, node: ir.Node, before: frozenset[str], new: frozenset[str], name: str) -> None:
    it.states[StaleParameters].replacements |= new
    _record(it, node, "bound", new, label=name, handed=before)


def record_replacement_call(it: Evaluator, module: v.ModuleValue, node: ir.Node) -> None:
    """Records the call of a module that has replaced another one."""
    if module.ref in it.states[StaleParameters].replacements:
        _record(it, node, "called", {module.ref})


def _trainable_refs(it: Evaluator, value: Value) -> frozenset[str]:
    """Returns the refs below a module that is certainly trainable, or the memory of a trainable parameter."""
    if not isinstance(value, (*_MODULES, TensorFact)) or not parameter_ownership.has_trainable_parameters(
        it, value
    ):
        return frozenset()
    if isinstance(value, TensorFact):
        return value.storage.ids or frozenset()
    return module_tree.owned_refs(it, value) or frozenset()


def _record(
    it: Evaluator,
    node: ir.Node,
    name: str,
    subjects: Iterable[str],
    other: str = "",
    label: str = "",
    handed: frozenset[str] = frozenset(),
) -> None:
    it.recorder.add(Event(
        EventKind.REPLACED, node.start, node.end, frozenset(subjects), name, it.frame.module.path, label=label,
        node=it.frame.statement, other=other, handed=handed,
    ))  # fmt: skip


# ---- after the run ----------------------------------------------------------------------------------------------------------

_HELD, _UNKNOWN = "held", "unknown"


@dataclass(frozen=True, slots=True)
class _Stale:
    """A replacement; `called`: what is new is known to be run; `trained`: gradients were computed since."""

    event: Event
    called: bool
    trained: bool = False
    chain: Chain = ()


_State = str | _Stale


def _text_order(state: _Stale) -> tuple:
    """Orders what was exchanged by its place in the text, and then by the calls around it."""
    return text_order(state.event), [(*place_order(call[:3]), call[3]) for call in state.chain]


@dataclass(slots=True)
class _OptimizerWalk:
    """Follows one optimizer, and what replaces its parameters, through a trace."""

    analysis: Analysis
    ref: str
    flow: Flow = field(init=False)
    found: dict[Place, Fault] = field(default_factory=dict)
    innocent: set[Place] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.flow = Flow(self.after)

    @property
    def owns(self) -> frozenset[str] | None:
        """What the optimizer owns."""
        return self.analysis.optimizers[self.ref].owns

    def after(self, event: Event, states: frozenset[_State]) -> frozenset[_State]:
        match event.kind:
            case EventKind.MADE if self.ref in event.subjects:
                return frozenset({_HELD})
            case EventKind.MADE:
                return frozenset(_HELD if self._is_owned(event, state) else state for state in states)
            case EventKind.REPLACED:
                return self._replaced(event, states)
            case EventKind.UNKNOWN_CALL if self.ref in event.subjects:
                return frozenset({_UNKNOWN})
            case EventKind.UNKNOWN_CALL:
                return frozenset(
                    _UNKNOWN if isinstance(state, _Stale) and state.event.subjects & event.subjects else state
                    for state in states
                )
            case EventKind.BACKWARD:
                return frozenset(
                    replace(state, trained=True) if isinstance(state, _Stale) else state for state in states
                )
            case EventKind.STEP if self.ref in event.subjects:
                self._on_step(event, states)
        return states

    def _is_owned(self, event: Event, state: _State) -> bool:
        """Returns whether an event creates an optimizer that may own the new parameters."""
        if not isinstance(state, _Stale):
            return False
        new = state.event.subjects | {state.event.other}
        created = (self.analysis.optimizers.get(one) for one in event.subjects)
        return any(one is not None and (one.owns is None or bool(one.owns & new)) for one in created)

    def _replaced(self, event: Event, states: frozenset[_State]) -> frozenset[_State]:
        owns = self.owns
        match event.name:
            case "regrouped" if self.ref in event.subjects:
                return frozenset({_UNKNOWN})
            case "put" if not (owns and owns & event.subjects):
                if (owns and event.other in owns) or self._targets_optimizers_model(event):
                    return frozenset(
                        _Stale(event, True, chain=self.flow.chain) if state is _HELD else state
                        for state in states
                    )
            case "bound" if owns and owns <= event.handed and not owns & event.subjects:
                called = event.other == "loaded"  # what was saved is another object, whatever it is
                return frozenset(
                    _Stale(event, called, chain=self.flow.chain) if state is _HELD else state
                    for state in states
                )
            case "called":
                return frozenset(
                    replace(state, called=True)
                    if isinstance(state, _Stale) and event.subjects <= state.event.subjects
                    else state
                    for state in states
                )
        return states

    def _targets_optimizers_model(self, event: Event) -> bool:
        """Returns whether an event replaces a part of the optimizer's model, by the model's name."""
        name = self.analysis.states[StaleParameters].held_as.get(self.ref)
        return name is not None and any(one == name or one.startswith(f"{name}.") for one in event.handed)

    def _on_step(self, event: Event, states: frozenset[_State]) -> None:
        stale = [state for state in states if isinstance(state, _Stale)]
        if len(stale) == len(states) and all(one.called and one.trained for one in stale):
            for one in sorted(stale, key=_text_order):
                self.found.setdefault(place(one.event), self._fault(one, event))
        else:
            self.innocent.update(place(one.event) for one in stale if one.called)

    def _fault(self, state: _Stale, step: Event) -> Fault:
        event = state.event
        optimizer = self.analysis.optimizers[self.ref]
        data = (("made", optimizer.origin), ("step", step), ("how", event.name), ("name", event.label))
        return Fault(
            FaultKind.STALE_PARAMETERS,
            event.start,
            event.end,
            optimizer.qualname,
            data,
            path=event.path,
            call_chain=state.chain,
        )


def stale_parameters(analysis: Analysis) -> Iterator[Fault]:
    """Yields what was put into a model after its optimizer was created, which then steps without it."""
    found: dict[Place, Fault] = {}
    innocent: set[Place] = set()
    for root in analysis.roots:
        stepped = _stepped(root.trace)
        if not stepped or not any(event.kind is EventKind.REPLACED for event in events(root.trace)):
            continue
        for ref in sorted(stepped & analysis.optimizers.keys()):
            walk = _OptimizerWalk(analysis, ref)
            walk.flow.run(root.trace, frozenset({_HELD}))
            innocent |= walk.innocent
            for key, fault in walk.found.items():
                found.setdefault(key, fault)
    yield from (fault for key, fault in found.items() if key not in innocent)


def _stepped(trace: tuple[Item, ...]) -> set[str]:
    return {ref for event in events(trace) if event.kind is EventKind.STEP for ref in event.subjects}
