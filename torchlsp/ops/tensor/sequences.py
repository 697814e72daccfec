"""Evaluates sequences of different lengths in one tensor: torch.nn.utils.rnn.pad_sequence."""

from __future__ import annotations

from torchlsp.facts.content import Content
from torchlsp.facts.dim import Dim
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.values import Repeated, Value
from torchlsp.ops.call import Call
from torchlsp.ops.columns import through
from torchlsp.ops.table import TABLE


def _padded(c: Call) -> Value:
    """Returns (T, B, …), or (B, T, …) with `batch_first`; T is the length of the longest."""
    given = c.value("sequences")
    count: Dim | None
    if isinstance(given, Repeated):
        first, count = given.element, given.length
        lengths = set()
    else:
        items = c.tensors("sequences")
        if not items:
            return _filled_up(c, c.make(None, None, None, None, c.fresh_storage()))
        first, count = items[0], len(items)
        lengths = {item.shape[0] if item.shape else None for item in items}
    if not isinstance(first, TensorFact):
        return _filled_up(c, c.make(None, None, None, None, c.fresh_storage()))
    batch_first = c.flag("batch_first")
    shape = None
    if first.shape and batch_first is not None:
        numbers = [length for length in lengths if isinstance(length, int)]
        longest = max(numbers) if lengths and len(numbers) == len(lengths) else c.fresh("longest")
        outer = (c.fresh("count") if count is None else count, longest)
        shape = (*(outer if batch_first else outer[::-1]), *first.shape[1:])
    made = c.make(
        shape, first.dtype, first.device, None, c.fresh_storage(), through(c, first.dtype), parents=(first,)
    )
    word = "batch first" if batch_first else "time first"
    made = made if batch_first is None else made.but(provenance=word)
    return made if lengths and len(lengths) == 1 and None not in lengths else _filled_up(c, made)


def _filled_up(c: Call, padded: TensorFact) -> TensorFact:
    """Returns the result with the number that shorter sequences are filled up with, where it is a whole one."""
    number = c.int("padding_value")
    return padded if number is None else padded.but(content=Content(number, number, "padded"))


TABLE.row(
    "torch.nn.utils.rnn.pad_sequence", result=_padded,
    signature="sequences, batch_first=False, padding_value=0.0, padding_side='right'",
)  # fmt: skip
