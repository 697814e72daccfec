"""Reports files that too many processes write: every rank of a group, or one process on each node.

Only paths that are equal in all processes count: texts, and what is composed of them without a word for ranks, hosts or times.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import Origin
from torchlsp.facts.values import Condition, Value
from torchlsp.interp.model.trace_flow import events, place
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
from torchlsp.program.reading import counts, names_of_target
from torchlsp.program.walking import module_nodes, walk, word

if TYPE_CHECKING:
    from torchlsp.interp.store.analysis import Analysis
    from torchlsp.interp.store.evaluator import Evaluator


_OWN = re.compile(
    r"rank|gpu|proc|pid|uuid|host|tmp|temp|time|date|worker|node|shard|local|device|scratch|_id$|^id$|stage|stream|buf|socket|part",
    re.IGNORECASE,
)
"""Words of paths that may differ between processes."""
_DECIDES = re.compile(
    r"rank|main|master|primary|chief|leader|save|proc|zero|gpu|dist|world|local|node|write|log|verbose|root|host|_id$|worker",
    re.IGNORECASE,
)
"""Words of tests that only one process may pass."""
_SHARED_STATE = re.compile(
    r"FSDP|FullyShard|fully_shard|deepspeed|accelerat|lightning|horovod|torch_xla|DTensor|megatron|checkpoint\.save|fairscale",
    re.IGNORECASE,
)
"""Libraries whose checkpoints all ranks write together, or that choose the rank themselves."""
_JOINS = frozenset({"join", "Path", "str", "format", "joinpath", "with_suffix", "PurePath"})


def record_save(it: Evaluator, path: ir.Node | None, value: Value, node: ir.Node, name: str) -> None:
    """Records a write to a path, or the call `name` of something that only one process should do."""
    if it.frame.module.uses_distributed:
        text = v.known(value, str)
        same = path is None or text is not None and not _OWN.search(text) or _is_same(path)
        if same and path is not None and text is None:
            function = it.frame.function
            body = it.frame.module.ir.body if function is None else function.body
            same = not any(_is_of_data(body, name) for name in _names(path))
        it.recorder.add(Event(
            EventKind.SAVE, node.start, node.end, name=name, path=it.frame.module.path, node=it.frame.statement,
            label="same" if same else "",
        ))  # fmt: skip


def _is_same(path: ir.Node) -> bool:
    """Returns whether a path is composed of texts and of names that do not differ between processes."""
    has_text = False
    to_visit = [path]
    while to_visit:
        node = to_visit.pop()
        match node:
            case ir.Constant(value=str(text)):
                if _OWN.search(text):
                    return False
                has_text |= bool(text.strip("/._-"))
            case ir.Constant():
                pass
            case ir.Name(id=name):
                if _OWN.search(name):
                    return False
            case ir.Attribute(object=inner, name=name):
                if _OWN.search(name):
                    return False
                to_visit.append(inner)
            case ir.JoinedString(parts=parts):
                to_visit.extend(parts)
            case ir.Binary(op="/" | "+" | "%", left=left, right=right):
                to_visit += [left, right]
            case ir.Call(function=function, args=args, keywords=()) if word(function) in _JOINS:
                to_visit.extend(args)
                if isinstance(function, ir.Attribute):
                    to_visit.append(function.object)
            case _:
                return False
    return has_text


def _names(node: ir.Node) -> Iterator[str]:
    return (one.id for one in walk((node,)) if type(one) is ir.Name)


def _is_of_data(body: tuple[ir.Node, ...], name: str, depth: int = 0) -> bool:
    """Returns whether a name is bound by a loop over data, of which each process may have its own part, or is made of such names."""
    for node in walk(body):
        match node:
            case ir.For(target=ir.Name(), iterable=iterable) if counts(iterable):
                pass
            case ir.For(target=target, iterable=iterable) if name in names_of_target(target):
                numbers = type(iterable) is ir.Call and word(iterable.function) == "enumerate"
                first = target.items[0] if type(target) is ir.Display and target.items else None
                if not (numbers and type(first) is ir.Name and first.id == name):
                    return True
            case ir.Assign(targets=(ir.Name(id=bound),), value=value) if bound == name and depth < _DEPTH:
                if any(_is_of_data(body, one, depth + 1) for one in _names(value) if one != name):
                    return True
    return False


_DEPTH = 3
"""How many assignments a name is followed through."""


# ---- written by every rank ---------------------------------------------------------------------------------------------


def find_saves_on_every_rank(analysis: Analysis) -> Iterator[Fault]:
    """Yields the files that all ranks write after the call that creates their group."""
    if analysis.module is None or not any(
        event.kind is EventKind.SAVE for root in analysis.roots for event in events(root.trace)
    ):
        return
    tests = {
        (node.test.start, node.test.end): node.test
        for node in module_nodes(analysis.module)
        if isinstance(node, ir.Branch)
    }
    if any(_SHARED_STATE.search(word) for word in _words(analysis.module)):
        return
    seen: set[tuple[str | None, int, int]] = set()
    for root in analysis.roots:
        walk = _AllRanksWalk(tests, analysis.path)
        walk.block(root.trace, True)
        for event, calls, init in walk.found:
            if place(event) in seen:
                continue
            seen.add(place(event))
            chain = tuple((call.path, call.start, call.end, call.name) for call in calls)
            yield Fault(
                FaultKind.SAVED_EVERYWHERE,
                event.start,
                event.end,
                event.name,
                (("init", init),),
                path=event.path,
                call_chain=chain,
            )


def _words(module: ir.Module) -> Iterator[str]:
    for node in module_nodes(module):
        if isinstance(node, ir.Import):
            for _, source, attribute in node.names:
                yield f"{source}.{attribute or ''}"
        elif isinstance(node, (ir.Name, ir.Attribute)):
            yield word(node)


class _AllRanksWalk:
    """Follows a trace for the writes that all ranks certainly do."""

    def __init__(self, tests: dict[tuple[int, int], ir.Node], path: str) -> None:
        self.tests = tests
        self.path = path
        self.init: Event | None = None
        self.calls: list[CallItem] = []
        self.found: list[tuple[Event, tuple[CallItem, ...], Event]] = []

    def block(self, items: tuple[Item, ...], certain: bool) -> bool:
        """Follows the items, and returns whether all ranks certainly reach their end."""
        for item in items:
            match item:
                case Event(kind=EventKind.COLLECTIVE, name="init_process_group", other=other) if (
                    other != "alone"
                ):
                    self.init = item
                case Event(kind=EventKind.SAVE, label="same", name="torch.save"):
                    if certain and self.init is not None:
                        self.found.append((item, tuple(self.calls), self.init))
                case BranchItem(body=body, orelse=orelse):
                    same = self._all_agree(item)
                    first = self.block(body, certain and same)
                    second = self.block(orelse, certain and same)
                    leaves = _exits(body) or _exits(orelse)
                    if leaves and not same or same and not (first and second):
                        certain = False
                case LoopItem(body=body) | IterationItem(body=body):
                    certain = self.block(body, certain)
                case CallItem(body=body):
                    self.calls.append(item)
                    self.block(body, certain)
                    self.calls.pop()
        return certain

    def _all_agree(self, item: BranchItem) -> bool:
        """Returns whether a test certainly has the same result on all ranks."""
        if item.condition is not None:
            return item.condition.kind in ("cuda", "group")
        test = self.tests.get((item.start, item.end)) if item.path in (None, self.path) else None
        return test is not None and _is_about_progress(test)


def _exits(items: tuple[Item, ...]) -> bool:
    """Returns whether some path leaves the items early."""
    for item in items:
        match item:
            case Exit():
                return True
            case BranchItem(body=body, orelse=orelse):
                if _exits(body) or _exits(orelse):
                    return True
            case LoopItem(body=body) | IterationItem(body=body):
                if _exits(body):
                    return True
    return False


def _is_about_progress(test: ir.Node) -> bool:
    """Recognizes `epoch % 10 == 0`, `acc > best`, `__name__ == "__main__"`: tests without a name of a process."""
    match test:
        case ir.Logical(operands=operands):
            return all(map(_is_about_progress, operands))
        case ir.Unary(op="not", operand=operand):
            return _is_about_progress(operand)
        case ir.Compare(left=ir.Name(id="__name__")):
            return True
        case ir.Compare(left=left, rights=rights):
            return all(map(_is_number, (left, *rights)))
        case ir.Binary(op="%"):
            return _is_number(test)
    return False


def _is_number(node: ir.Node) -> bool:
    match node:
        case ir.Constant(value=value):
            return isinstance(value, (int, float))
        case ir.Name(id=name):
            return not _DECIDES.search(name)
        case ir.Attribute(object=inner, name=name):
            return not _DECIDES.search(name) and _is_number(inner)
        case ir.Binary(left=left, right=right):
            return _is_number(left) and _is_number(right)
        case ir.Call(function=ir.Attribute(name="item") as function, args=()):
            return _is_number(function.object)
        case ir.Call(function=ir.Name(id="len"), args=(one,)):
            return _is_number(one)
    return False


# ---- written once on each node -----------------------------------------------------------------------------------------


def find_saves_on_every_node(analysis: Analysis) -> Iterator[Fault]:
    """Yields the tests of the local rank for what should be done once, not on each node."""
    seen: set[tuple[str | None, int, int]] = set()
    for root in analysis.roots:
        for branch, event in _first_of_node(root.trace, None, False):
            key = (branch.path, branch.start, branch.end)
            if key in seen:
                continue
            seen.add(key)
            assumptions = frozenset(
                {"convention"} if branch.condition is not None and branch.condition.convention else ()
            )
            data = (
                ("condition", branch.condition),
                ("call", event),
                ("test", Origin(branch.start, branch.end, "if", (), branch.path)),
            )
            yield Fault(
                FaultKind.SAVED_ON_NODES,
                branch.start,
                branch.end,
                event.name,
                data,
                assumptions,
                path=branch.path,
            )


def _first_of_node(
    items: tuple[Item, ...], test: BranchItem | None, other: bool
) -> Iterator[tuple[BranchItem, Event]]:
    """Yields the writes of local rank 0.  `test`: the test of it that holds here; `other`: another test of ranks holds, too."""
    for item in items:
        match item:
            case Event(kind=EventKind.SAVE, label="same") if test is not None and not other:
                yield test, item
            case BranchItem(condition=condition, body=body, orelse=orelse):
                side = _local_rank_0(condition)
                ranked = condition is not None and condition.kind == "rank" and side is None
                for holds, arm in ((True, body), (False, orelse)):
                    yield from _first_of_node(
                        arm, item if side is holds and test is None else test, other or ranked
                    )
                if (
                    side is not None
                    and test is None
                    and any(isinstance(one, Exit) for one in (orelse if side else body))
                ):
                    test = item
                elif ranked and any(isinstance(one, Exit) for one in (*body, *orelse)):
                    other = True
            case LoopItem(body=body) | IterationItem(body=body) | CallItem(body=body):
                yield from _first_of_node(body, test, other)


def _local_rank_0(condition: Condition | None) -> bool | None:
    """Returns the result of the test on local rank 0 alone; None for any other test."""
    if condition is None or condition.kind != "rank" or condition.scope != "local":
        return None
    if condition.ranks != frozenset({0}) or condition.mixed is not None:
        return None
    return not condition.negated


# ---- the global rank as a device ---------------------------------------------------------------------------------------

_NODE_WORDS = re.compile(
    r"local|device_count|spawn|start_processes|Process$|node|SLURM|visible|per_", re.IGNORECASE
)
"""Words of files that count devices, or start processes themselves."""


def report_global_rank_as_device(it: Evaluator, value: Value, node: ir.Node) -> None:
    """Reports a global rank as the index of a device; a rank known only by its name may be a local one."""
    if type(value) is not v.RankValue or value.scope != "global" or value.convention:
        return
    module = it.main.ir
    mentions_nodes: bool | None = module.memo.get("speaks of nodes")
    if mentions_nodes is None:
        words = (
            *_words(module),
            *(
                inner.value
                for inner in module_nodes(module)
                if isinstance(inner, ir.Constant) and isinstance(inner.value, str)
            ),
        )
        mentions_nodes = module.memo["speaks of nodes"] = any(_NODE_WORDS.search(word) for word in words)
    if not mentions_nodes and it.frame.module is it.main:
        it.report(
            [Fault(FaultKind.RANK_AS_DEVICE, node.start, node.end, "device", (), path=it.frame.module.path)]
        )
