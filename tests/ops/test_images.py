"""Pictures of PIL and OpenCV, where they are installed, and what the tables claim of them."""

from __future__ import annotations

import numpy as np
import pytest
from test_arrays import ArrayComparison, ArrayFacts
from test_data import agrees, image_of

from torchlsp import ops
from torchlsp.facts import values as v
from torchlsp.ops.call import Context
from torchlsp.ops.signature import Arguments

pytestmark = pytest.mark.torch


def apply(name: str, facts: ArrayFacts, *args: v.Value, **kwargs: v.Value) -> v.Value:
    context = Context(site="site", elements=facts.elements)
    result, faults = ops.operator(name).apply(name, Arguments(args, tuple(kwargs.items())), context)
    assert not faults
    return result


@pytest.mark.parametrize("mode", ["L", "RGB", "RGBA", "CMYK", "YCbCr", "HSV", "LAB", "LA"])
def test_modes_have_these_channels(mode):
    image = pytest.importorskip("PIL.Image")
    facts = ArrayFacts()
    claimed = apply("PIL.Image.new", facts, facts.of(mode), facts.of((5, 7)))
    assert claimed == image_of(image.new(mode, (5, 7)))


@pytest.mark.parametrize("name, args", [
    ("convert", ("RGB",)), ("convert", ("L",)), ("convert", ("F",)), ("resize", ((3, 4),)), ("crop", ((1, 1, 3, 5),)), ("copy", ()),
])  # fmt: skip
def test_methods_of_images_are_those_of_pil(name, args):
    real = pytest.importorskip("PIL.Image").new("RGB", (5, 7))
    facts = ArrayFacts()
    claimed = apply(f"PIL.Image.Image.{name}", facts, image_of(real), *(facts.of(arg) for arg in args))
    assert agrees(claimed, image_of(getattr(real, name)(*args)))


@pytest.mark.parametrize(
    "array", [np.zeros((5, 7), "u1"), np.zeros((5, 7, 3), "u1"), np.zeros((5, 7), "f4")], ids=str
)
def test_image_of_an_array_is_that_of_pil(array):
    real = pytest.importorskip("PIL.Image").fromarray(array)
    facts = ArrayFacts()
    assert agrees(apply("PIL.Image.fromarray", facts, facts.of(array)), image_of(real))


@pytest.mark.parametrize("mode", ["L", "RGB", "RGBA"])
@pytest.mark.parametrize("dtype", [None, "float32"])
def test_array_of_an_image_is_that_of_numpy(mode, dtype):
    real = pytest.importorskip("PIL.Image").new(mode, (5, 7))
    for name in ("array", "asarray"):
        facts = ArrayFacts()
        options = {} if dtype is None else {"dtype": dtype}
        claimed = apply(
            f"numpy.{name}", facts, image_of(real), **{k: facts.of(o) for k, o in options.items()}
        )
        comparison = ArrayComparison(facts)
        comparison.compare(claimed, getattr(np, name)(real, **options))
        assert not comparison.wrong and claimed.dtype == ("u8" if dtype is None else "f32")


@pytest.mark.parametrize("shape", [(5, 7), (5, 7, 3), (5, 7, 4), (5, 7, 1)], ids=str)
def test_resize_is_that_of_opencv(shape):
    cv2 = pytest.importorskip("cv2")
    array, facts = np.zeros(shape, "u1"), ArrayFacts()
    comparison = ArrayComparison(facts)
    comparison.compare(
        apply("cv2.resize", facts, facts.of(array), facts.of((3, 4))), cv2.resize(array, (3, 4))
    )
    assert not comparison.wrong


def test_picture_read_by_opencv_has_three_channels(tmp_path):
    cv2 = pytest.importorskip("cv2")
    path, facts = str(tmp_path / "a.png"), ArrayFacts()
    cv2.imwrite(path, np.zeros((5, 7), "u1"))
    comparison = ArrayComparison(facts)
    comparison.compare(apply("cv2.imread", facts, facts.of(path)), cv2.imread(path))
    assert not comparison.wrong
