"""libCST fragments, and edits made from them."""

from __future__ import annotations

import ast
from pathlib import Path

import libcst as cst
import pytest

from torchlsp.core.finding import Edit
from torchlsp.core.span import Span
from torchlsp.core.text import Document
from torchlsp.syntax.edits import apply_edits, edit_for
from torchlsp.syntax.fragments import Fragment, Fragments
from torchlsp.syntax.parse import SyntaxTree, parse

TEXT = '''\
"""Dôcstring."""
import torch; alpha = call(1)

@decorated(call(2))
@other
class Net(call(3), metaclass=call(4)):
    # a comment
    def forward(self, x=call(5)) -> call(6):
        """Text
at the margin, é"""; y = call(7)
        if call(8):
            return x.view(call(9),
                -1)  # é
        elif call(10):
            y = 1
            with call(11) as z, \\
                call(12):
                pass
        elif (call(13)):  # comment

            # another
            y = f"{call(14)}"
        else: y = call(15)
        while call(16): z = (call(17))
        for i in call(18):
            pass
        else:
            call(19)
        try:
            call(20)
        except call(21):
            call(22)
        finally:
            call(23)
        match call(24):
            case [1, z] if call(25):
                call(26)
        return [call(a) for a in call(27) if call(28)]

\tif_tab = 1
'''.replace("\n\tif_tab = 1\n", "\nif call(29):\n\tcall(30)\n\tif call(31):\n\t\tx = call(32)\n")


def read(text: str) -> SyntaxTree:
    tree = parse(Document("x.py", text))
    assert not tree.problems, tree.problems
    return tree


def calls(tree: SyntaxTree, name: str = "call") -> list[Span]:
    return [
        tree.document.span_of(node)
        for node in ast.walk(tree.module)  # type: ignore[arg-type]
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(name)
    ]


def fragment_at(tree: SyntaxTree, span: Span) -> Fragment:
    fragment = Fragments.of(tree).for_span(span)
    assert fragment is not None
    return fragment


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_every_call_has_a_libcst_node_of_the_same_span(newline: str) -> None:
    tree = read(TEXT.replace("\n", newline))
    spans = calls(tree)
    assert len(spans) >= 30
    for span in spans:
        fragment = fragment_at(tree, span)
        node = fragment.node_at(span)
        assert isinstance(node, cst.Call)
        assert fragment.code_of(node) == tree.document.slice(span)
        assert fragment.span_of(node) == span


def test_a_header_does_not_parse_its_body() -> None:
    body = "".join(f"    x = {number}\n" for number in range(5_000))
    tree = read(f"for y in call(1):\n{body}")
    fragments = Fragments(tree)
    (span,) = calls(tree)
    fragment = fragments.for_span(span)
    assert fragment is not None and fragment.header_only
    assert isinstance(fragment.node, cst.For)
    assert fragments.parsed_characters < 100


def test_a_statement_is_parsed_once() -> None:
    tree = read("x = call(1) + call(2)\n")
    one, two = (fragment_at(tree, span) for span in calls(tree))
    assert one is two
    assert Fragments.of(tree) is Fragments.of(tree)


def test_the_node_of_a_statement() -> None:
    tree = read("def f():\n    x = call(1)\n    return x\n")
    fragment = fragment_at(tree, calls(tree)[0])
    assert isinstance(fragment.node, cst.SimpleStatementLine)
    assert tree.document.slice(fragment.statement_span) == "x = call(1)"


def test_kinds_that_share_a_span() -> None:
    tree = read("x = (name)\n")
    span = Span(5, 9)
    fragment = fragment_at(tree, span)
    assert isinstance(fragment.node_at(span), cst.Name)
    statement = Span(0, 10)
    assert isinstance(fragment.node_at(statement, cst.Assign), cst.Assign)
    assert fragment.node_at(Span(1, 3)) is None


def test_a_place_outside_all_statements_has_no_fragment() -> None:
    tree = read("# comment\nx = 1\n")
    assert Fragments(tree).for_span(Span(0, 3)) is None


def test_a_statement_too_large_has_no_fragment() -> None:
    tree = read("x = [" + "1, " * 100_000 + "call(1)]\n")
    assert Fragments(tree).for_span(calls(tree)[0]) is None


def test_nesting_beyond_libcst_is_no_crash() -> None:
    tree = read("x = call(" + "a." * 2_000 + "b)\n")
    Fragments(tree).for_span(calls(tree)[0])


def rename(tree: SyntaxTree, span: Span, name: str) -> Edit:
    fragment = fragment_at(tree, span)
    call = fragment.node_at(span, cst.Call)
    edit = edit_for(fragment, call.func, cst.parse_expression(name))
    assert edit is not None
    return edit


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_changed_node_is_one_small_edit(newline: str) -> None:
    text = TEXT.replace("\n", newline)
    tree = read(text)
    for span in calls(tree):
        edit = rename(tree, span, "called.twice")
        assert edit.text == "called.twice"
        changed = apply_edits(text, [edit])
        assert changed == text[: span.start] + "called.twice" + text[span.start + 4 :]


def test_edits_widen_to_whole_words() -> None:
    tree = read("y = x.contiguous_view(2)\n")
    span = calls(tree, "contiguous_view")[0]
    edit = rename(tree, span, "x.contiguous_reshape")
    assert (tree.document.slice(edit.span), edit.text) == ("contiguous_view", "contiguous_reshape")


def test_no_change_is_no_edit() -> None:
    tree = read("x = call(1)\n")
    fragment = fragment_at(tree, calls(tree)[0])
    assert edit_for(fragment, fragment.node, fragment.node.deep_clone()) is None


def test_a_node_of_another_tree_is_refused() -> None:
    tree = read("x = call(1)\n")
    fragment = fragment_at(tree, calls(tree)[0])
    with pytest.raises(ValueError, match="not part"):
        edit_for(fragment, cst.Name("a"), cst.Name("b"))


def test_a_change_to_the_body_of_a_header_is_refused() -> None:
    tree = read("for x in call(1):\n    y = 1\n")
    fragment = fragment_at(tree, calls(tree)[0])
    assert fragment.header_only
    with pytest.raises(ValueError, match="beyond"):
        edit_for(
            fragment, fragment.node, fragment.node.with_changes(body=cst.SimpleStatementSuite([cst.Pass()]))
        )


@pytest.mark.parametrize(
    "edits",
    [
        [Edit(Span(0, 3), "a"), Edit(Span(2, 4), "b")],
        [Edit(Span(1, 1), "a"), Edit(Span(1, 1), "b")],
        [Edit(Span(0, 99), "a")],
    ],
)
def test_edits_that_do_not_go_together_are_refused(edits: list[Edit]) -> None:
    with pytest.raises(ValueError):
        apply_edits("012345", edits)


def test_edits_apply_in_any_order() -> None:
    edits = [Edit(Span(4, 5), "X"), Edit(Span(0, 0), "Y"), Edit(Span(0, 2), "")]
    assert apply_edits("012345", edits) == "Y23X5"


def test_the_projects_own_files_join_without_a_miss() -> None:
    root = Path(__file__).parents[2]
    for path in sorted((root / "torchlsp" / "syntax").glob("*.py")):
        tree = read(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree.module):  # type: ignore[arg-type]
            if isinstance(node, ast.Call | ast.Attribute | ast.Compare):
                span = tree.document.span_of(node)
                fragment = fragment_at(tree, span)
                assert fragment.node_at(span, cst.BaseExpression) is not None, tree.document.slice(span)
