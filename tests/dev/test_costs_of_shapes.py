"""Twice the text takes about twice the work, counted in calls of functions, for every shape of text that is known to have taken more."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from torchlsp.engine.config import Overrides
from torchlsp.engine.engine import Engine, Options

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import growing_texts
import shapes

# What cost three to eight times as much for twice the text, at sizes at which the greater part of it was this.
MENDED = {
    growing_texts.backwards: 100,
    growing_texts.boolean_chain: 200,
    growing_texts.classes: 60,
    growing_texts.classes_that_inherit: 40,
    growing_texts.comparison_chain: 400,
    growing_texts.dict_items_set: 400,
    growing_texts.findings_on_a_line: 250,
    growing_texts.functions_called: 60,
    growing_texts.methods: 100,
    growing_texts.one_row_of_calls: 60,
    growing_texts.rank_branches: 250,
    growing_texts.rebound_in_module: 300,
    growing_texts.rebound_to_types: 300,
    growing_texts.unpacked_shapes: 200,
    growing_texts.wide_row: 200,
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
    for text in (shape(2), "x = torch.zeros(2, 3)\n"):  # imports and tables that are made at the first use
        calls(path, text)
    least = calls(path, "x = torch.zeros(2, 3)\n")
    once, twice = (calls(path, shape(n)) - least for n in (size, 2 * size))
    assert twice <= 2.6 * once, (once, twice)


@pytest.mark.parametrize("shape", shapes.SHAPES, ids=lambda shape: shape.__name__)
def test_a_shape_grows_with_its_size(shape):
    text = shape(8)
    assert len(shape(16)) > len(text)
    if shape not in (
        growing_texts.syntax_errors,
        growing_texts.unclosed_bracket,
        growing_texts.unclosed_string,
        growing_texts.words_of_errors,
    ):
        ast.parse(shapes.HEAD + text)
