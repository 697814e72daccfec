"""Detects gradients that a discriminator's loss leaves in its generator, whose own step then uses them.

The loss of the discriminator runs through the generator, unless what that made is detached. The trace is followed for the generator's
optimizer: cleared, such a loss, the step of the discriminator's optimizer, a second loss through both, the generator's step.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import Origin, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import OptimizerValue, Value
from torchlsp.interp.checks.autograd.adversarial_losses import graph_of, parents_of
from torchlsp.interp.checks.hooks import Hooks
from torchlsp.interp.model.trace_flow import Chain, Flow, Place, events, place, text_order
from torchlsp.interp.store.lifetimes import gathered, last_wins, running_state
from torchlsp.interp.store.trace import Event, EventKind
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.analysis import Analysis
    from torchlsp.interp.store.evaluator import Evaluator

_Runs = frozenset[tuple[str, frozenset[str]]]
"""The layers that are run for a loss, each with the layers that its input was computed by."""
_CLEARED, _MAYBE, _LEFT, _STEPPED, _BOTH = "cleared", "maybe", "left", "stepped", "both"
_State = tuple[str, Event | None]
"""What is known of the generator's gradients, and the backward of the discriminator that left some."""


@running_state
class BackwardRuns:
    """What each backward pass runs through, by its place."""

    runs: dict[Place, _Runs] = gathered(dict, last_wins)


def record_backward(it: Evaluator, loss: Value, arguments: Arguments, node: ir.Node) -> None:
    """Records the layers of a loss's graph."""
    if type(loss) is TensorFact and loss.grad.requires is Tri.YES and len(it.analysis.optimizers) > 1:
        key = it.frame.module.path, node.start, node.end
        it.states[BackwardRuns].runs[key] = _runs_of(loss)


def _runs_of(loss: TensorFact) -> _Runs:
    nodes = graph_of(loss)
    before: dict[int, frozenset[str]] = {}
    found: set[tuple[str, frozenset[str]]] = set()
    for origin in sorted(nodes.values(), key=lambda one: abs(one.at)):
        layers: set[str] = set()
        for parent in parents_of(origin):
            layers |= before.get(abs(parent.at), frozenset())
            layers |= _layer(parent)
        before[abs(origin.at)] = frozenset(layers)
        found.update((layer, frozenset(layers)) for layer in _layer(origin))
    return frozenset(found)


def _layer(origin: Origin) -> frozenset[str]:
    return frozenset() if origin.layer is None else frozenset({origin.layer[0]})


def _reaches(runs: _Runs, owns: frozenset[str]) -> bool:
    return any(layer in owns for layer, _ in runs)


def _judges(runs: _Runs, judge: frozenset[str], maker: frozenset[str]) -> bool:
    """Returns whether a loss asks one network about what another one made and about something else."""
    asked = [before for layer, before in runs if layer in judge]
    return any(before & maker for before in asked) and any(not before & (maker | judge) for before in asked)


@dataclass(slots=True)
class _Walk:
    """Follows the gradients of a generator beside the optimizer of its discriminator."""

    runs: dict[Place, _Runs]
    maker: OptimizerValue
    judge: OptimizerValue
    flow: Flow[_State] = field(init=False)
    found: list[tuple[Event, Event, Chain]] = field(default_factory=list)
    innocent: bool = False

    def __post_init__(self) -> None:
        self.flow = Flow(self.after)

    def after(self, event: Event, states: frozenset[_State]) -> frozenset[_State]:
        owns, judged = self.maker.owns or frozenset(), self.judge.owns or frozenset()
        match event.kind:
            case EventKind.ZERO_GRAD:
                if self.maker.ref in event.subjects or owns <= event.subjects:
                    return frozenset({(_CLEARED, None)})
                if not event.subjects or owns & event.subjects:
                    return frozenset({(_MAYBE, None)})
            case EventKind.BACKWARD:
                runs = self.runs.get(place(event))
                if runs is None:
                    return frozenset({(_MAYBE, None)})
                if _reaches(runs, owns):
                    judges = _judges(runs, judged, owns)
                    return frozenset(
                        self._added(event, state, judges, _reaches(runs, judged)) for state in states
                    )
            case EventKind.STEP if self.judge.ref in event.subjects:
                return frozenset((_STEPPED, one) if stage == _LEFT else (stage, one) for stage, one in states)
            case EventKind.STEP if self.maker.ref in event.subjects:
                left = [one for stage, one in states if stage == _BOTH and one is not None]
                if left and len(left) == len(states):
                    self.found.append((min(left, key=text_order), event, self.flow.chain))
                elif any(stage != _MAYBE for stage, _ in states):
                    self.innocent = True
                return frozenset({(_MAYBE, None)})
            case EventKind.UNKNOWN_CALL if event.subjects & (owns | {self.maker.ref}):
                return frozenset({(_MAYBE, None)})
            case EventKind.SCALER | EventKind.UNSEEN_STEP:
                return frozenset({(_MAYBE, None)})
        return states

    def _added(self, event: Event, state: _State, judges: bool, both: bool) -> _State:
        stage, left = state
        if stage == _CLEARED and judges:
            return _LEFT, event
        return (_BOTH, left) if stage == _STEPPED and both else (_MAYBE, None)


def leaked_gradients(analysis: Analysis) -> Iterator[Fault]:
    """Yields the backward passes of discriminators whose gradients a generator's step uses."""
    runs = analysis.states[BackwardRuns].runs
    reported: set[Place] = set()
    for root in analysis.roots if runs else ():
        stepped = {
            ref for event in events(root.trace) if event.kind is EventKind.STEP for ref in event.subjects
        }
        optimizers = [one for ref, one in analysis.optimizers.items() if ref in stepped and one.owns]
        for maker in optimizers:
            for judge in optimizers:
                if judge is maker or (maker.owns or frozenset()) & (judge.owns or frozenset()):
                    continue
                walk = _Walk(runs, maker, judge)
                walk.flow.run(root.trace, frozenset({(_MAYBE, None)}))
                for backward, step, chain in () if walk.innocent else walk.found:
                    if place(backward) not in reported:
                        reported.add(place(backward))
                        yield Fault(
                            FaultKind.LEAKED_GRADIENTS, backward.start, backward.end, "Tensor.backward",
                            (("step", step), ("maker", maker.label)), path=backward.path, call_chain=chain,
                        )  # fmt: skip


HOOKS = Hooks(backward=record_backward)
