"""Describes a module to the user: what a container holds, and how many parameters a module has."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from torchlsp.engine.called_elsewhere import Elsewhere
from torchlsp.engine.recorded import Recorded
from torchlsp.engine.values_shown import AS_CALLED, Note, children_text, count_text, open_arguments
from torchlsp.facts import values as v
from torchlsp.interp.store.recorded import Place, RootPlace
from torchlsp.program import ir

_Found = Iterator[tuple["v.Value | None", "Note | None"]]


def notes_on_module(
    facts: Recorded, value: v.Value, node: ir.Node | ir.Param, remark: Note | None = None
) -> Iterator[Note]:
    """Yields what a container holds, and the number of parameters of a module that is no single layer of torch.

    `remark` is what another line says of where the facts come from.
    """
    if not isinstance(value, v.LayerValue | v.InstanceValue | v.Wrapped):
        return
    held, holders = _most_exact(_recorded(facts, facts.analysis.children, Elsewhere.children, node))
    count, counters = _first(_recorded(facts, facts.analysis.counts, Elsewhere.count, node))
    holders = None if _says_the_same(remark, holders) else holders
    counters = None if _says_the_same(remark, counters) else counters
    if held:
        yield Note("holds", held)
    if held and holders is not None and holders != counters:
        yield holders
    if count and held and holders is not None and holders == counters:
        yield Note(count)
        yield holders
    elif count:
        yield Note(count if counters is None else f"{count}, {counters.words}")


def _recorded(
    facts: Recorded,
    kept: Mapping[RootPlace, v.Value],
    passed: Callable[[Elsewhere, Place], v.Value | None],
    node: ir.Node | ir.Param,
) -> _Found:
    """Yields what is recorded of a module: for all callers, for the calls of this file, and for those of other files."""
    own, called = (node.start, node.end, True), (node.start, node.end, False)
    yield kept.get(own), None
    if not facts.is_missed(node.start, node.end):
        # A main program runs a method for what it has made; else its sizes are those of the calls.
        yield kept.get(called), AS_CALLED if own in kept else None
    if facts.elsewhere is not None:
        place = facts.place_outside(node.start, node.end)
        note = facts.elsewhere.note(place)
        if note is not None:
            yield passed(facts.elsewhere, place), note


def _first(found: _Found) -> tuple[str, Note | None]:
    """Returns the first number of parameters that is known."""
    return next(((text, note) for value, note in found if (text := count_text(value))), ("", None))


def _most_exact(found: _Found) -> tuple[str, Note | None]:
    """Returns what a container holds by the calls that leave the fewest arguments open; where these differ, for all callers."""
    told = [(open_arguments(value), text, note) for value, note in found if (text := children_text(value))]
    if not told:
        return "", None
    fewest = min(left_open for left_open, _, _ in told)
    best = [(text, note) for left_open, text, note in told if left_open == fewest]
    return best[0] if all(text == best[0][0] for text, _ in best) else told[0][1:]


def _says_the_same(remark: Note | None, note: Note | None) -> bool:
    """Returns whether a remark names the same calls as a note, also where it says that these differ in something else."""
    if remark is None or note is None:
        return False
    return remark.calls == note.calls and remark.words.startswith(note.words)
