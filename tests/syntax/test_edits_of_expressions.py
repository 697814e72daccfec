"""The edit of one expression is that of writing the whole statement again."""

from __future__ import annotations

import libcst as cst
import pytest

from torchlsp.core.span import Span
from torchlsp.core.text import Document
from torchlsp.syntax import edits
from torchlsp.syntax.fragments import Fragments
from torchlsp.syntax.parse import parse

STATEMENTS = (
    "y = (x).view( -1 ) + f(a, b=c)[0]\n",
    "if True:\n    y = [one for one in rows if one.size > 0]\n",
    "y = {'a': (1), **b} if not (c or d) else lambda z: (z, w)\n",
    "return_value = -x @ (yield_ + f'{x}') ** 2  \n",
    "assert ((x.t())) in (a, b), x . y\n",
)
NEW = ("z", "x.reshape(-1)", "(x.view(-1))", "(a, b)", "x")


@pytest.mark.parametrize("text", STATEMENTS)
def test_the_edit_is_that_of_the_whole_statement(text, monkeypatch):
    fragment = Fragments.of(parse(Document("a.py", text))).for_span(Span(len(text) - 3, len(text) - 3))
    assert fragment is not None
    compared = 0
    for node in [one for one in fragment._spans if isinstance(one, cst.BaseExpression)]:
        for new in map(cst.parse_expression, NEW):
            try:
                changed = fragment.module.deep_replace(node, new)
            except (cst.CSTValidationError, AttributeError):
                continue
            found = edits._difference_of_expressions(fragment, node, new)
            if found is not None:
                assert found == edits._difference(fragment.code, changed.code)
                compared += 1
    assert compared >= 15


def test_a_change_in_a_long_statement_does_not_write_the_statement(monkeypatch):
    text = "y = [" + ", ".join(f"f(x{number})" for number in range(300)) + "]\n"
    fragment = Fragments.of(parse(Document("a.py", text))).for_span(Span(4, 5))
    assert fragment is not None
    place = text.index("x150")
    old = fragment.node_at(Span(place, place + 4), cst.Name)
    monkeypatch.setattr(cst.Module, "deep_replace", None)
    edit = edits.edit_for(fragment, old, cst.Name("other"))
    assert (edit.span, edit.text) == (Span(place, place + 4), "other")
