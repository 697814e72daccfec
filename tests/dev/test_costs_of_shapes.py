"""Twice the text takes about twice the work, counted in calls of functions, for every shape of text that is known to have taken more."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from torchlsp.engine.config import Overrides
from torchlsp.engine.engine import Engine, Options

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import shapes

# What cost three to eight times as much for twice the text, at sizes at which the greater part of it was this.
MENDED = {
    shapes.backwards: 100,
    shapes.boolean_chain: 200,
    shapes.classes: 60,
    shapes.classes_that_inherit: 40,
    shapes.comparison_chain: 400,
    shapes.dict_items_set: 400,
    shapes.findings_on_a_line: 25,
    shapes.functions_called: 60,
    shapes.methods: 100,
    shapes.one_row_of_calls: 60,
    shapes.rank_branches: 250,
    shapes.rebound_in_module: 300,
    shapes.rebound_to_types: 300,
    shapes.unpacked_shapes: 200,
    shapes.wide_row: 200,
}


def calls(path: Path, text: str) -> int:
    """Returns the number of calls, of Python's and of C's functions, that a check of a text makes."""
    path.write_text(shapes.HEAD + text, encoding="utf-8")
    count = 0

    def profile(frame, event, argument):
        nonlocal count
        count += event in ("call", "c_call")

    engine = Engine(Options(Overrides(isolated=True)))
    sys.setprofile(profile)
    try:
        result = engine.check([str(path)])
    finally:
        sys.setprofile(None)
    assert not result.internal_errors
    return count


@pytest.mark.slow
@pytest.mark.parametrize("shape", MENDED, ids=lambda shape: shape.__name__)
def test_twice_the_text_takes_about_twice_the_calls(tmp_path, shape):
    path, size = tmp_path / "shape.py", MENDED[shape]
    calls(path, shape(2))  # imports what is needed
    least = calls(path, "x = torch.zeros(2, 3)\n")
    once, twice = (calls(path, shape(n)) - least for n in (size, 2 * size))
    assert twice <= 2.6 * once, (once, twice)


@pytest.mark.parametrize("shape", shapes.SHAPES, ids=lambda shape: shape.__name__)
def test_a_shape_grows_with_its_size(shape):
    text = shape(8)
    assert len(shape(16)) > len(text)
    if shape not in (
        shapes.syntax_errors,
        shapes.unclosed_bracket,
        shapes.unclosed_string,
        shapes.words_of_errors,
    ):
        ast.parse(shapes.HEAD + text)
