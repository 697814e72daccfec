"""Writes facts and source text as messages show them."""

from __future__ import annotations

from torchlsp.facts import notation
from torchlsp.facts.dim import Dim
from torchlsp.facts.shape import Shape
from torchlsp.facts.tensor import TensorFact

MAX_MESSAGE_LENGTH = 100
_MAX_NAME_LENGTH = 28


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


def shortened(source: str, longest: int = _MAX_NAME_LENGTH) -> str:
    """Puts source text on one line and cuts the middle of a long one, so that the name and the last call stay."""
    text = " ".join(source.split())
    if len(text) <= longest:
        return text
    tail = longest // 2
    return f"{text[: longest - tail - 1]}…{text[-tail:]}"


def message(text: str) -> str:
    """Cuts a message to its limit. Rules write short ones; only facts of many dims can make it longer."""
    return text if len(text) <= MAX_MESSAGE_LENGTH else text[: MAX_MESSAGE_LENGTH - 1].rstrip() + "…"
