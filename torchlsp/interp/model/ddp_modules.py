"""Modules whose weights DistributedDataParallel has made the same on all ranks, and what is written to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp import ops
from torchlsp.facts import values as v
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.values import Value
from torchlsp.interp.model import module_tree
from torchlsp.interp.store.state import path_state
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

_DDP = "torch.nn.parallel.DistributedDataParallel"


REPLICATED = path_state("replicated", ())
"""Refs of the modules that are the same on all ranks."""


def wrapped(it: Evaluator, qualname: str, module: Value, arguments: Arguments, node: ir.Node) -> None:
    """A module was given to DistributedDataParallel: from here on its weights are the same on all ranks."""
    if qualname != _DDP or arguments.open_keywords or arguments.open_positional:
        return
    given = {name for name, value in arguments.keywords if value != v.NONE}
    if len(arguments.positional) > 1 or given & {"process_group", "device_mesh", "init_sync"}:
        return
    refs = module_tree.owned_refs(it, module)
    if refs:
        it.analysis.replicated[(it.frame.module.path, node.start, node.end)] = refs
        it.state.set(it.state.modes, REPLICATED, tuple(sorted(known(it) | refs)))


def known(it: Evaluator) -> frozenset[str]:
    """The refs of the modules that are wrapped on every way here."""
    return frozenset(it.state.modes[REPLICATED] or ())


def loaded(it: Evaluator, module: Value) -> str:
    """The name of the call, where a wrapped module's parameters (not only running statistics) are loaded."""
    for part in module_tree.submodules(it, module):
        row = ops.layer(part.qualname) if isinstance(part, v.LayerValue) else None
        if row is None or row.parameters is None or part.ref not in known(it):
            continue
        if any(_is_weight(name) for name in row.parameters(module_tree.layer_state(it, part))):
            return "torch.nn.Module.load_state_dict"
    return ""


def named(it: Evaluator, target: TensorFact, operator: str) -> tuple[str, str]:
    """The parameter that is certainly written to, and the operator where the parameter is a wrapped module's."""
    if len(target.storage.ids or ()) != 1:
        return "", ""
    name = min(target.storage.ids)
    ref, _, attribute = name.rpartition(".")
    if not _is_weight(attribute) or ref not in known(it):
        return name, ""
    return name, operator


def _is_weight(name: str) -> bool:
    """DistributedDataParallel sends the other tensors of a layer, its buffers, before each forward."""
    return not name.startswith("running_") and name != "num_batches_tracked"
