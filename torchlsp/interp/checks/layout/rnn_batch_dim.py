"""Detects inputs of RNN, LSTM and GRU whose batch dim is in the wrong place, which raises no error.

These layers take time first, (T, B, F), unless `batch_first` is set.  Inputs are reported if their batch dim is known: the
batch of a DataLoader, or samples that were stacked.  Outputs are reported if they are indexed as if the batch were the other dim.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.core.records import replace
from torchlsp.facts import dim as dims
from torchlsp.facts import values as v
from torchlsp.facts.dim import Dim
from torchlsp.facts.fault import Called, Fault, FaultKind
from torchlsp.facts.layout import ROW_MAJOR
from torchlsp.facts.tensor import TensorFact, first_operands
from torchlsp.facts.values import Value
from torchlsp.interp.checks.hooks import Hooks, for_names
from torchlsp.interp.checks.modules.training_mode import TrainingModes
from torchlsp.interp.model.call_records import record_of_call
from torchlsp.interp.store.heap_keys import BATCH_SIZE, RECURRENT
from torchlsp.ops.signature import Arguments
from torchlsp.ops.table import LayerState
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

LAYERS = frozenset({"torch.nn.RNN", "torch.nn.LSTM", "torch.nn.GRU"})
_SAMPLE_SOURCES = frozenset(
    "torch.randn torch.rand torch.zeros torch.ones torch.full torch.tensor torch.from_numpy torch.as_tensor torch.load".split()
)
_PER_TOKEN = frozenset({
    "torch.nn.Embedding", "torch.nn.functional.embedding", "torch.nn.Dropout", "torch.nn.functional.dropout",
    "torch.nn.LayerNorm", "torch.nn.Linear", "torch.nn.functional.linear",
    "Tensor.float", "Tensor.long", "Tensor.to", "Tensor.cuda", "Tensor.cpu",
})  # fmt: skip
"""Operators that compute each result from what stands at the same place of their first operand, and add no dim before it."""
_FULL_SLICE = v.SliceValue(v.NONE, v.NONE, v.NONE)


def record_batch_size(it: Evaluator, size: Dim) -> None:
    """Records a size as the batch size of a loader; sizes that are numbers are not recorded."""
    if isinstance(size, dims.Poly):
        it.state.set(it.state.heap, (str(size), BATCH_SIZE), True)


def is_batch_size(it: Evaluator, size: Dim) -> bool:
    """Returns whether a size is the batch size of a loader."""
    return isinstance(size, dims.Poly) and it.state.heap.get((str(size), BATCH_SIZE)) is True


def check_rnn_input(
    it: Evaluator, layer: v.LayerValue, state: LayerState, arguments: Arguments, node: ir.Node
) -> None:
    """Records the call of a recurrent layer, and reports an input whose batch dim is in the wrong place."""
    batch_first = state.flag("batch_first")
    tensor = arguments.positional[0] if arguments.positional else dict(arguments.keywords).get("input")
    if batch_first is None or not isinstance(tensor, TensorFact):
        return
    called = record_of_call(it, layer.qualname, arguments, (layer, state))
    path = it.frame.module.path
    it.state.set(
        it.state.heap, (_call_key(path, node.start), RECURRENT), (batch_first, layer, tensor, called)
    )
    known_batch = _batch_dim(it, tensor)
    if known_batch is None:
        return
    batch, reason = known_batch
    if batch == (0 if batch_first else 1):
        return
    data = (("input", tensor), ("batch", batch), ("batch_first", batch_first), ("reason", reason))
    assumed = tensor.assumed - {"layout"}
    it.report([
        Fault(
            FaultKind.RNN_LAYOUT, node.start, node.end, layer.qualname, (*data, ("made", layer.origin)), assumed,
            path=path, called=called,
        )
    ])  # fmt: skip


def check_output_index(it: Evaluator, tensor: TensorFact, index: Value, node: ir.Node) -> None:
    """Reports an index that takes the last sample of an output, not the last step.

    That is `out[:, -1]` with time first, and `out[-1]` with the batch first.
    """
    origin = tensor.origin
    if origin is None or origin.op not in LAYERS or (tensor.rank or 3) != 3:
        return
    recorded = it.state.heap.get((_call_key(origin.path, origin.start), RECURRENT))
    if not isinstance(recorded, tuple) or not _is_output(tensor):
        return
    batch_first, layer, given, called = recorded
    indexed = _last_along(index)
    if indexed is None or indexed == (1 if batch_first else 0):
        return
    batch = 1 - indexed
    sizes = tensor.shape or given.shape
    if batch_first and tensor.shape is None:
        return
    if sizes is not None and (len(sizes) != 3 or sizes[indexed] == 1):
        return
    data = (("input", given), ("batch", batch), ("batch_first", batch_first), ("reason", "index"))
    used = replace(origin, start=node.start, end=node.end, path=it.frame.module.path)
    shown = given if given.shape is not None else _generic(given, layer)
    assumed = (given.assumed | tensor.assumed) - {"layout"}
    it.report([
        Fault(
            FaultKind.RNN_LAYOUT, origin.start, origin.end, layer.qualname,
            (*data, ("made", layer.origin), ("used", used)), assumed, path=origin.path,
            called=_with_input(called, shown),
        )
    ])  # fmt: skip


def _call_key(path: str | None, start: int) -> str:
    """Returns the heap's key of a call of a recurrent layer."""
    return f"{path}:{start}"


def _is_output(tensor: TensorFact) -> bool:
    """Returns whether a tensor is the output of a layer and not a state; storage ids of states contain a dot."""
    ids = tensor.storage.ids
    return ids is not None and all("." not in storage_id.rpartition(":")[2] for storage_id in ids)


def _last_along(index: Value) -> int | None:
    """Returns the dim of which an index takes the last entry: 1 for `[:, -1]`, 0 for `[-1, :, :]`."""
    items = index.items if isinstance(index, v.TupleValue) else (index,)
    if not items or len(items) > 3:
        return None
    kinds = ["all" if item == _FULL_SLICE else "last" if v.as_int(item) == -1 else "other" for item in items]
    if kinds[0] == "last" and "last" not in kinds[1:] and "other" not in kinds:
        return 0
    return 1 if kinds[:2] == ["all", "last"] and kinds[2:] in ([], ["all"]) else None


def _batch_dim(it: Evaluator, tensor: TensorFact) -> tuple[int, str] | None:
    """Returns the dim of an input of three dims that is certainly the batch, and how that is known."""
    shape = tensor.shape
    if shape is None or len(shape) != 3:
        return None
    batch_dims = [dim for dim in (0, 1) if is_batch_size(it, shape[dim])]
    if batch_dims:
        return (batch_dims[0], "loader") if len(batch_dims) == 1 else None
    if _is_batch_of_loader(it, tensor):
        return 0, "loader"
    origin = tensor.origin
    if origin is not None and origin.op == "torch.nn.utils.rnn.pad_sequence":
        return {"batch first": (0, "padded"), "time first": (1, "padded")}.get(tensor.provenance or "")
    if origin is None or origin.op != "torch.stack" or len(origin.parents) < 2:
        return None
    parts = origin.parents
    are_samples = all(
        part.origin is not None and part.origin.op in _SAMPLE_SOURCES and part.shape == shape[1:]
        for part in parts
    )
    created_at = {(part.origin.path, part.origin.start) for part in parts if part.origin is not None}
    if are_samples and len(created_at) == len(parts) and shape[1] != 1:
        return 0, "stack"
    return None


def _is_batch_of_loader(it: Evaluator, tensor: TensorFact) -> bool:
    """Returns whether a tensor is a batch of a loader, or was computed from one token by token; its size may be a number."""
    if tensor.shape is None or tensor.shape[0] == 1:
        return False
    batches = it.states[TrainingModes].batches
    for operand in first_operands(tensor):
        ids, origin = operand.storage.ids or frozenset(), operand.origin
        above = origin.parents[0].storage.ids if origin is not None and origin.parents else None
        if not batches.isdisjoint(ids) and ids.isdisjoint(above or ()):  # not a view of the batch
            return operand.shape is not None and operand.shape[:2] == tensor.shape[:2]
        if origin is None or origin.op not in _PER_TOKEN:
            return False
    return False


def _generic(tensor: TensorFact, layer: v.LayerValue) -> TensorFact:
    """Returns an input of three dims for the program that proves the finding; only the number of features is known."""
    features = v.as_dim(layer["input_size"])
    sizes = (dims.symbol("?rnn.batch"), dims.symbol("?rnn.time"), 4 if features is None else features)
    return tensor.but(shape=sizes, layout=ROW_MAJOR)


def _with_input(called: Called, tensor: TensorFact) -> Called:
    """Returns the call with another input, and without initial states."""
    if called.args:
        return replace(called, args=(tensor, *called.args[1:2]))
    return replace(
        called,
        keywords=tuple((name, tensor if name == "input" else value) for name, value in called.keywords),
    )


HOOKS = Hooks(layer_call=for_names(LAYERS, check_rnn_input))
