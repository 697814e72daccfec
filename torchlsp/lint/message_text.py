"""Writes facts and source text as messages show them."""

from __future__ import annotations

import re

from torchlsp.facts import notation
from torchlsp.facts.dim import Dim
from torchlsp.facts.shape import Shape
from torchlsp.facts.tensor import TensorFact

_LONGEST_EXPRESSION = 48
"""From this length on, an expression is written with `...` for what stands in its brackets."""


def shown(fact: TensorFact | Shape | Dim | str | None) -> str:
    """Writes a tensor (`f32[8, 3] grad`), a shape (`[8, 3]`) or a size; `?` for an unknown one."""
    match fact:
        case TensorFact():
            return notation.tensor_text(fact)
        case tuple():
            return "[" + ", ".join("?" if size is None else notation.dim_text(size) for size in fact) + "]"
        case None:
            return "?"
        case str():
            return fact
    return notation.dim_text(fact)


def shortened(source: str, longest: int = _LONGEST_EXPRESSION) -> str:
    """Puts source text on one line. In a long one `...` stands for what is in the innermost brackets, so that its
    names stay whole; a text without brackets stays as it is."""
    text = " ".join(_ROOM.sub("", source).split())
    depth = _deepest(text)
    while len(text) > longest and depth:
        text = _without_content(text, depth)
        depth -= 1
    return text


_ROOM = re.compile(r"(?<=[(\[{])\s*\n\s*|,?\s*\n\s*(?=[)\]}])")
"""What breaking a row in brackets leaves: blanks at the brackets, and a comma after the last argument."""
_PARTS = re.compile(r"""("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|([(\[{])|([)\]}])""")
_SHORT = 8
"""Content of brackets that is not longer stays."""


def _deepest(text: str) -> int:
    depth = deepest = 0
    for found in _PARTS.finditer(text):
        depth += bool(found[2]) - bool(found[3])
        deepest = max(deepest, depth)
    return deepest


def _without_content(text: str, wanted: int) -> str:
    """Writes `...` in all brackets of this depth."""
    parts: list[str] = []
    depth = begun = done = 0
    for found in _PARTS.finditer(text):
        if found[2]:
            depth += 1
            if depth == wanted:
                begun = found.end()
        elif found[3]:
            if depth == wanted and found.start() - begun > _SHORT:
                parts += [text[done:begun], "..."]
                done = found.start()
            depth -= 1
    return "".join([*parts, text[done:]])
