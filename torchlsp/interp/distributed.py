"""Ranks and collectives: where a rank comes from, and which calls all ranks must make together."""

from __future__ import annotations

from torchlsp.facts import values as v
from torchlsp.facts.tensor import Origin
from torchlsp.facts.values import UNKNOWN_VALUE, Condition, Value
from torchlsp.interp.trace import Event, EventKind
from torchlsp.ops import collectives, optim
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

_RANK_VARIABLES = {"RANK": "global", "LOCAL_RANK": "local", "NODE_RANK": "node", "GROUP_RANK": "node", "SLURM_PROCID": "global",
                   "SLURM_LOCALID": "local", "OMPI_COMM_WORLD_RANK": "global", "OMPI_COMM_WORLD_LOCAL_RANK": "local"}  # fmt: skip


def environment(it, key: Value, node: ir.Node) -> Value:
    """`os.environ[key]`."""
    name = v.known(key, str)
    if name in _RANK_VARIABLES:
        return v.RankValue(_RANK_VARIABLES[name], origin=_origin(it, node))
    return v.Scalar("str")


def _origin(it, node: ir.Node) -> Origin:
    return Origin(node.start, node.end, "rank", (), it.frame.module.path)


def external(it, name: str, arguments: Arguments, node: ir.Node):
    if name in ("os.environ.get", "os.getenv"):
        key = arguments.positional[0] if arguments.positional else UNKNOWN_VALUE
        found = environment(it, key, node)
        return found if isinstance(found, v.RankValue) else UNKNOWN_VALUE
    scope = collectives.RANK_SOURCES.get(name)
    if scope is not None:
        return v.RankValue(
            str(scope) if str(scope) in ("local", "node") else "global", origin=_origin(it, node)
        )
    if name in collectives.MAIN_PROCESS_TESTS:
        return Condition("rank", False, frozenset({0}), source=_origin(it, node))
    if name in ("torch.distributed.is_initialized", "torch.distributed.is_available"):
        return v.Scalar("bool")
    if name == "torch.distributed.get_world_size":
        return UNKNOWN_VALUE
    collective = collectives.COLLECTIVES.get(name)
    if collective is not None:
        return _collective(it, name, collective, arguments, node)
    if name in collectives.HIDDEN:
        hidden(it, name, node)
        return UNKNOWN_VALUE
    if name in ("torch.multiprocessing.spawn", "torch.multiprocessing.start_processes"):
        return v.NONE
    return NotImplemented


def _collective(it, name: str, collective, arguments: Arguments, node: ir.Node) -> Value:
    from torchlsp.ops.signature import NotBound, parse

    group: object = None
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
            case v.GroupValue(ranks=ranks):
                group = ranks if ranks is not None else "unknown"
            case v.External(name=full) if full.endswith("WORLD"):
                group = None
            case _:
                group = "unknown"
    short = name.rpartition(".")[2]
    it.recorder.add(Event(
        EventKind.COLLECTIVE, node.start, node.end, name=short, path=it.frame.module.path, group=group, node=it.frame.statement,
        hidden=short in ("new_group", "new_subgroups", "init_process_group", "destroy_process_group"),
    ))  # fmt: skip
    if short == "new_group":
        ranks = bound.get("ranks", UNKNOWN_VALUE)
        items = it.elements(ranks)
        numbers = [v.as_int(item) for item in items] if items is not None else [None]
        known = frozenset(numbers) if None not in numbers else None
        return v.GroupValue(f"group@{it.frame.site}:{node.start}", known)
    return UNKNOWN_VALUE


def hidden(it, name: str, node: ir.Node) -> None:
    """A call that runs collectives inside."""
    it.recorder.add(Event(
        EventKind.COLLECTIVE, node.start, node.end, name=name.rpartition(".")[2], path=it.frame.module.path, hidden=True,
        node=it.frame.statement,
    ))  # fmt: skip


def hidden_forward(it, wrapped: v.Wrapped, node: ir.Node) -> None:
    """DDP broadcasts buffers in forward and reduces gradients in backward; FSDP gathers parameters in forward."""
    if wrapped.qualname not in _COMMUNICATING:
        return
    from torchlsp.facts.tri import Tri

    if wrapped.qualname.endswith("DistributedDataParallel"):
        # without gradients nothing is reduced, and then only buffers, if there are any, are broadcast
        if it.state.modes.get("grad", Tri.YES) is not Tri.YES:
            return
    hidden(it, f"{wrapped.qualname}.forward", node)


_COMMUNICATING = frozenset({
    "torch.nn.parallel.DistributedDataParallel", "torch.distributed.fsdp.FullyShardedDataParallel",
})  # fmt: skip


def engine_rank(it, engine: v.Engine, name: str, node: ir.Node) -> Value | None:
    """The rank attributes of Accelerator, Fabric and their like."""
    origin = _origin(it, node)
    if name in collectives.MAIN_PROCESS_ATTRIBUTES:
        return Condition("rank", False, frozenset({0}), source=origin)
    if name in collectives.RANK_ATTRIBUTES:
        return v.RankValue(collectives.RANK_ATTRIBUTES[name], origin=origin)
    if name == "is_last_process":
        return Condition("rank", False, None, source=origin)
    return None


def engine_collective(it, engine: v.Engine, name: str, node: ir.Node) -> None:
    kind = "accelerate.Accelerator" if engine.qualname in optim.ACCELERATORS else "lightning.Fabric"
    if name in collectives.HIDDEN_METHODS[kind]:
        hidden(it, name, node)
