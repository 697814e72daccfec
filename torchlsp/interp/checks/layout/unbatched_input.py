"""Detects batches without a channel dim, of which a convolution takes the batch for the channels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import TensorFact
from torchlsp.interp.checks.layout.rnn_batch_dim import is_batch_size
from torchlsp.interp.model.call_records import record_of_call
from torchlsp.ops.signature import Arguments
from torchlsp.ops.table import LayerState
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

SPATIAL = {f"torch.nn.{name}{count}d": count for name in ("Conv", "ConvTranspose") for count in (1, 2, 3)}


def report_batch_as_channels(
    it: Evaluator, layer: v.LayerValue, state: LayerState, arguments: Arguments, node: ir.Node
) -> bool:
    """Reports an input that is the batch of a loader and has one dim too few; returns whether it is one.

    This rests on the assumption that the size of the batch is not by chance the layer's number of channels.
    """
    spatial = SPATIAL[layer.qualname]
    tensor = arguments.positional[0] if arguments.positional else None
    taken = state.dim("in_channels")
    if not isinstance(tensor, TensorFact) or tensor.shape is None or taken is None:
        return False
    if len(tensor.shape) != spatial + 1:
        return False
    batch = tensor.shape[0]
    if taken == batch or not is_batch_size(it, batch):
        return False
    data = (
        ("layer", layer.qualname), ("input", tensor), ("expected", taken), ("got", batch), ("chain", False),
        ("made", layer.origin),
    )  # fmt: skip
    it.report([
        Fault(
            FaultKind.LAYER_CHAIN, node.start, node.end, layer.qualname, data,
            (tensor.assumed - {"layout"}) | {"batch"}, path=it.frame.module.path,
            called=record_of_call(it, layer.qualname, arguments, (layer, state)),
        )
    ])  # fmt: skip
    return True
