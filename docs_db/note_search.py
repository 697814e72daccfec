"""Finds the symbols whose notes speak of what is searched for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from torchlsp.docs_db.notes import load_note, note_paths

if TYPE_CHECKING:
    from torchlsp.docs_db.notes import Note

_WORD = re.compile(r"\w+")
_NEGATIONS = frozenset({"non", "not", "no"})
_FILLERS = frozenset("a an and for how i in is of on or the to with".split())
# So much of a word is compared: `transposing`, `transposed` and `transpose` are one.
_STEM = 6
_IN_SYMBOL, _IN_TITLE, _IN_SUMMARY, _IN_TEXT = 12, 6, 3, 1


def words_of(text: str) -> list[str]:
    """Returns the words of a search that say what it is about. Documentation says of the contrary what it is contrary to, so
    `non contiguous` and `noncontiguous` are `contiguous`."""
    found = []
    for word in _WORD.findall(text.lower()):
        if word not in _NEGATIONS and word not in _FILLERS:
            is_contrary = word.startswith("non") and len(word) > len("non") + 4
            found.append(word[len("non") :] if is_contrary else word)
    return found


def noted_symbols(text: str, most: int) -> list[str]:
    """Returns the symbols whose notes have all words of a search, those that say most of them first."""
    stems = [word[:_STEM] for word in words_of(text)]
    if not stems:
        return []
    scores = {}
    for path in note_paths():
        note = load_note(path)
        each = [_score(note, stem) for stem in stems]
        if all(each):
            scores[note.symbols[0]] = sum(each)
    return sorted(scores, key=lambda symbol: (-scores[symbol], symbol))[:most]


def _score(note: Note, stem: str) -> int:
    """Returns how much a note is about a word; 0 if it does not have it."""
    score = _IN_SYMBOL * any(stem in symbol.lower() for symbol in note.symbols)
    score += _IN_SUMMARY * note.summary.lower().count(stem)
    for pitfall in note.pitfalls:
        score += _IN_TITLE * (stem in pitfall.title.lower())
        score += _IN_TEXT * (stem in pitfall.text.lower())
        score += _IN_TEXT * any(stem in block.source.lower() for block in pitfall.of_role("bad", "good"))
    return score
