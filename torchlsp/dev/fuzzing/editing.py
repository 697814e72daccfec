"""Opens mutants in a real server and edits them, beside a file that nobody touches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random
from typing import Any

from torchlsp.dev.fuzzing.mutants import Mutant, mutant
from torchlsp.dev.fuzzing.sessions import Session, problems_in_sessions
from torchlsp.dev.fuzzing.token_mutations import UNICODE

_AT_ONCE = 25
"""How many mutants one server is given."""


def problems(run: int, numbers: Iterable[int]) -> Iterator[str]:
    """Returns what did not hold, each with the mutant that was being edited."""

    def of_one(session: Session, number: int) -> Iterator[str]:
        made = mutant(run, number)
        return (f"{made}: {problem}" for problem in _edited(session, made))

    return problems_in_sessions(numbers, _AT_ONCE, of_one)


def _edited(session: Session, made: Mutant) -> Iterator[str]:
    """Turns a seed into its mutant, line by line and at once, and asks about both files without waiting in between."""
    chance, client = Random(made.number), session.client
    uri = client.open(client.uri(f"mutant_{made.number}.py"), made.seed.text)
    asked = [client.ask("textDocument/diagnostic", {"textDocument": {"uri": uri}})]
    version = 1
    for change in _changes(made, chance):
        version += 1
        document = {"uri": uri, "version": version}
        client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
        asked.extend(client.ask(method, params) for method, params in _questions(uri, made.text, chance))
    yield from session.problems()
    asked.append(client.ask("textDocument/diagnostic", {"textDocument": {"uri": uri}}))
    yield from _unanswered(session, asked)
    client.close(uri)


def _changes(made: Mutant, chance: Random) -> Iterator[dict[str, Any]]:
    yield {"text": made.text}
    lines = made.text.splitlines() or [""]
    for _ in range(chance.randint(1, 4)):
        row = chance.randrange(len(lines))
        places = [{"line": row, "character": chance.randint(0, len(lines[row]))} for _ in range(2)]
        places.sort(key=lambda one: one["character"])
        yield {
            "range": {"start": places[0], "end": places[1]},
            "text": chance.choice(UNICODE) * chance.randint(0, 1),
        }
    if chance.random() < 0.5:
        yield {"text": made.text}


def _questions(uri: str, text: str, chance: Random) -> Iterator[tuple[str, dict[str, Any]]]:
    document = {"uri": uri}
    here = {"line": chance.randint(0, text.count("\n") + 1), "character": chance.randint(0, 30)}
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 100_000, "character": 0}}
    yield "textDocument/hover", {"textDocument": document, "position": here}
    if chance.random() < 0.5:
        yield "textDocument/inlayHint", {"textDocument": document, "range": whole}
    if chance.random() < 0.5:
        yield (
            "textDocument/codeAction",
            {"textDocument": document, "range": whole, "context": {"diagnostics": []}},
        )


def _unanswered(session: Session, asked: Iterable[int]) -> Iterator[str]:
    from raw_client import Refused

    for number in asked:
        try:
            session.client.answer(number)
        except Refused as refused:
            if refused.code not in (-32800, -32801, -32802):  # cancelled, or the text has changed since
                yield f"refused with {refused}"
        except Exception as error:
            yield f"no answer: {type(error).__name__}: {str(error)[-2000:]}"
