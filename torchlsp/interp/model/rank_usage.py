"""Returns whether a file may choose data by the rank, or uses ranks only for devices, processes and messages.

Ranks are known by their names (`rank`, `world_size`, `args.gpu`) and by their sources.  Any use of a rank that is not known
to be independent of data counts as a choice of data.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Union

from torchlsp.program import ir
from torchlsp.program.walking import children, module_nodes, word

_Args = tuple[ir.Node, ...]
_Keywords = tuple[tuple[Union[str, None], ir.Node], ...]

_RANKED = re.compile(r"rank|world|replica|gpu|nproc|num_proc|process_i|device_id|local_id", re.IGNORECASE)
_VARIABLE = re.compile(r"RANK$|WORLD_SIZE$|PROCID$|LOCALID$")
_CHOOSES = re.compile(
    r"shard|by_node|device_mesh|parallelize|process_group$|new_group|new_subgroups|scatter|broadcast|^i?send$|^i?recv$|"
    r"all_to_all|batch_isend|IterableDataset"
)
_KEEPS = frozenset({"init_process_group", "destroy_process_group"})
"""Names that match `_CHOOSES` but do not choose data."""
_ELSEWHERE = frozenset({
    "accelerate", "lightning", "pytorch_lightning", "deepspeed", "horovod", "webdataset", "datasets", "ray", "ffcv", "nvidia",
    "torchdata", "fairscale", "ignite", "composer", "streaming", "megatron", "petastorm", "torch_xla", "catalyst", "colossalai",
})  # fmt: skip
"""Libraries that give each rank its part of the data by themselves."""
_TAKES = frozenset({
    "init_process_group", "set_device", "device", "print", "info", "debug", "warning", "to", "cuda", "DistributedDataParallel",
    "DDP", "spawn", "start_processes", "Process", "DistributedSampler", "barrier", "add_argument",
    "all_reduce", "reduce", "all_gather", "all_gather_object", "gather_object",
})  # fmt: skip
"""Functions that may take a rank without choosing data by it."""
_CONVERTS = frozenset({"int", "str", "range"})
_DRAWS = re.compile(
    r"^(rand|randn|randint|randperm|random|normal|uniform|choice|shuffle|random_split|sample)$"
)
_SEEDS = re.compile(r"^(manual_seed|seed|seed_everything|set_seed|default_rng)$")


def leaves_data_alone(module: ir.Module) -> bool:
    """Returns whether the file certainly starts several processes, none of which chooses data by its rank."""
    return _RankUses(module).leave_data_alone()


class _RankUses:
    """Walks all uses of ranks in one file."""

    def __init__(self, module: ir.Module) -> None:
        self.module = module
        self.functions = {function.name: function for function in module.functions}
        self.classes = {cls.name: cls for cls in module.classes}

    def leave_data_alone(self) -> bool:
        draws = seeds = False
        for node in module_nodes(self.module):
            if isinstance(node, ir.Import):
                if any(source.partition(".")[0] in _ELSEWHERE for _, source, _ in node.names):
                    return False
            name = word(node)
            if name and _CHOOSES.search(name) and name not in _KEEPS:
                return False
            if isinstance(node, ir.Call):
                called = word(node.function)
                draws |= bool(_DRAWS.search(called))
                seeds |= bool(_SEEDS.search(called))
                if any(key and _CHOOSES.search(key) for key, _ in node.keywords):
                    return False
        if draws and not seeds:
            return False  # random numbers differ from rank to rank
        return not any(self._chooses(self.module.body))

    def _chooses(self, body: Iterable[ir.Node], ranked: bool = False) -> Iterator[bool]:
        """Yields for each statement whether it may choose data by the rank.  `ranked`: only some ranks run it."""
        for node in body:
            yield self._statement(node, ranked)

    def _statement(self, node: ir.Node, ranked: bool = False) -> bool:
        match node:
            case ir.Assign(targets=targets, value=value):
                return ranked or self._assigned(targets, value)
            case ir.Augmented(value=value):
                return ranked or self._used(value, False)
            case ir.Branch(test=test, body=body, orelse=orelse):
                inner = ranked or any(map(_is_rank, _below(test)))
                return self._used(test, True) or any(self._chooses((*body, *orelse), inner))
            case ir.Return(value=value):
                return value is not None and (ranked or self._used(value, False))
            case ir.Define(function=function):
                named = bool(_RANKED.search(function.name))
                for statement in function.body:
                    if named and isinstance(statement, ir.Return) and statement.value is not None:
                        if self._used(statement.value, True):
                            return True
                    elif self._statement(statement, ranked):
                        return True
                return False
            case ir.Expression(value=value):
                return self._used(value, False)
            case ir.Assert(test=test):
                return self._used(test, True)
            case ir.For(target=target, iterable=iterable, body=body, orelse=orelse):
                return self._used(iterable, _is_rank(target)) or any(self._chooses((*body, *orelse), ranked))
        return any(
            self._statement(part, ranked) if _is_statement(part) else self._used(part, False)
            for part in _parts(node)
        )

    def _assigned(self, targets: tuple[ir.Node, ...], value: ir.Node) -> bool:
        pairs = [(target, value) for target in targets]
        while pairs:
            target, given = pairs.pop()
            if isinstance(target, ir.Display):
                if isinstance(given, ir.Display) and len(given.items) == len(target.items):
                    pairs += zip(target.items, given.items)
                    continue
                if self._used(given, all(map(_is_rank, target.items))):
                    return True
                continue
            named = _is_rank(target)
            if named and isinstance(given, ir.Constant) and given.value in (0, 1, "0", "1"):
                return True  # one process
            if self._used(given, named) or (
                isinstance(target, ir.Subscript) and self._used(target.object, False)
            ):
                return True
        return False

    def _used(self, node: ir.Node | None, fine: bool) -> bool:
        """Returns whether the expression may choose data by a rank.  `fine`: the value itself may be a rank."""
        if _is_rank(node):
            return not fine
        match node:
            case ir.Lambda() | ir.Conditional(test=ir.Node()):
                return any(map(_is_rank, _below(node)))
            case ir.JoinedString(parts=parts):
                first = parts[0] if parts else None
                text = first.value if isinstance(first, ir.Constant) else ""
                fine = fine or (isinstance(text, str) and text.startswith("cuda"))
            case ir.Call(function=function, args=args, keywords=keywords):
                return self._called(function, args, keywords, fine)
        return any(self._used(part, fine) for part in _parts(node))

    def _called(self, function: ir.Node, args: _Args, keywords: _Keywords, fine: bool) -> bool:
        name = word(function)
        if self._used(getattr(function, "object", None), False):
            return True
        given = [*args, *(value for _, value in keywords)]
        if name in _CONVERTS:
            return any(self._used(one, fine) for one in given)
        if name == "init_process_group":
            alone = any(
                key in ("rank", "world_size") and isinstance(value, ir.Constant) and value.value != -1
                for key, value in keywords
            )
            if alone:
                return True
        if name in ("spawn", "start_processes", "Process"):
            return self._spawned(name, args, dict(keywords))
        if name in _TAKES:
            return any(self._used(one, True) for one in given)
        own = self.functions.get(name)
        if own is None and name in self.classes:
            own = next(
                (one for one in self.module.functions if one.owner == name and one.name == "__init__"), None
            )
        if own is not None and isinstance(function, ir.Name):
            params = [param.name for param in own.params if param.name != "self"]
            named = [bool(_RANKED.search(param)) for param in params]
            for index, one in enumerate(args):
                if self._used(one, index < len(named) and named[index]):
                    return True
            return any(self._used(value, bool(key and _RANKED.search(key))) for key, value in keywords)
        return any(self._used(one, False) for one in args) or any(
            self._used(value, key == "disable") for key, value in keywords
        )

    def _spawned(self, name: str, args: _Args, keywords: dict[str | None, ir.Node]) -> bool:
        """Returns whether a process gets its rank under another name, or there is one process only."""
        target = keywords.get("target" if name == "Process" else "fn", args[0] if args else None)
        function = self.functions.get(word(target))
        if function is None or not function.params or not _RANKED.search(function.params[0].name):
            return True
        count = keywords.get("nprocs", args[2] if len(args) > 2 else None)
        if name != "Process" and (count is None or isinstance(count, ir.Constant) and count.value == 1):
            return True
        handed = keywords.get("args", args[1] if len(args) > 1 else None)
        items = handed.items if isinstance(handed, ir.Display) else () if handed is None else (handed,)
        params = function.params if name == "Process" else function.params[1:]
        for index, one in enumerate(items):
            named = index < len(params) and bool(_RANKED.search(params[index].name))
            if self._used(one, named) or (named and isinstance(one, ir.Constant) and one.value in (0, 1)):
                return True
        return False


def _is_rank(node: ir.Node | None) -> bool:
    """Returns whether an expression is a rank by its name, or by a call of os.environ or torch.distributed."""
    match node:
        case ir.Name() | ir.Attribute():
            return bool(_RANKED.search(word(node)))
        case ir.Constant(value=str(text)):
            return bool(_VARIABLE.search(text))
        case ir.Call(function=function, args=(ir.Constant(value=str(text)), *_)) if word(function) in (
            "get",
            "getenv",
        ):
            return bool(_VARIABLE.search(text))
        case ir.Call(function=function):
            return word(function) in ("get_rank", "get_world_size", "get_local_rank", "get_node_local_rank")
        case ir.Subscript(index=ir.Constant(value=str(text))):
            return bool(_VARIABLE.search(text))
        case ir.Starred(value=value):
            return _is_rank(value)
    return False


def _is_statement(node: ir.Node) -> bool:
    return isinstance(node, (
        ir.Assign, ir.Augmented, ir.Branch, ir.Return, ir.Define, ir.DefineClass, ir.Expression, ir.Assert, ir.For, ir.While,
        ir.With, ir.Try, ir.Handler, ir.Match, ir.Case, ir.Raise, ir.Class,
    ))  # fmt: skip


def _parts(node: ir.Node | None) -> Iterator[ir.Node]:
    """Yields the children of a node."""
    to_visit = list(children(type(node))(node)) if isinstance(node, ir.Node) else []
    while to_visit:
        part = to_visit.pop()
        if isinstance(part, (tuple, list)):
            to_visit.extend(part)
        elif isinstance(part, ir.Node):
            yield part


def _below(node: ir.Node) -> Iterator[ir.Node]:
    """Yields a node and all nodes below it."""
    yield node
    for part in _parts(node):
        yield from _below(part)
