"""Evaluates operations on pictures of PIL and OpenCV.

An ImageValue has known `channels` only in an 8-bit mode; OpenCV's pictures are arrays [H, W, C], in BGR order.
Measured with Pillow 12 and OpenCV 5.
"""

from __future__ import annotations

from collections.abc import Callable

from torchlsp.facts import dim as dims
from torchlsp.facts.device import CPU
from torchlsp.facts.dim import Dim
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.layout import ROW_MAJOR
from torchlsp.facts.tensor import ANY_STORAGE, NO_GRAD, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import (
    UNKNOWN_VALUE,
    ArrayValue,
    External,
    ImageValue,
    Scalar,
    TupleValue,
    Value,
    as_dim,
    integer,
)
from torchlsp.ops.call import Call, ResultColumn
from torchlsp.ops.columns import fresh
from torchlsp.ops.numpy.arrays import new
from torchlsp.ops.table import TABLE

CHANNELS = {"L": 1, "RGB": 3, "RGBA": 4, "CMYK": 4, "YCbCr": 3, "HSV": 3, "LAB": 3, "LA": 2, "RGBX": 4}
"""8-bit modes of PIL."""


def _opened(c: Call) -> Value:
    return ImageValue()


TABLE.row("PIL.Image.open", signature="fp, mode='r', formats=None", result=_opened)


def _width_height(c: Call, name: str) -> tuple[Dim | None, Dim | None]:
    items = c.items(name)
    return (as_dim(items[0]), as_dim(items[1])) if items is not None and len(items) == 2 else (None, None)


def _made(c: Call) -> Value:
    width, height = _width_height(c, "size")
    return ImageValue(CHANNELS.get(c.text("mode") or ""), height, width)


TABLE.row("PIL.Image.new", signature="mode, size, color=0", result=_made)


def _of_array(c: Call) -> Value:
    """Returns uint8 [H, W] or [H, W, C]; what else `fromarray` takes has other modes."""
    made = c.value("obj")
    if not isinstance(made, ArrayValue) or c.given("mode") is not Tri.NO:
        return UNKNOWN_VALUE
    if made.shape is None or made.dtype != "u8" or len(made.shape) not in (2, 3):
        return ImageValue()
    channels = 1 if len(made.shape) == 2 else made.shape[2]
    return ImageValue(channels if channels in (1, 3, 4) else None, *made.shape[:2])


TABLE.row("PIL.Image.fromarray", signature="obj, mode=None", result=_of_array)


def _converted(c: Call) -> Value:
    image = c.value("self")
    if not isinstance(image, ImageValue):
        return UNKNOWN_VALUE
    return ImageValue(CHANNELS.get(c.text("mode") or ""), image.height, image.width)


TABLE.row(
    "PIL.Image.Image.convert",
    signature="self, mode=None, matrix=None, dither=None, palette=0, colors=256",
    result=_converted,
)


def _resized(c: Call) -> Value:
    image = c.value("self")
    width, height = _width_height(c, "size")
    return ImageValue(image.channels, height, width) if isinstance(image, ImageValue) else UNKNOWN_VALUE


TABLE.row(
    "PIL.Image.Image.resize",
    signature="self, size, resample=None, box=None, reducing_gap=None",
    result=_resized,
)


def _cropped(c: Call) -> Value:
    image, box = c.value("self"), c.items("box")
    if not isinstance(image, ImageValue) or box is None or len(box) != 4:
        return UNKNOWN_VALUE
    left, upper, right, lower = (as_dim(item) for item in box)
    width = None if left is None or right is None else right - left
    height = None if upper is None or lower is None else lower - upper
    return ImageValue(image.channels, height, width)


TABLE.row("PIL.Image.Image.crop", signature="self, box=None", result=_cropped)


def _same(c: Call) -> Value:
    image = c.value("self")
    return image if isinstance(image, ImageValue) else UNKNOWN_VALUE


TABLE.row("PIL.Image.Image.copy", signature="self", result=_same)
TABLE.row("PIL.Image.Image.filter", signature="self, filter", result=_same)


def _attribute(answer: Callable[[ImageValue], Value]) -> ResultColumn[Call]:
    def result(c: Call) -> Value:
        image = c.value("self")
        return answer(image) if isinstance(image, ImageValue) else UNKNOWN_VALUE

    return result


def _size_of(image: ImageValue) -> Value:
    return TupleValue(
        tuple(Scalar("int") if size is None else integer(size) for size in (image.width, image.height))
    )


TABLE.row("PIL.Image.Image.size", signature="self", result=_attribute(_size_of))
TABLE.row(
    "PIL.Image.Image.width", signature="self", result=_attribute(lambda image: Scalar("int", image.width))
)
TABLE.row(
    "PIL.Image.Image.height", signature="self", result=_attribute(lambda image: Scalar("int", image.height))
)

# ---- pictures as tensors -------------------------------------------------------------------------------------------------


def refuse_pictures(c: Call, tensor: TensorFact, got: Dim, expected: Dim | None) -> None:
    """Raises a fault when a picture has its channels last.

    Its height is taken for the number of channels.

    It rests on the assumption that no picture is as high as it has channels.
    """
    if expected is None or tensor.shape is None or tensor.shape[-1] != expected:
        return
    if isinstance(got, dims.Poly) and all(name.startswith("height@") for name in dims.symbols_of(got)):
        raise c.broken(
            FaultKind.LAYER_CHAIN,
            {"image"},
            layer=c.name,
            input=tensor,
            expected=expected,
            got=got,
            chain=False,
        )


# ---- OpenCV -------------------------------------------------------------------------------------------------------------


def _read(c: Call) -> Value:
    """Returns three channels unless the flags say otherwise.  A file that is missing gives None, which nobody
    can know here."""
    if c.given("flags") is not Tri.NO:
        return ArrayValue(None, None, ANY_STORAGE, c.origin())
    return new(c, (c.free("height"), c.free("width"), 3), "u8")


TABLE.row("cv2.imread", signature="filename, flags=None", result=_read)


def _resized_array(c: Call) -> Value:
    """Returns an array of size `dsize`, which is (width, height); one channel loses its dim."""
    source = c.value("src")
    width, height = _width_height(c, "dsize")
    if not isinstance(source, ArrayValue):
        return UNKNOWN_VALUE
    shape = None
    if source.shape is not None and (
        len(source.shape) == 2 or (len(source.shape) == 3 and source.shape[2] in (3, 4))
    ):
        sizes = (
            c.free("height") if height is None else height,
            c.free("width") if width is None else width,
        )
        shape = (*sizes, *source.shape[2:])
    return new(c, shape, source.dtype, ROW_MAJOR)


TABLE.row("cv2.resize", signature="src, dsize, dst=None, fx=0, fy=0, interpolation=1", result=_resized_array)

# ---- torchvision.io -----------------------------------------------------------------------------------------------------

_SIZES = {"UNCHANGED": None, "GRAY": 1, "GRAY_ALPHA": 2, "RGB": 3, "RGB_ALPHA": 4}
"""Channels by `ImageReadMode`."""


def _as_tensor(c: Call) -> Value:
    """Returns uint8 [C, H, W] on the CPU; only a PNG of 16 bits gives uint16, of which torch can do less."""
    mode = c.value("mode")
    known = mode.name.rpartition(".")[2] if isinstance(mode, External) else c.text("mode")
    channels = _SIZES.get(known) if known is not None else None
    sizes = (c.fresh("channels") if channels is None else channels, c.fresh("height"), c.fresh("width"))
    return c.make(sizes, "u8", CPU, None, fresh(c), NO_GRAD)


for _name in ("read_image", "decode_image", "image.read_image", "image.decode_image"):
    _first = "path" if "read" in _name else "input"
    TABLE.row(
        f"torchvision.io.{_name}",
        signature=f"{_first}, mode='UNCHANGED', apply_exif_orientation=False",
        result=_as_tensor,
    )
