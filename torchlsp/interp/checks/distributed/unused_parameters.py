"""Reports modules in DistributedDataParallel with parameters that `forward` does not use, so their gradients are missing.

Only what no code can reach counts as unused: an attribute that `__init__` creates, whose name is nowhere else in the files of
the class and of the program that wraps it, and these files have no indirect access to parameters either.  The wrapper
refuses the forward after an incomplete backward, so both must be in the trace.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlsp.core.records import dataclass
from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import Origin
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.model import classes, expected_errors, module_tree, parameter_ownership
from torchlsp.interp.model.parameter_ownership import INDIRECT_ACCESS
from torchlsp.interp.model.trace_flow import Flow, events
from torchlsp.interp.store.heap_keys import ATTRIBUTES, BASE, FROZEN
from torchlsp.interp.store.lifetimes import first_wins, gathered, running_state
from torchlsp.interp.store.trace import Event, EventKind, Item
from torchlsp.ops.libraries import optim
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir
from torchlsp.program.walking import nodes

if TYPE_CHECKING:
    from torchlsp.interp.store.analysis import Analysis
    from torchlsp.interp.store.evaluator import Evaluator


_DDP = "torch.nn.parallel.DistributedDataParallel"
_NAMES = frozenset({_DDP, "torch.nn.parallel.distributed.DistributedDataParallel"})
_HARMLESS = frozenset(
    """module device_ids output_device dim broadcast_buffers process_group bucket_cap_mb find_unused_parameters
    gradient_as_bucket_view static_graph""".split()
)
"""Parameters of the wrapper that may leave it waiting for all gradients."""
_TAKERS = frozenset(name.rpartition(".")[2] for name in optim.OPTIMIZERS) | frozenset(
    {"clip_grad_norm_", "clip_grad_value_", "next"}
)
"""Functions that take parameters and do not compute a loss from them."""
_COUNTS = frozenset({"numel", "nelement", "requires_grad", "parameters", "module"})
_CLEAN, _READY, _CALLED, _BEGUN, _UNKNOWN = "clean", "ready", "called", "begun", "unknown"


@dataclass(frozen=True, slots=True)
class Unfed:
    """A wrapped module with unused parameters: `names` are the attributes, `made` is where the first one is set."""

    cls: str
    names: tuple[str, ...]
    made: Origin
    wrap: Origin
    refs: frozenset[str]
    paths: frozenset[str]
    """The files that were searched for other uses."""


# ---- while the program runs -------------------------------------------------------------------------------------------------


@running_state
class UnusedParameters:
    """The unused parameters of wrapped modules, by the ref of the wrapper."""

    wrappers: dict[str, Unfed | None] = gathered(dict, first_wins)


def record_wrapper(it: Evaluator, name: str, wrapper: v.Wrapped, arguments: Arguments, node: ir.Node) -> None:
    """Records a wrapper of a module with unused parameters."""
    if name not in _NAMES:
        return
    unfed = _unused_of(it, wrapper.module, arguments, node)
    wrappers = it.states[UnusedParameters].wrappers
    if wrapper.ref in wrappers and wrappers[wrapper.ref] != unfed:
        unfed = None
    wrappers[wrapper.ref] = unfed
    if unfed is not None:
        _record(it, wrapper, "made", node)


def record_wrapper_call(it: Evaluator, wrapper: v.Wrapped, node: ir.Node) -> None:
    """Records a call of such a wrapper."""
    if it.states[UnusedParameters].wrappers.get(wrapper.ref) is None:
        return
    grad = it.state.modes["grad"]
    is_sure = grad is Tri.YES and it.state.modes["inference"] is Tri.NO
    if expected_errors.is_expected(FaultKind.UNFED_PARAMETERS, it.state.modes["caught"], len(it.frames)):
        is_sure, grad = False, Tri.UNKNOWN
    _record(it, wrapper, "called" if is_sure else "no_grad" if grad is Tri.NO else "maybe", node)


def _record(it: Evaluator, wrapper: v.Wrapped, name: str, node: ir.Node) -> None:
    it.recorder.add(Event(
        EventKind.WRAPPED, node.start, node.end, frozenset({wrapper.ref}), name, it.frame.module.path, node=it.frame.statement,
    ))  # fmt: skip


def _unused_of(it: Evaluator, module: Value, arguments: Arguments, node: ir.Node) -> Unfed | None:
    """Returns the unused parameters of a module, if it has some and the wrapper waits for all gradients."""
    if not isinstance(module, v.InstanceValue) or not _waits_for_all(arguments):
        return None
    cls, heap = module.cls, it.state.heap
    order = classes.mro(cls)
    own = [base for base in order if isinstance(base, v.ClassValue)]
    others = {getattr(base, "name", "") for base in order if base not in own}
    if others - {"builtins.object"} != {"torch.nn.Module"} or heap.get(("*", FROZEN)):
        return None
    if any(base.ir.decorators or base.ir.keywords for base in own) or (module.ref, BASE) in heap:
        return None
    init = classes.find_method(cls, "__init__")
    if init is None or not init[1].params or classes.find_method(cls, "forward") is None:
        return None
    names = heap.get((module.ref, ATTRIBUTES), ())
    attributes: dict[str, Value] = {name: heap.get((module.ref, name), UNKNOWN_VALUE) for name in names}
    learning = {
        name for name, value in attributes.items() if parameter_ownership.has_trainable_parameters(it, value)
    }
    created = {
        name: place
        for name, place in parameter_ownership.created_in_init(init[1]).items()
        if name in learning
    }
    if not created:
        return None
    files = {base.scope.module.path: base.scope.module.ir for base in own} | {
        it.frame.module.path: it.frame.module.ir, it.analysis.path: it.analysis.module,
    }  # fmt: skip
    mentioned = _mentioned([file for file in files.values() if file is not None])
    if mentioned is None:
        return None
    unused = [name for name in created if mentioned[name] == 1]
    used = learning.difference(unused)
    reached = {
        part.ref
        for name in names
        if name not in unused
        for part in module_tree.submodules(it, attributes[name])
    }
    unused = [name for name in unused if parameter_ownership.is_disjoint(it, attributes[name], reached)]
    if not unused or not used:
        return None
    place = created[unused[0]]
    path = init[0].scope.module.path
    refs = {part.ref for part in module_tree.submodules(it, module)}
    return Unfed(
        cls.ir.name,
        tuple(unused),
        Origin(place.start, place.end, "", (), path),
        Origin(node.start, node.end, _DDP, (), it.frame.module.path),
        frozenset(refs),
        frozenset(files),
    )


def _waits_for_all(arguments: Arguments) -> bool:
    if arguments.is_open or len(arguments.positional) > 4:
        return False
    given = dict(arguments.keywords)
    if not given.keys() <= _HARMLESS:
        return False
    return all(given.get(name, v.FALSE) == v.FALSE for name in ("find_unused_parameters", "static_graph"))


@dataclass(frozen=True, slots=True)
class _Mentioned:
    """How often a file names each attribute, and how many of its calls of `parameters` may do harm."""

    names: Counter[str]
    unexplained: int


def _mentioned(files: list[ir.Module]) -> Counter[str] | None:
    """Returns how often the files name each attribute; None if they may access parameters indirectly."""
    names: Counter[str] = Counter()
    unexplained = 0
    for file in files:
        if "attributes mentioned" not in file.memo:
            file.memo["attributes mentioned"] = _mentioned_in(file)
        found: _Mentioned | None = file.memo["attributes mentioned"]
        if found is None:
            return None
        names.update(found.names)
        unexplained += found.unexplained
    return None if unexplained else names


def _mentioned_in(file: ir.Module) -> _Mentioned | None:
    names: Counter[str] = Counter()
    reads = allowed = 0
    for node in nodes(file.body):
        if type(node) is ir.Name and node.id in INDIRECT_ACCESS:
            return None
        if type(node) is ir.Attribute:
            if node.name in INDIRECT_ACCESS and not (
                node.name == "join" and parameter_ownership.is_string_or_path_receiver(node.object)
            ):
                return None
            names[node.name] += 1
            reads += node.name == "parameters"
        elif type(node) is ir.Function and node.name in INDIRECT_ACCESS:
            return None
        elif type(node) is ir.Constant and isinstance(node.value, str):
            # A text may be a name, or hold one: `getattr(self, "head")`, "head.weight"
            names.update(node.value.replace(".", " ").split())
        elif type(node) is ir.Call:
            if type(node.function) is ir.Name and node.function.id in ("getattr", "hasattr"):
                if len(node.args) < 2 or type(node.args[1]) is not ir.Constant:
                    return None
            if parameter_ownership.last_name(node.function) in _TAKERS:
                allowed += sum(_is_parameters(arg) for arg in node.args)
                allowed += sum(_is_parameters(one) for key, one in node.keywords if key == "params")
        elif type(node) is ir.Comprehension and _only_counts(node):
            allowed += sum(_is_parameters(source) for _, source, _ in node.clauses)
    return _Mentioned(names, reads - allowed)


def _is_parameters(node: ir.Node) -> bool:
    return (
        type(node) is ir.Call and type(node.function) is ir.Attribute and node.function.name == "parameters"
    )


def _only_counts(node: ir.Comprehension) -> bool:
    inner = [node.element, *(test for _, _, tests in node.clauses for test in tests)]
    attributes = [part.name for part in nodes(tuple(inner)) if type(part) is ir.Attribute]
    return bool({"numel", "nelement"} & set(attributes)) and set(attributes) <= _COUNTS


# ---- when it has run --------------------------------------------------------------------------------------------------------


def find_unused_parameters(analysis: Analysis) -> Iterator[Fault]:
    """Yields the wrappers that are certainly called after a backward that left parameters without a gradient."""
    recorded = analysis.states[UnusedParameters].wrappers
    wrappers = {ref: unfed for ref, unfed in recorded.items() if unfed is not None}
    for root in analysis.roots if wrappers else ():
        created = {
            ref for event in events(root.trace) if event.kind is EventKind.WRAPPED for ref in event.subjects
        }
        if len(created) != 1:
            continue  # the wrapper through which a backward goes is not followed
        (ref,) = created
        if ref not in wrappers:
            continue
        unfed = wrappers.pop(ref)
        call = _refused(root.trace, ref, unfed)
        if call is not None:
            data = (
                ("cls", unfed.cls), ("names", unfed.names), ("made", unfed.made), ("call", call),
            )  # fmt: skip
            wrap = unfed.wrap
            yield Fault(FaultKind.UNFED_PARAMETERS, wrap.start, wrap.end, _DDP, data, path=wrap.path)


def _refused(trace: tuple[Item, ...], ref: str, unfed: Unfed) -> Event | None:
    """Returns the call that certainly follows a backward through the wrapper."""
    refused: list[Event] = []

    def after(event: Event, states: frozenset[str]) -> frozenset[str]:
        match event.kind:
            case EventKind.WRAPPED if event.name == "made":
                return frozenset({_UNKNOWN if _UNKNOWN in states else _READY})
            case EventKind.WRAPPED if event.name == "called":
                if states == {_BEGUN} and event.path in unfed.paths:
                    refused.append(event)
                return frozenset(_CALLED if state in (_READY, _CALLED) else state for state in states)
            case EventKind.WRAPPED if event.name == "maybe":
                return frozenset({_UNKNOWN})
            case EventKind.BACKWARD:
                to = _UNKNOWN if event.name == "inputs" or event.path not in unfed.paths else _BEGUN
                return frozenset(to if state == _CALLED else state for state in states)
            case EventKind.UNKNOWN_CALL if ref in event.subjects or event.subjects & unfed.refs:
                return frozenset({_UNKNOWN})
        return states

    Flow(after).run(trace, frozenset({_CLEAN}))
    return refused[0] if refused else None
