"""Notebooks on disk: what is read of them, what is found across cells, and that fixes change nothing else."""

from __future__ import annotations

import codecs
import difflib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torchlsp.core.finding import Severity
from torchlsp.core.text import Document, Place
from torchlsp.engine.config import Overrides
from torchlsp.engine.engine import CheckResult, Engine, Options
from torchlsp.engine.fixing import fix_document, write
from torchlsp.engine.reading import NotebookProblem, read_document, with_sources
from torchlsp.report.diff import unified

KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}


def code(source: Any, **more: Any) -> dict[str, Any]:
    return {"cell_type": "code", "execution_count": 1, "metadata": {}, "outputs": [], "source": source} | more


def prose(source: Any) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def notebook(*cells: Any, **more: Any) -> dict[str, Any]:
    metadata = {"kernelspec": KERNEL, "language_info": {"name": "python", "version": "3.11.7"}}
    return {"cells": list(cells), "metadata": metadata, "nbformat": 4, "nbformat_minor": 5} | more


def saved(value: Any) -> bytes:
    """As Jupyter writes it."""
    return (json.dumps(value, indent=1, ensure_ascii=False) + "\n").encode()


def read(value: Any) -> Document:
    return read_document("a.ipynb", value if isinstance(value, bytes) else saved(value))


def shown(result: CheckResult) -> list[tuple[int | None, int, str]]:
    """Cell, row and rule of each finding."""
    found = []
    for finding in result.findings:
        place = result.documents[finding.path].place(finding.span.start)
        found.append((place.cell, place.row, finding.rule))
    return found


def test_code_cells_are_read_in_both_forms_of_source() -> None:
    document = read(
        notebook(
            prose("# Title"),
            code(["import torch\n", "x = 1"]),
            code("y = 2\nz = 3"),
            code([]),
            {"cell_type": "raw"},
        )
    )
    assert document.text == "import torch\nx = 1\ny = 2\nz = 3\n"
    assert [cell.number for cell in document.cells] == [2, 3, 4]
    assert document.place(document.text.index("z")) == Place(2, 1, 3)
    assert document.decode_problem is None


def test_a_byte_order_mark_is_no_text() -> None:
    document = read(codecs.BOM_UTF8 + saved(notebook(code("x = 1"))))
    assert (document.text, document.decode_problem) == ("x = 1", None)


@pytest.mark.parametrize(
    "metadata",
    [
        {},
        {"kernelspec": {"name": "python3"}},
        {"kernelspec": {"language": "Python"}},
        {"kernelspec": {"language": "ipython"}},
        {"kernelspec": {"language": ""}, "language_info": {"name": "python"}},
        {"kernelspec": {"language": "python"}, "language_info": {"name": "pyspark"}},
        {"kernelspec": [], "language_info": None},
        {"language_info": {"name": 3}},
    ],
)
def test_kernels_that_run_python(metadata: Any) -> None:
    assert read(notebook(code("x = 1"), metadata=metadata)).text == "x = 1"


@pytest.mark.parametrize(
    "metadata",
    [
        {"kernelspec": {"language": "R"}},
        {"language_info": {"name": "julia"}},
        {"kernelspec": {"language": "sage"}, "language_info": {"name": "python"}},
    ],
)
def test_other_kernels_have_nothing_to_check(metadata: Any) -> None:
    document = read(notebook(code("x <- 1"), metadata=metadata))
    assert (document.text, document.cells, document.decode_problem) == ("", (), None)


def test_a_cell_that_the_editor_marks_as_another_language_is_left_out() -> None:
    marked = code("SELECT 1", metadata={"vscode": {"languageId": "sql"}})
    python = code("x = 1", metadata={"vscode": {"languageId": "python"}})
    document = read(notebook(marked, python))
    assert [(cell.number, document.slice(cell.span)) for cell in document.cells] == [(2, "x = 1")]


DEEP = b'{"cells": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"


@pytest.mark.parametrize(
    ("data", "message", "place"),
    [
        (b"x", "not a notebook: Expecting value in row 1, column 1 of its JSON", (1, 1)),
        (
            b'{\n "cells": [}\n',
            "not a notebook: Expecting value in row 2, column 12 of its JSON",
            (2, 12),
        ),
        (b'{"cells": ["a\nb"]}', "not a notebook: Invalid control character at in row 1, column 14 of its JSON", (1, 14)),
        (b"[]", "not a notebook: its JSON is not an object", (1, 1)),
        (b"{}", "not a notebook: it has no list of cells", (1, 1)),
        (b'{"nbformat": 4,\n "cells": {}}', "not a notebook: it has no list of cells", (2, 11)),
        (b'{"cells": [\n {},\n 3]}', "not a notebook: cell 2 is not an object", (3, 2)),
        (
            b'{"cells": [{"cell_type": "code", "source": ["a", 1]}]}',
            "not a notebook: cell 1 has no source text",
            (1, 12),
        ),
        (b'{"cells": [{"cell_type": "code"}]}', "not a notebook: cell 1 has no source text", (1, 12)),
        (
            b'{"worksheets": [{"cells": []}],\n "nbformat": 3}',
            "notebook format 3 is not read: `jupyter nbconvert --to notebook` makes it 4",
            (2, 14),
        ),
        (b'{"a": "\xc3\xa9\xff"}', "byte 0xff is not valid utf-8", (1, 9)),
        (codecs.BOM_UTF8 + b'{"\xc3\xa9\xff"}', "byte 0xff is not valid utf-8", (1, 4)),
        ('{"cells": []}'.encode("utf-16"), "byte 0xff is not valid utf-8", (1, 1)),
        (DEEP, "not a notebook: its JSON is nested too deeply", (1, 1)),
    ],
    ids=[
        "empty", "broken", "control", "list", "object", "cells", "cell", "lines", "source", "format", "bytes", "mark", "utf-16", "deep",
    ],
)  # fmt: skip
def test_what_is_no_notebook_is_said_with_its_place(
    data: bytes, message: str, place: tuple[int, int], project, engine
) -> None:
    project({"a.ipynb": data})
    result = engine().check(["a.ipynb"])
    (finding,) = result.findings
    assert (finding.rule, finding.message, finding.severity.value) == ("TL000", message, "error")
    document = result.documents["a.ipynb"]
    assert document.row_column(finding.span.start) == place
    assert finding.span.end <= len(document.text)
    assert result.internal_errors == []


def test_an_empty_file_is_a_notebook_without_cells() -> None:
    assert (read(b"").text, read(b" \n").decode_problem) == ("", None)


RAISES = "import torch\nx = torch.ones(2, 3)\nx.view(7)\nx.view(8)"
"""The third row raises, and so would the fourth."""


def traceback_of(row: int) -> list[str]:
    """As IPython writes it, colours included."""
    return [
        "\x1b[0;31m----\x1b[0m",
        "\x1b[0;31mRuntimeError\x1b[0m   Traceback (most recent call last)",
        f"Cell \x1b[0;32mIn[3], line {row}\x1b[0m\n\x1b[1;32m   {row - 1}\x1b[0m y\n"
        f"\x1b[0;32m----> {row}\x1b[0;31m \x1b[0mx\x1b[0m.view({row + 4})\n",
        "\x1b[0;31mRuntimeError\x1b[0m: shape '[7]' is invalid for input of size 6",
    ]


def test_an_error_whose_traceback_is_kept_is_an_info(project) -> None:
    error = {"output_type": "error", "ename": "RuntimeError", "evalue": "", "traceback": traceback_of(3)}
    kept, other = code(RAISES, outputs=[error]), code(RAISES)
    project({"kept.ipynb": json.dumps(notebook(kept)), "other.ipynb": json.dumps(notebook(other))})
    assert shown(Engine().check(["kept.ipynb"])) == [(1, 4, "TL102")]
    assert shown(Engine().check(["other.ipynb"])) == [(1, 3, "TL102"), (1, 4, "TL102")]


def test_a_text_that_is_no_python_is_an_info(project) -> None:
    error = {
        "output_type": "error",
        "ename": "SyntaxError",
        "evalue": "",
        "traceback": [
            "\x1b[0;36m  Cell \x1b[0;32mIn[1], line 1\x1b[0;36m\x1b[0m\n\x1b[0;31m    this is no Python\x1b[0m\n\x1b[0m     ^\x1b[0m\nSyntaxError"
        ],
    }
    project({"kept.ipynb": json.dumps(notebook(code("this is no Python", outputs=[error])))})
    project({"other.ipynb": json.dumps(notebook(code("this is no Python")))})
    for name in ("kept.ipynb", "other.ipynb"):
        assert shown(Engine().check([name])) == []
        asked = Engine(Options(Overrides(extend_select=("TL000",)))).check([name])
        assert [(one.rule, one.severity) for one in asked.findings] == [("TL000", Severity.INFO)]


@pytest.mark.parametrize(
    "outputs", [None, 3, [None], [{"output_type": "error"}], [{"output_type": "error", "traceback": [1]}]]
)
def test_odd_outputs_are_no_problem(outputs: Any) -> None:
    assert read(notebook(code("x = 1", outputs=outputs))).cells[0].raised == frozenset()


def test_odd_numbers_are_no_problem() -> None:
    data = saved(notebook(code("x = 1"), metadata={"a": 7})).replace(
        b": 7", b": " + b"7" * 5000 + b', "b": NaN'
    )
    assert read(data).text == "x = 1"


@given(st.recursive(st.none() | st.booleans() | st.floats() | st.text(max_size=3), lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["cells", "cell_type", "source", "metadata", "nbformat", "kernelspec", "language"]), inner | st.just("code"), max_size=4), max_leaves=12))  # fmt: skip
def test_no_json_raises(value: Any) -> None:
    document = read(value)
    assert document.cells or not document.text or document.decode_problem


@given(st.binary(max_size=40))
def test_no_bytes_raise(data: bytes) -> None:
    assert read(data).decode_problem is not None or not data.removeprefix(codecs.BOM_UTF8).strip(b" \t\r\n")


def test_a_model_of_one_cell_is_trained_in_another(project) -> None:
    model = [
        "%matplotlib inline\n",
        "import torch\n",
        "from torch import nn\n",
        "\n",
        "class Net(nn.Module):\n",
        "    def __init__(self):\n",
        "        super().__init__()\n",
        "        self.layer = nn.Linear(8, 4)\n",
        "\n",
        "    def forward(self, x):\n",
        "        return self.layer(x)\n",
    ]
    train = ["%%time\n", "net = Net()\n", "x = torch.zeros(2, 3)\n", "\n", "!nvidia-smi\n", "net(x)"]
    project(
        {"a.ipynb": saved(notebook(prose("# Net"), code("!pip install torch"), code(model), code(train)))}
    )
    result = Engine(Options()).check(["a.ipynb"])
    (finding,) = result.findings
    document = result.documents["a.ipynb"]
    # torch 2.13: RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x3 and 8x4)
    places = [
        document.place(finding.span.start),
        *(document.place(one.span.start) for one in finding.related),
    ]
    assert {(place.cell, place.row) for place in places} >= {(3, 11), (4, 6), (4, 3)}
    assert result.internal_errors == []


def test_cells_indented_and_timed_are_followed(project) -> None:
    sources = [
        "  import torch\n  x = torch.zeros(2, 3).t()",
        "x.view(6)",
        "y = torch.zeros(6)",
        "%%timeit\ny = torch.zeros(2, 3).t()\ny.view(6)",
        "y.view(6)",
    ]
    project({"a.ipynb": saved(notebook(*map(code, sources)))})
    # torch 2.13 refuses both: "view size is not compatible with input tensor's size and stride".
    assert shown(Engine(Options()).check(["a.ipynb"])) == [(2, 1, "TL101"), (4, 3, "TL101")]


def test_what_a_shell_line_assigns_is_unknown(project) -> None:
    sources = [
        "import torch\nx = torch.zeros(2, 3).t()",
        "x = !ls",
        "x.view(6)",
        "x = torch.zeros(2, 3).t()\nx.view(6)",
    ]
    project({"a.ipynb": saved(notebook(*map(code, sources)))})
    assert [cell for cell, _, _ in shown(Engine(Options()).check(["a.ipynb"]))] == [4]


def test_a_cell_that_does_not_parse_costs_itself_only(project, engine) -> None:
    sources = ["import torch\nbad(1)", "x = (\nbad(2)", "bad(3)", "y = '''", "bad(4)"]
    project({"a.ipynb": saved(notebook(*map(code, sources)))})
    result = engine(extend_select=("TL000",)).check(["a.ipynb"])
    assert [(cell, rule) for cell, _, rule in shown(result) if rule == "TL000"] == [
        (2, "TL000"),
        (4, "TL000"),
    ]
    assert {cell for cell, _, rule in shown(result) if rule == "TL101"} >= {1, 3, 5}


def test_comments_suppress_in_their_cell(project, engine) -> None:
    sources = ["import torch\nbad(1)  # torchlsp: ignore[TL101]\nbad(2)", "bad(3)  # torchlsp: ignore[TL102]"]
    project({"a.ipynb": saved(notebook(*map(code, sources)))})
    assert shown(engine().check(["a.ipynb"])) == [(1, 3, "TL101"), (2, 1, "TL101"), (2, 1, "TL001")]
    head = code("%pip install x\n# torchlsp: ignore-file[TL101]")
    project({"b.ipynb": saved(notebook(head, code("import torch\nbad(1)\nworse(2)")))})
    assert shown(engine().check(["b.ipynb"])) == [(2, 3, "TL102")]


OUTPUT = {
    "data": {"text/plain": ["'bad(safe) \\u00e9 é'"], "image/png": "iVBORw0KGgo=\n"},
    "output_type": "display_data",
    "metadata": {"needs": None, "ratio": 1e-05},
}


def forms() -> dict[str, bytes]:
    cells = [
        prose(["bad(safe)\n", "é"]),
        code(["import torch\n", "%time x = bad(safe1)\n", "s = 'é\u2028𝕏'"], outputs=[OUTPUT], id="a1"),
        code("bad(safe2)\n\ny = '\"bad(\\n'"),
        code(["!echo bad(safe)\n", "bad(1)"]),
        code("bad(safe3)\r\nz = 1\r\n"),
    ]
    value = notebook(*cells)
    jupyter = saved(value)
    return {
        "jupyter": jupyter,
        "no end": jupyter.rstrip(),
        "crlf": jupyter.replace(b"\n", b"\r\n"),
        "mark": codecs.BOM_UTF8 + jupyter,
        "ascii": json.dumps(value, indent=2).encode(),
        "tabs": json.dumps(value, indent="\t", ensure_ascii=False).encode(),
        "one row": json.dumps(value).encode(),
        "compact": json.dumps(value, separators=(",", ":"), sort_keys=True).encode(),
        "spaced": json.dumps(value, indent=1, separators=(" , ", " :  ")).encode(),
    }


@pytest.mark.parametrize("form", forms())
def test_a_fix_changes_the_bytes_of_its_line_only(project, engine, form: str) -> None:
    data = forms()[form]
    root = project({"a.ipynb": data})
    result = engine(fix=True).check(["a.ipynb"])
    wanted = data
    for number in (b"1", b"2", b"3"):
        wanted = wanted.replace(b"bad(safe" + number, b"good(safe" + number)
    assert (root / "a.ipynb").read_bytes() == wanted
    assert shown(result) == [(4, 2, "TL101")]
    assert result.problems == []
    assert [change.fixes for change in result.changes] == [3]


def test_a_line_added_and_a_line_removed(project, engine) -> None:
    first = code(["%load_ext a\n", "import torch"])
    cells = [
        code(["import torch\n", "bad(import1)"]),
        code(["x = 1\n", "# torchlsp: ignore[TL101]"]),
        code(["# torchlsp: ignore[TL101]"]),
        code("# torchlsp: ignore[TL101]\nx"),
    ]
    root = project({"a.ipynb": saved(notebook(*cells)), "b.ipynb": saved(notebook(first, *cells))})
    engine(fix=True).check(["."])
    removed = [code(["x = 1"]), code([]), code("x")]
    fixed = code(["import good\n", "import torch\n", "good(import1)"])
    assert (root / "a.ipynb").read_bytes() == saved(notebook(fixed, *removed))
    # A row may stand above a line magic, though not above a cell magic.
    other = code(["import good\n", "%load_ext a\n", "import torch"])
    last = code(["import torch\n", "good(import1)"])
    assert (root / "b.ipynb").read_bytes() == saved(notebook(other, last, *removed))


@pytest.mark.parametrize("first", ["%%time\nx = 1", "%%bash\nls", "  import torch\n  y = 1", "cd .."])
def test_no_fix_is_made_where_ipython_would_read_it_otherwise(project, engine, first: str) -> None:
    """The fix inserts a line at the top of the notebook, where it would take a cell magic its place."""
    data = saved(notebook(code(first), code("import torch\nbad(import1)")))
    root = project({"a.ipynb": data})
    result = engine(fix=True).check(["a.ipynb"])
    assert (root / "a.ipynb").read_bytes() == data
    assert shown(result) == [(2, 2, "TL101")]


def test_a_fix_that_would_not_parse_leaves_the_notebook_alone(project, engine) -> None:
    data = saved(notebook(code("import torch\nbad(broken)")))
    root = project({"a.ipynb": data})
    engine(fix=True).check(["a.ipynb"])
    assert (root / "a.ipynb").read_bytes() == data


def test_rounds_of_fixes(project, engine) -> None:
    root = project({"a.ipynb": saved(notebook(code("import torch"), code(["bad(again)\n", "x = 1"])))})
    engine(fix=True).check(["a.ipynb"])
    assert (root / "a.ipynb").read_bytes() == saved(
        notebook(code("import torch"), code(["bad(again" + "x" * 10 + ")\n", "x = 1"]))
    )


def test_what_else_is_written_to_the_file_meanwhile_is_kept(tmp_path: Path) -> None:
    path = str(tmp_path / "a.ipynb")
    before = read_document(path, saved(notebook(code("x = 1"), code("y = 2"))))
    after = read_document(path, saved(notebook(code("x = 1"), code("y = 33"))))
    Path(path).write_bytes(saved(notebook(code("x = 1", outputs=[OUTPUT]), code("y = 2"))))
    assert write(before, after) is None
    now = saved(notebook(code("x = 1", outputs=[OUTPUT]), code("y = 33")))
    assert Path(path).read_bytes() == now
    assert write(before, after) == "it changed while it was being checked"
    assert Path(path).read_bytes() == now


def test_lone_halves_of_surrogate_pairs_are_written_as_they_were() -> None:
    data = b'{"cells": [{"cell_type": "code", "source": ["\\ud83d \xc3\xa9\\n", "x"]}]}'
    assert with_sources(data, {1: "y\ud83d\nx"}) == data.replace(b"\\ud83d \xc3\xa9", b"y\\ud83d")
    with pytest.raises(NotebookProblem, match="cell 2 is gone"):
        with_sources(data, {2: ""})


def test_of_two_members_of_one_name_the_last_counts() -> None:
    data = b'{"cells": 1, "cells": [{"source": "a", "cell_type": "code", "source": "b"}]}'
    assert read(data).text == "b"
    assert with_sources(data, {1: "c"}) == data.replace(b'"b"', b'"c"')


LINES = st.lists(
    st.sampled_from(["a\n", "b\r\n", "é\u2028", "\x0c", '"\\', "\n", "𝕏", "/", "\u00ad"]), max_size=6
)
LAYOUTS = st.sampled_from([{"indent": 1}, {"indent": 4}, {}, {"separators": (",", ":")}])


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_only_sources_change(data: st.DataObject) -> None:
    whole = data.draw(
        st.lists(st.tuples(LINES, st.sampled_from([list, "".join, None])), min_size=1, max_size=5)
    )
    cells = [prose("p") if form is None else code(form(lines), outputs=[OUTPUT]) for lines, form in whole]
    value = notebook(*cells)
    old = json.dumps(value, ensure_ascii=data.draw(st.booleans()), **data.draw(LAYOUTS)).encode()
    numbers = [number for number, (_, form) in enumerate(whole, 1) if form is not None]
    wanted = {number: "".join(data.draw(LINES)) for number in numbers if data.draw(st.booleans())}
    new = with_sources(old, wanted)
    document = read(new)
    sources = {cell.number: document.original[cell.span.start : cell.span.end] for cell in document.cells}
    before = {number: "".join(whole[number - 1][0]) for number in numbers}
    assert sources == before | wanted
    parsed = json.loads(new)
    for number in wanted:
        assert type(parsed["cells"][number - 1]["source"]) is type(cells[number - 1]["source"])
        parsed["cells"][number - 1]["source"] = cells[number - 1]["source"]
    assert parsed == value
    assert list(parsed) == list(value)
    # Writing back what was there restores every byte.
    assert with_sources(new, {number: before[number] for number in wanted}) == old or any(
        not whole[number - 1][0] or not wanted[number] or whole[number - 1][0] != lines_of(before[number])
        for number in wanted
    )


def lines_of(source: str) -> list[str]:
    return source.splitlines(keepends=True)


def test_a_diff_for_each_changed_cell(project, engine) -> None:
    cells = [
        code("import torch"),
        prose("bad(safe)"),
        code(["%time x = bad(safe)\n", "y = 1"]),
        code("bad(safe)\n"),
    ]
    data = saved(notebook(*cells))
    root = project({"sub/a.ipynb": data})
    result = engine(diff=True).check(["sub"])
    (change,) = result.changes
    lines = "".join(unified(change))
    assert lines == (
        "--- sub/a.ipynb:cell 3\n+++ sub/a.ipynb:cell 3\n@@ -1,2 +1,2 @@\n"
        "-%time x = bad(safe)\n+%time x = good(safe)\n y = 1\n"
        "--- sub/a.ipynb:cell 4\n+++ sub/a.ipynb:cell 4\n@@ -1 +1 @@\n-bad(safe)\n+good(safe)\n"
    )
    assert (root / "sub" / "a.ipynb").read_bytes() == data


def test_the_diff_of_a_file_is_a_patch(project, engine) -> None:
    project({"a.py": "import torch\nbad(safe)\x0c"})
    (change,) = engine(diff=True).check(["a.py"]).changes
    before, after = ["import torch\n", "bad(safe)\x0c"], ["import torch\n", "good(safe)\x0c"]
    wanted = [
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
        for line in difflib.unified_diff(before, after, "a/a.py", "b/a.py")
    ]
    assert list(unified(change)) == wanted


def test_an_open_notebook_is_fixed_as_one_on_disk(engine) -> None:
    document = read(notebook(code("import torch"), code("%time bad(safe)\n!ls")))
    checker = engine()
    fixed = fix_document(document, lambda text: checker.check_document(text).findings)
    assert fixed is not None
    assert fixed.original == "import torch\n%time good(safe)\n!ls"
    assert [fixed.slice(cell.span) for cell in fixed.cells] == ["import torch", "0;    good(safe)\n   "]
    assert fix_document(fixed, lambda text: checker.check_document(text).findings) is None


# ---- the folder that a notebook works in -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line", ["%cd upstream", "cd upstream/src", "%cd ../other", "os.chdir('/content/upstream')", "%cd 'a b'"]
)
def test_imports_of_a_notebook_that_enters_a_folder_are_not_the_files_beside_it(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "shapes.py").write_text(
        "import torch\n\n\ndef pair():\n    return torch.ones(2), torch.ones(2)\n"
    )
    use = code("import os\nimport torch\nfrom shapes import pair\na, b, c = pair()")
    (tmp_path / "beside.ipynb").write_bytes(saved(notebook(code("%cd ../.."), code("cd = 1"), use)))
    (tmp_path / "entered.ipynb").write_bytes(saved(notebook(code(line), use)))
    monkeypatch.chdir(tmp_path)
    result = Engine(Options()).check(["beside.ipynb", "entered.ipynb"])
    assert [(finding.path, finding.rule) for finding in result.findings] == [("beside.ipynb", "TL129")]
