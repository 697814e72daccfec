"""Evaluates calls of torch.distributed: sources of ranks, process groups and collectives."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.tensor import Origin
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, Condition, Value
from torchlsp.interp.checks.data import main_guards
from torchlsp.interp.checks.distributed import (
    async_collectives,
    collective_buffers,
    collective_results,
    rank_saves,
    varying_values,
)
from torchlsp.interp.checks.distributed.async_collectives import PENDING
from torchlsp.interp.checks.distributed.collective_buffers import BACKEND, WORLD_SIZE
from torchlsp.interp.model import (
    collective_names,
    expected_errors,
    heap_access,
    imported_names,
    module_tree,
)
from torchlsp.interp.store.lifetimes import per_root, running_state
from torchlsp.interp.store.state import path_state
from torchlsp.interp.store.trace import BranchItem, Event, EventKind, Item
from torchlsp.ops.libraries import collectives
from torchlsp.ops.libraries.collectives import Collective
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir
from torchlsp.program.walking import nodes, word

if TYPE_CHECKING:
    from types import NotImplementedType

    from torchlsp.interp.store.evaluator import Evaluator

REDUCED = path_state("reduced", None)
"""The wrapper that reduces gradients in the next backward pass."""


@running_state
class RankFunctions:
    """What is known of functions that are called without being run."""

    meets: dict[int, bool] = per_root(dict)
    """Whether the function has both a test of the rank and collectives, by the identity of its node."""


def environment_variable(it: Evaluator, key: Value, node: ir.Node) -> Value:
    """Evaluates `os.environ[key]`: a rank for the variables that launchers set."""
    name = v.known(key, str)
    if name in collectives.RANK_VARIABLES:
        return v.RankValue(collectives.RANK_VARIABLES[name], origin=_origin(it, node))
    return v.Scalar("str")


def set_environment_variable(it: Evaluator, key: Value, value: Value) -> None:
    """Evaluates `os.environ[key] = value`: no GPU is visible where CUDA_VISIBLE_DEVICES names none."""
    if v.known(key, str) == "CUDA_VISIBLE_DEVICES" and v.known(value, str) in ("", "-1"):
        it.state.set(it.state.modes, "cuda", Tri.NO)


def _origin(it: Evaluator, node: ir.Node) -> Origin:
    return Origin(node.start, node.end, "rank", (), it.frame.module.path)


def external(it: Evaluator, name: str, arguments: Arguments, node: ir.Node) -> Value | NotImplementedType:
    """Evaluates functions that return ranks or communicate; NotImplemented for all other functions."""
    if name in ("os.environ.get", "os.getenv"):
        key = arguments.positional[0] if arguments.positional else UNKNOWN_VALUE
        found = environment_variable(it, key, node)
        return found if isinstance(found, v.RankValue) else UNKNOWN_VALUE
    scope = collectives.RANK_SOURCES.get(name)
    if name in _ASK_GROUP:
        record_group_use(it, name, arguments, node)
    if name in ("torch.distributed.isend", "torch.distributed.irecv"):
        tensor = arguments.positional[0] if arguments.positional else UNKNOWN_VALUE
        return async_collectives.start_collective(it, name.rpartition(".")[2], {"tensor": tensor}, node)
    if scope is not None:
        return v.RankValue(scope, origin=_origin(it, node))
    if name in collectives.MAIN_PROCESS:
        main = collectives.MAIN_PROCESS[name]
        return Condition("rank", False, frozenset({0}), scope=main, source=_origin(it, node))
    if name == "torch.distributed.is_initialized":
        return Condition("group", source=_origin(it, node))
    if name == "torch.distributed.is_available":
        return Condition("group", mixed="or", source=_origin(it, node))
    if name == "torch.distributed.get_world_size":
        return UNKNOWN_VALUE
    collective = collectives.COLLECTIVES.get(name)
    if collective is not None:
        return _collective(it, name, collective, arguments, node)
    if name in collectives.HIDDEN and collectives.HIDDEN[name] != "construction":
        flag = collectives.HIDDEN_UNLESS.get(name)
        if flag is None or dict(arguments.keywords).get(flag, v.FALSE) == v.FALSE:
            record_hidden_collective(it, name, node)
        return UNKNOWN_VALUE
    if name == "wandb.init":
        rank_saves.record_save(it, None, UNKNOWN_VALUE, node, name)
    elif name == "torch.cuda.set_device" and arguments.positional:
        rank_saves.report_global_rank_as_device(it, arguments.positional[0], node)
    if name in ("torch.multiprocessing.spawn", "torch.multiprocessing.start_processes"):
        main_guards.record_spawn(it, node)
        return v.NONE
    if it.analysis.replicated and name.startswith("torch.distributed."):
        it.recorder.add(Event(EventKind.EXCHANGE, node.start, node.end, path=it.frame.module.path))
    return NotImplemented


_ASK_GROUP = {
    "torch.distributed.get_rank": 0, "torch.distributed.get_world_size": 0, "torch.distributed.get_backend": 0,
    "torch.distributed.get_process_group_ranks": 0, "torch.distributed.send": 2, "torch.distributed.recv": 2,
    "torch.distributed.isend": 2, "torch.distributed.irecv": 2,
}  # fmt: skip
"""Calls that need the default group, and the position of the argument that names another one."""


def record_group_use(it: Evaluator, name: str, arguments: Arguments, node: ir.Node) -> None:
    """Records a call that raises if there is no default process group."""
    given = any(key == "group" and value != v.NONE for key, value in arguments.keywords)
    if given or arguments.is_open or len(arguments.positional) > _ASK_GROUP.get(name, 0) or _is_tried(it):
        return
    it.recorder.add(Event(
        EventKind.GROUP, node.start, node.end, name=name.rpartition(".")[2], path=it.frame.module.path, node=it.frame.statement,
    ))  # fmt: skip


def _is_tried(it: Evaluator) -> bool:
    """Returns whether the error of a call without a process group is caught, so that the call tests for one."""
    return expected_errors.is_expected(FaultKind.NO_GROUP, it.state.modes["caught"], len(it.frames))


def _collective(
    it: Evaluator, name: str, collective: Collective, arguments: Arguments, node: ir.Node
) -> Value:
    """Evaluates and records a collective."""
    from torchlsp.ops.signature import NotBound, parse

    group: frozenset[int] | str | None = None
    bound: dict[str, Value]
    try:
        bound = parse(collective.signature).bind(arguments)
    except NotBound:
        bound = {}
        group = "unknown"
    if collective.group_parameter is not None and bound:
        given = bound.get(collective.group_parameter, v.NONE)
        match given:
            case v.Scalar(kind="none"):
                group = None
            case v.GroupValue(ranks=members):
                group = members if members is not None else "unknown"
            case v.External(name=full) if full.endswith("WORLD"):
                group = None
            case _:
                group = "unknown"
    if collective.local_if is not None and bound.get(collective.local_if, v.FALSE) != v.FALSE:
        group = "unknown"  # only the ranks that it names have to be there
    short = name.rpartition(".")[2]
    if short == "init_process_group" and v.as_int(bound.get("world_size", UNKNOWN_VALUE)) != -1:
        group = "unknown"  # a group of so many ranks need not be all that run
    it.recorder.add(Event(
        EventKind.COLLECTIVE, node.start, node.end, name=short, path=it.frame.module.path, group=group, node=it.frame.statement,
        hidden=short in ("new_group", "new_subgroups", "init_process_group", "destroy_process_group"),
        label=_label(it, name, group), other=_other(it, short, bound),
    ))  # fmt: skip
    if group is None and bound and name == f"torch.distributed.{short}":
        collective_buffers.report_wrong_arguments(it, short, bound, arguments, node)
    varying_values.record_collective(it, short, bound, node)
    if short == "init_process_group" and bound:
        it.state.set(it.state.modes, BACKEND, v.known(bound["backend"], str))
        world = v.as_int(bound["world_size"])
        it.state.set(it.state.modes, WORLD_SIZE, world if world is not None and world > 0 else None)
    if short == "new_group":
        ranks = bound.get("ranks", UNKNOWN_VALUE)
        items = it.elements(ranks)
        numbers = [number for item in items or () if (number := v.as_int(item)) is not None]
        known = items is not None and len(numbers) == len(items)
        return v.GroupValue(f"group@{it.frame.site}:{node.start}", frozenset(numbers) if known else None)
    if v.known(bound.get("async_op", v.NONE), bool):
        return async_collectives.start_collective(it, short, bound, node)
    if it.state.modes[PENDING]:
        async_collectives.forget_pending(it)
    _forget_filled_list(it, short, bound)
    return collective_results.collective_result(it, name, bound, node) or UNKNOWN_VALUE


_FILLED = {
    "broadcast_object_list": "object_list",
    "all_gather_object": "object_list",
    "gather_object": "object_gather_list",
    "scatter_object_list": "scatter_object_output_list",
}
"""The lists whose items collectives replace by what other ranks have sent."""


def _forget_filled_list(it: Evaluator, short: str, bound: dict[str, Value]) -> None:
    """Forgets the items of a list that a collective has replaced; there are as many as before."""
    filled = bound.get(_FILLED.get(short, ""))
    if not isinstance(filled, v.ListRef):
        return
    match heap_access.items_at(it, filled.ref):
        case tuple() as items:
            it.state.set(it.state.heap, (filled.ref, "[]"), (UNKNOWN_VALUE,) * len(items))
        case v.Repeated(length=length):
            it.state.set(it.state.heap, (filled.ref, "[]"), v.Repeated(UNKNOWN_VALUE, length))


def _other(it: Evaluator, short: str, bound: dict[str, Value]) -> str:
    """Returns what the event of a collective records beside its group."""
    if short == "init_process_group" and v.as_int(bound.get("world_size", UNKNOWN_VALUE)) == 1:
        return "alone"
    return collective_buffers.list_presence(it, short, bound)


def _label(it: Evaluator, name: str, group: frozenset[int] | str | None) -> str:
    """Returns "group" for a collective that raises if there is no default process group."""
    is_torch = name.startswith("torch.distributed.") or name in _COMMUNICATING
    return "group" if is_torch and group is None and not _is_tried(it) else ""


def record_hidden_collective(it: Evaluator, name: str, node: ir.Node) -> None:
    """Records a call that runs collectives inside."""
    it.recorder.add(Event(
        EventKind.COLLECTIVE, node.start, node.end, name=name.rpartition(".")[2], path=it.frame.module.path, hidden=True,
        node=it.frame.statement, label=_label(it, name, None) if name in _COMMUNICATING else "",
    ))  # fmt: skip


def record_forward(it: Evaluator, wrapped: v.Wrapped, node: ir.Node) -> None:
    """Records the collectives of a wrapper's forward: FSDP gathers parameters, DDP broadcasts buffers.

    DDP also reduces gradients in the next backward pass, see `record_backward`.
    """
    if wrapped.qualname not in _COMMUNICATING:
        return
    if wrapped.qualname.endswith("DistributedDataParallel") and not _has_buffers(it, wrapped.module):
        if it.state.modes["grad"] is Tri.YES:
            it.state.set(it.state.modes, REDUCED, wrapped.qualname)
        return
    record_hidden_collective(it, f"{wrapped.qualname}.forward", node)


def record_method(it: Evaluator, wrapped: v.Wrapped, name: str, node: ir.Node) -> None:
    """Records the collectives of a wrapper's method.

    FSDP gathers the state, unless each rank keeps its own part.
    """
    if collectives.HIDDEN.get((wrapped.qualname, name)) != "state":
        return
    if it.analysis.module is not None and not imported_names.mentions(
        it.analysis.module.body, _SHARDED_STATE_DICTS
    ):
        record_hidden_collective(it, f"{wrapped.qualname}.{name}", node)


def record_backward(it: Evaluator, node: ir.Node) -> None:
    """Records the collective of a backward pass after DDP's forward: all ranks reduce their gradients."""
    name = it.state.modes[REDUCED]
    if isinstance(name, str):
        it.state.set(it.state.modes, REDUCED, None)
        record_hidden_collective(it, f"{name}.backward", node)


def _has_buffers(it: Evaluator, module: Value) -> bool:
    """Returns whether a module certainly has running statistics."""
    return any(
        isinstance(part, v.LayerValue)
        and "BatchNorm" in part.qualname
        and part["track_running_stats"] != v.FALSE
        for part in module_tree.submodules(it, module)
    )


_SHARDED_STATE_DICTS = frozenset({"LOCAL_STATE_DICT", "SHARDED_STATE_DICT"})
_COMMUNICATING = frozenset({
    "torch.nn.parallel.DistributedDataParallel", "torch.distributed.fsdp.FullyShardedDataParallel",
})  # fmt: skip


def engine_rank(it: Evaluator, engine: v.Engine, name: str, node: ir.Node) -> Value | None:
    """Reads a rank attribute of Accelerator, Fabric, Trainer and their like; None for other attributes."""
    key = (engine.qualname, name)
    if key in collectives.MAIN_PROCESS:
        main = collectives.MAIN_PROCESS[key]
        return Condition("rank", False, frozenset({0}), scope=main, source=_origin(it, node))
    scope = collectives.RANK_SOURCES.get(key)
    return None if scope is None else v.RankValue(scope, origin=_origin(it, node))


def record_engine_collective(it: Evaluator, engine: v.Engine, name: str, node: ir.Node) -> None:
    """Records the collectives that a method of a training framework's object runs."""
    if (engine.qualname, name) in collectives.HIDDEN:
        record_hidden_collective(it, name, node)


_RANKS = re.compile(r"rank|main_process|master|leader")


def record_unfollowed_call(it: Evaluator, function: v.FunctionValue, node: ir.Node) -> None:
    """Records a call of a function that is not run, if only some ranks may reach the collectives in it."""
    if function.scope is None or not function.scope.module.uses_distributed:
        return
    definition = function.ir
    meets = it.states[RankFunctions].meets.get(id(definition))
    if meets is None:
        words = {word(one) for one in nodes(definition.body)}
        meets = not collective_names.NAMES.isdisjoint(words) and any(map(_RANKS.search, words))
        it.states[RankFunctions].meets[id(definition)] = meets
    if meets:
        it.recorder.add(Event(EventKind.UNFOLLOWED, node.start, node.end, path=it.frame.module.path))


def rank_zero_branch(definition: ir.Function, trace: tuple[Item, ...], path: str) -> BranchItem:
    """Returns the trace of a function that only rank 0 runs because of a decorator."""
    decorator = definition.decorators[0]
    source = Origin(decorator.start, decorator.end, "rank", (), path)
    condition = Condition("rank", False, frozenset({0}), source=source)
    return BranchItem(decorator.start, decorator.end, condition, trace, (), path)
