"""Defines MultiheadAttention and the Transformer layers.

Source: torch/nn/modules/activation.py, torch/nn/modules/transformer.py and `multi_head_attention_forward`, torch 2.13.
"""

from __future__ import annotations

from torchlsp.facts import dim as dims
from torchlsp.facts import layout as layouts
from torchlsp.facts.dim import Dim
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.layout import ROW_MAJOR, Layout
from torchlsp.facts.shape import Shape
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import NONE, UNKNOWN_VALUE, LayerValue, TupleValue, Value, as_dim
from torchlsp.ops.call import LayerCall, LayerState, ResultColumn, are_known
from torchlsp.ops.columns import grad_through, one_dtype
from torchlsp.ops.parameters import (
    another_storage,
    features_agree,
    in_row_major,
    layer_name,
    parameter,
    ranks_allowed,
    same_place,
    size_or_fresh,
    trailing,
)
from torchlsp.ops.table import LAYERS


def _agree(c: LayerCall, left: TensorFact, right: TensorFact, left_dim: int, right_dim: int) -> None:
    """Raises a fault unless these two dims have one size."""
    if left.shape is None or right.shape is None or left.rank != right.rank:
        return
    if dims.equal(left.shape[left_dim], right.shape[right_dim]) is Tri.NO:
        raise c.broken(
            FaultKind.SIZE, (left.assumed | right.assumed) - {"layout"}, layer=layer_name(c), input=left, target=right, reason="batch",
            size=left.shape[left_dim], other=right.shape[right_dim],
        )  # fmt: skip


def _padding_fits(c: LayerCall, key: TensorFact, mask: TensorFact | None, batch: int) -> None:
    """Raises a fault unless a padding mask is (batch, time of the keys), in any order of the keys' dims."""
    if mask is not None and mask.rank == 2 and key.shape is not None and key.rank == 3:
        _has_shape(c, mask, (key.shape[batch], key.shape[1 - batch]), key.assumed)


def _mask_fits(
    c: LayerCall,
    query: TensorFact,
    key: TensorFact,
    mask: TensorFact | None,
    batch: int | None,
    heads: Dim | None,
) -> None:
    """Raises a fault unless a mask of attention is (L, S) or (batch * heads, L, S): torch broadcasts none.

    `batch`: the dim of the batch, None where there is none.
    """
    if mask is None or mask.shape is None or query.shape is None or key.shape is None:
        return
    if len(mask.shape) == 4 and all(dims.equal(size, 1) is not Tri.NO for size in mask.shape[:2]):
        return  # the fast path of inference takes (1, 1, L, S)
    if len(mask.shape) not in (2, 3):
        raise c.broken(
            FaultKind.RANK, layer=layer_name(c), input=mask, reason="mask", expected=(2, 3), got=len(mask.shape)
        )  # fmt: skip
    time = 0 if batch is None else 1 - batch
    wanted: tuple[Dim, ...] = (query.shape[time], key.shape[time])
    if len(mask.shape) == 3:
        count = 1 if batch is None else query.shape[batch]
        wanted = (mask.shape[0] if heads is None else count * heads, *wanted)
    _has_shape(c, mask, wanted, query.assumed | key.assumed)


def _has_shape(c: LayerCall, mask: TensorFact, wanted: tuple[Dim, ...], assumed: frozenset[str]) -> None:
    """Raises a fault unless a mask may have this shape."""
    if any(dims.equal(size, got) is Tri.NO for size, got in zip(wanted, mask.shape or (), strict=True)):
        raise c.broken(
            FaultKind.SIZE, (assumed | mask.assumed) - {"layout"}, layer=layer_name(c), input=mask, reason="mask",
            expected=wanted,
        )  # fmt: skip


def _inputs(
    c: LayerCall, names: tuple[str, ...], features: tuple[Dim | None, ...]
) -> list[TensorFact] | None:
    """Returns the tensors of these arguments, of rank 2 or 3 and with these features.

    None when one is not known.
    """
    tensors = [c.tensor(name) for name in names]
    if not are_known(tensors):
        return None
    for tensor, expected in zip(tensors, features, strict=True):
        ranks_allowed(c, tensor, 2, 3)
        got = trailing(tensor)
        if got is not None:
            features_agree(c, tensor, got, expected)
    for tensor in tensors[1:]:
        if None not in (tensor.rank, tensors[0].rank) and tensor.rank != tensors[0].rank:
            raise c.broken(
                FaultKind.RANK,
                layer=layer_name(c),
                input=tensor,
                expected=(tensors[0].rank,),
                got=tensor.rank,
            )
    return tensors


# ---- attention ----------------------------------------------------------------------------------------------------------


def _sources(state: LayerState, embedding: Dim | None) -> tuple[Dim | None, ...]:
    """Returns the features of key and value: those of the query where the constructor gets None for them."""
    return tuple(embedding if state.value(name) == NONE else state.dim(name) for name in ("kdim", "vdim"))


def _attended(c: LayerCall) -> Value:
    """Returns (output, weights): the output has the query's shape; weights are None without need_weights."""
    state = c.layer
    embedding = state.dim("embed_dim")
    sources = _sources(state, embedding)
    tensors = _inputs(c, ("query", "key", "value"), (embedding, *sources))
    if tensors is None:
        return UNKNOWN_VALUE
    query, key, value = tensors
    batch_first = state.flag("batch_first")
    if query.rank == 3 and batch_first is not None:
        batch = 0 if batch_first else 1
        _agree(c, query, key, batch, batch)
        _agree(c, key, value, 1 - batch, 1 - batch)
        _padding_fits(c, key, c.tensor("key_padding_mask"), batch)
        if c.flag("is_causal") is False:  # else a mask may be ignored
            _mask_fits(c, query, key, c.tensor("attn_mask"), batch, state.dim("num_heads"))
    elif query.rank == 2 and c.flag("is_causal") is False:
        _mask_fits(c, query, key, c.tensor("attn_mask"), None, state.dim("num_heads"))
    weight = parameter(state, None)
    dtype, device = one_dtype(c, query, key, value, weight), same_place(c, query, key, value, weight)
    grad = grad_through(c, (query, key, value, weight), dtype, complete=True)
    shape: Shape = None
    if query.shape is not None:
        shape = (*query.shape[:-1], size_or_fresh(c, embedding, "features"))
    layout = _attended_layout(c, query, shape, batch_first)
    output = in_row_major(
        c, c.make(shape, dtype, device, layout, c.fresh_storage(), grad, parents=(query, key, value))
    )
    needed = c.flag("need_weights")
    if needed is None:
        return TupleValue((output, UNKNOWN_VALUE))
    if not needed:
        return TupleValue((output, NONE))
    found = _weights_shape(c, query, key, batch_first)
    weights = c.make(
        found, dtype, device, ROW_MAJOR, another_storage(c, 1), grad, parents=(query, key, value)
    )
    return TupleValue((output, in_row_major(c, weights)))


def _attended_layout(c: LayerCall, query: TensorFact, shape: Shape, batch_first: bool | None) -> Layout:
    """Returns the output's layout: (L, N, E) is computed, batch_first transposes it, but for inference."""
    if query.rank == 2 or batch_first is False:
        return ROW_MAJOR
    if query.rank is None or batch_first is None or shape is None:
        return None
    if c.layer.training is not Tri.YES and c.context.grad_mode.both(c.layer.requires_grad) is not Tri.YES:
        return None
    batch, length, features = shape
    strides = layouts.row_major_strides((length, batch, features))
    return layouts.of_strides(shape, (strides[1], strides[0], strides[2]))


def _weights_shape(c: LayerCall, query: TensorFact, key: TensorFact, batch_first: bool | None) -> Shape:
    state = c.layer
    averaged = c.flag("average_attn_weights")
    extra = (state.flag("add_bias_kv"), state.flag("add_zero_attn"))
    if query.shape is None or key.shape is None or averaged is None or batch_first is None:
        return None
    if not are_known(extra):
        return None
    heads: tuple[Dim, ...] = () if averaged else (size_or_fresh(c, state.dim("num_heads"), "heads"),)
    time = 1 if query.rank == 3 and batch_first else 0
    source = key.shape[time] + sum(extra)
    batch = query.shape[1 - time : 2 - time] if query.rank == 3 else ()
    return (*batch, *heads, query.shape[time], source)


def attention_parameters(state: LayerState) -> dict[str, Shape]:
    size = state.dim("embed_dim")
    if size is None or state.flag("bias") is None:
        return {}
    sources = _sources(state, size)
    found: dict[str, Shape] = {"out_proj.weight": (size, size)}
    if sources == (size, size):
        found["in_proj_weight"] = (3 * size, size)
    elif are_known(sources):
        found["q_proj_weight"] = (size, size)
        found["k_proj_weight"], found["v_proj_weight"] = (size, sources[0]), (size, sources[1])
    if state.flag("bias"):
        found["in_proj_bias"], found["out_proj.bias"] = (3 * size,), (size,)
    if state.flag("add_bias_kv"):
        found["bias_k"] = found["bias_v"] = (1, 1, size)
    return found


LAYERS.row(
    "torch.nn.MultiheadAttention",
    signature="embed_dim, num_heads, dropout=0.0, bias=True, add_bias_kv=False, add_zero_attn=False, kdim=None, "
    "vdim=None, batch_first=False, device=None, dtype=None",
    forward="query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None, average_attn_weights=True, "
    "is_causal=False",
    result=_attended, parameters=attention_parameters, moduleinfo="nn.MultiheadAttention",
)  # fmt: skip


# ---- transformers -------------------------------------------------------------------------------------------------------


def _size(state: LayerState, name: str | None) -> Dim | None:
    """Returns the model's width: the constructor's own argument, or that of the layer passed to it."""
    if name is None:
        return state.dim("d_model")
    given = state.value(name)
    return as_dim(given["d_model"]) if isinstance(given, LayerValue) else None


def _transformed(
    names: tuple[str, ...], layer: str | None = None, result: int = 0
) -> ResultColumn[LayerCall]:
    """Makes the result column of a transformer: the shape of the tensor at `result`, in the inputs' dtype.

    `layer` names the constructor's argument that is the repeated layer.
    """

    def forward(c: LayerCall) -> Value:
        state = c.layer
        width = _size(state, layer)
        tensors = _inputs(c, names, (width,) * len(names))
        if tensors is None:
            return UNKNOWN_VALUE
        batch_first = state.flag("batch_first") if layer is None else None
        if len(tensors) == 2 and tensors[0].rank == 3 and batch_first is not None:
            batch = 0 if batch_first else 1
            _agree(c, tensors[0], tensors[1], batch, batch)
        _masks_fit(c, dict(zip(names, tensors, strict=True)), layer)
        weight = parameter(state, None)
        dtype, device = one_dtype(c, *tensors, weight), same_place(c, *tensors, weight)
        grad = grad_through(c, (*tensors, weight), dtype, complete=True)
        main = tensors[result]
        shape = main.shape
        if shape is not None and layer == "encoder_layer" and _may_be_cut(c):
            shape = (*(c.fresh(i) for i in range(len(shape) - 1)), shape[-1])
        layout = _transformed_layout(state, main, tensors, layer)
        storage = c.fresh_storage() if layer is None or state.dim("num_layers") != 0 else main.storage
        return c.make(shape, dtype, device, layout, storage, grad, parents=tuple(tensors))

    return forward


_MASKS = (
    ("src_mask", "src", "src", "src_is_causal"), ("src_mask", "src", "src", "is_causal"),
    ("mask", "src", "src", "is_causal"),
    ("tgt_mask", "tgt", "tgt", "tgt_is_causal"), ("memory_mask", "tgt", "memory", "memory_is_causal"),
)  # fmt: skip
"""The masks of transformers, the inputs to which they apply, and the argument that may have a mask ignored."""
_PADDING_MASKS = (
    ("src_key_padding_mask", "src"), ("tgt_key_padding_mask", "tgt"), ("memory_key_padding_mask", "memory"),
)  # fmt: skip


def _masks_fit(c: LayerCall, inputs: dict[str, TensorFact], layer: str | None) -> None:
    """Raises a fault unless the masks of a transformer fit its inputs. `layer` as in `_transformed`."""
    state = c.layer
    if layer is None:
        batch_first, heads = state.flag("batch_first"), state.dim("nhead")
        if any(state.config.get(name, NONE) != NONE for name in ("custom_encoder", "custom_decoder")):
            return
    else:
        given = state.value(layer)
        if not isinstance(given, LayerValue) or state.dim("num_layers") == 0:
            return
        own = LayerState(dict(given.config))
        batch_first, heads = own.flag("batch_first"), own.dim("nhead")
    if batch_first is None or any(tensor.rank != 3 for tensor in inputs.values()):
        return
    batch = 0 if batch_first else 1
    if "memory" not in inputs and "tgt" in inputs:
        inputs = {**inputs, "memory": inputs["src"]}
    for name, key in _PADDING_MASKS:
        if key in inputs:
            _padding_fits(c, inputs[key], c.tensor(name), batch)
    for name, query, key, causal in _MASKS:
        if query in inputs and key in inputs and c.flag(causal) is False:  # None is found out from the mask
            _mask_fits(c, inputs[query], inputs[key], c.tensor(name), batch, heads)


def _may_be_cut(c: LayerCall) -> bool:
    """Returns whether an encoder in inference may cut the padding for all: with a padding mask it may compute
    on nested tensors."""
    state = c.layer
    is_inference = (
        state.training is not Tri.YES and c.context.grad_mode.both(state.requires_grad) is not Tri.YES
    )
    return is_inference and c.given("src_key_padding_mask") is not Tri.NO


def _transformed_layout(
    state: LayerState, main: TensorFact, tensors: list[TensorFact], layer: str | None
) -> Layout:
    """Returns the layout: a layer norm at the end writes row-major. `norm_first` adds to the input and keeps
    its strides."""
    if layer is None and state.flag("norm_first") is False:
        return ROW_MAJOR
    return ROW_MAJOR if all(tensor.layout is ROW_MAJOR for tensor in tensors) else None


_LAYER = (
    "d_model, nhead, dim_feedforward=2048, dropout=0.1, activation=None, layer_norm_eps=1e-05, batch_first=False, "
    "norm_first=False, bias=True, device=None, dtype=None"
)
_DECODING = (
    "tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None, memory_key_padding_mask=None, "
    "tgt_is_causal={}, memory_is_causal=False"
)
LAYERS.row(
    "torch.nn.TransformerEncoderLayer", signature=_LAYER, result=_transformed(("src",)),
    forward="src, src_mask=None, src_key_padding_mask=None, is_causal=False", moduleinfo="nn.TransformerEncoderLayer",
)  # fmt: skip
LAYERS.row(
    "torch.nn.TransformerDecoderLayer", signature=_LAYER, result=_transformed(("tgt", "memory")),
    forward=_DECODING.format(False), moduleinfo="nn.TransformerDecoderLayer",
)  # fmt: skip
LAYERS.row(
    "torch.nn.TransformerEncoder",
    signature="encoder_layer, num_layers, norm=None, enable_nested_tensor=True, mask_check=True",
    forward="src, mask=None, src_key_padding_mask=None, is_causal=None",
    result=_transformed(("src",), "encoder_layer"), moduleinfo="nn.TransformerEncoder",
)  # fmt: skip
LAYERS.row(
    "torch.nn.TransformerDecoder", signature="decoder_layer, num_layers, norm=None", forward=_DECODING.format(None),
    result=_transformed(("tgt", "memory"), "decoder_layer"),
)  # fmt: skip
LAYERS.row(
    "torch.nn.Transformer",
    signature="d_model=512, nhead=8, num_encoder_layers=6, num_decoder_layers=6, dim_feedforward=2048, dropout=0.1, "
    "activation=None, custom_encoder=None, custom_decoder=None, layer_norm_eps=1e-05, batch_first=False, "
    "norm_first=False, bias=True, device=None, dtype=None",
    forward="src, tgt, src_mask=None, tgt_mask=None, memory_mask=None, src_key_padding_mask=None, "
    "tgt_key_padding_mask=None, memory_key_padding_mask=None, src_is_causal=None, tgt_is_causal=None, "
    "memory_is_causal=False",
    result=_transformed(("src", "tgt"), result=1), moduleinfo="nn.Transformer",
)  # fmt: skip
