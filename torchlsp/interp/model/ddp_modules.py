"""Tracks the modules whose weights DistributedDataParallel makes equal on all ranks, and writes to them."""

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
"""Refs of the modules whose weights are equal on all ranks."""


def record_wrapping(it: Evaluator, qualname: str, module: Value, arguments: Arguments, node: ir.Node) -> None:
    """Records that a module is passed to DistributedDataParallel: from here on its weights are equal on all ranks."""
    if qualname != _DDP or arguments.is_open:
        return
    given = {name for name, value in arguments.keywords if value != v.NONE}
    if len(arguments.positional) > 1 or given & {"process_group", "device_mesh", "init_sync"}:
        return
    refs = module_tree.owned_refs(it, module)
    if refs:
        call = (it.frame.module.path, node.start, node.end)
        replicated = it.analysis.replicated
        replicated[call] = (
            replicated.get(call, frozenset()) | refs
        )  # one call may wrap several modules in turn
        it.state.set(it.state.modes, REPLICATED, tuple(sorted(replicated_refs(it) | refs)))


def replicated_refs(it: Evaluator) -> frozenset[str]:
    """Returns the refs of the modules that are wrapped on every path to the running code."""
    return frozenset(it.state.modes[REPLICATED] or ())


def loading_call(it: Evaluator, module: Value) -> str:
    """Returns `torch.nn.Module.load_state_dict` if it loads parameters of a wrapped module, not only running statistics."""
    for part in module_tree.submodules(it, module):
        if not isinstance(part, v.LayerValue):
            continue
        row = ops.layer(part.qualname)
        if row is None or row.parameters is None or part.ref not in replicated_refs(it):
            continue
        if any(_is_weight(name) for name in row.parameters(module_tree.layer_state(it, part))):
            return "torch.nn.Module.load_state_dict"
    return ""


def written_parameter(it: Evaluator, target: TensorFact, operator: str) -> tuple[str, str]:
    """Returns the parameter that is certainly written to, and the operator if it is a parameter of a wrapped module."""
    ids = target.storage.ids
    if ids is None or len(ids) != 1:
        return "", ""
    name = min(ids)
    ref, _, attribute = name.rpartition(".")
    if not _is_weight(attribute) or ref not in replicated_refs(it):
        return name, ""
    return name, operator


def _is_weight(name: str) -> bool:
    """Returns whether a name is not that of a buffer of a norm layer, which DDP broadcasts before each forward."""
    return not name.startswith("running_") and name != "num_batches_tracked"
