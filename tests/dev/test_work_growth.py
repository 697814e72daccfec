"""Work grows in proportion to the input, counted in steps, which do not depend on the machine."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from torchlsp.core.text import Document
from torchlsp.interp.run.analyse import analyse
from torchlsp.lint.files import lowered
from torchlsp.syntax.parse import parse

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import generated


def steps(source: str) -> int:
    return analyse(lowered(parse(Document("growth.py", generated.HEAD + source)))).steps


@pytest.mark.parametrize("name", sorted(generated.SCALING))
def test_twice_the_input_is_about_twice_the_work(name):
    generator, smallest = generated.SCALING[name]
    before, last = (steps(generator(smallest * factor)) for factor in (4, 8))
    assert last <= 2.3 * before, (before, last)


def test_the_generated_corpus_is_the_same_each_time(tmp_path):
    first, second = tmp_path / "a", tmp_path / "b"
    first.mkdir()
    second.mkdir()
    texts = [
        [path.read_text() for path in generated.write_corpus(folder, 50_000)] for folder in (first, second)
    ]
    assert texts[0] == texts[1]
    assert sum(map(len, texts[0])) >= 50_000
