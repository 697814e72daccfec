"""Which words of a program may be known elsewhere: `§` stands before the word that is asked about."""

from __future__ import annotations

import pytest

from torchlsp.syntax.lexing import is_use


def asked(marked: str) -> bool:
    start = marked.index("§")
    text = marked.replace("§", "")
    end = start
    while end < len(text) and (text[end].isalnum() or text[end] == "_"):
        end += 1
    return is_use(text, start, end)


@pytest.mark.parametrize(
    "marked",
    [
        "x = §relu(x)",
        "x = F.§relu(x)  # a comment",
        "from package import §relu",
        "@§compiled\ndef f(): pass",
        "def f(x: §Tensor) -> Tensor: pass",
        "def f(x) -> §Tensor: pass",
        "x = 'a text' + §name",
        '"""A text\nof rows."""\n§name',
        "define(§x)",
    ],
)
def test_a_name_that_is_used(marked):
    assert asked(marked)


@pytest.mark.parametrize(
    "marked",
    [
        "§return x",
        "x = None if y §else z",
        "x = 3  # the §relu of x",
        "x = 'the §relu'",
        '"""Calls\n§relu"""',
        "'''Calls\n§relu of a text that is open",
        "def §relu(x): pass",
        "class  §Relu: pass",
        "async def §relu(x): pass",
    ],
)
def test_a_word_that_names_nothing_from_elsewhere(marked):
    assert not asked(marked)
