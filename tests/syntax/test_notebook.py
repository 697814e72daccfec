"""Cells of notebooks as one text: what is blanked, what is kept, and that nothing moves."""

from __future__ import annotations

import ast
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torchlsp.core.finding import Edit
from torchlsp.core.span import Span
from torchlsp.core.text import Document, LineIndex, Place
from torchlsp.syntax.edits import edited
from torchlsp.syntax.notebook import blanked, concatenate, notebook_document, unbound_name
from torchlsp.syntax.parse import parse
from torchlsp.syntax.partial import parses
from torchlsp.syntax.suppressions import suppressions


def notebook(*sources: str) -> Document:
    return notebook_document("a.ipynb", [(number, source, None) for number, source in enumerate(sources, 1)])


def places(document: Document) -> list[Place]:
    return [document.place(problem.span.start) for problem in parse(document).problems]


def assigned(document: Document) -> dict[str, str]:
    """What each name is assigned from at the top of the module, as written."""
    module = parse(document).module
    assert module is not None
    return {
        ast.unparse(statement.targets[0]): ast.unparse(statement.value)
        for statement in module.body
        if isinstance(statement, ast.Assign)
    }


def test_cells_stand_one_below_the_other() -> None:
    text, cells = concatenate([(1, "a = 1", "u1"), (4, "", None), (6, "b = 2\n", None), (7, "c = 3", None)])
    assert text == "a = 1\n\nb = 2\n\nc = 3"
    assert [(cell.number, cell.uri, text[cell.span.start : cell.span.end]) for cell in cells] == [
        (1, "u1", "a = 1"),
        (4, None, ""),
        (6, None, "b = 2\n"),
        (7, None, "c = 3"),
    ]


def test_every_offset_has_its_cell_and_row() -> None:
    document = notebook("a = 1\nb = 2\n", "", "c = 3")
    assert document.place(document.text.index("b")) == Place(2, 1, 1)
    end = document.cells[0].span.end
    assert [document.place(offset) for offset in (end, end + 1, end + 2)] == [
        Place(3, 1, 1),
        Place(1, 1, 2),
        Place(1, 1, 3),
    ]


@pytest.mark.parametrize(
    "line",
    [
        "%matplotlib inline",
        "%load_ext autoreload",
        "!pip install -q 'torch>=2",
        "!!ls",
        "?torch.view",
        "torch.view?",
        "torch.nn.Linear??",
        "model.layers[0].weight?",
        "*View*?",
        "x = torch.view?",
        "%time?",
        ",print a b",
        ";print a b",
        "/print a",
        "%run other.py",
        "%timeit x = f()",
        "%prun",
        "!pip install \\\n    torch \\\n    numpy",
        "%%capture",
        "%%timeit -n 3 x = 1",
    ],
)
def test_what_only_ipython_reads_is_blanked(line: str) -> None:
    found = blanked(f"{line}\nx = 1")
    assert found == re.sub(r"[^\n]", " ", line) + "\nx = 1"


@pytest.mark.parametrize(
    "source",
    [
        "x = '''\n%matplotlib inline\n!ls\n?\n'''",
        "x = (a\n% b\n)",
        "x = a \\\n% b",
        "# %%time\nx = 1",
        "# what?",
        "x = 'what?'",
        "x = a if b != c else d",
        "await f()",
        "x %= 3",
    ],
)
def test_python_is_left_as_it_is(source: str) -> None:
    assert parses(source)
    assert blanked(source) == source
    shell = blanked(f"{source}\n!ls")
    assert shell == f"{source}\n   "


@pytest.mark.parametrize("name", ["bash", "html", "writefile a.py", "javascript", "python3", "R", "sql", "!"])
def test_a_cell_in_another_language_is_blanked_whole(name: str) -> None:
    assert blanked(f"# head\n%%{name}\nx = 1\n<b>\n") == f"# head\n{' ' * (2 + len(name))}\n     \n   \n"


def test_the_body_of_a_timed_cell_is_kept() -> None:
    source = "\n%%time\n%%capture out --no-stderr\nx = f(\n  1)\n!ls\n"
    assert blanked(source) == "\n      \n" + " " * 25 + "\nx = f(\n  1)\n   \n"


def test_a_cell_magic_below_a_statement_is_a_mistake() -> None:
    # IPython: "UsageError: Line magic function `%%time` not found."
    assert places(notebook("x = 1\n%%time\ny = 2", "z = 3")) == [Place(2, 1, 1)]


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("x = !ls -l", "__"),
        ("x = %time f(y)", "f(y)"),
        ("x = %time f(y)  # slow", "f(y)"),
        ("x = %timeit -o f(y)", "__"),
        ("x = %sql select 'a' \\\n  from b", "__"),
        ("%time x = f(y)", "f(y)"),
        ("time x = f(y)", "f(y)"),
        ("%prun -s cumulative -l 5 x = f(y)", "f(y)"),
        ("%time with a: x = f(y)", "__"),
        ("%time for i in y: x = f(i)", "__"),
    ],
)
def test_what_is_assigned_is_kept_or_unknown(line: str, value: str) -> None:
    document = notebook("x = 1", line)
    assert (parse(document).problems, assigned(document)["x" if "for" not in line else "i"]) == ((), value)
    assert document.original == f"x = 1\n{line}"


def test_a_timed_loop_leaves_no_name_as_it_was() -> None:
    assert blanked("%time for i in y: x = f(i)") == "i = x = __                "


def test_what_timeit_binds_does_not_stay() -> None:
    assert blanked("%timeit -n 10 -r3 f(x)") == "0;                f(x)"
    assert blanked("%timeit -n 10 x = f(x)").strip() == ""


def test_names_that_a_timed_cell_binds_are_unknown_below() -> None:
    document = notebook("x = 1", "%%timeit -n 3\nx = 2\ny = x", "  z = x")
    assert [document.slice(cell.span) for cell in document.cells][2] == "  z = x"
    assert assigned(document) == {"x": "__", "y": "x"}
    assert document.text.endswith("\nx = y = __\nif 1:\n  z = x")
    assert document.place(document.text.index("z")) == Place(1, 3, 3)
    assert notebook("%%time\nx = 2", "x").text == "      \nx = 2\nx"


def test_what_is_too_large_is_not_parsed_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torchlsp.syntax.notebook.MAX_TEXT_LENGTH", 5)
    assert notebook("!ls", "!ls").text == "!ls\n!ls"


def test_an_unknown_value_comes_from_a_name_that_no_cell_has() -> None:
    assert unbound_name(["for __ in x: pass", "___ = 1"]) == "____"
    assert assigned(notebook("__ = 3", "x = !ls"))["x"] == "___"


def test_an_assignment_without_room_for_a_name_is_a_mistake() -> None:
    assert blanked("x = !") == "x = !"
    assert places(notebook("x = !")) == [Place(1, 5, 1)]


def test_a_block_of_a_magic_still_parses() -> None:
    document = notebook("if x:\n    !ls\nelse:\n\t%time y = f(x)\nfor i in x:\n    i?\nwhile x:\n  %cd ..\n")
    assert parse(document).problems == ()
    assert assigned_inside(document) == {"y": "f(x)"}


def assigned_inside(document: Document) -> dict[str, str]:
    module = parse(document).module
    assert module is not None
    return {
        ast.unparse(node.targets[0]): ast.unparse(node.value)
        for node in ast.walk(module)
        if isinstance(node, ast.Assign)
    }


@pytest.mark.parametrize(
    "text",
    [
        "curl -X POST \\\n  -d '{}' http://localhost/generate",
        "# in a terminal\ngcloud compute tpus create x\npython3 -m notebook --port 8080\n",
        "pip3 install torch\ngit clone url",
    ],
)
def test_a_cell_of_command_lines_for_a_terminal_is_blanked(text: str) -> None:
    assert blanked(text).strip() == "" and len(blanked(text)) == len(text)


@pytest.mark.parametrize(
    "text", ["git = 1 +", "git in x y", "python train.py\nx = 1 +", "curl", "model.train(\npip install x"]
)
def test_broken_python_beside_command_lines_is_left_as_it_is(text: str) -> None:
    assert blanked(text) == text


@pytest.mark.parametrize("line", ["pip install torch", "cd ..", "\nls -l *.py\n", "load_ext autoreload"])
def test_a_line_alone_may_leave_out_the_percent_sign(line: str) -> None:
    assert blanked(line).strip() == ""
    assert blanked(f"{line}\nx = 1 +") == f"{line}\nx = 1 +"


def test_a_cell_indented_as_a_whole_is_read() -> None:
    document = notebook("  x = f(\n1)\n  !ls", "y = 1", "    z = 2\n    %time w = 3")
    assert parse(document).problems == ()
    assert assigned_inside(document) == {"x": "f(1)", "y": "1", "z": "2", "w": "3"}
    assert document.place(document.text.index("z")) == Place(1, 5, 3)
    assert document.place(document.text.index("x")) == Place(1, 3, 1)


@pytest.mark.parametrize(
    ("sources", "expected", "names"),
    [
        (["x = (", "y = 1", "z = 2)", "w = 3"], [(1, 1), (1, 3)], ["y", "w"]),
        (["x = '''", "y = 1", "'''", "w = 3"], [(1, 1), (1, 3)], ["y", "w"]),
        (["x = 1\nv = 'a", "y = 1"], [(2, 1)], ["x", "y"]),
        (["x = 1 \\", "y = 1"], [(1, 1)], ["y"]),
        (["if x:", "    y = 1", "z = 1"], [(1, 1)], ["z"]),
        (["@f", "def g(): pass", "z = 1"], [(1, 1)], ["z"]),
        (["try:\n    x\n", "except E:\n    y", "z = 1"], [(3, 1), (1, 2)], ["z"]),
        (["if x:\n    y\n", "else:\n    y", "z = 1"], [(1, 2)], ["z"]),
        (["x = 1", "  y = 2\n z = 3\n", "w = 4"], [(1, 2)], ["x", "w"]),
        (["x = '\ud800'", "w = 4"], [(1, 1)], ["w"]),
        (["if x:\n    \r", "w = 4"], [(2, 1)], ["w"]),
        (["# \ud800", "w = 4"], [(1, 1)], ["w"]),
        (["# c", "x = = 1\ny = 2", "", "(", "z = 3"], [(1, 2), (1, 4)], ["y", "z"]),
    ],
)
def test_a_broken_cell_costs_itself_only(
    sources: list[str], expected: list[tuple[int, int]], names: list[str]
) -> None:
    document = notebook(*sources)
    found = [(place.row, place.cell) for place in places(document)]
    assert found == expected
    top = assigned(document)
    if sources[1] == "    y = 1":
        top.pop("y", None)
    assert list(top) == names


def test_comments_of_a_cell_are_found_below_an_open_string() -> None:
    document = notebook("x = '''", "y = 1  # torchlsp: ignore[TL101]", "# torchlsp: ignore-file[TL102]")
    found = suppressions(parse(document))
    assert [(document.place(one.span.start).cell, one.effective) for one in found] == [(2, True), (3, False)]


def test_ignore_file_stands_above_the_first_statement_of_the_notebook() -> None:
    (first,) = suppressions(parse(notebook("%pip install x\n", "# torchlsp: ignore-file", "x = 1")))
    assert first.effective
    (late,) = suppressions(parse(notebook("x = 1", "# torchlsp: ignore-file")))
    assert not late.effective


def test_edits_keep_cells_and_what_was_written() -> None:
    document = notebook("import a\n%time x = f(1)", "", "y = x")
    start = document.text.index("f(1)")
    last = document.cells[2].span
    new = edited(
        document,
        [
            Edit(Span(0, 0), "import bb\n"),
            Edit(Span(start, start + 4), "g()"),
            Edit(Span(last.end, last.end), "\n"),
        ],
    )
    assert new.original == "import bb\nimport a\n%time x = g()\n\ny = x\n"
    assert new.text == "import bb\nimport a\n0;    x = g()\n\ny = x\n"
    assert [new.slice(cell.span) for cell in new.cells] == [
        "import bb\nimport a\n0;    x = g()",
        "",
        "y = x\n",
    ]
    with pytest.raises(ValueError, match="no cell"):
        edited(document, [Edit(Span(last.start - 1, last.end), "")])


def test_a_row_as_the_user_wrote_it() -> None:
    document = notebook("%time x = f(1)\ny = 2")
    assert (document.line_text(1), document.original_line(1)) == ("0;    x = f(1)", "%time x = f(1)")


PIECES = st.sampled_from(
    [
        *"%!?,;/()[]{}'\"\\#=:@\n\r \t\x0cé\u2028\ud800\0x_1",
        "'''", '"""', "%%", "%%time", "%%bash", "%time ", "%timeit ", "!ls", "x = ", "x = !ls", "= %", "__", "\r\n",
        "if x:\n    ", "f(x)", "0;", "pip install ", "for i in x: y = i", "else:\n", "    ", "-n 3 ", "\\\n",
    ]
)  # fmt: skip
SOURCES = st.lists(PIECES, max_size=12).map("".join)


@pytest.mark.slow
@settings(max_examples=400, deadline=None)
@given(st.lists(SOURCES, max_size=5))
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::SyntaxWarning")
def test_nothing_moves(sources: list[str]) -> None:
    document = notebook(*sources)
    assert len(document.text) == len(document.original)
    for cell, source in zip(document.cells, sources, strict=True):
        text = document.slice(cell.span)
        assert document.original[cell.span.start : cell.span.end] == source
        assert len(text) == len(source)
        assert LineIndex(text).starts == LineIndex(source).starts
        if parses(source):
            assert text == source
        for offset, character in enumerate(source):
            if text[offset] != character:
                # Only what stands for nothing, for a statement or for an unknown value replaces anything.
                assert re.fullmatch(r"[ 0;=_\w]", text[offset])
            elif not source.endswith("\r") or offset < len(source) - 1:
                row, column = Document("x.py", source).row_column(offset)
                assert document.place(cell.span.start + offset) == Place(row, column, cell.number)


@settings(max_examples=200, deadline=None)
@given(st.lists(SOURCES, max_size=4))
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::SyntaxWarning")
def test_whole_cells_survive_broken_ones(sources: list[str]) -> None:
    document = notebook(*sources, "last = 1")
    tree = parse(document)
    broken = {document.place(problem.span.start).cell for problem in tree.problems}
    if "\0" not in document.text:
        alone = [parses(document.slice(part)) for part in document.parts]
        assert broken == {cell.number for cell, whole in zip(document.cells, alone, strict=True) if not whole}
    assert tree.module is not None
    assert ast.unparse(tree.module.body[-1]) == "last = 1"
