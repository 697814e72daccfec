"""Functions are analysed one after the other, and nothing that one does is seen in the next."""

from __future__ import annotations

import pytest
from claimed_facts import parsed

from torchlsp.facts.notation import value_text
from torchlsp.interp.run.analyse import analyse

EXPENSIVE = (
    " " * 12 + "x = " + "[" * 6 + "a" + "".join(f" for i{i} in [5, 3, 9, 7, 8, 11, 12, 15]]" for i in range(6))
)  # fmt: skip
"""Lists of lists that are made item by item."""

POLLUTERS = {
    "gradients off": "torch.set_grad_enabled(False)",
    "another default dtype": "torch.set_default_dtype(torch.float64)",
    "a raise under no_grad": "with torch.no_grad():\n        raise ValueError",
    "a return under no_grad": "with torch.no_grad():\n        return 1",
    "an undecided return under no_grad": "with torch.no_grad():\n        if a:\n            return 1",
    "a break under no_grad": "while True:\n        with torch.no_grad():\n            break",
    "a module made unknown": "MODEL.double()\n    a(MODEL)",
    "a frozen module": "for p in MODEL.parameters():\n        p.requires_grad = False",
    "a module in evaluation": "MODEL.eval()",
    "a tensor changed": "X.unsqueeze_(0)",
    "an own import": "import torch.nn as X",
    "too many steps": "with torch.no_grad():\n" + EXPENSIVE,
    "too deep": "with torch.no_grad():\n        x = " + "a(" * 90 + "1" + ")" * 90,
    "a method given up": "pass\n\nclass C:\n    def f(self, a):\n        with torch.no_grad():\n"
    + EXPENSIVE + "\n\n    def g(self):\n        MODEL.eval()",
}  # fmt: skip
GIVEN_UP = ("too many steps", "a method given up")
TEXT = """import torch
import torch.nn as nn
MODEL = nn.Linear(2, 3)
X = torch.ones(4)

def polluter(a, b=1, *c, **d):
    {body}

def clean(a):
    w = torch.ones(2, requires_grad=True)
    y = w * 2
    z = MODEL(torch.ones(5, 2))
    x = X
    def inner(q):
        r = w + 1
        return r
    return y

class Last:
    def m(self):
        v = MODEL(torch.ones(5, 2))
"""


@pytest.mark.parametrize("name", POLLUTERS)
def test_nothing_leaks(name: str):
    text = TEXT.replace("{body}", POLLUTERS[name])
    analysis = analyse(parsed(text), recording=True, strict=True)
    facts = {
        text[start:end]: value_text(value)
        for (start, end), value in analysis.names.items()
        if start > text.index("def clean")
    }
    assert facts == {
        "w": "f32[2] grad", "y": "f32[2] grad", "z": "f32[5, 3] grad", "x": "f32[4]", "r": "f32[2] grad", "v": "f32[5, 3] grad",
    }  # fmt: skip
    assert not analysis.faults
    assert bool(analysis.stopped) is (name in GIVEN_UP)


FIELDS = """from dataclasses import dataclass
from typing import ClassVar, Optional

@dataclass
class Config:
    kind: ClassVar[str] = "a"
    depth: tuple = (3, 3, 5, 2)
    eps: Optional[float] = None
    wide: bool = True

    def __post_init__(self):
        a = len(self.depth)
        b = self.wide
        c = self.kind
        if self.eps is None:
            self.eps = 1e-5

    def late(self):
        d = self.eps
        e = self.depth

@dataclass
class Derived(Config):
    n: int = 2

    def size(self):
        f = self.n, self.depth

class Plain:
    depth: tuple = (3, 3)

    def size(self):
        g = self.depth

kinds = Config, Plain
"""


def test_fields_of_a_dataclass_are_not_known_by_their_defaults():
    analysis = analyse(parsed(FIELDS), recording=True, strict=True)
    facts = {FIELDS[start:end]: value_text(value) for (start, end), value in analysis.names.items()}
    assert {name: facts[name] for name in ("a", "b", "c", "d", "e", "f", "g")} == {
        "a": "?", "b": "?wide", "c": "'a'", "d": "?", "e": "?depth", "f": "(?n, ?depth)", "g": "(3, 3)",
    }  # fmt: skip


DECORATING = """import torch

class Tool:
    size = 3

    def logged(self, function=None):
        a = self
        return a

    def timed(self, name):
        b = self
        return b

    @logged
    def run(self, x):
        c = self
        return c

    @timed("x")
    def walk(self):
        d = self

    def plain(function):
        e = function

    kept = plain(3)
    also: int = plain(4)

    def size_of(self):
        f = self

    sized = property(size_of)
"""


def test_a_method_that_its_class_calls_while_it_is_created_gets_no_object():
    analysis = analyse(parsed(DECORATING), recording=True, strict=True)
    facts = {DECORATING[start:end]: value_text(value) for (start, end), value in analysis.names.items()}
    assert {name: facts[name] for name in "abcdef"} == {
        "a": "?", "b": "?", "c": "Tool", "d": "Tool", "e": "?", "f": "Tool",
    }  # fmt: skip
