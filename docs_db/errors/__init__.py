"""Matches the texts of torch's errors to explanations and fixes.

The knowledge is data: one `[[error]]` for each kind of error, in the TOML files beside this one.

- `id`, `title`; `exceptions`: the classes it is raised as (their last names; none: any);
- `stems`: regular expressions, one of which is found in the text. Their groups are what the text tells: shapes, sizes,
  dtypes (groups called `dtype…`), devices, names. They do not run over the end of a line, so that they stay fast;
- `meaning`: for any reader; `here`: sentences with groups as `{group}`, the first of which all groups are known is used;
- `fixes` in the order in which to try them; those that name an unknown group are left out;
- `rules`: codes of rules that find the mistake before it runs, also of rules that are still to be written;
- `wraps`: the text only carries another error; `secondary`: mostly the consequence of an error elsewhere;
- `trigger`: a program that raises it (`ranks`: within a process group), `others`: wordings of other versions and devices;
- `evidence`: "torch" (the default: the trigger is run by the tests), "emulated" or "unverified", then with the `why`.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from functools import cache
from math import fsum, log
from pathlib import Path
from typing import TYPE_CHECKING

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from torchlsp.core.decoded import Table

MAX_TEXT_LENGTH = 20_000
"""The maximum number of characters of a text that are read: errors differ in their beginning."""

_MAX_GROUP_LENGTH = 200
_FIELD = re.compile(r"\{(\w+)\}")
_WORD = re.compile(r"[A-Za-z]\w{2,}")
_GROUP_NAME = re.compile(r"\(\?P<\w+>|\(\?[:!=]|\\[a-zA-Z]")
# One word in common says nothing: `input` and `size` are in every second error.
_MIN_SHARED_WORDS = 2
_LAST_NUMBER = re.compile(r"\d+")

# The names that torch's C++ side gives dtypes in its texts, as Python knows them.
_DTYPES = {
    "Float": "float32",
    "float": "float32",
    "Double": "float64",
    "double": "float64",
    "Half": "float16",
    "BFloat16": "bfloat16",
    "Long": "int64",
    "long": "int64",
    "long int": "int64",
    "long long": "int64",
    "__int64": "int64",
    "Int": "int32",
    "int": "int32",
    "Short": "int16",
    "short": "int16",
    "Char": "int8",
    "signed char": "int8",
    "Byte": "uint8",
    "unsigned char": "uint8",
    "Bool": "bool",
    "bool": "bool",
    "ComplexFloat": "complex64",
    "ComplexDouble": "complex128",
}


@dataclass(frozen=True, slots=True)
class ErrorEntry:
    """One kind of error; the fields are described in the module's docstring."""

    id: str
    title: str
    exceptions: frozenset[str]
    stems: tuple[re.Pattern[str], ...]
    meaning: str
    fixes: tuple[str, ...]
    here: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    wraps: bool = False
    secondary: bool = False
    evidence: str = "torch"
    why: str = ""
    trigger: str = ""
    ranks: bool = False
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Explanation:
    """An entry with what is derived from one text. `values` are the groups; `here` is empty where the text
    tells nothing more."""

    entry: ErrorEntry
    values: tuple[tuple[str, str], ...]
    here: str
    fixes: tuple[str, ...]


def explain(text: str, exception: str = "") -> Explanation | None:
    """Returns the meaning of an error's text, with or without its class in front; None for an unknown one.

    `exception` is the name of its class: of several meanings it chooses the one raised so.
    """
    found = explanations(text, exception)
    return found[0] if found else None


def explanations(text: str, exception: str = "") -> tuple[Explanation, ...]:
    """Returns all meanings of a text, the best first: errors that wrap or follow others come last, earlier
    ones in the text first."""
    text = text[:MAX_TEXT_LENGTH]
    last_name = exception.rpartition(".")[2]
    ranked: list[tuple[tuple[bool, bool, int, int], int, ErrorEntry, re.Match[str]]] = []
    for number, entry in enumerate(entries()):
        match = _first_match(entry, text)
        if match is not None:
            is_other_class = bool(last_name and entry.exceptions and last_name not in entry.exceptions)
            rank = (entry.wraps or entry.secondary, is_other_class, match.start(), -len(match[0]))
            ranked.append((rank, number, entry, match))
    ranked.sort(key=lambda one: one[:2])
    return tuple(_explained(entry, match) for _, _, entry, match in ranked)


def told_more(explanation: Explanation, text: str) -> Explanation:
    """Returns the explanation, completed from the rest of a program's output."""
    if explanation.here:
        return explanation
    for stem in explanation.entry.stems:
        match = stem.search(text)
        if match is not None:
            other = _explained(explanation.entry, match)
            if other.here:
                return other
    return explanation


def by_id(identifier: str) -> ErrorEntry | None:
    """Returns the entry of an id, in any case."""
    wanted = identifier.upper()
    return next((entry for entry in entries() if entry.id == wanted), None)


def nearest(text: str, number: int = 3) -> tuple[ErrorEntry, ...]:
    """Returns the entries of which one wording shares most with a text, by the words that few wordings have."""
    words = _words(text[:MAX_TEXT_LENGTH])
    weights, indexed = _index()
    best: dict[str, tuple[float, ErrorEntry]] = {}
    for entry, own in indexed:
        common = own & words
        if len(common) < _MIN_SHARED_WORDS:
            continue
        # A long wording shares something with everything.
        score = fsum(weights[word] for word in common) / fsum(weights[word] for word in own) ** 0.5
        if score > best.get(entry.id, (0.0, entry))[0]:
            best[entry.id] = score, entry
    ranked = sorted(best.values(), key=lambda one: -one[0])
    return tuple(entry for _, entry in ranked[:number])


@cache
def entries() -> tuple[ErrorEntry, ...]:
    """Returns all entries, in the order of their numbers."""
    found: list[ErrorEntry] = []
    for path in Path(__file__).parent.glob("*.toml"):
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        found.extend(_entry(raw) for raw in table["error"])
    return tuple(sorted(found, key=lambda entry: int(_LAST_NUMBER.findall(entry.id)[-1])))


def _entry(raw: Table) -> ErrorEntry:
    lists = {key: tuple(raw[key]) for key in ("fixes", "here", "rules", "others") if key in raw}
    return ErrorEntry(
        **raw
        | lists
        | {
            "exceptions": frozenset(raw["exceptions"]),
            "stems": tuple(re.compile(stem) for stem in raw["stems"]),
        }
    )


def _first_match(entry: ErrorEntry, text: str) -> re.Match[str] | None:
    best: re.Match[str] | None = None
    for stem in entry.stems:
        match = stem.search(text)
        if match is not None and (best is None or match.start() < best.start()):
            best = match
    return best


def _explained(entry: ErrorEntry, match: re.Match[str]) -> Explanation:
    values = {
        name: _value(name, value)
        for name, value in match.groupdict().items()
        if value is not None and value.strip()
    }
    here = next((_filled(one, values) for one in entry.here if _is_known(one, values)), "")
    fixes = tuple(_filled(one, values) for one in entry.fixes if _is_known(one, values))
    return Explanation(entry, tuple(values.items()), here, fixes)


def general_fixes(entry: ErrorEntry) -> tuple[str, ...]:
    """Returns the fixes for a reader whose text is not known: the missing parts are left out as `…`."""
    return tuple(_FIELD.sub("…", fix) for fix in entry.fixes)


def _value(name: str, value: str) -> str:
    value = " ".join(value.split())[:_MAX_GROUP_LENGTH]
    if not name.startswith("dtype"):
        return value
    last = value.removeprefix("struct ").rpartition("::")[2]
    return _DTYPES.get(last, last)


def _is_known(template: str, values: dict[str, str]) -> bool:
    return all(field in values for field in _FIELD.findall(template))


def _filled(template: str, values: dict[str, str]) -> str:
    return _FIELD.sub(lambda match: values[match[1]], template)


@cache
def _index() -> tuple[dict[str, float], list[tuple[ErrorEntry, frozenset[str]]]]:
    """Returns the weight of each word, and the words of each wording: of every stem, and of those of other
    versions."""
    indexed: list[tuple[ErrorEntry, frozenset[str]]] = []
    counts: dict[str, int] = {}
    for entry in entries():
        for wording in (*(_GROUP_NAME.sub(" ", stem.pattern) for stem in entry.stems), *entry.others):
            own = _words(wording)
            indexed.append((entry, own))
            for word in own:
                counts[word] = counts.get(word, 0) + 1
    return {word: log(1 + len(indexed) / count) for word, count in counts.items()}, indexed


def _words(text: str) -> frozenset[str]:
    return frozenset(word.lower() for word in _WORD.findall(text))
