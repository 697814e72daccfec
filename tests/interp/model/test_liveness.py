"""A name is used later where running on from a place can read its present value, for more than a write to it."""

from __future__ import annotations

from textwrap import dedent

import pytest
from small_programs import after_running, lowered

from torchlsp.interp.model import liveness
from torchlsp.interp.store.frame import Frame
from torchlsp.program import ir

USED = {
    "read in a later statement": """
        x = 1  # here
        y = x
    """,
    "read after another name is bound": """
        x = 1  # here
        y = 2
        return x
    """,
    "read in one arm": """
        x = 1  # here
        if c:
            return x
    """,
    "read at the head of the loop that holds the place": """
        while c:
            print(x)
            x = 1  # here
    """,
    "read in the else of a loop": """
        for i in c:
            x = 1  # here
        else:
            return x
    """,
    "read in a handler": """
        try:
            x = 1  # here
            c()
        except ValueError:
            return x
    """,
    "read by a function defined later": """
        x = 1  # here
        def g():
            return x
        return g
    """,
}
UNUSED = {
    "never read": """
        x = 1  # here
        y = 2
    """,
    "bound again first": """
        x = 1  # here
        x = 2
        return x
    """,
    "read only before": """
        y = x
        x = 1  # here
    """,
    "written to and not read": """
        x = 1  # here
        x += 1
        x[0] = 2
    """,
}


def is_used(body: str) -> bool:
    text = "def f(c, x=0):\n" + body
    module = lowered(dedent(text))
    (function,) = [one for one in module.functions if one.name == "f"]
    source = dedent(text)
    start = source.index("x = 1  # here")
    it = after_running("")
    frame = Frame(function, it.main.scope, it.main, "", 0)
    return liveness.is_used_later(frame, "x", ir.Node(start, start + len("x = 1")))


@pytest.mark.parametrize("name", USED)
def test_a_name_that_is_read_later_is_used(name: str) -> None:
    assert is_used(USED[name])


@pytest.mark.parametrize("name", UNUSED)
def test_a_name_that_is_not_read_before_it_is_bound_again_is_not_used(name: str) -> None:
    assert not is_used(UNUSED[name])


@pytest.mark.parametrize(("text", "expected"), [("x = 1\n", True), ("x = 1\nx = 2\n", False)])
def test_a_name_of_a_file_may_be_read_by_other_files(text: str, expected: bool) -> None:
    it = after_running(text)
    first = it.main.ir.body[0]
    frame = Frame(None, it.main.scope, it.main, "", 0)
    assert liveness.is_used_later(frame, "x", first) is expected


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("x[0] += 1", "x"),
        ("x.view(-1)[0] += 1", "x"),
        ("x[0].zero_()", "x"),
        ("x.zero_()", "x"),
        ("x += 1", "x"),
        ("f(x)", None),
        ("self.x[0] += 1", None),
    ],
)
def test_the_variable_of_a_write(text: str, name: str | None) -> None:
    (statement,) = lowered(text).body
    node = statement.value if isinstance(statement, ir.Expression) else statement
    assert liveness.root_name(node) == name
