"""Detects `to(device, non_blocking=True)` of batches that are not in pinned memory.

The copy blocks after all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import Origin, TensorFact
from torchlsp.interp.checks.hooks import Hooks, for_names
from torchlsp.interp.model import module_tree
from torchlsp.interp.store.lifetimes import per_root, running_state
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.facts.values import Value
    from torchlsp.interp.store.evaluator import Evaluator

MOVES = frozenset({"Tensor.to", "Tensor.cuda", "Tensor.pin_memory"})


@running_state
class PinnedMemory:
    """Loaders that do not pin memory, and memory that is pinned later."""

    unpinned: dict[str, Origin] = per_root(dict)
    """By the ref of the loader, and by the site of its batches."""
    pinned: set[str] = per_root(set)


def record_loader(
    it: Evaluator,
    loader: v.LoaderValue,
    given: dict[str, Value],
    element: Value,
    arguments: Arguments,
    node: ir.Node,
) -> None:
    """Records a loader that does not pin memory; all of its arguments are known."""
    if not arguments.is_open and given.get("pin_memory", v.FALSE) == v.FALSE:
        it.states[PinnedMemory].unpinned[loader.ref] = Origin(
            node.start, node.end, "torch.utils.data.DataLoader", (), it.frame.module.path
        )


def record_batches(it: Evaluator, loader: v.LoaderValue, site: str) -> None:
    """Records the site after which the memory of a loader's batches is named."""
    if loader.ref in it.states[PinnedMemory].unpinned:
        it.states[PinnedMemory].unpinned[f"{site}."] = it.states[PinnedMemory].unpinned[loader.ref]


def report_unpinned_copy(it: Evaluator, node: ir.Node, name: str, arguments: Arguments) -> None:
    """Reports a non-blocking copy to the GPU of a batch whose loader does not pin memory."""
    given, tensor = dict(arguments.keywords), arguments.positional[0] if arguments.positional else None
    if type(tensor) is not TensorFact or not tensor.storage.ids:
        return
    if name == "Tensor.pin_memory":
        it.states[PinnedMemory].pinned |= tensor.storage.ids
    if given.get("non_blocking") != v.TRUE or tensor.storage.ids & it.states[PinnedMemory].pinned:
        return
    if tensor.device is None or tensor.device.kind != "cpu":
        return
    target = given.get("device", arguments.positional[1] if len(arguments.positional) > 1 else None)
    device = module_tree.device_of(it, target) if target is not None else None
    if name == "Tensor.to" and (device is None or device.kind != "cuda"):
        return
    loaders = {_loader(it, storage_id) for storage_id in tensor.storage.ids}
    loader = next(iter(loaders)) if len(loaders) == 1 else None
    if loader is not None:
        data = (("loader", loader),)
        it.report([Fault(FaultKind.UNPINNED, node.start, node.end, name, data, path=it.frame.module.path)])


def _loader(it: Evaluator, storage: str) -> Origin | None:
    return next(
        (place for site, place in it.states[PinnedMemory].unpinned.items() if f"{storage}.".startswith(site)),
        None,
    )


def _moved(it: Evaluator, node: ir.Node, name: str, arguments: Arguments, layer: object) -> None:
    if it.states[PinnedMemory].unpinned:
        report_unpinned_copy(it, node, name, arguments)


HOOKS = Hooks(applied=for_names(MOVES, _moved), loader_created=record_loader)
