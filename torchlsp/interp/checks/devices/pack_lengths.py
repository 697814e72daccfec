"""Detects lengths that `pack_padded_sequence` refuses.

It refuses lengths on a GPU, unsorted or not positive ones, and too many or too few.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.checks.hooks import Hooks
from torchlsp.interp.model.call_records import with_call
from torchlsp.ops.call import are_known
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

PACK = "torch.nn.utils.rnn.pack_padded_sequence"
_PARAMETERS = ("input", "lengths", "batch_first", "enforce_sorted")


def evaluate_pack(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    """Reports a call of `pack_padded_sequence` that raises.

    Its signature is `(input, lengths, batch_first=False, enforce_sorted=True)`.
    """
    if arguments.is_open:
        return UNKNOWN_VALUE
    given = dict(zip(_PARAMETERS, arguments.positional)) | dict(arguments.keywords)
    lengths = given.get("lengths", UNKNOWN_VALUE)
    if isinstance(lengths, TensorFact):
        if lengths.device is not None and lengths.device.is_host is Tri.NO:
            _report(it, arguments, node, "device", lengths.assumed & {"cuda", "tensor"}, ("lengths", lengths))
        return UNKNOWN_VALUE
    items = it.elements(lengths)
    numbers = [v.known(item, int) for item in items or ()]
    if not numbers or not are_known(numbers):
        return UNKNOWN_VALUE
    count, is_sorted = _batch(given), given.get("enforce_sorted", v.TRUE) == v.TRUE
    if is_sorted and numbers != sorted(numbers, reverse=True):
        _report(it, arguments, node, "order", frozenset())
    elif is_sorted and count is not None and count != len(numbers):
        # Unless sorted lengths are enforced, torch takes as many sequences as there are lengths.
        _report(it, arguments, node, "count", frozenset(), ("count", len(numbers)), ("batch", count))
    elif min(numbers) <= 0:
        _report(it, arguments, node, "empty", frozenset(), ("length", min(numbers)))
    return UNKNOWN_VALUE


def _batch(given: dict[str, Value]) -> int | None:
    """Returns the number of sequences in the batch."""
    tensor, first = given.get("input"), v.known(given.get("batch_first", v.FALSE), bool)
    if not isinstance(tensor, TensorFact) or first is None or tensor.shape is None or len(tensor.shape) < 2:
        return None
    size = tensor.shape[0 if first else 1]
    return size if isinstance(size, int) else None


def _report(
    it: Evaluator,
    arguments: Arguments,
    node: ir.Node,
    reason: str,
    assumptions: frozenset[str],
    *data: tuple[str, object],
) -> None:
    known = (("reason", reason), *data)
    fault = Fault(
        FaultKind.PACKED_LENGTHS,
        node.start,
        node.end,
        PACK,
        known,
        frozenset(assumptions),
        path=it.frame.module.path,
    )
    it.report(with_call(it, [fault], PACK, arguments))


HOOKS = Hooks(external_result={PACK: evaluate_pack})
