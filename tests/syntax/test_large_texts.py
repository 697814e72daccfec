"""A text of more words and operators than are read in time is not parsed, and says so."""

from __future__ import annotations

import pytest

from torchlsp.core.text import Document
from torchlsp.syntax import parse as parsing
from torchlsp.syntax.lexing import has_more_tokens


def problem(text: str) -> str | None:
    tree = parsing.parse(Document("large.py", text))
    return tree.problems[0].kind if tree.problems else None


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("x = 1\n", 3),
        ("f(a, b)[0]\n", 9),
        ("# a comment of words\nx\n", 1),
        ('x = \'a text of words\' + """of, several rows\n"""\n', 3),
        ("x == y\n", 4),
    ],
)
def test_words_and_operators_are_counted(text, tokens):
    assert has_more_tokens(text, tokens - 1)
    assert not has_more_tokens(text, tokens)


def test_a_text_of_too_many_words_is_not_parsed(monkeypatch):
    monkeypatch.setattr(parsing, "MAX_TOKENS", 100)
    assert problem("x = 1\n" * 40) == "too-large"
    assert problem("x = 1\n" * 30) is None
    assert problem("# x = 1\n" * 400) is None


def test_a_long_text_of_few_words_is_parsed():
    assert problem("x = '" + "word " * 300_000 + "'\n") is None


def test_five_megabytes_of_statements_are_not_parsed(monkeypatch):
    parsed = []
    monkeypatch.setattr(parsing, "try_parse", lambda text: parsed.append(len(text)))
    assert problem("x = 1; " * 700_000) == "too-large"
    assert not parsed


def test_a_string_of_too_many_replacements_is_not_parsed(monkeypatch):
    monkeypatch.setattr(parsing, "MAX_REPLACEMENTS", 50)
    assert problem("x = f'" + "{x}" * 60 + "'\n") == "too-large"
    assert problem("x = f'" + "{x}" * 40 + "' + f'" + "{x}" * 40 + "'\n") is None
    assert problem("x = '" + "{x}" * 60 + "'  # f'" + "{x}" * 60 + "\n") is None
    assert problem("x = [" + "{x}, " * 60 + "]\n") is None
