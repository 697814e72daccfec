"""Runs the top level of a small program in the interpreter, and leaves the interpreter in the state at its end."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

from torchlsp.core.text import Document
from torchlsp.facts import values as v
from torchlsp.interp.run.analyse import NoImports
from torchlsp.interp.run.interpreter import Interpreter
from torchlsp.interp.store.frame import Frame
from torchlsp.program import ir
from torchlsp.program.lower import lower
from torchlsp.syntax.parse import parse

PLENTY = 1_000_000
"""More steps than any small program costs."""


def lowered(text: str) -> ir.Module:
    return lower(parse(Document("program.py", dedent(text))), None)


def after_running(text: str) -> Interpreter:
    """The interpreter whose running frame is the module's, after its last statement."""
    it = Interpreter(lowered(text), NoImports(), frozenset(), True, None)
    it.limit = it.allowance = it.pool = PLENTY
    it.push(Frame(None, it.main.scope, it.main, "", it.state.mark(), is_root=True))
    assert it.block(it.main.ir.body), "control must reach the end of the program"
    return it


def class_named(it: Interpreter, name: str) -> v.ClassValue:
    value = it.main.scope.variables[name]
    assert isinstance(value, v.ClassValue)
    return value


def in_python(text: str) -> dict[str, Any]:
    """What the same program leaves in Python."""
    names: dict[str, Any] = {"__name__": "program"}
    exec(dedent(text), names)  # the tests' own programs
    return names
