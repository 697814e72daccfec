"""Which pitfall of a note is shown for a call: `§` in a program stands just before the name of what is called."""

from __future__ import annotations

import re

import pytest

from torchlsp.core.text import Document
from torchlsp.docs_db.notes import Note, NoteError, Part, load_note, note, note_paths, parse_note
from torchlsp.engine.engine import Engine
from torchlsp.engine.inspection import at
from torchlsp.engine.pitfalls import CallMade, concerning
from torchlsp.engine.provider import Provider
from torchlsp.engine.workspace import Workspace
from torchlsp.facts import values as v

ENGINE = Engine()
IMPORTS = "import torch\nimport torch.nn.functional as F\nfrom torch import nn\n"


def call_at(text: str, offset: int) -> CallMade | None:
    document = Document("program.py", text)
    found = at(ENGINE.examine(document, Provider(Workspace())), offset)
    return None if found is None else found.call


def chosen(marked: str, symbol: str) -> tuple[str, bool]:
    """Returns the title of the pitfall that a call's hover shows, and whether the facts say that it concerns the call."""
    marked = IMPORTS + marked
    known = note(symbol)
    assert known is not None
    call = call_at(marked.replace("§", ""), marked.index("§"))
    assert call is not None
    pitfall, is_certain = concerning(known, call)
    return ("" if pitfall is None else pitfall.title), is_certain


CONDITIONAL = [
    (known, pitfall)
    for path in note_paths()
    for known in (load_note(path),)
    for pitfall in known.pitfalls
    if pitfall.when
]


def _shown(known: Note, pitfall: Part, role: str) -> list[str]:
    """Returns what is shown at the calls of the note's symbols in the programs of one role."""
    last = {symbol.rpartition(".")[2] for symbol in known.symbols}
    found = []
    for block in pitfall.of_role(role):
        for name in re.finditer(r"\b\w+(?=\()", block.source):
            if name[0] in last:
                call = call_at(block.source, name.start())
                shown, is_certain = concerning(known, call)
                found.append(shown.title if shown is not None and is_certain else "")
    return found


@pytest.mark.parametrize(
    ("known", "pitfall"), CONDITIONAL, ids=[f"{known.path.stem}-{one.title}" for known, one in CONDITIONAL]
)
def test_a_condition_holds_in_the_wrong_program_and_not_in_the_right_one(known: Note, pitfall: Part) -> None:
    assert pitfall.title in _shown(known, pitfall, "bad") or not pitfall.of_role("bad")
    assert pitfall.title not in _shown(known, pitfall, "good")


@pytest.mark.parametrize(
    ("program", "symbol", "title"),
    [
        ("x = torch.ones(2)\nx.§cuda()\n", "torch.Tensor.cuda", "Dropping the result"),
        ("p = torch.randn(4, 3).softmax(1)\nF.§cross_entropy(p, torch.zeros(4).long())\n", "torch.nn.CrossEntropyLoss", "Softmax before it"),
        ("x = torch.ones(8, 3, 4, 4)\ny = x.§flatten()\n", "torch.Tensor.flatten", "Flattening the batch as well"),
        ("loss = (torch.ones(3, requires_grad=True) * 2)\nloss.§backward()\n", "torch.Tensor.backward", "More than one element"),
        ("out = torch.zeros(0)\nfor i in range(3):\n    out = torch.§cat([out, torch.ones(2)])\n", "torch.cat", "Growing a tensor in a loop"),
        ("layer = nn.ReLU(inplace=True)\ny = §layer(torch.ones(2))\n", "torch.nn.ReLU", "In place on a shortcut"),
    ],
)  # fmt: skip
def test_the_facts_of_a_call_say_which_pitfall_concerns_it(program: str, symbol: str, title: str) -> None:
    assert chosen(program, symbol) == (title, True)


@pytest.mark.parametrize(
    ("program", "symbol"),
    [
        ("y = torch.ones(2, 3).§permute(1, 0)\n", "torch.Tensor.permute"),
        ("x = torch.ones(2)\ny = x.§cuda()\n", "torch.Tensor.cuda"),
        ("logits = torch.randn(4, 3)\nF.§cross_entropy(logits, torch.zeros(4).long())\n", "torch.nn.CrossEntropyLoss"),
        ("y = torch.ones(8, 3, 4, 4).§flatten(1)\n", "torch.Tensor.flatten"),
        ("loss = torch.ones(3, requires_grad=True).sum()\nloss.§backward()\n", "torch.Tensor.backward"),
        ("out = torch.§cat([torch.zeros(2), torch.ones(2)])\n", "torch.cat"),
        ("p = F.§softmax(torch.ones(2, 3), dim=-1)\n", "torch.nn.functional.softmax"),
        ("p = F.§softmax(torch.ones(2, 3), -1, dtype=None)\n", "torch.nn.functional.softmax"),
        ("q, k, v = torch.ones(2, 6).§chunk(3, dim=-1)\n", "torch.Tensor.chunk"),
        ("opt = torch.optim.§SGD(nn.Linear(2, 2).parameters(), lr=0.1)\n", "torch.optim.SGD"),
    ],
)  # fmt: skip
def test_nothing_is_warned_of_where_the_facts_say_that_the_call_is_right(program: str, symbol: str) -> None:
    assert chosen(program, symbol) == ("", False)


def test_of_a_call_that_is_not_known_the_first_pitfall_is_shown_as_a_common_one() -> None:
    title = "Merging dimensions that do not lie next to each other"
    assert chosen("def f(x, n):\n    return x.§view(n, -1).sum()\n", "torch.Tensor.view") == (title, False)


def test_a_negative_constant_may_say_that_a_pitfall_does_not_concern_the_call() -> None:
    assert chosen("def f(x):\n    return F.§softmax(x, dim=-1)\n", "torch.nn.functional.softmax") == (
        "",
        False,
    )


def test_without_a_call_there_is_no_pitfall() -> None:
    known = note("torch.Tensor.view")
    assert known is not None
    assert concerning(known, None) == (None, False)


def test_an_argument_that_may_be_among_starred_ones_is_neither_given_nor_missing() -> None:
    known = note("torch.Tensor.flatten")
    assert known is not None
    shown, is_certain = concerning(known, CallMade({"input": v.UNKNOWN_VALUE}, is_whole=False))
    assert shown is not None and not is_certain
    _, is_certain = concerning(known, CallMade({"input": v.UNKNOWN_VALUE}, is_whole=True))
    assert is_certain


def test_a_condition_that_nobody_understands_is_refused() -> None:
    text = "---\nsymbols: torch.add\n---\nAdds.\n\n## Pitfalls\n\n### Wrong\nwhen: on mondays\n\nText.\n"
    path = note_paths()[0]
    with pytest.raises(NoteError, match=r":9: `when` cannot say `on mondays`"):
        parse_note(text, path)
    (pitfall,) = parse_note(text.replace("on mondays", "given alpha, result dropped"), path).pitfalls
    assert (pitfall.when, pitfall.text) == (("given alpha", "result dropped"), "Text.")
