"""Nodes are found by their place, and statements moved, without a parser of our own."""

from __future__ import annotations

import pytest

from torchlsp.core.text import Document
from torchlsp.lint.files import File
from torchlsp.program import ir
from torchlsp.syntax.edits import apply_edits
from torchlsp.syntax.parse import parse


def file_of(text: str) -> File:
    return File(parse(Document("a.py", text)))


def place(text: str, part: str) -> tuple[int, int]:
    start = text.index(part)
    return start, start + len(part)


NESTED = """\
import torch


@decorated(lambda: inner(1))
class A:
    def f(self, x=default()):
        try:
            with open(x) as g, torch.no_grad():
                for i in g:
                    if i:
                        y = [q(i) for i in x if keep(i)]
                    else:
                        z = {a: f"{b(i)}" for a in x}
        except Error as e:
            print(e)
        match x:
            case 1:
                one(x)
"""


@pytest.mark.parametrize(
    "part", ["inner(1)", "default()", "open(x)", "torch.no_grad()", "q(i)", "keep(i)", "print(e)", "one(x)"]
)
def test_a_call_is_found_anywhere(part: str):
    node = file_of(NESTED).node(*place(NESTED, part))
    assert isinstance(node, ir.Call) and (node.start, node.end) == place(NESTED, part)


def test_an_expression_is_found_before_its_statement():
    text = "f(x)\n"
    assert isinstance(file_of(text).node(0, 4), ir.Call)
    assert file_of(text).node(1, 3) is None


def test_position_names_block_and_parent():
    here = file_of(NESTED).position(*place(NESTED, "keep(i)"))
    assert here is not None and here.index == 0 and isinstance(here.parent, ir.Branch)
    top = file_of("a = 1\nb = 2\n").position(6, 7)
    assert top is not None and top.index == 1 and top.parent is None
    assert isinstance(top.previous, ir.Assign)


@pytest.mark.parametrize(
    ("before", "at", "after"),
    [
        ("for x in y:\n    f(x)\n", "f(x)", "for x in y:\n    g()\n    f(x)\n"),
        ("for x in y:\r\n\tf(x)", "f(x)", "for x in y:\r\n\tg()\r\n\tf(x)"),
        ("for x in y:\n    # why\n    f(x)\n", "f(x)", "for x in y:\n    # why\n    g()\n    f(x)\n"),
    ],
)
def test_insertion_takes_indentation_and_line_ends(before: str, at: str, after: str):
    edits = file_of(before).inserted(before.index(at), "g()")
    assert apply_edits(before, edits) == after


def test_further_rows_of_what_the_user_wrote_stay_as_they_are():
    text = "if a:\n    b = f(\n        1,\n    )\n"
    file = file_of(text)
    call = text[text.index("f(") : -1]
    start, end = text.index("b ="), len(text) - 1
    assert (
        apply_edits(text, file.replaced(start, end, f"c({call})")) == "if a:\n    c(f(\n        1,\n    ))\n"
    )
    two = apply_edits(text, file.replaced(start, end, f"c({call})", "d()"))
    assert two == "if a:\n    c(f(\n        1,\n    ))\n    d()\n"
    above = apply_edits(text, file.inserted(start, call, "d()"))
    assert above == "if a:\n    f(\n        1,\n    )\n    d()\n" + text[len("if a:\n") :]


def test_calls_of_a_function_are_counted_by_its_whole_name():
    file = file_of("rnn(x)\nself.rnn(x)\nmy_rnn(x)\nrnn (x)\nother = rnn\nrnn(rnn(x))\n")
    assert (file.count_calls("rnn"), file.count_calls("self.rnn")) == (3, 1)


def test_nothing_is_inserted_into_a_one_line_loop():
    assert file_of("for x in y: f(x)\n").inserted(12, "g()") == ()


@pytest.mark.parametrize(
    ("before", "statement", "target", "after"),
    [
        ("a()\nb()\nc()\n", "c()", "a()", "c()\na()\nb()\n"),
        ("a()\nb()  # why", "b()", "a()", "b()  # why\na()\n"),
        (
            "if a:\n    b(\n        1,\n    )\n    c()\n",
            "b(\n        1,\n    )",
            "if a",
            "b(\n    1,\n)\nif a:\n    c()\n",
        ),
        ("f = '''\n    x'''\nif a:\n    g('''\n    y''')\n    h()\n", "g('''\n    y''')", "if a", None),
        ("a(); b()\n", "b()", "a()", None),
        ("if a:\n    b()\n", "b()", "if a", None),
        ("if a: b()\n", "b()", "if a", None),
    ],
)
def test_a_statement_moves_with_its_rows(before: str, statement: str, target: str, after: str | None):
    file = file_of(before)
    moving = file.position(*place(before, statement))
    goal = file.position(before.index(target), before.index(target) + 2)
    assert moving is not None and goal is not None
    edits = file.moved(moving.statement, goal.statement)
    assert (apply_edits(before, edits) if edits else None) == after


def test_a_rewrite_changes_the_node_only():
    import libcst as cst

    text = "def f():\n    return a . view( 1,2 ) # why\n"
    file = file_of(text)
    start = text.index("a . view")

    def change(node: cst.Attribute) -> cst.Attribute:
        return node.with_changes(attr=cst.Name("reshape"))

    edit = file.rewritten(start, start + len("a . view"), change)
    assert edit is not None and edit.text == "reshape"
    assert apply_edits(text, [edit]) == text.replace("view", "reshape")
    assert file.rewritten(start, start + len("a . view"), lambda node: None) is None
    assert file.rewritten(start + 1, start + 4, change) is None
