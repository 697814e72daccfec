"""Comments put by torchlsp silence exactly what they should and change no program."""

from __future__ import annotations

import ast
import sys

import pytest
from fake_analysis import RULES
from hypothesis import given, settings
from hypothesis import strategies as st

from torchlsp.core.finding import Finding, Severity
from torchlsp.core.span import Span
from torchlsp.core.text import Document
from torchlsp.engine.config import Catalogue
from torchlsp.engine.ignoring import ignore_edits, ignoring
from torchlsp.engine.suppressing import suppress
from torchlsp.syntax.edits import apply_edits
from torchlsp.syntax.parse import parse

CATALOGUE = Catalogue(RULES)
ALL = frozenset(rule.code for rule in CATALOGUE.rules)


def finding(span: Span, code: str = "TL101") -> Finding:
    return Finding(code, "some-rule", "x.py", span, "it is bad", Severity.ERROR)


def at(text: str, *words: str, code: str = "TL101") -> list[Finding]:
    return [finding(Span(text.index(word), text.index(word) + len(word)), code) for word in words]


def ignored(text: str, *findings: Finding, reason: str = "") -> str:
    tree = parse(Document("x.py", text))
    return apply_edits(text, ignore_edits(tree, findings, reason))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("bad()\n", "bad()  # torchlsp: ignore[TL101]\n"),
        ("bad()", "bad()  # torchlsp: ignore[TL101]"),
        ("bad()  \t\n", "bad()  # torchlsp: ignore[TL101]\n"),
        ("bad()\r\ny\r\n", "bad()  # torchlsp: ignore[TL101]\r\ny\r\n"),
        ("bad()\ry\r", "bad()  # torchlsp: ignore[TL101]\ry\r"),
        ("if é: bad(); y\n", "if é: bad(); y  # torchlsp: ignore[TL101]\n"),
        ("bad()  # because\n", "bad()  # because  # torchlsp: ignore[TL101]\n"),
        ("bad()  # noqa: F401\n", "bad()  # noqa: F401  # torchlsp: ignore[TL101]\n"),
        ("bad()  # noqa: F401, TL102\n", "bad()  # noqa: F401, TL102, TL101\n"),
        ("bad()  # torchlsp: ignore[TL102] why\n", "bad()  # torchlsp: ignore[TL102, TL101] why\n"),
        ("bad()  # x # torchlsp: ignore[TL102]\n", "bad()  # x # torchlsp: ignore[TL102, TL101]\n"),
        # A line that ends in a backslash or inside a string takes no comment.
        ("bad() + \\\n  1\n", None),
        ("y = \\\n  bad()\n", "y = \\\n  bad()  # torchlsp: ignore[TL101]\n"),
        ("y = (1,\n  bad(), '''a\n''')\n", "y = (1,  # torchlsp: ignore[TL101]\n  bad(), '''a\n''')\n"),
        ("y = bad() + '''\n'''\n", None),
        ("y = '''\n''' + bad() + '''\n'''\n", None),
        ("y = f(\n  bad(), \\\n  1)\n", "y = f(  # torchlsp: ignore[TL101]\n  bad(), \\\n  1)\n"),
        # The line of an `ignore-file` cannot hold both.
        ("'''bad()'''  # torchlsp: ignore-file[TL102]\n", None),
    ],
)
def test_where_the_comment_goes(before: str, after: str | None) -> None:
    assert ignored(before, *at(before, "bad()")) == (before if after is None else after)
    assert len(ignoring(parse(Document("x.py", before)), at(before, "bad()")).refused) == (after is None)


def test_the_last_line_counts_too() -> None:
    text = "f(bad('''\n'''))\n"
    assert ignored(text, *at(text, "bad('''\n''')")) == "f(bad('''\n'''))  # torchlsp: ignore[TL101]\n"


def test_codes_of_one_line_share_a_comment() -> None:
    text = "f(bad(), worse())\n"
    found = [*at(text, "worse()", code="TL501"), *at(text, "bad()", "f"), *at(text, "bad()", code="TL102")]
    assert ignored(text, *found) == "f(bad(), worse())  # torchlsp: ignore[TL101, TL102, TL501]\n"


def test_a_reason_is_one_line_and_new_comments_only() -> None:
    text = "bad()\nworse()  # torchlsp: ignore[TL102] old\n"
    assert ignored(text, *at(text, "bad()", "worse()"), reason=" don't\n\x1bcare\x00 ") == (
        "bad()  # torchlsp: ignore[TL101] don't care\nworse()  # torchlsp: ignore[TL102, TL101] old\n"
    )


def test_an_unused_comment_can_be_kept() -> None:
    text = "y = 1  # torchlsp: ignore[TL102]\n"
    assert ignored(text, *at(text, "TL102", code="TL001")) == "y = 1  # torchlsp: ignore[TL102, TL001]\n"
    bare = "y = 1  # torchlsp: ignore\n"
    assert ignored(bare, *at(bare, "# torchlsp: ignore", code="TL001")) == bare


def test_an_unreadable_file_is_never_ignored() -> None:
    text = "y = = 1\nbad()\n"
    tree = parse(Document("x.py", text))
    unreadable = at(text, "= = 1", code="TL000")
    answer = ignoring(tree, [*unreadable, *at(text, "bad()")])
    assert answer.refused == tuple(unreadable)
    assert apply_edits(text, answer.edits) == "y = = 1\nbad()  # torchlsp: ignore[TL101]\n"


def test_below_an_open_string_nothing_is_put() -> None:
    text = "bad()\ny = '''\nworse()\n"
    assert (
        ignored(text, *at(text, "bad()", "worse()")) == "bad()  # torchlsp: ignore[TL101]\ny = '''\nworse()\n"
    )


@pytest.mark.skipif(sys.version_info < (3, 12), reason="such f-strings do not parse before 3.12")
@pytest.mark.parametrize("text", ['y = f"{\n  bad()\n}"\n', 'y = f"{d["#"] + bad()}" + """\n"""\n'])
def test_f_strings_of_several_lines(text: str) -> None:
    tree = parse(Document("x.py", text))
    assert ignoring(tree, at(text, "bad()")).refused == tuple(at(text, "bad()"))


PIECES = (
    "a = f(x, (y), [z])",
    "a = '''one\n# torchlsp: ignore[TL101]\n''' + g(x)",
    'a = f(r"""\\\\""", b"#", g(x)) ; b = 1',
    "a = x + \\\n  y(z)",
    "a = f(\n  x,\n\n  # note\n  g(y), '''s\n''', \\\n  z)",
    "a = f'{x!r:>{y}} # {g(z)}'",
    "a = f'''{x}\n{g(y)}'''",
    "if x:\n    a = f(y)  # note\nelse: b = g(z)",
    "@dec(x)\ndef f(y=1): return g('\\'', y)",
    "for é in f(x):\n\tg(é)\n\n\tif y: h(z)\t ",
    "a = g(x)  # torchlsp: ignore[TL102]",
    "a = g(x)  # noqa: TL102, E501",
    "a = g(x)  # torchlsp: ignore",
    "a = {  # torchlsp: ignore[TL501] why\n  'k': g(x),\n}",
    "\x0ca = 'é' + g('\\\n#', x)",
    "with f(x) as y, \\\n     g(z): pass",
)
ENDS = ("\n", "\r\n", "\r")


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_the_next_check_is_silent_and_the_program_the_same(data: st.DataObject) -> None:
    pieces = data.draw(st.lists(st.sampled_from(PIECES), min_size=1, max_size=4))
    text = "\n".join(pieces) + data.draw(st.sampled_from(("", "\n")))
    text = text.replace("\n", data.draw(st.sampled_from(ENDS)))
    tree = parse(Document("x.py", text))
    assert tree.module is not None and not tree.problems
    nodes = [node for node in ast.walk(tree.module) if hasattr(node, "lineno")]
    chosen = data.draw(
        st.lists(
            st.tuples(st.integers(0, len(nodes) - 1), st.sampled_from(("TL101", "TL102", "TL501"))),
            min_size=1,
            max_size=8,
        )
    )
    found = [finding(tree.document.span_of(nodes[index]), code) for index, code in chosen]
    left, _ = suppress(tree, found, CATALOGUE, ALL)
    answer = ignoring(tree, left, data.draw(st.sampled_from(("", 'it\'s # a "reason"', "'''"))))
    after = parse(Document("x.py", apply_edits(text, answer.edits)))
    assert after.module is not None
    # Not even a position may change: comments are put behind everything.
    assert ast.dump(after.module, include_attributes=True) == ast.dump(tree.module, include_attributes=True)
    moved = [node for node in ast.walk(after.module) if hasattr(node, "lineno")]
    again = [finding(after.document.span_of(moved[index]), code) for index, code in chosen]
    still, _ = suppress(after, again, CATALOGUE, ALL)
    places = {(after.document.row_column(one.span.start), one.rule) for one in still}
    assert places == {(tree.document.row_column(one.span.start), one.rule) for one in answer.refused}
