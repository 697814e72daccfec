"""Matches strings and comments with one regular expression: enough to skip them, in broken text too."""

from __future__ import annotations

import re
from keyword import iskeyword

STRING = (
    r'"""(?:[^"\\]|\\.|"(?!""))*(?:"""|\\?\Z)'
    r"|'''(?:[^'\\]|\\.|'(?!''))*(?:'''|\\?\Z)"
    r'|"(?:[^"\\\r\n]|\\\r\n|\\.)*"?'
    r"|'(?:[^'\\\r\n]|\\\r\n|\\.)*'?"
)
COMMENT = r"\#[^\r\n]*"

# Measured with libcst 1.9.0: its native parser overflows the stack, which ends the process, at some 1,000
# nested brackets and some 5,000 chained operators; a text this short cannot hold as many.
_SHORT = 800
_MAX_DEPTH = 150
_MAX_CHAIN_LENGTH = 400
_MAX_ELIF = 300

_TOKEN = re.compile(
    rf"(?P<string>(?P<prefix>[A-Za-z]{{0,2}})(?:{STRING}))|(?P<comment>{COMMENT})"
    r"|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<comma>,)|(?P<escaped>\\\r?\n)|(?P<newline>[\r\n;])"
    r"|(?P<link>[-+*/%@&|^~<>=!.:]+|\b(?:and|or|not|if|else|lambda|in|is|await)\b)|(?P<word>\w+)",
    re.DOTALL,
)


def safe_for_libcst(text: str) -> bool:
    """Returns whether libCST can parse this text without a risk to the process.

    False for brackets nested more than 150 deep, and for expressions of more than 400 links.
    """
    if len(text) <= _SHORT:
        return True
    if text.count("elif") > _MAX_ELIF:
        return False
    chains = [0]
    for token in _TOKEN.finditer(text):
        kind = token.lastgroup
        if kind == "open":
            chains.append(0)
            if len(chains) > _MAX_DEPTH:
                return False
        elif kind == "close":
            if len(chains) > 1:
                chains.pop()
            chains[-1] += 1
        elif kind == "comma":
            chains[-1] = 0
        elif kind == "newline":
            if len(chains) == 1:
                chains[0] = 0
        elif kind == "link" or kind == "string" or kind == "prefix":
            # `----x` is one token of many operators.
            chains[-1] += len(token.group()) if kind == "link" and not token.group().isalpha() else 1
            if kind != "link" and not _shallow(token):
                return False
        if chains[-1] > _MAX_CHAIN_LENGTH:
            return False
    return True


_WORD_OR_OPERATOR = re.compile(rf"(?:{STRING})|{COMMENT}|(?P<token>\w+|[^\w\s])", re.DOTALL)


def has_more_tokens(text: str, most: int) -> bool:
    """Returns whether a text has more words and characters of operators than `most`, strings and comments left out."""
    count = 0
    for found in _WORD_OR_OPERATOR.finditer(text):
        count += found.lastgroup == "token"
        if count > most:
            return True
    return False


_STRING_WITH_PREFIX = re.compile(rf"(?P<prefix>\b[A-Za-z]{{1,2}})?(?P<string>{STRING})|{COMMENT}", re.DOTALL)


def most_replacements(text: str) -> int:
    """Returns the greatest number of braces opened in one f-string."""
    return max(
        (
            found.group("string").count("{")
            for found in _STRING_WITH_PREFIX.finditer(text)
            if "f" in (found.group("prefix") or "").lower()
        ),
        default=0,
    )


def _shallow(token: re.Match[str]) -> bool:
    """Returns whether the replacements of an f-string are not nested too deeply."""
    if "f" not in token.group("prefix").lower() and "t" not in token.group("prefix").lower():
        return True
    depth = 0
    for character in token.group("string"):
        if character in "([{":
            depth += 1
            if depth > _MAX_DEPTH:
                return False
        elif character in ")]}" and depth:
            depth -= 1
    return True


_NO_CODE = re.compile(rf"{STRING}|{COMMENT}", re.DOTALL)
_DEFINES = re.compile(r"\b(?:def|class)[ \t]+\Z")


def is_use(text: str, start: int, end: int) -> bool:
    """Returns whether a word of a program names something that may be known elsewhere.  No keyword does, no
    part of a text or of a comment, and not the name of a definition."""
    if iskeyword(text[start:end]) or _DEFINES.search(text, max(text.rfind("\n", 0, start), 0), start):
        return False
    return not any(found.end() > start for found in _NO_CODE.finditer(text, 0, end) if found.start() <= start)
