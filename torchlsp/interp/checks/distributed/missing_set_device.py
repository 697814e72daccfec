"""Reports programs with NCCL in which no process sets its device, so that all of them use the first GPU."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.interp.model.trace_flow import events
from torchlsp.interp.store.trace import EventKind
from torchlsp.program import ir
from torchlsp.program.walking import module_nodes, word

if TYPE_CHECKING:
    from torchlsp.interp.store.analysis import Analysis


_CHOOSES = re.compile(
    r"set_device|device_id|local_?rank|visible|device_count|gpu|current_device|rank_device|default_device|spawn|start_processes|"
    r"accelerat|lightning|deepspeed|horovod|fairscale|torch_xla|^ray$",
    re.IGNORECASE,
)
"""Words of files in which a process may set its device, or gets one."""
_SETS_UP = re.compile(r"dist|device|setup|set_up|init|launch|environ|cuda", re.IGNORECASE)
"""Functions of other files that may set it."""
_KNOWN = frozenset(
    {
        "init_process_group",
        "DistributedDataParallel",
        "DistributedSampler",
        "__init__",
        "cuda",
        "device",
        "is_initialized",
    }
)


def find_missing_set_device(analysis: Analysis) -> Iterator[Fault]:
    """Yields the models on the GPU that are wrapped while every process still has the first device."""
    wrapped = [
        event
        for root in analysis.roots
        for event in events(root.trace)
        if event.kind is EventKind.COLLECTIVE
        and event.name == "DistributedDataParallel"
        and event.path in (None, analysis.path)
    ]
    if not wrapped or analysis.module is None:
        return
    init = _init_with_nccl(analysis.module)
    if init is None or _may_choose(analysis.module):
        return
    seen: set[tuple[int, int]] = set()
    imports_os = any(
        ("os", "os", None) in node.names
        for node in module_nodes(analysis.module)
        if isinstance(node, ir.Import)
    )
    for event in wrapped:
        if (event.start, event.end) not in seen:
            seen.add((event.start, event.end))
            data = (("init", init), ("imports_os", imports_os))
            yield Fault(
                FaultKind.NO_DEVICE_CHOSEN,
                event.start,
                event.end,
                "DistributedDataParallel",
                data,
                path=analysis.path,
            )


def _init_with_nccl(module: ir.Module) -> ir.Call | None:
    """Returns the only call that creates the group, if that is with NCCL."""
    found = [
        node
        for node in module_nodes(module)
        if isinstance(node, ir.Call) and word(node.function) == "init_process_group"
    ]
    if len(found) != 1:
        return None
    (init,) = found
    backend = next(
        (value for key, value in init.keywords if key == "backend"), init.args[0] if init.args else None
    )
    return init if isinstance(backend, ir.Constant) and backend.value == "nccl" else None


def _may_choose(module: ir.Module) -> bool:
    """Returns whether a process may set its device, or the model may not be moved to "the GPU"."""
    moves = False
    own = {function.name for function in module.functions}
    if any(_CHOOSES.search(param.name) for function in module.functions for param in function.params):
        return True
    for node in module_nodes(module):
        match node:
            case ir.Import(names=names):
                if any(_CHOOSES.search(f"{source}.{attribute or ''}") for _, source, attribute in names):
                    return True
            case ir.Constant(value=str(text)) if len(text) < 60 and (
                _CHOOSES.search(text) or text.startswith("cuda:")
            ):
                return True
            case ir.Name(id=name) | ir.Attribute(name=name) if _CHOOSES.search(name):
                return True
            case ir.Call(function=function, args=args, keywords=keywords):
                name = word(function)
                if any(key and _CHOOSES.search(key) for key, _ in keywords):
                    return True
                if name == "cuda" and isinstance(function, ir.Attribute):
                    if args or keywords:
                        return True
                    moves = True
                elif name == "to":
                    if args and _is_text(args[0], "cuda"):
                        moves = True
                    elif any(not isinstance(arg, ir.Attribute) for arg in args):
                        return True  # an unknown device
                elif name == "device" and not (len(args) == 1 and _is_text(args[0], "cuda")):
                    return True
                elif name not in own and name not in _KNOWN and _SETS_UP.search(name):
                    return True
    return not moves


def _is_text(node: ir.Node, text: str) -> bool:
    return isinstance(node, ir.Constant) and node.value == text
