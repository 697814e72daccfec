"""Detects loops that clear the gradients they compute without a step, or step without a backward.

Read off the traces: nothing else may have access to the optimizer or its weights, and nothing may read a gradient, as
saliency maps and checks of gradients do.
"""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import Origin
from torchlsp.facts.values import OptimizerValue
from torchlsp.interp.model import gradient_writes
from torchlsp.interp.model.trace_flow import Chain, Place, events, place
from torchlsp.interp.store.analysis import Analysis
from torchlsp.interp.store.trace import (
    BranchItem,
    CallItem,
    Event,
    EventKind,
    Exit,
    Item,
    IterationItem,
    LoopItem,
)
from torchlsp.program import ir
from torchlsp.program.walking import nodes, word

_STEPS = frozenset({EventKind.STEP, EventKind.UNSEEN_STEP, EventKind.UNKNOWN_STEP})
_ANY = "*"
_OPTIMIZERS = ("opt", "adam", "sgd", "solver", "trainer")
"""Parts of the names that optimizers have."""
_KEEPING = frozenset({"append", "extend", "add", "print", "range", "len", "enumerate", "tqdm", "format"})
"""What only counts, keeps or prints."""
_Creation = str | tuple[str | None, int]
"""The place at which an optimizer is created, or its ref where that is not known."""


def loops_without_step(analysis: Analysis) -> Iterator[Fault]:
    """Yields the loops without a step, and those without a backward."""
    every = [event for root in analysis.roots for event in events(root.trace)]
    if not any(event.kind is EventKind.ZERO_GRAD for event in every):
        return
    if analysis.module is None:
        return
    reads_gradients: bool | None = None
    stepped = {
        _creation(analysis, ref) for event in every if event.kind is EventKind.STEP for ref in event.subjects
    }
    stepping = {place(event) for event in every if event.kind in _STEPS}
    reported: set[Place] = set()
    for root in analysis.roots:
        seen = list(events(root.trace))
        for loop, chain in _loops(root.trace, ()):
            body = list(events(loop.body))
            gap = _without_step(analysis, seen, body, stepped) or _without_backward(
                analysis, seen, loop, body
            )
            if gap is None or place(gap[0]) in reported:
                continue
            event, clear, created, reason, assumptions = gap
            if assumptions and _elsewhere(analysis, event, stepping):
                continue
            if reads_gradients is None:
                reads_gradients = _reads_gradients(analysis.module)
            if reads_gradients:
                return
            reported.add(place(event))
            data = (("clear", clear), ("loop", loop), ("reason", reason), ("event", event), ("made", created))
            yield Fault(
                FaultKind.NEVER_STEPPED, event.start, event.end, "step", data, assumptions, path=event.path,
                call_chain=chain + _chain_in(loop.body, event, ()),
            )  # fmt: skip


_Found = tuple[Event, Event, Origin | None, str, frozenset[str]]
"""What is reported, what clears, where the optimizer is created, the reason, and the assumptions."""


def _without_step(
    analysis: Analysis, seen: list[Event], body: list[Event], stepped: set[_Creation]
) -> _Found | None:
    """Returns the backward of a loop that clears the gradients without a step."""
    backward = next((event for event in body if event.kind is EventKind.BACKWARD), None)
    clears = [event for event in body if event.kind is EventKind.ZERO_GRAD]
    if backward is None or not clears or any(event.kind in _STEPS for event in seen):
        return None
    if any(event.kind is EventKind.BACKWARD and event.name for event in seen):
        return None
    if any(event.kind is EventKind.SCALER and event.name.startswith("step") for event in seen):
        return None
    for ref, optimizer in analysis.optimizers.items():
        clear = next((one for one in clears if _clears(one, ref, optimizer)), None)
        if clear is not None and _creation(analysis, ref) not in stepped:
            if not any(_touches(event, ref, optimizer) for event in seen):
                return backward, clear, optimizer.origin, "no step", frozenset()
    for clear in clears:
        if clear.name == "unknown" and clear.other and _is_alone(analysis, seen, body, clear):
            return backward, clear, None, "no step", frozenset({"optimizer"})
    return None


def _clears(event: Event, ref: str, optimizer: OptimizerValue) -> bool:
    """Returns whether an event clears the optimizer's own gradients, or those of its whole model."""
    owned = optimizer.owns
    return ref in event.subjects or bool(owned and event.subjects and owned <= event.subjects)


def _touches(event: Event, ref: str, optimizer: OptimizerValue) -> bool:
    """Returns whether an event may change weights that the optimizer owns."""
    owned = (optimizer.owns or frozenset()) | {ref}
    if event.kind is EventKind.UNKNOWN_CALL:
        return (
            _ANY in event.handed
            or bool(owned & event.subjects)
            or optimizer.owns is None
            and bool(event.subjects)
        )
    return event.kind is EventKind.WRITE and (not event.subjects or bool(owned & event.subjects))


def _is_alone(analysis: Analysis, seen: list[Event], body: list[Event], clear: Event) -> bool:
    """Returns whether what is cleared is an argument other than the models that are called, and none of them
    is passed on."""
    name, models = clear.other, analysis.called_parameters
    if not models or any(_is_of(name, model) for model in models):
        return False
    if not any(part in name.lower() for part in _OPTIMIZERS):
        return False  # perhaps a module
    called = {f"{one}()" for one in models}
    if not any(called & one.handed for one in body):
        return False
    own = {place(other) for other in seen if other.kind is EventKind.ZERO_GRAD and other.other == name}
    for event in seen:
        if event.kind is EventKind.WRITE:
            return False
        if event.kind is EventKind.UNKNOWN_CALL and place(event) not in own:
            handed = {part.removesuffix("()") for part in event.handed}
            if event.subjects or _ANY in handed or any(_is_of(name, part) for part in handed):
                return False
            if event.handed & models:
                return False
    return True


def _is_of(name: str, other: str) -> bool:
    """Returns whether two dotted names are the same, or one is a part of the other."""
    return name == other or name.startswith(f"{other}.") or other.startswith(f"{name}.")


def _elsewhere(analysis: Analysis, event: Event, stepping: set[Place]) -> bool:
    """Returns whether the same call is also in a trace with a step. Then a visible call shows its arguments."""
    for root in analysis.roots:
        seen = list(events(root.trace))
        if any(place(other) == place(event) for other in seen) and any(
            place(other) in stepping for other in seen
        ):
            return True
    return False


def _without_backward(
    analysis: Analysis, seen: list[Event], loop: LoopItem, body: list[Event]
) -> _Found | None:
    """Returns the step of a loop that clears gradients, where nothing computes any."""
    clear = next((event for event in body if event.kind is EventKind.ZERO_GRAD and event.subjects), None)
    step = next((event for event in body if event.kind is EventKind.STEP and not event.name), None)
    if clear is None or step is None:
        return None
    if any(event.kind in (EventKind.BACKWARD, EventKind.WRITE) for event in seen):
        return None
    if any(event.kind is EventKind.UNKNOWN_CALL for event in body):
        return None  # it may be given the loss
    if not _computes(analysis, loop):
        return None  # a plot of learning rates
    for ref, optimizer in analysis.optimizers.items():
        if (
            ref in step.subjects
            and _clears(clear, ref, optimizer)
            and not any(_touches(event, ref, optimizer) for event in seen)
        ):
            return step, clear, optimizer.origin, "no backward", frozenset()
    return None


def _computes(analysis: Analysis, loop: LoopItem) -> bool:
    """Returns whether a loop of this file calls something with an argument, as a model or a loss is called."""
    if analysis.module is None or loop.path not in (None, analysis.module.path):
        return True
    for node in nodes(analysis.module.body):
        if type(node) is ir.Call and loop.start <= node.start and node.end <= loop.end and node.args:
            if word(node.function) not in _KEEPING:
                return True
    return False


def _creation(analysis: Analysis, ref: str) -> _Creation:
    """Returns where an optimizer is created: a function that is run several times creates one each time."""
    optimizer = analysis.optimizers.get(ref)
    origin = None if optimizer is None else optimizer.origin
    return ref if origin is None else (origin.path, origin.start)


def _reads_gradients(module: ir.Module) -> bool:
    """Returns whether the file reads a gradient, other than to clear it, or registers hooks."""
    targets: set[int] = set()
    for node in nodes(module.body):
        if type(node) is ir.Assign:
            if type(node.value) is ir.Constant:
                targets.update(id(target) for target in node.targets)
        elif type(node) is ir.Call:
            if gradient_writes.clears_gradient(node):
                targets.update(map(id, nodes(node.function)))
        elif type(node) is ir.Compare:
            if all(op in ("is", "is not") for op in node.ops):
                targets.add(id(node.left))
        elif type(node) is ir.Attribute:
            if node.name == "grad" and id(node) not in targets:
                return True
            if node.name.startswith("register_") and node.name.endswith("hook"):
                return True
    return False


def _loops(items: tuple[Item, ...], chain: Chain) -> Iterator[tuple[LoopItem, Chain]]:
    """Yields the loops that may have a second iteration, innermost first, and the calls around them."""
    for item in items:
        match item:
            case LoopItem(body=body):
                yield from _loops(body, chain)
                if not _ends_at_once(body):
                    yield item, chain
            case BranchItem(body=body, orelse=orelse):
                yield from _loops(body, chain)
                yield from _loops(orelse, chain)
            case CallItem(body=body):
                yield from _loops(body, (*chain, (item.path, item.start, item.end, item.name)))
            case IterationItem(body=body):
                yield from _loops(body, chain)


def _ends_at_once(body: tuple[Item, ...]) -> bool:
    """Returns whether a loop with this body has only one iteration."""
    return any(isinstance(one, Exit) and one.kind in ("break", "return", "raise") for one in body)


def _chain_in(items: tuple[Item, ...], event: Event, chain: Chain) -> Chain:
    """Returns the calls through which an event of a loop is reached."""
    for item in items:
        match item:
            case CallItem(body=body):
                if any(other is event for other in events(body)):
                    return _chain_in(body, event, (*chain, (item.path, item.start, item.end, item.name)))
            case BranchItem(body=body, orelse=orelse):
                for arm in (body, orelse):
                    if any(other is event for other in events(arm)):
                        return _chain_in(arm, event, chain)
            case LoopItem(body=body) | IterationItem(body=body):
                if any(other is event for other in events(body)):
                    return _chain_in(body, event, chain)
    return chain
