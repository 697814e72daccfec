"""Defines shared parts of layers: parameters as facts, calls of the functional form, contracts with the
input.

A layer's law is the law of its functional form, applied to its constructor's arguments and to facts of its parameters.
"""

from __future__ import annotations

from collections.abc import Callable

from torchlsp.core.records import replace
from torchlsp.facts import device as devices
from torchlsp.facts import dim as dims
from torchlsp.facts import layout as layouts
from torchlsp.facts.device import Device
from torchlsp.facts.dim import Dim
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.layout import ROW_MAJOR, Layout
from torchlsp.facts.shape import Shape
from torchlsp.facts.tensor import Grad, Storage, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import NONE, UNKNOWN_VALUE, Scalar, Value
from torchlsp.ops import signature as signatures
from torchlsp.ops.call import Call, LayerCall, LayerState, LayoutColumn, ResultColumn
from torchlsp.ops.columns import refuse_other_device
from torchlsp.ops.default_device import report_default_device
from torchlsp.ops.signature import MISSING
from torchlsp.ops.table import TABLE

_ORIGINS_FOLLOWED = 12


def parameter(state: LayerState, shape: Shape) -> TensorFact:
    """Returns a parameter of a layer.  channels_last changes 4-D parameters only."""
    layout: Layout = ROW_MAJOR
    if state.memory_format != "row-major" and (shape is None or len(shape) == 4):
        layout = channels_last_layout(shape) if state.memory_format == "channels_last" else None
        layout = None if layout is ROW_MAJOR else layout  # sizes of 1 hide which format it is
    grad = Grad(state.requires_grad, Tri.YES)
    return TensorFact(shape, state.dtype, state.device, layout, grad, provenance="parameter")


def buffer(state: LayerState, shape: Shape) -> TensorFact:
    """Returns a buffer of a layer, such as running_mean."""
    return TensorFact(shape, state.dtype, state.device, ROW_MAJOR, Grad(Tri.NO, Tri.YES))


def optional_parameter(state: LayerState, flag: str, shape: Shape) -> Value:
    """Returns a parameter that the constructor's flag switches on or off: `bias=False`."""
    given = state.flag(flag)
    if given is None:
        return UNKNOWN_VALUE
    return parameter(state, shape) if given else NONE


def forwarded(c: LayerCall, **arguments: Value) -> Call:
    """Returns the call of a layer as one of its functional form, with the constructor's arguments."""
    return Call(c.name, {**c.layer.config, **c.args, **arguments}, c.context, c.layer)


def by_functional(name: str, **fixed: Value | Callable[[LayerCall], Value]) -> ResultColumn[LayerCall]:
    """Makes a layer's result column from its functional form, whose parameters are named as the constructor's.

    `fixed`: arguments that the layer adds, or functions of the call that give them: its parameters.
    """

    def result(c: LayerCall) -> Value:
        row = TABLE.rows.get(name)
        if row is None:
            return UNKNOWN_VALUE
        given = {**c.layer.config, **c.args, "training": of_tri(c.layer.training)}
        given.update((key, value(c) if callable(value) else value) for key, value in fixed.items())
        bound = {
            param.name: given.get(param.name, UNKNOWN_VALUE if param.default is MISSING else param.default)
            for param in signatures.parse(row.signature).params
        }
        value, faults = row.run(Call(c.name, bound, c.context, c.layer))
        c.faults.extend(faults)
        return value

    return result


def of_tri(answer: Tri) -> Value:
    """Returns a flag as an argument."""
    return UNKNOWN_VALUE if answer is Tri.UNKNOWN else Scalar("bool", answer is Tri.YES)


def another_storage(c: Call, index: int) -> Storage:
    """Returns the memory of a further result of this call."""
    return Storage(frozenset({f"{c.context.site}.{index}"})) if index else c.fresh_storage()


def layer_name(c: Call) -> str | None:
    """Returns the class whose forward this call is; None for a functional form."""
    return c.name if c.layer is not None else None


def per_dim(c: Call, name: str, count: int) -> tuple[Dim | None, ...] | None:
    """Returns an option passed as one number or as one number a dim: `kernel_size=3`, `(3, 5)`, `(3,)`."""
    sizes = c.sizes(name)
    if sizes is None:
        return None
    if len(sizes) == 1:
        return sizes * count
    return sizes if len(sizes) == count else None


def at_least(c: Call, **least: int) -> None:
    """Raises a fault when an option, or one of its numbers, is less than it may be.

    `stride=1`, `padding=0`.
    """
    for name, low in least.items():
        for size in c.sizes(name) or ():
            if isinstance(size, int) and size < low:
                raise c.broken(
                    FaultKind.ARGUMENT, layer=layer_name(c), argument=name, value=size, expected=low
                )


def is_plain_float(c: Call) -> bool:
    """Returns whether the operator computes in its input's dtype.

    Under autocast it may not, and then nothing is known.
    """
    return c.context.autocast is Tri.NO


def same_place(c: Call, *tensors: TensorFact | None, named: str = "") -> Device | None:
    """Returns the device of tensors that must all be on one.

    A fault when two are known to be on different ones. `named` says what those after the second are.

    One known device is all of theirs: the call would raise otherwise.
    """
    given = [tensor for tensor in tensors if tensor is not None]
    for other in given[1:]:
        a, b = given[0].device, other.device
        if _any_meta(given[0], other):
            continue
        role = named if any(other is tensor for tensor in tensors[2:]) else ""
        assumed = frozenset[str]()
        if devices.same(a, b) is not Tri.NO:
            if a is None or b is None or a.relative is b.relative or devices.CPU not in (a, b):
                continue
            assumed = frozenset({"cuda"})
        raise c.broken(
            FaultKind.DEVICE_MISMATCH, assumed, left=given[0], right=other, layer=layer_name(c), role=role
        )
    known = [tensor.device for tensor in given if tensor.device is not None]
    if known and len(known) < len(given):
        report_default_device(c, given)
    if any(device.relative != known[0].relative or device.kind != known[0].kind for device in known):
        return None
    return next((device for device in known if device.index is not None), known[0] if known else None)


def weights_in_place(c: Call, *names: str) -> None:
    """Raises a fault for class weights on another device than the loss's input.

    A loss layer keeps the weights that it was built with where they were, until it is moved itself.
    """
    tensor = c.tensor("input")
    for name in names:
        weight = c.tensor(name)
        if tensor is None or weight is None or not weight.shape:
            continue
        if c.layer is not None and c.layer.device != devices.CPU:
            weight = weight.but(device=c.layer.device)
        if not _any_meta(tensor, weight):
            refuse_other_device(c, tensor, weight, f"the loss's `{name}`")


def _any_meta(*tensors: TensorFact) -> bool:
    return any(tensor.device == devices.META for tensor in tensors)


def features_agree(c: Call, tensor: TensorFact, got: Dim, expected: Dim | None) -> None:
    """Raises a fault when the input's number of features or channels is not the layer's.

    `chain`: it is the layer before that gives another number, and not a dim in another place.
    """
    if expected is not None and dims.differ_as_widths(got, expected):
        raise c.broken(
            FaultKind.LAYER_CHAIN, tensor.assumed - {"layout"}, layer=layer_name(c), input=tensor, expected=expected, got=got,
            chain=comes_from_layer(tensor) and not is_channels_last(tensor, expected),
        )  # fmt: skip


def is_channels_last(tensor: TensorFact, channels: Dim) -> bool:
    """Returns whether the shape reads as (batch, positions, channels), or as images with channels last.

    The last of several dims in (batch, channels, 16, 16) is as large as its neighbour, and may be so by chance.
    """
    if tensor.shape is None or len(tensor.shape) < 3:
        return False
    return tensor.shape[-1] == channels and (len(tensor.shape) == 3 or tensor.shape[-2] != channels)


def width(tensor: TensorFact, dim: int) -> Dim | None:
    """Returns the size of a dim counted from the end. Of unknown rank, the one that the layer before returns
    there."""
    for _ in range(_ORIGINS_FOLLOWED):
        if tensor.shape is not None:
            return tensor.shape[dim] if len(tensor.shape) >= -dim else None
        origin = tensor.origin
        if origin is None or not _has_one_origin(tensor):
            return None
        if origin.width is not None:
            return origin.width[1] if origin.width[0] == dim else None
        name = origin.op.rpartition(".")[2].lower()
        keeps = name in _KEEPS_SHAPE or (dim < -2 and name in _KEEPS_CHANNELS)
        if not keeps or not origin.parents:
            return None
        tensor = origin.parents[0]
    return None


def _has_one_origin(tensor: TensorFact) -> bool:
    """Returns whether a tensor comes from one place: one from two branches may be in the memory of both."""
    ids = tensor.storage.ids
    if ids is None or len(ids) == 1:
        return ids is not None
    # Dropout gives its input back or a new tensor.
    origin = tensor.origin
    parents = origin.parents if origin is not None and origin.op.lower().endswith("dropout") else ()
    return bool(parents) and len(ids - (parents[0].storage.ids or frozenset())) == 1


_KEEPS_SHAPE = frozenset(
    "relu leakyrelu leaky_relu gelu silu elu selu mish hardswish sigmoid tanh softmax log_softmax dropout dropout2d "
    "batchnorm1d batchnorm2d batchnorm3d layernorm groupnorm instancenorm2d instancenorm3d contiguous clone float half to".split()
)
_KEEPS_CHANNELS = frozenset(
    "maxpool2d avgpool2d adaptiveavgpool2d adaptivemaxpool2d max_pool2d avg_pool2d adaptive_avg_pool2d".split()
)
"""Operators that keep every size, or the channels of an image; names in lower case."""


def with_width(c: Call, made: TensorFact, dim: int, size: Dim | None) -> TensorFact:
    """Records in the origin of a layer's result of unknown rank the size that the layer decides."""
    if made.shape is not None or size is None or made.origin is None:
        return made
    return made.but(origin=replace(made.origin, width=(dim, size)))


def ranks_allowed(c: Call, tensor: TensorFact | None, *ranks: int) -> None:
    """Raises a fault when the input's rank is none of these.

    What a convolution gives is taken for a batch.
    """
    if tensor is None:
        return
    rank, assumed = tensor.rank, tensor.assumed - {"layout"}
    if rank is None:
        rank, assumed = _rank_of_batch(tensor), assumed | {"images"}
    if rank is not None and rank not in ranks:
        raise c.broken(FaultKind.RANK, assumed, layer=layer_name(c), input=tensor, expected=ranks, got=rank)


def _rank_of_batch(tensor: TensorFact) -> int | None:
    """Returns the rank of the result of a convolution, and of layers that keep it, for a batch of unknown
    rank."""
    for _ in range(_ORIGINS_FOLLOWED):
        origin = tensor.origin
        if tensor.shape is not None or origin is None or not _has_one_origin(tensor):
            return None
        name = origin.op.rpartition(".")[2].lower()
        if origin.width is not None:
            return 1 - origin.width[0] if "conv" in name else None
        if name not in _KEEPS_SHAPE or not origin.parents:
            return None
        tensor = origin.parents[0]
    return None


def comes_from_layer(tensor: TensorFact) -> bool:
    """Returns whether this tensor was computed from a layer's output by operators of one input each."""
    for _ in range(_ORIGINS_FOLLOWED):
        origin = tensor.origin
        if origin is None:
            return False
        if origin.op.startswith("torch.nn.") and not origin.op.startswith("torch.nn.functional."):
            return True
        if not origin.parents:
            return False
        tensor = origin.parents[0]
    return False


def size_or_fresh(c: Call, size: Dim | None, what: object) -> Dim:
    return c.fresh(what) if size is None else size


def in_row_major(c: Call, tensor: TensorFact) -> TensorFact:
    """Returns a result that is row-major whatever the input's strides are: it rests on no assumed layout."""
    return tensor.but(assumed=tensor.assumed - {"layout"})


def trailing(tensor: TensorFact) -> Dim | None:
    """Returns the size of the last dim; None when the rank is not known."""
    return tensor.shape[-1] if tensor.shape else None


def channels_last_strides(shape: tuple[Dim, ...]) -> tuple[Dim, ...] | None:
    """Returns the strides of torch.channels_last (4-D) and channels_last_3d (5-D)."""
    if len(shape) not in (4, 5):
        return None
    strides: list[Dim] = [0] * len(shape)
    step: Dim = 1
    for i in (1, *range(len(shape) - 1, 1, -1), 0):
        strides[i] = step
        step = step * shape[i]
    return tuple(strides)


def keeps_memory_format(*names: str) -> LayoutColumn[Call]:
    """Makes the layout column of results in the memory format of the input, row-major or channels_last.

    Anything else is unknown.  Source: `Tensor.suggest_memory_format`, measured on the CPU kernels of torch 2.13.
    """

    def layout(c: Call, shape: Shape) -> Layout:
        values = map(c.value, names)
        found = {memory_format(value) for value in values if isinstance(value, TensorFact)}
        if found == {"row-major"}:
            return ROW_MAJOR
        if found == {"channels_last"} or (found == {"row-major", "channels_last"} and names[0] == "input"):
            return channels_last_layout(shape)
        return None

    return layout


KEEPS_MEMORY_FORMAT = keeps_memory_format("input")


def channels_last_layout(shape: Shape) -> Layout:
    return None if shape is None else layouts.of_strides(shape, channels_last_strides(shape))


def memory_format(tensor: TensorFact) -> str | None:
    """Returns `row-major`, `channels_last`, or None for unknown or neither.

    Sizes of 1 leave the format open, hence None.
    """
    if tensor.layout is ROW_MAJOR:
        return "row-major"
    if tensor.layout is None or tensor.shape is None or tensor.rank != 4:
        return None
    if tensor.layout != channels_last_strides(tensor.shape):
        return None
    return "channels_last" if all(dims.is_generic_one(size) is Tri.NO for size in tensor.shape[1:]) else None


def reads_none(value: Value) -> bool:
    return isinstance(value, Scalar) and value.kind == "none"
