"""Detects state dicts that are kept and change with the model, since they alias its tensors.

Whether a state dict is kept is read off the statement that takes it: it is where it is bound to a name, an attribute or an
item that is read elsewhere.  Whether the model changes afterwards is read off the trace.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlsp.core.records import dataclass
from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import Origin, TensorFact
from torchlsp.facts.values import Value
from torchlsp.interp.checks.modules.last_iterations import is_run_at_last
from torchlsp.interp.model import ddp_modules, trace_flow
from torchlsp.interp.store.frame import Frame
from torchlsp.interp.store.lifetimes import gathered, last_wins, running_state
from torchlsp.interp.store.trace import BranchItem, CallItem, Event, EventKind, Item, IterationItem, LoopItem
from torchlsp.program import ir
from torchlsp.program.walking import dotted, walk

if TYPE_CHECKING:
    from torchlsp.interp.store.analysis import Analysis
    from torchlsp.interp.store.evaluator import Evaluator


_MODULE_METHODS = frozenset({"train", "eval", "parameters", "named_parameters", "modules", "zero_grad"})
_LOOPS = (ir.For, ir.While)
_CONTAINERS = frozenset({"dict", "list", "OrderedDict", "deque"})


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A state dict that a statement keeps.

    `kind`: "kept" in one place that is overwritten, or "collected" with others.  `label` is the name or attribute that holds
    it, `owner` what the user calls the model.  `uses`: where it is read, and how: "item", "load NAME" (into a model) or "".
    `leaves`: the loop is left right after.  `assumed`: that the owner is a module is concluded from its uses only."""

    event: Event
    kind: str
    label: str
    is_local: bool
    owner: str
    uses: tuple[tuple[int, str], ...]
    leaves: bool
    assumed: bool
    parameter: str
    """The parameter that is a module only if it is called somewhere."""
    has_copy: bool


@running_state
class StateDicts:
    """State dicts that share their memory with a module, by the place of the call."""

    snapshots: dict[tuple[str, int], Snapshot] = gathered(dict, last_wins)


def record_state_dict(it: Evaluator, receiver: Value, owns: frozenset[str] | None, node: ir.Node) -> None:
    """Records a call of `module.state_dict()` where its result is kept.  `owns`: the modules below it, None if not known."""
    if it.silent or type(node) is not ir.Call or node.args or type(node.function) is not ir.Attribute:
        return
    frame = it.frame
    body = frame.function.body if frame.function is not None else frame.module.ir.body
    owner = dotted(node.function.object)
    chain = _chain(body, node.start, node.end)
    if not chain or (not owner and owns is None):
        return
    where = _kept_as(chain[-1], node)
    if where is None:
        return
    target, kind = where
    everything: tuple[ir.Node | tuple[ir.Node, ...], ...] = body
    if type(target) is ir.Attribute:
        everything = (body, *(function.body for function in frame.module.ir.functions), frame.module.ir.body)
    parameter = receiver.name if isinstance(receiver, v.Parameter) else ""
    assumed = owns is None
    if assumed and _is_used_as_module(frame, body, owner):
        parameter = ""
    elif assumed and not parameter:
        return
    loops = [one for one in chain[:-1] if isinstance(one, _LOOPS)]
    base = owner.split(".")[1] if owner.startswith("self.") else owner.split(".")[0]
    if base and any(_binds(inner, base) for loop in loops for inner in walk(loop.body)):
        return
    event = Event(
        EventKind.SNAPSHOT, node.start, node.end, owns or frozenset(), path=frame.module.path, node=frame.statement,
    )  # fmt: skip
    it.recorder.add(event)
    if _is_bound_elsewhere(everything, target, chain[-1], loops[0].start if loops else chain[-1].start):
        return
    rebound = () if type(target) is ir.Attribute else _bindings_after(body, _name(target), chain[-1])
    uses = tuple(
        use
        for use in _uses(everything, target)
        if not chain[-1].start <= use[0] < chain[-1].end and not any(place <= use[0] for place in rebound)
    )
    is_read = bool(uses or rebound) or type(target) is not ir.Name
    if kind == "kept" and not is_read and (loops or frame.function is not None):
        return  # outside of functions and loops another file may read it
    has_copy = it.lookup("copy") == v.External("copy")
    it.states[StateDicts].snapshots[(frame.module.path, node.start)] = Snapshot(
        event,
        kind,
        _name(target),
        type(target) is ir.Name,
        owner,
        uses,
        _leaves(chain, node) or is_run_at_last(chain),
        assumed,
        parameter,
        has_copy,
    )


def _name(target: ir.Name | ir.Attribute) -> str:
    """Returns the name, or the last part of the dotted one."""
    return target.id if isinstance(target, ir.Name) else target.name


def _is_bound_elsewhere(nodes: tuple, target: ir.Name | ir.Attribute, statement: ir.Node, begin: int) -> bool:
    """Returns whether the name is bound elsewhere to anything but constants, empty containers and what
    precedes the loop."""
    name = _name(target)
    for node in walk(nodes):
        if node is statement or not _binds(node, name):
            continue
        value = _value_bound(node, name)
        first = type(target) is ir.Name and node.start < begin
        if type(value) is not ir.Constant and not first and not _is_empty(value):
            return True
    return False


def _bindings_after(body: tuple[ir.Node, ...], name: str, statement: ir.Node) -> tuple[int, ...]:
    """Returns where a name is bound or deleted after a statement: what is read from there on may be another value."""
    return tuple(
        node.start
        for node in walk(body)
        if node.start >= statement.end
        and (
            _binds(node, name)
            or type(node) is ir.Delete
            and any(_is_named(one, name) for one in node.targets)
        )
    )


def _value_bound(node: ir.Node, name: str) -> ir.Node | None:
    """Returns the value that a statement binds to a name; in `a, b = x, y` the one at the name's place."""
    value: ir.Node | None = getattr(node, "value", None)
    if type(node) is ir.Assign:
        for target, one in _bound_pairs(node):
            if _is_named(target, name):
                return one
    return value


def _bound_pairs(statement: ir.Assign) -> list[tuple[ir.Node, ir.Node]]:
    """Returns targets with their values: in `a, b = x, y` one pair for each name."""
    if len(statement.targets) == 1:
        target, value = statement.targets[0], statement.value
        if type(target) is ir.Display and type(value) is ir.Display and len(target.items) == len(value.items):
            if not any(type(one) is ir.Starred for one in (*target.items, *value.items)):
                return list(zip(target.items, value.items, strict=True))
    return [(target, statement.value) for target in statement.targets]


def _is_empty(value: ir.Node | None) -> bool:
    """Returns whether an expression gives something to be filled: `[]`, `{}`, `dict()` or `OrderedDict()`."""
    match value:
        case ir.Display(items=()) | ir.DictDisplay(keys=()):
            return True
        case ir.Call(function=function, args=(), keywords=()):
            return dotted(function).rpartition(".")[2] in _CONTAINERS
    return False


def record_parameter_write(it: Evaluator, target: TensorFact, name: str, node: ir.Node) -> None:
    """Records an in-place write to a parameter, once a state dict was kept or a module wrapped in DDP."""
    if target.storage.ids and target.provenance == "parameter":
        owners = frozenset(storage_id.rpartition(".")[0] for storage_id in target.storage.ids)
        written, label = (
            ddp_modules.written_parameter(it, target, name) if it.analysis.replicated else ("", "")
        )
        it.recorder.add(Event(
            EventKind.WRITE, node.start, node.end, owners, written, it.frame.module.path, label=label
        ))  # fmt: skip


# ---- what the statement does ----------------------------------------------------------------------------------------------


def _chain(body: tuple[ir.Node, ...], start: int, end: int) -> list[ir.Node]:
    """Returns the statements around a place, outermost first."""
    chain: list[ir.Node] = []
    block: tuple = body
    while block:
        found = next(
            (statement for statement in block if statement.start <= start and end <= statement.end), None
        )
        if found is None or isinstance(found, (ir.Define, ir.DefineClass)):
            break
        chain.append(found)
        parts = [getattr(found, part, ()) or () for part in ("body", "orelse", "final")]
        parts += [one.body for part in ("handlers", "cases") for one in getattr(found, part, ()) or ()]
        block = tuple(one for part in parts for one in part)
    return chain


def _kept_as(statement: ir.Node, call: ir.Call) -> tuple[ir.Name | ir.Attribute, str] | None:
    """Returns what the result is bound to, and whether it is "kept" alone or "collected" with others."""
    match statement:
        case ir.Assign() if (
            len(pairs := [one for one in _bound_pairs(statement) if _is_or_holds(one[1], call)]) == 1
        ):
            return _target_as(pairs[0][0])
        case ir.Annotated(target=target, value=value) if value is not None and _is_or_holds(value, call):
            return _target_as(target)
        case ir.Expression(value=ir.Call(function=ir.Attribute(object=held, name="append"), args=(value,))):
            if isinstance(held, (ir.Name, ir.Attribute)) and _is_or_holds(value, call):
                return held, "collected"
    return None


def _target_as(target: ir.Node) -> tuple[ir.Name | ir.Attribute, str] | None:
    if type(target) is ir.Name or type(target) is ir.Attribute and dotted(target).startswith("self."):
        return target, "kept"
    if type(target) is ir.Subscript and isinstance(holder := target.object, (ir.Name, ir.Attribute)):
        return holder, "kept" if type(target.index) is ir.Constant else "collected"
    return None


def _is_or_holds(value: ir.Node, call: ir.Call) -> bool:
    """Returns whether a value is the call, a shallow copy of its result, or a dict or tuple that holds it."""
    if value is call:
        return True
    match value:
        case ir.Call(function=ir.Attribute(object=inner, name="copy"), args=()):
            return inner is call
        case ir.Call(function=ir.Attribute(object=ir.Name(id="copy"), name="copy"), args=(inner,)):
            return inner is call
        case ir.DictDisplay(values=values):
            return any(item is call for item in values)
        case ir.Display(kind="tuple", items=items):
            return any(item is call for item in items)
    return False


def _leaves(chain: list[ir.Node], call: ir.Call) -> bool:
    """Returns whether control leaves the loop right after the statement, or the name is bound again."""
    statement = chain[-1]
    names: set[str] = set()
    if type(statement) is ir.Assign:
        names = {target.id for target, _ in _bound_pairs(statement) if type(target) is ir.Name}
    for outer in reversed(chain[:-1]):
        for part in ("body", "orelse", "final"):
            block = getattr(outer, part, ()) or ()
            if statement in block:
                rest = block[block.index(statement) + 1 :]
                if any(type(inner) in (ir.Break, ir.Return, ir.Raise) for inner in rest):
                    return True
                if any(_binds(node, name) for node in walk(rest) for name in names):
                    return True
        if isinstance(outer, _LOOPS):
            return False
        statement = outer
    return False


def _binds(node: ir.Node, name: str) -> bool:
    """Returns whether a node binds the name, or an attribute of that name."""
    match node:
        case ir.Assign(targets=targets):
            return any(_is_named(one, name) for one in targets)
        case ir.Annotated(target=target) | ir.Augmented(target=target) | ir.For(target=target):
            return _is_named(target, name)
        case ir.Walrus(target=target):
            return _is_named(target, name)
        case ir.With(items=items):
            return any(target is not None and _is_named(target, name) for _, target in items)
    return False


def _is_named(target: ir.Node, name: str) -> bool:
    if type(target) is ir.Display:
        return any(_is_named(item, name) for item in target.items)
    return getattr(target, "id", getattr(target, "name", None)) == name


def _uses(nodes: tuple, target: ir.Name | ir.Attribute) -> Iterator[tuple[int, str]]:
    """Yields where a name or an attribute is read, and whether as a snapshot is: "item", "load NAME" or ""."""
    name, kind = _name(target), type(target)
    skipped: set[int] = set()
    found: dict[int, tuple[int, str]] = {}

    def is_it(node: ir.Node) -> bool:
        return type(node) is kind and getattr(node, "id", getattr(node, "name", None)) == name

    for node in walk(nodes):
        match node:
            case ir.Assign(targets=targets):
                skipped.update(id(one) for one in targets)
                skipped.update(id(one) for outer in targets for one in getattr(outer, "items", ()))
            case ir.Annotated(target=one) | ir.Augmented(target=one):
                skipped.add(id(one))
            case ir.Compare(left=left, ops=("is" | "is not",)) if is_it(left):
                skipped.add(id(left))
            case ir.Subscript(object=inner) if is_it(inner) and id(node) not in skipped:
                found[id(inner)] = (inner.start, "item")
            case ir.Subscript(object=inner) if is_it(inner):
                skipped.add(id(inner))
            case ir.Call(function=ir.Attribute(object=inner, name=method)) if is_it(inner):
                if method in ("items", "values"):
                    found[id(inner)] = (inner.start, "item")
                elif method in ("append", "keys"):
                    skipped.add(id(inner))
            case ir.Call(function=ir.Attribute(object=loaded, name="load_state_dict"), args=(inner, *_)):
                if is_it(inner):
                    found[id(inner)] = (inner.start, f"load {dotted(loaded)}")
            case _ if is_it(node) and id(node) not in found:
                found[id(node)] = (node.start, "")
    for key, use in found.items():
        if key not in skipped:
            yield use


def _is_used_as_module(frame: Frame, body: tuple, owner: str) -> bool:
    """Returns whether the owner is called, or a method of it that modules have and optimizers do not."""
    if owner.startswith("self.") and frame.owner is not None and frame.owner.ir is not None:
        body = tuple(method.body for method in frame.owner.ir.methods.values())
    for node in walk(body):
        if type(node) is ir.Call:
            if dotted(node.function) == owner:
                return True
            if type(node.function) is ir.Attribute and node.function.name in _MODULE_METHODS:
                if node.function.name != "zero_grad" and dotted(node.function.object) == owner:
                    return True
    return False


# ---- what is read off the trace -------------------------------------------------------------------------------------------


def changed_state_dicts(analysis: Analysis) -> Iterator[Fault]:
    """Yields the state dicts that are kept and change with the model before they are used."""
    if not analysis.states[StateDicts].snapshots:
        return
    reported: set[tuple[str, int]] = set()
    for root in analysis.roots:
        for event, around in _snapshots(root.trace, ()):
            key = (event.path or "", event.start)
            snapshot = analysis.states[StateDicts].snapshots.get(key)
            if snapshot is None or key in reported:
                continue
            if snapshot.parameter and snapshot.parameter not in analysis.called_parameters:
                continue
            change = _in_loop(analysis, snapshot, around) or _later(analysis, snapshot, around)
            if change is None:
                continue
            reported.add(key)
            data = (
                ("changed", Origin(change.start, change.end, change.kind.value, (), change.path)),
                ("name", snapshot.label),
                ("has_copy", snapshot.has_copy),
            )
            yield Fault(
                FaultKind.STATE_DICT_ALIAS,
                event.start,
                event.end,
                "torch.nn.Module.state_dict",
                data,
                frozenset({"module"}) if snapshot.assumed else frozenset(),
                path=event.path,
            )


Around = tuple[tuple[Item | None, tuple[Item, ...], int], ...]
"""(item, its list of items, the index in it) for each level around an event, outermost first."""


def _snapshots(items: tuple[Item, ...], around: Around) -> Iterator[tuple[Event, Around]]:
    """Yields the snapshots of a trace and what is around each of them."""
    for index, item in enumerate(items):
        here = (*around, (item, items, index))
        match item:
            case Event(kind=EventKind.SNAPSHOT):
                yield item, here
            case BranchItem(body=body, orelse=orelse):
                yield from _snapshots(body, here)
                yield from _snapshots(orelse, here)
            case LoopItem(body=body) | CallItem(body=body) | IterationItem(body=body):
                yield from _snapshots(body, here)


def _in_loop(analysis: Analysis, snapshot: Snapshot, around: Around) -> Event | None:
    """Returns the backward of a training loop around the snapshot whose next iterations change what was kept."""
    if not snapshot.uses or snapshot.leaves:
        return None
    branches = called = False
    for item, _, _ in reversed(around[:-1]):
        branches = branches or isinstance(item, BranchItem)
        called = called or isinstance(item, CallItem)
        if not isinstance(item, LoopItem) or not (branches or snapshot.kind == "collected"):
            continue
        if not _is_used_after(snapshot, item, called):
            continue
        events = list(trace_flow.events(item.body))
        if any(event.kind is EventKind.MADE and event.subjects & snapshot.event.subjects for event in events):
            return None
        backward = next((event for event in events if event.kind is EventKind.BACKWARD), None)
        if backward is not None and _steps_on(analysis, snapshot, events):
            return backward
    return None


def _is_used_after(snapshot: Snapshot, loop: LoopItem, called: bool) -> bool:
    """Returns whether the snapshot is used after the loop. Within one iteration it may be used before the
    model changes."""
    if (
        any(start >= loop.end for start, _ in snapshot.uses)
        and not called
        and loop.path == snapshot.event.path
    ):
        return True
    return not snapshot.is_local and any(how.startswith("load ") for _, how in snapshot.uses)


def _steps_on(analysis: Analysis, snapshot: Snapshot, events: list[Event]) -> bool:
    """Returns whether a step among the events may change the model."""
    steps = [event for event in events if event.kind is EventKind.STEP]
    owns = snapshot.event.subjects
    if (
        not owns
        or not steps
        or any(event.kind is EventKind.UNSEEN_STEP and event.name != "scaler" for event in events)
    ):
        return True
    return any(_changes(analysis, step, owns) is not False for step in steps)


def _changes(analysis: Analysis, event: Event, owns: frozenset[str]) -> bool | None:
    """Returns whether an event changes the module's tensors; None where that is not known."""
    if event.kind is EventKind.WRITE:
        return bool(event.subjects & owns)
    if event.kind is EventKind.STEP:
        owned = [analysis.optimizers[ref].owns for ref in event.subjects if ref in analysis.optimizers]
        known = [refs for refs in owned if refs is not None]
        if not owned or len(known) < len(owned):
            return None
        # An optimizer may own single parameters.
        return any(ref in owns or ref.rpartition(".")[0] in owns for refs in known for ref in refs)
    return False


def _later(analysis: Analysis, snapshot: Snapshot, around: Around) -> Event | None:
    """Returns the event after the snapshot that changes the model, if what was kept is read later or never."""
    owns = snapshot.event.subjects
    reads = [start for start, how in snapshot.uses if how in ("item", f"load {snapshot.owner}")]
    if snapshot.kind != "kept" or not owns or not snapshot.is_local or (snapshot.uses and not reads):
        return None
    for item, items, index in reversed(around):
        if isinstance(item, (CallItem, LoopItem)):
            return None
        for later in items[index + 1 :]:
            events = (later,) if isinstance(later, Event) else tuple(trace_flow.events((later,)))
            if any(event.kind is EventKind.MADE and event.subjects & owns for event in events):
                return None
            change = next((event for event in events if _changes(analysis, event, owns)), None)
            if change is None:
                continue
            if not reads or any(read > later.start for read in reads):
                return change
    return None
