"""Which comments are suppressions."""

from __future__ import annotations

import pytest

from torchlsp.core.text import Document
from torchlsp.syntax.parse import parse
from torchlsp.syntax.suppressions import Suppression, suppressions


def found(text: str) -> tuple[Suppression, ...]:
    return suppressions(parse(Document("x.py", text)))


def codes(text: str) -> list[list[str]]:
    return [[code for code, _ in one.codes] for one in found(text)]


@pytest.mark.parametrize(
    ("comment", "listed"),
    [
        ("# torchlsp: ignore[TL101]", ["TL101"]),
        ("#torchlsp:ignore[TL101,TL102] because", ["TL101", "TL102"]),
        ("# torchlsp: ignore[view-on-noncontiguous]", ["view-on-noncontiguous"]),
        ("# torchlsp: ignore", []),
        ("# type: ignore # torchlsp: ignore[TL101]", ["TL101"]),
        ("# noqa: TL101", ["TL101"]),
        ("# NOQA:F401,TL101, E501", ["TL101"]),
        ("# noqa: F401 TL101 some words", ["TL101"]),
    ],
)
def test_forms(comment: str, listed: list[str]) -> None:
    text = f"x = 1  {comment}\n"
    assert codes(text) == [listed]
    for code, span in found(text)[0].codes:
        assert text[span.start : span.end] == code


@pytest.mark.parametrize(
    "text",
    [
        "x = 1  # noqa\n",
        "x = 1  # noqa: F401\n",
        "x = '# torchlsp: ignore[TL101]'\n",
        'x = """\n# torchlsp: ignore[TL101]\n"""\n',
        "x = r'\\\\'  '# torchlsp: ignore[TL101]'\n",
        'x = f"""{y}\n# noqa: TL101\n"""\n',
        "torchlsp = 1\ntorchlsp: ignore = 2\n",
        "x = 'a\\\n# noqa: TL101'\n",
    ],
)
def test_what_is_no_suppression(text: str) -> None:
    assert found(text) == ()


def test_comments_of_a_broken_text_count() -> None:
    assert codes("x = (\ny = 2  # torchlsp: ignore[TL101]\n") == [["TL101"]]


def test_ignore_file_counts_above_the_first_statement() -> None:
    top = found('# torchlsp: ignore-file[TL101]\n"""Doc."""\n# torchlsp: ignore-file[TL102]\nimport torch\n')
    assert [one.effective for one in top] == [True, True]
    below = found("import torch\n# torchlsp: ignore-file[TL101]\n")
    assert [one.effective for one in below] == [False]
