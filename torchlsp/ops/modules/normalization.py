"""Defines normalisation layers, by the laws of `ops.tensor.normalization`."""

from __future__ import annotations

from collections.abc import Iterable

from torchlsp.facts import dim as dims
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.shape import Shape
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import NONE, UNKNOWN_VALUE, TupleValue, Value, as_dim
from torchlsp.ops.call import Call, Check, LayerCall, LayerState, ResultColumn, are_known
from torchlsp.ops.parameters import (
    buffer,
    by_functional,
    features_agree,
    forwarded,
    of_tri,
    parameter,
    ranks_allowed,
    width,
)
from torchlsp.ops.table import LAYERS
from torchlsp.ops.tensor import normalization as laws


def _affine(state: LayerState, flag: str, shape: Shape) -> tuple[Value, Value]:
    """Returns weight and bias, or None where the constructor switches them off."""
    weighs = state.flag(flag)
    if weighs is None:
        return UNKNOWN_VALUE, UNKNOWN_VALUE
    if not weighs:
        return NONE, NONE
    has_bias = state.flag("bias") if "bias" in state.config else True
    bias = UNKNOWN_VALUE if has_bias is None else parameter(state, shape) if has_bias else NONE
    return parameter(state, shape), bias


def _affine_shapes(state: LayerState, flag: str, shape: Shape) -> dict[str, Shape]:
    if not state.flag(flag):
        return {}
    return {"weight": shape, "bias": shape} if state.flag("bias") is not False else {"weight": shape}


def _made(
    c: LayerCall, result: ResultColumn[Call], faults: Iterable[Check[Call]], **arguments: Value
) -> Value:
    """Returns the functional form's result on the layer's parameters."""
    call = forwarded(c, **arguments)
    for check in faults:
        check(call)
    return result(call)


# ---- batch and instance norm --------------------------------------------------------------------------------------------


def _channels(state: LayerState) -> Shape:
    features = state.dim("num_features")
    return None if features is None else (features,)


def _running(state: LayerState) -> tuple[Value, Value]:
    tracks = state.flag("track_running_stats")
    if tracks is None:
        return UNKNOWN_VALUE, UNKNOWN_VALUE
    return (buffer(state, _channels(state)),) * 2 if tracks else (NONE, NONE)


def batch_norm_parameters(state: LayerState) -> dict[str, Shape]:
    found = _affine_shapes(state, "affine", _channels(state))
    if state.flag("track_running_stats"):
        found.update(running_mean=_channels(state), running_var=_channels(state), num_batches_tracked=())
    return found


def _batch_norm(*ranks: int) -> ResultColumn[LayerCall]:
    def result(c: LayerCall) -> Value:
        state, tensor = c.layer, c.tensor("input")
        if tensor is None:
            return UNKNOWN_VALUE
        ranks_allowed(c, tensor, *ranks)
        channels = width(tensor, 1 - ranks[0]) if len(ranks) == 1 else None
        if channels is not None and (state.flag("affine") or state.flag("track_running_stats")):
            features_agree(c, tensor, channels, state.dim("num_features"))
        weight, bias = _affine(state, "affine", _channels(state))
        mean, variance = _running(state)
        tracks = Tri.of(state.flag("track_running_stats"))
        uses_batch = of_tri(tracks.negated().either(state.training))
        return _made(
            c, laws.BATCH_NORM, laws.BATCH_NORM_FAULTS, weight=weight, bias=bias, running_mean=mean,
            running_var=variance, training=uses_batch,
        )  # fmt: skip

    return result


def _instance_norm(rank: int) -> ResultColumn[LayerCall]:
    def result(c: LayerCall) -> Value:
        state, tensor = c.layer, c.tensor("input")
        if tensor is None:
            return UNKNOWN_VALUE
        ranks_allowed(c, tensor, rank + 1, rank + 2)
        if tensor.shape is not None and (state.flag("affine") or state.flag("track_running_stats")):
            # without parameters a wrong num_features is a warning only
            features_agree(c, tensor, tensor.shape[-rank - 1], state.dim("num_features"))
        weight, bias = _affine(state, "affine", _channels(state))
        mean, variance = _running(state)
        return _made(
            c, laws.INSTANCE_NORM, (), weight=weight, bias=bias, running_mean=mean, running_var=variance
        )

    return result


_BATCH = "eps=1e-05, momentum=0.1, affine=True, track_running_stats=True"
_INSTANCE = "eps=1e-05, momentum=0.1, affine=False, track_running_stats=False"
_TAIL = "device=None, dtype=None, *, bias=True"

for _rank, _ranks in ((1, (2, 3)), (2, (4,)), (3, (5,))):
    LAYERS.row(
        f"torch.nn.BatchNorm{_rank}d", signature=f"num_features, {_BATCH}, {_TAIL}", result=_batch_norm(*_ranks),
        parameters=batch_norm_parameters, moduleinfo=f"nn.BatchNorm{_rank}d",
    )  # fmt: skip
    LAYERS.row(
        f"torch.nn.LazyBatchNorm{_rank}d", signature=f"{_BATCH}, {_TAIL}", result=_batch_norm(*_ranks),
        parameters=batch_norm_parameters,
    )  # fmt: skip
    LAYERS.row(
        f"torch.nn.InstanceNorm{_rank}d", signature=f"num_features, {_INSTANCE}, {_TAIL}",
        result=_instance_norm(_rank), parameters=batch_norm_parameters, moduleinfo=f"nn.InstanceNorm{_rank}d",
    )  # fmt: skip
    LAYERS.row(
        f"torch.nn.LazyInstanceNorm{_rank}d", signature=f"{_BATCH}, {_TAIL}", result=_instance_norm(_rank),
        parameters=batch_norm_parameters,
    )  # fmt: skip
LAYERS.row(
    "torch.nn.SyncBatchNorm", signature=f"num_features, {_BATCH}, process_group=None, {_TAIL}",
    result=_batch_norm(2, 3, 4, 5, 6), parameters=batch_norm_parameters,
)  # fmt: skip


# ---- layer, group and response norm -------------------------------------------------------------------------------------


def _normalized_shape(state: LayerState) -> Shape:
    value = state.value("normalized_shape")
    single = as_dim(value)
    if single is not None:
        return (single,)
    if not isinstance(value, TupleValue):
        return None
    sizes = tuple(as_dim(item) for item in value.items)
    return sizes if are_known(sizes) else None


def layer_norm_parameters(state: LayerState) -> dict[str, Shape]:
    return _affine_shapes(state, "elementwise_affine", _normalized_shape(state))


def _layer_norm(c: LayerCall) -> Value:
    weight, bias = _affine(c.layer, "elementwise_affine", _normalized_shape(c.layer))
    return _made(c, laws.LAYER_NORM, [laws.trailing_sizes_agree], weight=weight, bias=bias)


def _rms_norm(c: LayerCall) -> Value:
    weight, _ = _affine(c.layer, "elementwise_affine", _normalized_shape(c.layer))
    return _made(c, laws.RMS_NORM, [laws.trailing_sizes_agree], weight=weight, bias=NONE)


def _group_norm(c: LayerCall) -> Value:
    state, tensor = c.layer, c.tensor("input")
    channels = state.dim("num_channels")
    if tensor is not None and tensor.shape is not None and len(tensor.shape) >= 2 and state.flag("affine"):
        features_agree(c, tensor, tensor.shape[1], channels)
    weight, bias = _affine(state, "affine", None if channels is None else (channels,))
    return _made(c, laws.GROUP_NORM, laws.GROUP_NORM_FAULTS, weight=weight, bias=bias)


def _divided(c: Call) -> None:
    """Checks that the groups divide the channels, which the constructor requires."""
    groups, channels = c.dim("num_groups"), c.dim("num_channels")
    if groups and channels is not None and dims.divides(groups, channels) is Tri.NO:
        raise c.broken(FaultKind.SIZE, layer=c.name, reason="num_groups", size=channels, groups=groups)


def _group_norm_parameters(state: LayerState) -> dict[str, Shape]:
    channels = state.dim("num_channels")
    return _affine_shapes(state, "affine", None if channels is None else (channels,))


LAYERS.row(
    "torch.nn.LayerNorm", result=_layer_norm, parameters=layer_norm_parameters, moduleinfo="nn.LayerNorm",
    signature="normalized_shape, eps=1e-05, elementwise_affine=True, bias=True, device=None, dtype=None",
)  # fmt: skip
LAYERS.row(
    "torch.nn.RMSNorm", signature="normalized_shape, eps=None, elementwise_affine=True, device=None, dtype=None",
    result=_rms_norm, moduleinfo="nn.RMSNorm",
    parameters=lambda state: {"weight": _normalized_shape(state)} if state.flag("elementwise_affine") else {},
)  # fmt: skip
LAYERS.row(
    "torch.nn.GroupNorm", signature=f"num_groups, num_channels, eps=1e-05, affine=True, {_TAIL}", result=_group_norm,
    parameters=_group_norm_parameters, moduleinfo="nn.GroupNorm", built=_divided,
)  # fmt: skip
LAYERS.row(
    "torch.nn.LocalResponseNorm", signature="size, alpha=0.0001, beta=0.75, k=1.0", owns_parameters=False,
    result=by_functional("torch.nn.functional.local_response_norm"), moduleinfo="nn.LocalResponseNorm",
)  # fmt: skip
