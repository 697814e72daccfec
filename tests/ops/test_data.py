"""Batches as `default_collate` makes them, and torchvision's datasets and transforms where it is installed."""

from __future__ import annotations

import importlib
import inspect
from collections import namedtuple
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
import torch
from real_facts import Comparison, Facts
from test_arrays import ArrayFacts
from torch.utils.data import ConcatDataset, DataLoader, Subset, TensorDataset, default_collate, random_split

from torchlsp import ops
from torchlsp.facts import values as v
from torchlsp.facts.device import CPU
from torchlsp.facts.dim import symbol
from torchlsp.facts.fault import FaultKind
from torchlsp.facts.layout import ROW_MAJOR
from torchlsp.facts.tensor import NO_GRAD, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.ops import signature
from torchlsp.ops.call import Context, LayerState
from torchlsp.ops.libraries.data import IMAGE_DATASETS, collate, dataset_element, tensor_dataset_element
from torchlsp.ops.signature import Arguments

pytestmark = pytest.mark.torch


class SampleFacts(ArrayFacts):
    """Facts of samples; dicts become references, as the interpreter's dicts are."""

    def __init__(self) -> None:
        super().__init__()
        self.dicts: dict[str, tuple[tuple[object, v.Value], ...]] = {}

    def of(self, value: Any) -> v.Value:
        if isinstance(value, bytes):
            return v.Scalar("bytes", value)
        if isinstance(value, dict):
            ref = f"dict{len(self.dicts)}"
            self.dicts[ref] = ()
            self.dicts[ref] = tuple((key, self.of(item)) for key, item in value.items())
            return v.DictRef(ref)
        return super().of(value)

    def entries(self, value: v.Value):
        return self.dicts.get(value.ref) if isinstance(value, v.DictRef) else None


class BatchComparison(Comparison):
    """Compares batches: a mapping is compared entry by entry, a text by its kind."""

    def compare(self, claimed: v.Value, real: Any, where: str = "") -> None:
        if isinstance(claimed, v.DictValue):
            assert [key for key, _ in claimed.entries] == list(real)
            for key, value in claimed.entries:
                self.compare(value, real[key], f"{where}[{key!r}]")
        elif isinstance(real, (str, bytes)):
            self._judge("kind", where, claimed.kind == type(real).__name__, claimed, real)
        else:
            super().compare(claimed, real, where)


Pair = namedtuple("Pair", "image label")
SAMPLES = [
    1, 1.5, True, "a", b"a", np.float32(1), np.float64(2), np.int64(3), np.ones(3), np.ones((2, 3), "f4"), np.array(3),
    (1, 2.0), [1, torch.ones(2)], {"a": 1, "b": torch.ones(2)}, Pair(1, torch.ones(3)), torch.ones(3, 2).t(), torch.tensor(3),
    torch.tensor(True), (torch.ones(2), {"x": "s", "y": (1, 2)}), (), [], np.ones((2, 3)).T, torch.ones(5, 6, 3).permute(2, 0, 1),
    torch.ones(2, requires_grad=True), torch.ones(2, dtype=torch.bfloat16),
]  # fmt: skip


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda s: repr(s)[:40].replace("\n", " "))
def test_batch_is_that_of_default_collate(sample):
    facts = SampleFacts()
    claimed = collate(facts.of(sample), 4, "site", facts.elements, facts.entries)
    comparison = BatchComparison(facts)
    comparison.compare(claimed, default_collate([sample] * 4))
    assert not comparison.wrong
    assert not isinstance(claimed, v.Unknown)


@pytest.mark.parametrize("sample", [None, 1j, np.array(["a"])], ids=repr)
def test_batch_that_torch_refuses_is_unknown(sample):
    with pytest.raises(TypeError):
        default_collate([sample, sample])
    facts = Facts()
    value = facts.of(sample) if not isinstance(sample, np.ndarray) else v.UNKNOWN_VALUE
    assert collate(value, 2, "site", facts.elements, lambda value: None) == v.UNKNOWN_VALUE
    assert collate(v.ImageValue(3), 2, "site", facts.elements, lambda value: None) == v.UNKNOWN_VALUE


def test_batch_keeps_symbols_and_parts_stay_apart():
    batch, height = symbol("B"), symbol("H")
    image = TensorFact((3, height, 8), "f32", CPU, (1, 24, 3), NO_GRAD, assumed=frozenset({"layout"}))
    whole = collate(
        v.TupleValue((image, v.Scalar("int"))), batch, "site", lambda value: None, lambda value: None
    )
    images, labels = whole.items
    assert images.shape == (batch, 3, height, 8) and images.layout is ROW_MAJOR and not images.assumed
    assert labels.shape == (batch,) and labels.dtype == "i64"
    assert images.storage.may_share(labels.storage) is Tri.NO


@pytest.mark.parametrize("grad_mode", [True, False])
def test_elements_of_tensor_datasets_are_those_of_torch(grad_mode):
    x, y = torch.randn(6, 3, 2, requires_grad=True), torch.arange(6)
    with torch.set_grad_enabled(grad_mode):
        dataset = TensorDataset(x, y)
        facts = Facts()
        claimed = tensor_dataset_element((facts.of(x), facts.of(y)))
        for real in (
            dataset,
            Subset(dataset, [1, 2]),
            random_split(dataset, [4, 2])[0],
            ConcatDataset([dataset, dataset]),
        ):
            comparison = Comparison(facts)
            comparison.compare(claimed, real[1])
            assert not comparison.wrong
        batch = next(iter(DataLoader(dataset, batch_size=4)))
        comparison = Comparison(facts)
        comparison.compare(collate(claimed, 4, "site", facts.elements, lambda value: None), batch)
        assert not comparison.wrong


# ---- torchvision --------------------------------------------------------------------------------------------------------

HAS_TORCHVISION = find_spec("torchvision") is not None


@pytest.fixture(scope="module")
def vision():
    """torchvision; where its compiled part does not fit the torch that is installed, what is written in Python suffices."""
    pytest.importorskip("PIL.Image")
    try:
        pytest.importorskip("torchvision.transforms.v2")
        return pytest.importorskip("torchvision")
    except RuntimeError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("name", sorted(IMAGE_DATASETS) if HAS_TORCHVISION else [])
def test_signature_of_dataset_is_that_of_torchvision(vision, name):
    real = inspect.signature(getattr(vision.datasets, name).__init__).parameters
    own = [
        param.name
        for param in signature.parse(IMAGE_DATASETS[name].signature).params
        if param.kind == "positional"
    ]
    assert (
        own
        == [p.name for p in real.values() if p.kind is p.POSITIONAL_OR_KEYWORD and p.name != "self"][
            : len(own)
        ]
    )


def element(name: str, *positional: v.Value, **keywords: v.Value) -> v.Value:
    arguments = Arguments(positional, tuple(keywords.items()))
    return dataset_element(
        f"torchvision.datasets.{name}", arguments, lambda transform, value: applied(transform, value)[0]
    )


def applied(transform: v.Value, value: v.Value, elements=None):
    if not isinstance(transform, v.LayerValue):
        return v.UNKNOWN_VALUE, []
    context = Context() if elements is None else Context(elements=elements)
    row = ops.layer(transform.qualname)
    return row.call(transform.qualname, Arguments((value,)), context, LayerState(dict(transform.config)))


def made(name: str, *positional: v.Value, **keywords: v.Value) -> v.LayerValue:
    qualname = name if "." in name else f"torchvision.transforms.{name}"
    config = ops.layer(qualname).configure(Arguments(positional, tuple(keywords.items())))
    return v.LayerValue("ref", qualname, tuple(config.items()))


TEXT = v.Scalar("str", "data")


def test_pair_of_image_and_class():
    assert element("MNIST", TEXT) == v.TupleValue((v.ImageValue(1, 28, 28), v.Scalar("int")))
    image, label = element("CIFAR10", TEXT, transform=made("ToTensor")).items
    assert image.shape == (3, 32, 32) and image.dtype == "f32" and label == v.Scalar("int")
    image, _ = element("FakeData", transform=made("ToTensor")).items
    assert image.shape == (3, 224, 224)
    assert element("ImageFolder", TEXT, loader=v.UNKNOWN_VALUE).items[0] == v.UNKNOWN_VALUE
    assert element("CelebA", TEXT).items[1] == v.UNKNOWN_VALUE
    assert element("OxfordIIITPet", TEXT).items[1] == v.Scalar("int")
    assert (
        element("OxfordIIITPet", TEXT, target_types=v.Scalar("str", "segmentation")).items[1]
        == v.UNKNOWN_VALUE
    )
    assert element("MNIST", TEXT, target_transform=v.UNKNOWN_VALUE).items[1] == v.UNKNOWN_VALUE
    assert element("CocoDetection", TEXT) is None


def test_usual_pipeline_gives_a_known_tensor():
    mean = v.TupleValue(tuple(v.Scalar("float", 0.5) for _ in range(3)))
    steps = v.TupleValue((
        made("Resize", v.integer(256)), made("CenterCrop", v.integer(224)), made("ToTensor"), made("Normalize", mean, mean),
    ))  # fmt: skip
    image, _ = element(
        "ImageFolder", TEXT, v.LayerValue("ref", "torchvision.transforms.Compose", (("transforms", steps),))
    ).items
    assert (
        image.shape == (3, 224, 224)
        and image.dtype == "f32"
        and image.device == CPU
        and image.layout is ROW_MAJOR
    )


def test_normalize_with_three_means_refuses_one_channel():
    """Measured with torchvision 0.29: v1 writes in place and raises, v2 broadcasts to three channels."""
    mean = v.TupleValue(tuple(v.Scalar("float", 0.5) for _ in range(3)))
    digit = TensorFact((1, 28, 28), "f32", CPU, ROW_MAJOR, NO_GRAD)
    _, faults = applied(made("Normalize", mean, mean), digit)
    assert [fault.kind for fault in faults] == [FaultKind.INPLACE_SHAPE]
    result, faults = applied(made("torchvision.transforms.v2.Normalize", mean, mean), digit)
    assert not faults and result.shape == (3, 28, 28)
    _, faults = applied(made("Normalize", mean, mean), digit.but(dtype="u8"))
    assert [fault.kind for fault in faults] == [FaultKind.DTYPE]


TRANSFORMS = """ToTensor() PILToTensor() v2.ToImage() ConvertImageDtype(torch.float32) v2.ToDtype(torch.float32,scale=True)
    Normalize((.5,),(.5,)) Normalize((.5,.5,.5),(.5,.5,.5)) v2.Normalize((.5,),(.5,)) v2.Normalize((.5,.5,.5),(.5,.5,.5))
    Normalize(.5,.5) Resize(5) Resize((5,6)) Resize([5]) v2.Resize((5,6)) Resize(5,max_size=6) Resize(20)
    CenterCrop(5) CenterCrop((20,4)) v2.CenterCrop(20) RandomCrop(5) RandomCrop(12,padding=4) RandomResizedCrop(5)
    v2.RandomResizedCrop((5,6)) RandomHorizontalFlip() v2.RandomHorizontalFlip(1.) RandomVerticalFlip(1.) Grayscale()
    Grayscale(3) v2.Grayscale(3) RandomGrayscale(1.) Pad(2) Pad((1,2)) Pad((1,2,3,4)) v2.Pad([1,2]) ColorJitter(.1,.1)
    RandomRotation(10) RandomRotation(10,expand=True) RandomAffine(10) GaussianBlur(3) RandomErasing(1.) RandomPerspective(p=1.)
    RandomInvert(1.) RandomAutocontrast(1.) RandomEqualize(1.) RandomAdjustSharpness(2,p=1.) RandomPosterize(2,p=1.)
    AutoAugment() RandAugment() TrivialAugmentWide() AugMix() ToPILImage() v2.ToPILImage() v2.RGB() v2.Identity()
    v2.ToPureTensor() v2.RandomPhotometricDistort(p=1.) v2.GaussianNoise() v2.RandomChannelPermutation() FiveCrop(4)
    v2.ToTensor() v2.PILToTensor() v2.ConvertImageDtype(torch.float32) v2.ToDtype(torch.uint8)""".split()  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("text", TRANSFORMS if HAS_TORCHVISION else [])
def test_transform_claims_nothing_that_torchvision_does_not_do(vision, text):
    from PIL import Image

    name, _, options = text.partition("(")
    real = eval(f"T.{text}", {"T": vision.transforms, "torch": torch})
    args, kwargs = eval(f"(lambda *args, **kwargs: (args, kwargs))({options}", {"torch": torch})
    array = np.random.randint(0, 255, (7, 10, 3), "u1")
    tensor = torch.rand(3, 7, 10)
    inputs = [
        Image.fromarray(array), Image.new("L", (10, 7)), Image.new("L", (8, 8)), array, array[..., 0], array / 255, tensor,
        (tensor * 255).to(torch.uint8), tensor[:1], tensor[None], tensor.permute(0, 2, 1),
    ]  # fmt: skip
    for value in inputs:
        facts = ArrayFacts()
        transform = made(
            f"torchvision.transforms.{name}",
            *(facts.of(arg) for arg in args),
            **{k: facts.of(a) for k, a in kwargs.items()},
        )
        given = image_of(value) if isinstance(value, Image.Image) else facts.of(value)
        claimed, faults = applied(transform, given, facts.elements)
        try:
            result = real(value)
        except Exception:
            continue
        assert not faults
        if isinstance(result, Image.Image):
            assert isinstance(claimed, v.Unknown) or agrees(claimed, image_of(result))
        elif isinstance(result, torch.Tensor):
            comparison = Comparison(facts)
            comparison.compare(claimed, result.as_subclass(torch.Tensor))
            assert not comparison.wrong, value
        else:
            assert isinstance(claimed, (v.Unknown, v.ArrayValue))


def image_of(image) -> v.ImageValue:
    return v.ImageValue(len(image.getbands()), image.height, image.width)


def agrees(claimed: v.Value, real: v.ImageValue) -> bool:
    pairs = zip((claimed.channels, claimed.height, claimed.width), (real.channels, real.height, real.width))
    return all(known is None or known == actual for known, actual in pairs)


FUNCTIONS = """to_tensor() pil_to_tensor() to_pil_image() normalize([.5],[.5]) normalize([.5,.5,.5],[.5,.5,.5]) resize([5,6])
    resize(5) center_crop([5,4]) pad([1,2]) hflip() vflip() rotate(10) rotate(10,expand=True)""".split()  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("text", FUNCTIONS if HAS_TORCHVISION else [])
@pytest.mark.parametrize(
    "module", ["torchvision.transforms.functional", "torchvision.transforms.v2.functional"]
)
def test_function_claims_nothing_that_torchvision_does_not_do(vision, module, text):
    from PIL import Image

    name, _, options = text.partition("(")
    function = getattr(importlib.import_module(module), name)
    args, kwargs = eval(f"(lambda *args, **kwargs: (args, kwargs))({options}")
    tensor = torch.rand(3, 7, 10)
    for value in (
        Image.new("RGB", (10, 7)),
        Image.new("L", (10, 7)),
        np.zeros((7, 10, 3), "u1"),
        tensor,
        tensor[:1],
    ):
        facts = ArrayFacts()
        given = image_of(value) if isinstance(value, Image.Image) else facts.of(value)
        arguments = Arguments(
            (given, *(facts.of(arg) for arg in args)), tuple((k, facts.of(a)) for k, a in kwargs.items())
        )
        row = ops.operator(f"{module}.{name}")
        claimed, faults = row.apply(f"{module}.{name}", arguments, Context(elements=facts.elements))
        try:
            result = function(value, *args, **kwargs)
        except Exception:
            continue
        assert not faults
        if isinstance(result, Image.Image):
            assert isinstance(claimed, v.Unknown) or agrees(claimed, image_of(result))
        else:
            comparison = Comparison(facts)
            comparison.compare(claimed, result.as_subclass(torch.Tensor))
            assert not comparison.wrong
