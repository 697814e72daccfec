"""Changes a program token by token; the result need not parse."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

_TOKEN = re.compile(
    r"""[rbfuRBFU]{0,2}(?:'''.*?'''|\"\"\".*?\"\"\"|'[^'\n]*'|"[^"\n]*")   # a text
    | [^\W\d]\w* | \d[\w.]*                                             # a name, a number
    | \r?\n[ \t]* | [ \t\f]+ | \#[^\n]*                                 # a line with its indentation, blanks, a comment
    | \*\*=? | //=? | << | >> | [-+*/%@&|^<>=!:]=? | -> | .             # an operator, a bracket, anything else
    """,
    re.VERBOSE | re.DOTALL,
)
KEYWORDS = (
    "and as assert async await break class continue def del elif else except False finally for from global if import in is "
    "lambda None nonlocal not or pass raise return True try while with yield match case type _ print self torch"
).split()
NUMBERS = (
    "0", "-1", "1", "64", "2147483648", "-9223372036854775809", "9" * 40, "9" * 5_000, "1e308", "1e999", "-0.0", "1_000_000_000",
    "0x" + "f" * 200, "1j", "0b" + "1" * 300, "07", "1.", ".5", "2 ** 10 ** 8", "1 << 10 ** 9", "float('nan')", "True",
)  # fmt: skip
UNICODE = (
    "é", "😀", "\u202e", "\u2066", "\ufeff", "\u2028", "\x85", "\x0c", "\x00", "\x1b[31m", "ſ", "𝐱", "ﬁ", "\u0301", "\xa0", "\u200b",
    "٣", "²", "Ⅷ", "\ud800", "\udfff", "·", "℘", "\r", "\t", "\\", "ǅ", "İ",
)  # fmt: skip
BRACKETS = (
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "((((",
    "]]]]",
    "({[",
    '"""',
    "'''",
    "'",
    '"',
    "f'{",
    "}}",
    ",",
    ",,",
    "\\\n",
)
BLANKS = ("\n", "\n\n", "\n    ", "\n\t", " ", "\n        ", ";", "\r\n", "\r")


def tokens(text: str) -> list[str]:
    """Splits a text into tokens that give it again when they are joined."""
    return _TOKEN.findall(text)


def mutated_tokens(text: str, other: str, chance: Random) -> tuple[str, str]:
    """Returns a changed program and the name of the change; `other` is the program that lines are taken from."""
    change = chance.choice(CHANGES)
    return change(text, other, chance), change.__name__.strip("_")


def _place(parts: list[str], chance: Random, *, with_blanks: bool = False) -> int:
    """Returns the number of a token, mostly of one that means something."""
    for _ in range(20):
        index = chance.randrange(len(parts))
        if with_blanks or not (parts[index].isspace() or parts[index].startswith("#")):
            break
    return index


def _edit(text: str, chance: Random, change: Callable[[list[str], int], None]) -> str:
    """Applies a change at one token, or at up to four."""
    parts = tokens(text) or [""]
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        change(parts, _place(parts, chance))
    return "".join(parts)


def delete_token(text: str, other: str, chance: Random) -> str:
    def change(parts: list[str], at: int) -> None:
        parts[at] = ""

    return _edit(text, chance, change)


def delete_range(text: str, other: str, chance: Random) -> str:
    parts = tokens(text) or [""]
    first = chance.randrange(len(parts))
    del parts[first : first + chance.randint(2, 30)]
    return "".join(parts)


def duplicate_token(text: str, other: str, chance: Random) -> str:
    times = chance.choice((2, 2, 2, 3, 50))

    def change(parts: list[str], at: int) -> None:
        parts[at] = " ".join([parts[at]] * times) if chance.random() < 0.5 else parts[at] * times

    return _edit(text, chance, change)


def swap_tokens(text: str, other: str, chance: Random) -> str:
    def change(parts: list[str], at: int) -> None:
        to = (
            min(at + chance.choice((1, 2, 3)), len(parts) - 1)
            if chance.random() < 0.5
            else _place(parts, chance)
        )
        parts[at], parts[to] = parts[to], parts[at]

    return _edit(text, chance, change)


def replace_by_own_token(text: str, other: str, chance: Random) -> str:
    def change(parts: list[str], at: int) -> None:
        parts[at] = parts[_place(parts, chance)]

    return _edit(text, chance, change)


def replace_by_similar_token(text: str, other: str, chance: Random) -> str:
    """Puts a name of either program in the place of a name, so that most results parse."""
    parts, words = tokens(text) or [""], [one for one in tokens(text) + tokens(other) if one.isidentifier()]
    places = [at for at, one in enumerate(parts) if one.isidentifier() and one not in KEYWORDS]
    for _ in range(chance.choice((1, 2, 5))):
        if places and words:
            parts[chance.choice(places)] = chance.choice(words)
    return "".join(parts)


def replace_by_keyword(text: str, other: str, chance: Random) -> str:
    def change(parts: list[str], at: int) -> None:
        parts[at] = f" {chance.choice(KEYWORDS)} "

    return _edit(text, chance, change)


def replace_number(text: str, other: str, chance: Random) -> str:
    parts = tokens(text) or [""]
    places = [at for at, one in enumerate(parts) if one[:1].isdigit()] or [_place(parts, chance)]
    for at in chance.sample(places, min(len(places), chance.choice((1, 1, 3)))):
        parts[at] = chance.choice(NUMBERS)
    return "".join(parts)


def insert_unicode(text: str, other: str, chance: Random) -> str:
    def change(parts: list[str], at: int) -> None:
        odd, part = chance.choice(UNICODE), parts[at]
        cut = chance.randint(0, len(part))
        parts[at] = part[:cut] + odd + part[cut:]

    return _edit(text, chance, change)


def rename_to_unicode(text: str, other: str, chance: Random) -> str:
    """Gives a name other letters everywhere, so that the result parses."""
    parts = tokens(text)
    names = sorted({one for one in parts if one.isidentifier() and one not in KEYWORDS})
    if not names:
        return text
    name, new = (
        chance.choice(names),
        chance.choice(("é", "𝐱", "ﬁrst", "ſ", "名前", "x" * 3_000, "_", "__x", "__class__")),
    )
    return "".join(new if one == name else one for one in parts)


def insert_bracket(text: str, other: str, chance: Random) -> str:
    def change(parts: list[str], at: int) -> None:
        parts[at] += chance.choice(BRACKETS)

    return _edit(text, chance, change)


def insert_blank(text: str, other: str, chance: Random) -> str:
    def change(parts: list[str], at: int) -> None:
        parts[at] += chance.choice(BLANKS)

    return _edit(text, chance, change)


def splice_lines(text: str, other: str, chance: Random) -> str:
    """Takes up to three lines of another program, indented as the line that they come before."""
    lines, others = text.splitlines(keepends=True), other.splitlines() or [""]
    for _ in range(chance.randint(1, 3)):
        at = chance.randint(0, len(lines))
        line = lines[min(at, len(lines) - 1)] if lines else ""
        indentation = line[: len(line) - len(line.lstrip())].strip("\r\n")
        lines.insert(at, indentation + chance.choice(others).strip() + "\n")
    return "".join(lines)


def splice_halves(text: str, other: str, chance: Random) -> str:
    lines, others = text.splitlines(keepends=True), other.splitlines(keepends=True)
    return "".join(lines[: chance.randint(0, len(lines))] + others[chance.randint(0, len(others)) :])


def reindent(text: str, other: str, chance: Random) -> str:
    lines = text.splitlines(keepends=True) or [""]
    first = chance.randrange(len(lines))
    for at in range(first, min(first + chance.randint(1, 6), len(lines))):
        line = lines[at]
        lines[at] = line.lstrip(" ") if chance.random() < 0.4 else chance.choice(("    ", " ", "\t")) + line
    return "".join(lines)


def repeat_line(text: str, other: str, chance: Random) -> str:
    lines = text.splitlines(keepends=True) or [""]
    at = chance.randrange(len(lines))
    lines[at:at] = [lines[at]] * chance.choice((1, 3, 40, 300))
    return "".join(lines)


def cut_off(text: str, other: str, chance: Random) -> str:
    return text[: chance.randint(0, len(text))]


CHANGES: tuple[Callable[[str, str, Random], str], ...] = (
    delete_token, delete_range, duplicate_token, swap_tokens, replace_by_own_token, replace_by_similar_token, replace_by_similar_token,
    replace_by_keyword, replace_number, replace_number, insert_unicode, rename_to_unicode, insert_bracket, insert_blank,
    splice_lines, splice_lines, splice_halves, reindent, repeat_line, cut_off,
)  # fmt: skip
