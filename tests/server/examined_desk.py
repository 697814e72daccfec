"""An editor with one text that is examined after each change, compared with one that has never seen the text."""

from __future__ import annotations

from pathlib import Path

from check_from_scratch import cold
from examined_text import ExaminedText

from torchlsp.core.span import Span
from torchlsp.core.text import Document
from torchlsp.engine.inspection import Description, HintKinds, at, hints
from torchlsp.facts.notation import value_text
from torchlsp.server.analyst import Analyst
from torchlsp.server.settings import EditorSettings

ALL_HINTS = HintKinds(array=True, module=True, size=True)
TWO = """import torch


def above(x):
    y = torch.zeros(2, 3)
    return y


def below():
    z = torch.ones(4, 6).t()
    return z.view(24)
"""
CLASS = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 4)
        self.second = nn.Linear(4, 5)

    def inner(self, x):
        return self.first(x)

    def forward(self, x):
        h = self.inner(x)
        return self.second(h)


def use():
    return Net()(torch.ones(2, 3)).t().view(10)


def alone():
    return torch.ones(2, 3).t().view(6)
"""


def facts_of_call(found: Description | None) -> object:
    """Returns the facts of the call that a hover is about, without the places that they name."""
    call = found.call if found is not None else None
    if call is None:
        return None
    arguments = {name: value_text(value) for name, value in call.arguments.items()}
    return arguments, call.is_whole, call.is_dropped, call.is_in_loop, call.is_known


class Desk(ExaminedText):
    """An editor with one text that is examined after each change."""

    def __init__(self, folder: Path, text: str, name: str = "typed.py") -> None:
        super().__init__(folder / name, text)

    def typed(self, behind: str, letters: str) -> list[str]:
        """How each state was examined while something is typed behind a piece of the text."""
        assert self.text.count(behind) == 1
        cursor = self.text.index(behind) + len(behind)
        how = []
        for letter in letters:
            how.append(self.put(self.text[:cursor] + letter + self.text[cursor:]).how)
            cursor += 1
        return how

    def is_as_new(self) -> bool:
        """Does it say what one that has never seen the text says: findings, hints, and what hover tells of every name?"""
        document = Document(str(self.path), self.text)
        assert self.examination.result.findings == cold(document, self.analyst.open_documents)
        fresh = Analyst()
        fresh.open_documents = self.analyst.open_documents
        other = fresh.examine(document, EditorSettings()).examination
        whole = Span(0, len(self.text))
        assert hints(self.examination, whole, ALL_HINTS) == hints(other, whole, ALL_HINTS)
        for offset in range(len(self.text) + 1):
            one, two = at(self.examination, offset), at(other, offset)
            assert one == two, self.text[offset - 20 : offset + 20]
            assert facts_of_call(one) == facts_of_call(two), self.text[offset - 20 : offset + 20]
        return True
