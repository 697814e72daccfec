"""Evaluates datasets of torch and torchvision, and `default_collate`."""

from __future__ import annotations

from collections.abc import Callable

from torchlsp.core.records import dataclass
from torchlsp.facts import layout as layouts
from torchlsp.facts.device import CPU
from torchlsp.facts.dim import Dim
from torchlsp.facts.layout import ROW_MAJOR, Layout
from torchlsp.facts.tensor import NO_GRAD, Grad, Storage, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import (
    UNKNOWN_VALUE,
    ArrayValue,
    DictRef,
    DictValue,
    ImageValue,
    ListRef,
    Repeated,
    Scalar,
    TupleValue,
    Value,
    as_int,
)
from torchlsp.ops import signature as signatures
from torchlsp.ops.call import Call
from torchlsp.ops.signature import Arguments, NotBound

Elements = Callable[[Value], "tuple[Value, ...] | None"]
Entries = Callable[[Value], "tuple[tuple[object, Value], ...] | None"]

# ---- batches ------------------------------------------------------------------------------------------------------------

_NUMBERS = {"int": "i64", "float": "f64", "bool": "bool"}


def collate(element: Value, batch: Dim, site: str, elements: Elements, entries: Entries) -> Value:
    """Returns a batch of `batch` elements, as `torch.utils.data.default_collate` makes it.

    Tensors are stacked, arrays and numbers become tensors of their own dtype (a Python float is float64), strings stay a
    list, containers are collated part by part.  Unknown where torch would refuse (None, PIL images) and where an element
    is not known.  `site` names the batch's memory.
    """

    def part(value: Value, name: object) -> Value:
        return collate(value, batch, f"{site}.{name}", elements, entries)

    match element:
        case TensorFact():
            return _stacked(element, batch, site)
        case ArrayValue(shape=shape, dtype=dtype):
            return TensorFact(
                None if shape is None else (batch, *shape),
                dtype,
                CPU,
                ROW_MAJOR,
                NO_GRAD,
                Storage(frozenset({site})),
                origin=element.origin,
            )
        case Scalar(kind=kind) if kind in _NUMBERS:
            return TensorFact((batch,), _NUMBERS[kind], CPU, ROW_MAJOR, NO_GRAD, Storage(frozenset({site})))
        case Scalar(kind="str" | "bytes" as kind):
            return Repeated(Scalar(kind), batch)
        case TupleValue(items=items, names=names):
            return TupleValue(tuple(part(item, i) for i, item in enumerate(items)), names)
        case Repeated(element=inner, length=length):
            return Repeated(part(inner, "each"), length)
        case ListRef():
            held = elements(element)
            if held is not None:
                return TupleValue(tuple(part(item, i) for i, item in enumerate(held)))
        case DictRef():
            known = entries(element)
            if known is not None:
                return DictValue(tuple((key, part(value, key)) for key, value in known))
        case DictValue(entries=known):
            return DictValue(tuple((key, part(value, key)) for key, value in known))
    return UNKNOWN_VALUE


def _stacked(element: TensorFact, batch: Dim, site: str) -> TensorFact:
    """Evaluates `torch.stack` of equal tensors: row-major whatever the strides of the parts.  The grad mode
    is not known here."""
    requires = Tri.NO if element.grad.requires is Tri.NO else Tri.UNKNOWN
    return TensorFact(
        None if element.shape is None else (batch, *element.shape),
        element.dtype,
        element.device,
        ROW_MAJOR,
        NO_GRAD if requires is Tri.NO else Grad(),
        Storage(frozenset({site})),
        element.assumed - {"layout"},
        element.provenance,
        element.origin,
        element.content and element.content.batched(),
    )


def tensor_dataset_element(tensors: tuple[Value, ...]) -> Value:
    """Returns `TensorDataset(*tensors)[i]`: each tensor at `i`, in a tuple."""
    return TupleValue(tuple(_first_of(tensor) for tensor in tensors))


def of_chosen_rows(element: Value) -> Value:
    """Returns the element of a subset, whose rows may have been chosen by their values."""
    if isinstance(element, TupleValue):
        return TupleValue(tuple(map(of_chosen_rows, element.items)), element.names)
    if isinstance(element, TensorFact) and element.content is not None:
        return element.but(content=element.content.of_chosen())
    return element


def _first_of(tensor: Value) -> Value:
    if not isinstance(tensor, TensorFact) or tensor.shape == ():
        return UNKNOWN_VALUE
    grad = NO_GRAD if tensor.grad.requires is Tri.NO else Grad(tensor.grad.requires)
    content = tensor.content and tensor.content.of_row()
    layout: Layout
    if tensor.shape is None:
        layout = ROW_MAJOR if tensor.layout is ROW_MAJOR else None
        return tensor.but(shape=None, layout=layout, grad=grad, content=content)
    shape, strides = tensor.shape[1:], tensor.strides
    layout = None if strides is None else layouts.of_strides(shape, strides[1:])
    return tensor.but(shape=shape, layout=layout, grad=grad, content=content)


# ---- torchvision's datasets ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ImageDataset:
    """Describes a dataset of pairs (image, class).

    `image` is what its loader gives (None: not known), the class a Python int.  `target` names an option and the value of it
    for which the class is an int.
    """

    signature: str
    image: ImageValue | None
    target: tuple[str, object] | None = None


_RGB = ImageValue(3)
_TRAIN = "root, train=True, transform=None, target_transform=None, download=False"
_SPLIT = "root, split='train', transform=None, target_transform=None, download=False"
_OPTIONS = "transform=None, target_transform=None, download=False"
_FOLDER = "transform=None, target_transform=None, loader=None, is_valid_file=None, allow_empty=False"

IMAGE_DATASETS: dict[str, ImageDataset] = {
    **dict.fromkeys(("MNIST", "FashionMNIST", "KMNIST"), ImageDataset(_TRAIN, ImageValue(1, 28, 28))),
    "EMNIST": ImageDataset(f"root, split, *, train=True, {_OPTIONS}", ImageValue(1, 28, 28)),
    "QMNIST": ImageDataset(
        f"root, what=None, compat=True, train=True, *, {_OPTIONS}", ImageValue(1, 28, 28), ("compat", True)
    ),
    "USPS": ImageDataset(_TRAIN, ImageValue(1, 16, 16)),
    "SEMEION": ImageDataset(
        "root, transform=None, target_transform=None, download=True", ImageValue(1, 16, 16)
    ),
    "Omniglot": ImageDataset(f"root, background=True, {_OPTIONS}, loader=None", ImageValue(1)),
    **dict.fromkeys(("CIFAR10", "CIFAR100"), ImageDataset(_TRAIN, ImageValue(3, 32, 32))),
    "SVHN": ImageDataset(_SPLIT, ImageValue(3, 32, 32)),
    "STL10": ImageDataset(f"root, split='train', folds=None, {_OPTIONS}", ImageValue(3, 96, 96)),
    "GTSRB": ImageDataset(_SPLIT, _RGB),
    "PCAM": ImageDataset(_SPLIT, ImageValue(3, 96, 96)),
    **dict.fromkeys(
        ("Food101", "Flowers102", "StanfordCars", "RenderedSST2", "Country211"),
        ImageDataset(f"{_SPLIT}, loader=None", _RGB),
    ),
    "DTD": ImageDataset(f"root, split='train', partition=1, {_OPTIONS}, loader=None", _RGB),
    "FGVCAircraft": ImageDataset(
        f"root, split='trainval', annotation_level='variant', {_OPTIONS}, loader=None", _RGB
    ),
    **dict.fromkeys(("SUN397", "EuroSAT"), ImageDataset(f"root, {_OPTIONS}, loader=None", _RGB)),
    "Places365": ImageDataset(
        "root, split='train-standard', small=False, download=False, transform=None, target_transform=None, loader=None",
        _RGB,
    ),
    "ImageFolder": ImageDataset(f"root, {_FOLDER}", _RGB),
    "ImageNet": ImageDataset(
        "root, split='train', *, transform=None, target_transform=None, loader=None", _RGB
    ),
    "DatasetFolder": ImageDataset(
        "root, loader, extensions=None, transform=None, target_transform=None, is_valid_file=None, allow_empty=False",
        None,
    ),
    "FakeData": ImageDataset(
        "size=1000, image_size=(3, 224, 224), num_classes=10, transform=None, target_transform=None, random_offset=0",
        None,
    ),
    "OxfordIIITPet": ImageDataset(
        "root, split='trainval', target_types='category', transforms=None, transform=None, target_transform=None, "
        "download=False",
        _RGB,
        ("target_types", "category"),
    ),
    "Caltech101": ImageDataset(
        f"root, target_type='category', {_OPTIONS}", ImageValue(), ("target_type", "category")
    ),
    "Caltech256": ImageDataset(f"root, {_OPTIONS}", ImageValue()),
    "CelebA": ImageDataset(
        f"root, split='train', target_type='attr', {_OPTIONS}", ImageValue(), ("target_type", "none")
    ),
}
"""Classes of `torchvision.datasets`; their own loader opens every picture as RGB, an option `loader` may not."""

_NONE = Scalar("none")


def dataset_element(name: str, arguments: Arguments, apply: Callable[[Value, Value], Value]) -> Value | None:
    """Returns what indexing a torchvision dataset gives; None for a class that is not known.

    `apply(transform, value)` applies a transform.  Without one the image stays a PIL image.
    """
    known = IMAGE_DATASETS.get(name.removeprefix("torchvision.datasets.").rpartition(".")[2])
    if known is None:
        return None
    try:
        config = signatures.parse(known.signature).bind(arguments)
    except NotBound:
        return None
    image: Value = known.image or UNKNOWN_VALUE
    if name.endswith(".FakeData"):
        image = _fake_image(config["image_size"])
    elif config.get("loader", _NONE) != _NONE:
        image = UNKNOWN_VALUE
    if config.get("transforms", _NONE) != _NONE:
        return TupleValue((UNKNOWN_VALUE, UNKNOWN_VALUE))
    target: Value = Scalar("int")
    if known.target is not None:
        option, wanted = known.target
        given = config[option]
        if not (isinstance(given, Scalar) and given.value == wanted):
            target = UNKNOWN_VALUE
    return TupleValue(
        (
            _transformed(config["transform"], image, apply),
            _transformed(config["target_transform"], target, apply),
        )
    )


def _fake_image(size: Value) -> Value:
    numbers = [as_int(item) for item in size.items] if isinstance(size, TupleValue) else []
    return (
        ImageValue(*numbers)
        if len(numbers) == 3 and numbers[0] in (1, 3, 4) and None not in numbers
        else UNKNOWN_VALUE
    )


def _transformed(transform: Value, value: Value, apply: Callable[[Value, Value], Value]) -> Value:
    return value if transform == _NONE else apply(transform, value)


# ---- what torchvision's datasets hold -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Held:
    """Describes the attributes of a dataset that holds all its images in memory, as bytes, and their classes.

    `rows`: how many images it has, by the value of its option `option`.  `strides` are those of `images`, where they are not
    row-major.  `kind` is that of `labels`: a tensor, an array of int64 or a list of ints.
    """

    images: tuple[Dim, ...]
    labels: str
    kind: str
    option: str
    rows: dict[object, int]
    strides: tuple[Dim, ...] = ()


_DIGITS = Held((28, 28), "targets", "tensor", "train", {True: 60_000, False: 10_000})
_CIFAR = Held(
    (32, 32, 3), "targets", "list", "train", {True: 50_000, False: 10_000}, strides=(3072, 32, 1, 1024)
)
HELD: dict[str, Held] = {
    **dict.fromkeys(("MNIST", "FashionMNIST", "KMNIST"), _DIGITS),
    "EMNIST": Held((28, 28), "targets", "tensor", "train", {}),
    **dict.fromkeys(("CIFAR10", "CIFAR100"), _CIFAR),
    "SVHN": Held(
        (3, 32, 32), "labels", "array", "split", {"train": 73_257, "test": 26_032, "extra": 531_131}
    ),
    "USPS": Held((16, 16), "targets", "list", "train", {True: 7_291, False: 2_007}),
}
"""By class of `torchvision.datasets`, read in the source of torchvision 0.29; the numbers of images are in its documentation."""


def dataset_fields(name: str, arguments: Arguments, call: Call) -> tuple[tuple[str, Value], ...]:
    """Returns the attributes `data` and `targets` of a dataset of torchvision, made by a call."""
    name = name.removeprefix("torchvision.datasets.").rpartition(".")[2]
    held = HELD.get(name)
    if held is None:
        return ()
    try:
        config = signatures.parse(IMAGE_DATASETS[name].signature).bind(arguments)
    except NotBound:
        return ()
    chosen = config[held.option]
    number = held.rows.get(chosen.value) if isinstance(chosen, Scalar) else None
    rows: Dim = call.fresh("rows") if number is None else number
    shape, site = (rows, *held.images), call.context.site
    if held.kind == "tensor":
        images, labels = (
            TensorFact(sizes, dtype, CPU, ROW_MAJOR, NO_GRAD, Storage(frozenset({f"{site}.{part}"})))
            for sizes, dtype, part in ((shape, "u8", "data"), ((rows,), "i64", held.labels))
        )
        return ("data", images), (held.labels, labels)
    layout = layouts.of_strides(shape, held.strides) if held.strides else None
    classes: Value = Repeated(Scalar("int"))
    if held.kind == "array":
        classes = ArrayValue((rows,), "i64", Storage(frozenset({f"{site}.{held.labels}"})))
    memory = Storage(frozenset({f"{site}.data"}))
    return ("data", ArrayValue(shape, "u8", memory, layout=layout)), (held.labels, classes)
