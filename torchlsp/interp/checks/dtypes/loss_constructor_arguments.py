"""Detects losses constructed from what their call takes: `nn.CrossEntropyLoss(prediction, target)`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.values import Value
from torchlsp.interp.checks.hooks import Hooks, for_names
from torchlsp.interp.model.call_records import record_of_call
from torchlsp.ops.marks import WORDS
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

_WEIGHTS = ("weight", "pos_weight")
_LEGACY = ("size_average", "reduce", "reduction")
LOSSES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(
        ("torch.nn.MSELoss", "torch.nn.L1Loss", "torch.nn.SmoothL1Loss", "torch.nn.KLDivLoss", "torch.nn.SoftMarginLoss"),
        _LEGACY,
    ),
    "torch.nn.HuberLoss": ("reduction", "delta"),
    "torch.nn.CrossEntropyLoss": ("weight", "size_average", "ignore_index", "reduce", "reduction"),
    "torch.nn.NLLLoss": ("weight", "size_average", "ignore_index", "reduce", "reduction"),
    "torch.nn.BCELoss": ("weight", *_LEGACY),
    "torch.nn.BCEWithLogitsLoss": ("weight", *_LEGACY, "pos_weight"),
    "torch.nn.MultiLabelSoftMarginLoss": ("weight", *_LEGACY),
    "torch.nn.HingeEmbeddingLoss": ("margin", *_LEGACY),
    "torch.nn.CosineEmbeddingLoss": ("margin", *_LEGACY),
    "torch.nn.MarginRankingLoss": ("margin", *_LEGACY),
    "torch.nn.TripletMarginLoss": ("margin", "p", "eps", "swap", *_LEGACY),
}  # fmt: skip
"""The parameters of loss layers' constructors, in order.  None of them but the weights takes a tensor of several elements."""

_RESULTS = frozenset({"backward", "item"})
"""Methods that are called on a loss and that no module has."""


def report_tensor_options(it: Evaluator, name: str, arguments: Arguments, node: ir.Node) -> None:
    """Reports a constructor that gets tensors in the place of its options."""
    given = arguments.positional
    if len(given) < 2 or arguments.is_open:
        return
    if any(map(_is_misplaced, LOSSES[name], given)) or _is_prediction(given[0]):
        _report(it, name, arguments, node.start, node.end, it.frame.module.path)


def _is_misplaced(parameter: str, value: Value) -> bool:
    """Returns whether a value is a tensor in the place of an option.  A margin may be a tensor of one
    element."""
    if not isinstance(value, TensorFact) or parameter in _WEIGHTS:
        return False
    return parameter in _LEGACY or bool(value.rank)


def _is_prediction(value: Value) -> bool:
    """Returns whether a value cannot be class weights: a network's result, or 2-D and more."""
    if not isinstance(value, TensorFact):
        return False
    return value.provenance in WORDS or (value.rank is not None and value.rank >= 2)


def report_use_as_loss(it: Evaluator, layer: v.LayerValue, method: str) -> None:
    """Reports the constructor of a loss layer that is used as a loss itself: a module has no `backward`.

    That is so where the constructor got two values that may be tensors.
    """
    parameters = LOSSES.get(layer.qualname)
    if parameters is None or method not in _RESULTS or layer.origin is None:
        return
    config = dict(layer.config)
    first = [config.get(name, v.NONE) for name in parameters[:2]]
    if all(isinstance(value, (v.Unknown, v.Parameter, TensorFact)) for value in first):
        place = layer.origin
        _report(it, layer.qualname, Arguments(tuple(first)), place.start, place.end, place.path)


def _report(it: Evaluator, name: str, arguments: Arguments, start: int, end: int, path: str | None) -> None:
    called = record_of_call(it, name, arguments)
    data = (("input", arguments.positional[0]), ("target", arguments.positional[1]))
    it.report([Fault(FaultKind.LOSS_MADE_WITH_TENSORS, start, end, name, data, path=path, called=called)])


HOOKS = Hooks(external_call=for_names(LOSSES, report_tensor_options))
