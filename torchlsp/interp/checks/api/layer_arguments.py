"""Detects layers whose constructor raises for its arguments, or that no call accepts with them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.values import Value
from torchlsp.interp.checks.hooks import Hooks, for_names
from torchlsp.interp.model.call_records import with_call
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

_NN = "torch.nn."
_PADDING_MODES = ("zeros", "reflect", "replicate", "circular")
_CONVOLUTIONS = {f"{_NN}Conv{rank}d": False for rank in (1, 2, 3)} | {
    f"{_NN}ConvTranspose{rank}d": True for rank in (1, 2, 3)
}
_HEADS = {
    f"{_NN}MultiheadAttention": ("num_heads", "embed_dim"),
    f"{_NN}TransformerEncoderLayer": ("nhead", "d_model"),
    f"{_NN}TransformerDecoderLayer": ("nhead", "d_model"),
    f"{_NN}Transformer": ("nhead", "d_model"),
}
_RECURRENT = frozenset({f"{_NN}RNN", f"{_NN}LSTM", f"{_NN}GRU"})
_DROPOUTS = frozenset(
    f"{_NN}{name}"
    for name in ("Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout", "FeatureAlphaDropout")
)
_SPATIAL = {f"{_NN}{name}{rank}d": rank for rank in (1, 2, 3) for name in ("MaxPool", "AvgPool")} | {
    name: int(name[-2]) for name in _CONVOLUTIONS
}
"""Layers by the number of the dims that they slide over."""
_CHECKED = frozenset({*_SPATIAL, *_CONVOLUTIONS, *_HEADS, *_RECURRENT, *_DROPOUTS, f"{_NN}Embedding"})


def check_layer_arguments(
    it: Evaluator, name: str, config: dict[str, Value], arguments: Arguments, node: ir.Node
) -> None:
    """Reports the first argument that the constructor refuses."""
    if arguments.is_open:
        return
    if name in _SPATIAL:
        found = _of_spatial(config, name)
    elif name in _HEADS:
        found = _of_heads(config, *_HEADS[name])
    elif name in _RECURRENT:
        found = _of_recurrent(config, name)
    elif name in _DROPOUTS:
        found = _outside(config, "p")
    else:
        found = _of_embedding(config)
    for data in found:
        fault = Fault(FaultKind.LAYER_ARGUMENTS, node.start, node.end, name, data, path=it.frame.module.path)
        it.report(with_call(it, [fault], name, arguments))
        return


_Data = tuple[tuple[str, object], ...]


def _data(argument: str, value: object, reason: str, other: str = "", other_value: object = None) -> _Data:
    return (
        ("argument", argument),
        ("value", value),
        ("reason", reason),
        ("other", other),
        ("other_value", other_value),
    )


def _of_spatial(config: dict[str, Value], name: str) -> Iterator[_Data]:
    if name in _CONVOLUTIONS:
        yield from _of_convolution(config, _CONVOLUTIONS[name])
    rank = _SPATIAL[name]
    for argument in ("kernel_size", "stride", "padding", "dilation"):
        value = config.get(argument)
        count = len(value.items) if isinstance(value, v.TupleValue) else rank
        if count != rank and not (count == 1 and (argument != "kernel_size" or name not in _CONVOLUTIONS)):
            yield _data(argument, count, "length", "dims", rank)


def _of_convolution(config: dict[str, Value], transposed: bool) -> Iterator[_Data]:
    groups = _integer(config, "groups")
    if groups is not None and groups <= 0:
        yield _data("groups", groups, "range", "1 or more")
        return
    for name in ("in_channels", "out_channels"):
        channels = _integer(config, name)
        if groups is not None and channels is not None and channels % groups:
            yield _data("groups", groups, "divides", name, channels)
    mode = _text(config, "padding_mode")
    allowed = ("zeros",) if transposed else _PADDING_MODES
    if mode is not None and mode not in allowed:
        yield _data("padding_mode", mode, "choice", ", ".join(allowed))
    padding = _text(config, "padding")
    if padding is None or transposed:
        return
    if padding not in ("same", "valid"):
        yield _data("padding", padding, "choice", "same, valid")
    elif padding == "same":
        stride = _largest(config.get("stride"))
        if stride is not None and stride > 1:
            yield _data("padding", padding, "same stride", "stride", stride)


def _of_heads(config: dict[str, Value], heads: str, width: str) -> Iterator[_Data]:
    number, size = _integer(config, heads), _integer(config, width)
    if number is not None and size is not None and 0 < number and size % number:
        yield _data(heads, number, "divides", width, size)


def _of_recurrent(config: dict[str, Value], name: str) -> Iterator[_Data]:
    layers = _integer(config, "num_layers")
    if layers is not None and layers <= 0:
        yield _data("num_layers", layers, "range", "1 or more")
    yield from _outside(config, "dropout")
    choice = _text(config, "nonlinearity")
    if name == f"{_NN}RNN" and choice is not None and choice not in ("tanh", "relu"):
        yield _data("nonlinearity", choice, "choice", "tanh, relu")


def _of_embedding(config: dict[str, Value]) -> Iterator[_Data]:
    index, rows = _integer(config, "padding_idx"), _integer(config, "num_embeddings")
    if index is not None and rows is not None and not -rows <= index < rows:
        yield _data("padding_idx", index, "range", f"below {rows}")


def _outside(config: dict[str, Value], name: str) -> Iterator[_Data]:
    probability = _number(config, name)
    if probability is not None and not 0 <= probability <= 1:
        yield _data(name, probability, "range", "between 0 and 1")


def _integer(config: dict[str, Value], name: str) -> int | None:
    value = config.get(name)
    known = value.value if isinstance(value, v.Scalar) and value.kind == "int" else None
    return known if isinstance(known, int) else None


def _number(config: dict[str, Value], name: str) -> int | float | None:
    value = config.get(name)
    known = value.value if isinstance(value, v.Scalar) and value.kind in ("int", "float") else None
    return known if isinstance(known, int | float) else None


def _text(config: dict[str, Value], name: str) -> str | None:
    value = config.get(name)
    return v.known(value, str) if value is not None else None


def _largest(value: Value | None) -> int | None:
    """Returns the largest of one or several numbers; None where one is not known."""
    numbers: list[int] = []
    for item in value.items if isinstance(value, v.TupleValue) else (value,):
        if not isinstance(item, v.Scalar) or item.kind != "int" or not isinstance(item.value, int):
            return None
        numbers.append(item.value)
    return max(numbers, default=None)


HOOKS = Hooks(layer_created=for_names(_CHECKED, check_layer_arguments))
