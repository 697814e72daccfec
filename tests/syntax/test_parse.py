"""What is read of a text that does not parse, and what is said about it."""

from __future__ import annotations

import ast
import sys
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torchlsp.core.text import Document
from torchlsp.syntax import parse as parse_module
from torchlsp.syntax.parse import SyntaxTree, parse
from torchlsp.syntax.partial import parses


def read(text: str) -> SyntaxTree:
    return parse(Document("x.py", text))


def names(tree: SyntaxTree) -> list[str]:
    assert tree.module is not None
    return [getattr(statement, "name", type(statement).__name__) for statement in tree.module.body]


def test_a_correct_text_has_no_problem() -> None:
    tree = read("x = 1\n")
    assert (tree.problems, tree.blanked) == ((), ())


@pytest.mark.parametrize(
    "text", ["", "\n", "\x0c", "# only a comment", "'''doc'''", "\ufeff".lstrip("\ufeff")]
)
def test_nearly_empty_texts(text: str) -> None:
    assert read(text).problems == ()


def test_syntax_warnings_are_not_shown() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read('x = "\\d"\nassert (1, 2)\n').problems == ()


def test_intact_statements_survive_at_their_places() -> None:
    text = "import torch\n\ndef broken(x:\n    return x\n\ndef fine(y):\n    return y\n\nprint(é)\n"
    tree = read(text)
    assert names(tree) == ["Import", "fine", "Expr"]
    (problem,) = tree.problems
    assert problem.kind == "syntax"
    assert tree.document.row_column(problem.span.start)[0] == 3
    last = tree.module.body[-1]  # type: ignore[union-attr]
    assert tree.document.slice(tree.document.span_of(last)) == "print(é)"
    assert {"broken", "x"} <= tree.blanked_names
    assert "fine" not in tree.blanked_names


def test_decorators_and_else_stay_with_their_statement() -> None:
    text = "@a\n@b(\n)\ndef f():\n    pass\nif x:\n    pass\nelse:\n    pass\ny = = 2\nz = 3\n"
    tree = read(text)
    assert names(tree) == ["f", "If", "Assign"]


def test_strings_and_brackets_over_several_rows_stay_whole() -> None:
    text = 'x = """\nrow at the margin\nanother\n"""\ny = [\n1,\n2,\n]\nclass :\n    pass\nlast = 1\n'
    tree = read(text)
    assert names(tree) == ["Assign", "Assign", "Assign"]


def test_an_unclosed_bracket_costs_its_statement_only() -> None:
    tree = read("a = 1\nb = call(1,\n\ndef f():\n    return 2\nc = 3\n")
    assert names(tree) == ["Assign", "f", "Assign"]


def test_a_text_with_nothing_intact() -> None:
    tree = read("def f(:\n")
    assert tree.module is not None and tree.module.body == []
    assert len(tree.problems) == 1


def test_null_bytes_are_named() -> None:
    tree = read("a = 1\nb\0 = 2\nc = 3\n")
    (problem,) = tree.problems
    assert problem.kind == "null-byte"
    assert tree.document.row_column(problem.span.start) == (2, 2)
    assert names(tree) == ["Assign", "Assign"]


def test_a_null_byte_in_a_comment_costs_nothing() -> None:
    tree = read("a = 1  # \0\nc = 3\n")
    assert [problem.kind for problem in tree.problems] == ["null-byte"]
    assert (names(tree), tree.blanked) == (["Assign", "Assign"], ())


def test_undecodable_text_has_no_module() -> None:
    tree = parse(Document.from_bytes("x.py", b"x = '\xff'\n"))
    assert tree.module is None
    assert tree.problems[0].kind == "encoding"


@pytest.mark.parametrize(
    "deep",
    [
        "x = " + "(" * 500 + ")" * 500,
        "x = " + "[" * 500 + "]" * 500,
        "x = " + "-" * 20_000 + "1",
        "x = " + "f(" * 500 + ")" * 500,
        "".join(" " * level + "if x:\n" for level in range(500)) + " " * 500 + "pass",
        "x = a" + ".b" * 20_000,
        "x = 1" + " + 1" * 20_000,
    ],
    ids=["parentheses", "lists", "minus", "calls", "if", "attributes", "sum"],
)
def test_deep_nesting_ends_in_a_tree_or_a_problem(deep: str) -> None:
    tree = read(f"before = 1\n{deep}\nafter = 1\n")
    assert tree.module is not None
    if tree.problems:
        assert len(tree.module.body) >= 2
        assert tree.document.row_column(tree.problems[0].span.start)[0] > 1
    else:
        assert len(tree.module.body) == 3


@pytest.mark.slow
def test_fifty_thousand_rows() -> None:
    text = "".join(f"def f{number}(x):\n    return x + {number}\n\n\n" for number in range(12_500))
    assert len(read(text).module.body) == 12_500  # type: ignore[union-attr]
    broken = read(text.replace("def f77(", "def f77(:", 1))
    assert len(broken.module.body) == 12_499  # type: ignore[union-attr]


def test_many_unclosed_brackets_take_bounded_time() -> None:
    tree = read("x = (\n" * 3_000)
    assert len(tree.problems) == 1


def test_a_text_above_the_limit_is_given_up_with_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parse_module, "MAX_TEXT_LENGTH", 10)
    tree = read("x = 1\ny = 22\n")
    assert tree.module is None
    assert tree.problems[0].kind == "too-large"
    assert "not analysed" in tree.problems[0].message


NEWER = [
    ((3, 11), "try:\n    pass\nexcept* ValueError:\n    pass\n"),
    ((3, 12), "type X = int\n"),
    ((3, 12), "def f[T](x: T) -> T:\n    return x\n"),
    ((3, 12), 'x = f"{d["key"]}"\n'),
    ((3, 12), 'x = f"{\n    y}"\n'),
    ((3, 12), 'x = f"""\nfirst row {"\\n".join(y)}\nlast row\n"""\n'),
    ((3, 13), "class A[T = int]:\n    pass\n"),
    ((3, 14), "x = t'{y}'\n"),
]


@pytest.mark.parametrize(("needs", "text"), NEWER)
def test_newer_syntax_is_told_from_a_mistake(needs: tuple[int, int], text: str) -> None:
    tree = read(f"a = 1\n{text}b = 2\n")
    if sys.version_info >= needs:
        assert tree.problems == ()
        return
    (problem,) = tree.problems
    assert problem.kind == "newer-python"
    assert f"needs Python {needs[0]}.{needs[1]} or later" in problem.message
    assert tree.document.row_column(problem.span.start)[0] >= 2
    assert names(tree) == ["Assign", "Assign"]


@pytest.mark.parametrize("text", ["print 'hello'\n", "def f(x, x=1 y):\n    pass\n", "f() = 1\n", "x = 08\n"])
def test_a_mistake_is_not_called_newer(text: str) -> None:
    assert [problem.kind for problem in read(text).problems] == ["syntax"]


@settings(max_examples=200, deadline=None)
@given(st.data())
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::SyntaxWarning")
def test_any_damage_leaves_intact_statements_where_they_were(data: st.DataObject) -> None:
    text = "import torch\n@d\ndef f(x):\n    '''é\nmargin'''\n    return x\nclass A:\n    y = [\n1]\nz = 3\n"
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 5)))
    damage = data.draw(st.text(alphabet="()[]'\"\n :=é\\#x\x0c\0", max_size=4))
    damaged = text[:start] + damage + text[end:]
    tree = read(damaged)
    for statement in tree.module.body if tree.module else ():
        span = tree.document.span_of(statement)
        piece = tree.document.slice(span)
        if "\0" not in piece:
            assert ast.dump(ast.parse(piece).body[0]) == ast.dump(_undecorated(statement))
    assert bool(tree.problems) != parses(damaged)


def _undecorated(statement: ast.stmt) -> ast.stmt:
    if hasattr(statement, "decorator_list"):
        statement.decorator_list = []
    return statement
