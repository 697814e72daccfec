"""Evaluates torchvision's transforms on PIL images and tensors: shape and dtype of a pipeline's result.

Each transform is a layer row without parameters, so that an instance of it is called like any other layer.  An ImageValue
whose `channels` are known has an 8-bit mode (L, RGB, RGBA); of another one not even the dtype of its tensor is known.
Measured with torchvision 0.29; `torchvision.transforms` and `torchvision.transforms.v2` agree unless said otherwise.
"""

from __future__ import annotations

from collections.abc import Callable

from torchlsp.core.records import replace
from torchlsp.facts.device import CPU
from torchlsp.facts.dim import Dim
from torchlsp.facts.dtype import FLOATING
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.layout import ROW_MAJOR, Layout, of_strides
from torchlsp.facts.shape import Shape
from torchlsp.facts.tensor import NO_GRAD, UNKNOWN_GRAD, TensorFact
from torchlsp.facts.values import (
    UNKNOWN_VALUE,
    ArrayValue,
    DTypeValue,
    ImageValue,
    LayerValue,
    Scalar,
    Value,
    as_dim,
)
from torchlsp.ops.call import Call, LayerCall, LayerState, are_known
from torchlsp.ops.columns import fresh
from torchlsp.ops.memory_order import elementwise_layout
from torchlsp.ops.signature import Arguments
from torchlsp.ops.table import LAYERS, TABLE
from torchlsp.ops.tensor.from_data import refuse_reversed

V1 = ("torchvision.transforms", "torchvision.transforms.transforms")
V2 = ("torchvision.transforms.v2",)

PLAIN_CLASSES = frozenset(
    f"{module}.{name}"
    for module in V1
    for name in "Compose ToTensor PILToTensor ToPILImage Lambda RandomChoice RandomOrder".split()
)
"""Transforms whose instances are no modules."""

ImageLaw = Callable[[LayerCall, Value], Value]


def _transform(names: str, signature: str, law: ImageLaw, modules: tuple[str, ...] = V1 + V2) -> None:
    """Adds rows for transforms whose result `law(call, image)` gives; the options are in `call.layer`."""
    for name in names.split():
        LAYERS.row(
            *(f"{module}.{name}" for module in modules),
            signature=signature,
            forward="input",
            owns_parameters=False,
            result=lambda c: law(c, c.value("input")),
        )


# ---- pipelines ----------------------------------------------------------------------------------------------------------


def compose(steps: tuple[Value, ...], apply_one: Callable[[int, Value, Value], Value], image: Value) -> Value:
    """Returns the image after all steps; `apply_one(i, step, image)` applies one of them."""
    for i, step in enumerate(steps):
        image = apply_one(i, step, image)
    return image


def _composed(c: LayerCall, image: Value) -> Value:
    steps = c.context.elements(c.layer.value("transforms"))
    if steps is None:
        return UNKNOWN_VALUE

    def apply_one(i: int, step: Value, value: Value) -> Value:
        if not isinstance(step, LayerValue):
            return UNKNOWN_VALUE
        row = LAYERS.rows.get(step.qualname)
        if row is None:
            return UNKNOWN_VALUE
        context = replace(c.context, site=f"{c.context.site}.{i}")
        result, faults = row.call(step.qualname, Arguments((value,)), context, LayerState(dict(step.config)))
        c.faults.extend(faults)
        return result

    return compose(steps, apply_one, image)


_transform("Compose", "transforms", _composed)

# ---- to tensors and back ------------------------------------------------------------------------------------------------


def _size(c: Call, size: Dim | None, what: str) -> Dim:
    return c.fresh(what) if size is None else size


def chw(c: Call, image: ImageValue) -> tuple[Dim, Dim, Dim]:
    """Returns channels, height and width, fresh symbols for the unknown ones."""
    return (
        _size(c, image.channels, "channels"),
        _size(c, image.height, "height"),
        _size(c, image.width, "width"),
    )


def _scaled(c: LayerCall, image: Value) -> Value:
    """Evaluates ToTensor: f32[C, H, W] in [0, 1] of a PIL image or a uint8 array. An array of another dtype
    keeps it."""
    match image:
        case ImageValue():
            dtype = c.context.default_dtype if image.channels is not None else None
            return c.make(chw(c, image), dtype, CPU, ROW_MAJOR, fresh(c), NO_GRAD)
        case ArrayValue(shape=shape, dtype=dtype):
            dtype = c.context.default_dtype if dtype == "u8" else dtype
            scaled = c.make(_channels_first(shape), dtype, CPU, ROW_MAJOR, grad=NO_GRAD)
            refuse_reversed(c, image, scaled)
            return scaled
    return UNKNOWN_VALUE


def _channels_first(shape: tuple[Dim, ...] | None) -> tuple[Dim, ...] | None:
    """Returns [H, W, C] or [H, W] as [C, H, W]."""
    if shape is None or len(shape) not in (2, 3):
        return None
    return (shape[2], *shape[:2]) if len(shape) == 3 else (1, *shape)


def _unscaled(c: Call, image: Value) -> Value:
    """Evaluates PILToTensor: u8[C, H, W], a permuted view of the image's rows, so non-contiguous with several
    channels."""
    if not isinstance(image, ImageValue):
        return UNKNOWN_VALUE
    channels, height, width = chw(c, image)
    shape = (channels, height, width)
    dtype = "u8" if image.channels is not None else None
    layout = of_strides(shape, (1, width * channels, channels)) if image.channels is not None else None
    return c.make(shape, dtype, CPU, layout, fresh(c), NO_GRAD)


def _to_image(c: Call, image: Value) -> Value:
    match image:
        case TensorFact():
            return image
        case ArrayValue(shape=shape, dtype=dtype):
            return c.make(_channels_first(shape), dtype, CPU, ROW_MAJOR, grad=NO_GRAD)
    return _unscaled(c, image)


def _or_same(law: ImageLaw) -> ImageLaw:
    """Makes a v2 transform that returns unchanged what it does not apply to: tensors and arrays."""
    return lambda c, image: law(c, image) if isinstance(image, (ImageValue, ArrayValue)) else _same(c, image)


def _same(c: LayerCall, image: Value) -> Value:
    return image if isinstance(image, (TensorFact, ImageValue, ArrayValue)) else UNKNOWN_VALUE


_transform("ToTensor", "", _scaled, V1)
_transform("ToTensor", "", _or_same(_scaled), V2)
_transform("PILToTensor", "", _unscaled, V1)
_transform(
    "PILToTensor",
    "",
    lambda c, image: _unscaled(c, image) if isinstance(image, ImageValue) else _same(c, image),
    V2,
)
_transform("ToImage", "", _to_image, V2)
_transform("ToPureTensor Identity", "", _same, V2)


def _to_pil(c: LayerCall, image: Value) -> Value:
    """Returns a picture of a float or uint8 tensor [C, H, W] with 1, 3 or 4 channels."""
    if c.layer.value("mode") != Scalar("none") or not isinstance(image, TensorFact) or image.shape is None:
        return UNKNOWN_VALUE
    if len(image.shape) != 3 or image.shape[0] not in (1, 3, 4) or image.dtype not in ("u8", "f32", "f64"):
        return UNKNOWN_VALUE
    return ImageValue(*image.shape)


_transform("ToPILImage", "mode=None", _to_pil)

# ---- dtypes -------------------------------------------------------------------------------------------------------------


def _converted(c: LayerCall, image: Value) -> Value:
    """Evaluates ToDtype and ConvertImageDtype: a tensor of another dtype; v2 leaves PIL images as they are."""
    if isinstance(image, ImageValue):
        return image if c.name.startswith(V2) else UNKNOWN_VALUE
    wanted = c.layer.value("dtype")
    if not isinstance(image, TensorFact) or not isinstance(wanted, DTypeValue):
        return UNKNOWN_VALUE
    if wanted.dtype is not None and wanted.dtype == image.dtype:
        return image
    layout = elementwise_layout([image], image.shape) if image.shape is not None else None
    return c.make(image.shape, wanted.dtype, image.device, layout, grad=UNKNOWN_GRAD)


_transform("ConvertImageDtype", "dtype=None", _converted)
_transform("ToDtype", "dtype, scale=False", _converted, V2)


def _normalized(c: LayerCall, image: Value) -> Value:
    """Evaluates Normalize: the same shape; integers are refused.

    A mean of several channels for an image of one: v1 writes in place and raises, v2 gives several channels.
    """
    if not isinstance(image, TensorFact):
        return UNKNOWN_VALUE
    if image.dtype is not None and image.dtype not in FLOATING:
        raise c.broken(FaultKind.DTYPE, input=image, dtype=image.dtype, expected="floating")
    means = c.context.elements(c.layer.value("mean"))
    shape = image.shape
    if shape is not None and len(shape) >= 3 and shape[-3] == 1 and (means is None or len(means) > 1):
        if means is None or c.name.startswith(V2):
            single = isinstance(c.layer.value("mean"), Scalar)
            shape = shape if single else (None if means is None else (*shape[:-3], len(means), *shape[-2:]))
        else:
            wide = (*shape[:-3], len(means), *shape[-2:])
            raise c.broken(FaultKind.INPLACE_SHAPE, input=image, result=wide)
    return _new(c, image, shape, elementwise_layout([image], shape) if shape is not None else None)


_transform("Normalize", "mean, std, inplace=False", _normalized)

# ---- sizes --------------------------------------------------------------------------------------------------------------


def _new(c: LayerCall, image: TensorFact, shape: Shape, layout: Layout = None) -> TensorFact:
    """Returns a tensor that may or may not share memory with `image`, of its dtype and device."""
    return c.make(shape, image.dtype, image.device, layout, grad=image.grad)


def _with_size(c: LayerCall, image: Value, height: Dim | None, width: Dim | None) -> Value:
    """Returns the image with another height and width; channels and dtype stay."""
    if isinstance(image, ImageValue):
        return ImageValue(image.channels, height, width)
    if isinstance(image, TensorFact):
        if image.shape is None or len(image.shape) < 2:
            return _new(c, image, None)
        return _new(c, image, (*image.shape[:-2], _size(c, height, "height"), _size(c, width, "width")))
    return UNKNOWN_VALUE


def _height_width(image: Value) -> tuple[Dim | None, Dim | None]:
    if isinstance(image, ImageValue):
        return image.height, image.width
    if isinstance(image, TensorFact) and image.shape is not None and len(image.shape) >= 2:
        return image.shape[-2], image.shape[-1]
    return None, None


def target_size(c: LayerCall) -> tuple[Dim | None, Dim | None] | None:
    """Returns `size` as (height, width), one number for both; None when it is not known."""
    value = c.layer.value("size")
    single = as_dim(value) if isinstance(value, Scalar) else None
    if single is not None:
        return single, single
    items = c.context.elements(value)
    if items is None or len(items) not in (1, 2):
        return None
    return as_dim(items[0]), as_dim(items[-1])


def _cropped(c: LayerCall, image: Value) -> Value:
    """Evaluates crops of exactly `size`: a smaller image is padded, or refused."""
    size = target_size(c)
    return _with_size(c, image, *(size or (None, None)))


_transform("CenterCrop", "size", _cropped)
_transform("RandomCrop", "size, padding=None, pad_if_needed=False, fill=0, padding_mode='constant'", _cropped)
_transform(
    "RandomResizedCrop",
    "size, scale=(0.08, 1.0), ratio=(0.75, 1.3333333333333333), interpolation=None, antialias=True",
    _cropped,
)


def _resized(c: LayerCall, image: Value) -> Value:
    """Evaluates Resize: two numbers are the size. One is the size of the smaller edge, the ratio of the edges
    being kept."""
    value = c.layer.value("size")
    items = None if isinstance(value, Scalar) else c.context.elements(value)
    if items is not None and len(items) == 2:
        return _with_size(c, image, as_dim(items[0]), as_dim(items[1]))
    if c.layer.value("max_size") != Scalar("none"):
        return _with_size(c, image, None, None)
    edge = as_dim(items[0]) if items else as_dim(value) if isinstance(value, Scalar) else None
    height, width = _height_width(image)
    if edge is not None and height is not None and height == width:
        return _with_size(c, image, edge, edge)
    if not (isinstance(edge, int) and isinstance(height, int) and isinstance(width, int)):
        return _with_size(c, image, None, None)
    if edge > 0 and height > 0 and width > 0:
        if width < height:
            return _with_size(c, image, int(edge * height / width), edge)
        return _with_size(c, image, edge, int(edge * width / height))
    return _with_size(c, image, None, None)


_transform("Resize", "size, interpolation=None, max_size=None, antialias=True", _resized)


def _padded(c: LayerCall, image: Value) -> Value:
    """Evaluates Pad: one number for all sides, (left and right, top and bottom), or (left, top, right,
    bottom)."""
    value = c.layer.value("padding")
    items = (value,) if isinstance(value, Scalar) else c.context.elements(value)
    widths = [as_dim(item) for item in items] if items is not None and len(items) in (1, 2, 4) else [None]
    height, width = _height_width(image)
    if not are_known(widths) or height is None or width is None:
        return _with_size(c, image, None, None)
    left, top, right, bottom = widths * 4 if len(widths) == 1 else widths * 2 if len(widths) == 2 else widths
    return _with_size(c, image, height + top + bottom, width + left + right)


_transform("Pad", "padding, fill=0, padding_mode='constant'", _padded)

# ---- the rest -----------------------------------------------------------------------------------------------------------


def _kept(c: LayerCall, image: Value) -> Value:
    """Evaluates transforms that change values only."""
    if isinstance(image, ImageValue):
        return image
    return _new(c, image, image.shape) if isinstance(image, TensorFact) else UNKNOWN_VALUE


_transform(
    "RandomHorizontalFlip RandomVerticalFlip RandomGrayscale RandomInvert RandomAutocontrast RandomEqualize",
    "p=0.5",
    _kept,
)
_transform("ColorJitter", "brightness=0, contrast=0, saturation=0, hue=0", _kept)
_transform("GaussianBlur", "kernel_size, sigma=(0.1, 2.0)", _kept)
_transform(
    "RandomAffine",
    "degrees, translate=None, scale=None, shear=None, interpolation=None, fill=0, center=None",
    _kept,
)
_transform("RandomPerspective", "distortion_scale=0.5, p=0.5, interpolation=None, fill=0", _kept)
_transform("RandomAdjustSharpness", "sharpness_factor, p=0.5", _kept)
_transform("RandomPosterize", "bits, p=0.5", _kept)
_transform("RandomSolarize", "threshold, p=0.5", _kept)
_transform("AutoAugment", "policy=None, interpolation=None, fill=None", _kept)
_transform(
    "RandAugment", "num_ops=2, magnitude=9, num_magnitude_bins=31, interpolation=None, fill=None", _kept
)
_transform("TrivialAugmentWide", "num_magnitude_bins=31, interpolation=None, fill=None", _kept)
_transform(
    "AugMix",
    "severity=3, mixture_width=3, chain_depth=-1, alpha=1.0, all_ops=True, interpolation=None, fill=None",
    _kept,
)
_transform("ElasticTransform", "alpha=50.0, sigma=5.0, interpolation=None, fill=0", _kept)
_transform("RandomChannelPermutation", "", _kept, V2)
_transform(
    "RandomPhotometricDistort",
    "brightness=(0.875, 1.125), contrast=(0.5, 1.5), saturation=(0.5, 1.5), hue=(-0.05, 0.05), p=0.5",
    _kept,
    V2,
)


def _of_tensor(c: LayerCall, image: Value) -> Value:
    """Evaluates transforms of tensors only."""
    return _kept(c, image) if isinstance(image, TensorFact) else UNKNOWN_VALUE


_transform("RandomErasing", "p=0.5, scale=(0.02, 0.33), ratio=(0.3, 3.3), value=0, inplace=False", _of_tensor)
_transform("GaussianNoise", "mean=0.0, sigma=0.1, clip=True", _of_tensor, V2)


def _rotated(c: LayerCall, image: Value) -> Value:
    expands = c.layer.flag("expand")
    return _kept(c, image) if expands is False else _with_size(c, image, None, None)


_transform("RandomRotation", "degrees, interpolation=None, expand=False, center=None, fill=0", _rotated)


def _grey(c: LayerCall, image: Value) -> Value:
    """Evaluates Grayscale: the channels requested. v1 leaves a tensor of one channel as it is, even where
    three are requested."""
    wanted = c.layer.int("num_output_channels")
    if isinstance(image, ImageValue):
        return ImageValue(wanted if wanted in (1, 3) else None, image.height, image.width)
    if not isinstance(image, TensorFact):
        return UNKNOWN_VALUE
    sizes = image.shape
    if wanted is None or sizes is None or len(sizes) < 3 or (wanted != 1 and sizes[-3] != wanted):
        return _new(c, image, None)
    return _new(c, image, (*sizes[:-3], wanted, *sizes[-2:]))


_transform("Grayscale", "num_output_channels=1", _grey)


def _rgb(c: LayerCall, image: Value) -> Value:
    if isinstance(image, ImageValue):
        return ImageValue(3, image.height, image.width)
    if isinstance(image, TensorFact) and image.shape is not None and len(image.shape) >= 3:
        return _new(c, image, (*image.shape[:-3], 3, *image.shape[-2:]))
    return UNKNOWN_VALUE


_transform("RGB", "", _rgb, V2)


def _unknown(c: LayerCall, image: Value) -> Value:
    return UNKNOWN_VALUE


_transform("RandomApply", "transforms, p=0.5", _unknown)
_transform("RandomChoice", "transforms, p=None", _unknown)
_transform("RandomOrder", "transforms", _unknown)
_transform("FiveCrop", "size", _unknown)
_transform("TenCrop", "size, vertical_flip=False", _unknown)


# ---- the same as functions ----------------------------------------------------------------------------------------------


def _function(name: str, signature: str, law: ImageLaw) -> None:
    """Adds a function of `torchvision.transforms.functional`: its class's law, with options as arguments."""

    def result(c: Call) -> Value:
        return law(LayerCall(c.name, c.args, c.context, LayerState(c.args)), c.value("input"))

    TABLE.row(
        f"torchvision.transforms.functional.{name}",
        f"torchvision.transforms.v2.functional.{name}",
        signature=signature,
        result=result,
    )


_function("to_tensor", "input", _scaled)
_function("pil_to_tensor", "input", _unscaled)
_function("to_pil_image", "input, mode=None", _to_pil)
_function("normalize", "input, mean, std, inplace=False", _normalized)
_function("resize", "input, size, interpolation=None, max_size=None, antialias=True", _resized)
_function("center_crop", "input, size", _cropped)
_function("pad", "input, padding, fill=0, padding_mode='constant'", _padded)
_function("hflip", "input", _kept)
_function("vflip", "input", _kept)
_function("rotate", "input, angle, interpolation=None, expand=False, center=None, fill=None", _rotated)
TABLE.row(
    "torchvision.transforms.v2.functional.to_image",
    signature="input",
    result=lambda c: _to_image(c, c.value("input")),
)
