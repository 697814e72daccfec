"""Whatever the files are, cutting ends soon, and in a slice or a reason."""

from __future__ import annotations

import os

import pytest
from cutting import FilesInMemory, program, reason

from torchlsp.core.finding import Finding, Severity
from torchlsp.core.text import Document, Span
from torchlsp.engine.slices import MAX_BYTES, SlicedFiles, slice_of
from torchlsp.slicing.modules import NotWhole
from torchlsp.slicing.slicer import Site, cut

HEAD = "import torch\n"


def finding(path: str, text: str, place: str) -> Finding:
    start = text.index(place)
    return Finding("TL101", "view", path, Span(start, start + len(place)), "", Severity.ERROR)


@pytest.mark.parametrize(
    "value",
    ["(" * 150 + "1" + ")" * 150, "-" * 5000 + "1", "[" * 90 + "]" * 90, "+".join(["1"] * 3000), "a" + ".b" * 3000, "f" + "()" * 3000],
    ids=["parentheses", "signs", "lists", "sum", "attributes", "calls"],
)  # fmt: skip
def test_deep_nesting_is_a_slice_or_a_reason(value):
    text = f"{HEAD}a = f = 1\ny = {value}\nx = torch.zeros(y)\nx.view(7)\n"
    try:
        assert "x.view(7)" in program(text, "x.view(7)")
    except NotWhole as problem:
        assert str(problem)


def test_deep_blocks_are_a_slice_or_a_reason():
    rows = "".join(f"{' ' * n}if x.sum():\n" for n in range(90))
    text = f"{HEAD}x = torch.zeros(3)\n{rows}{' ' * 90}x.view(7)\n"
    try:
        assert "x.view(7)" in program(text, "x.view(7)")
    except NotWhole as problem:
        assert str(problem)


def test_large_file_is_not_read():
    text = HEAD + "x = torch.zeros(3)\nx.view(7)\n" + "# filling\n" * 100_000
    assert "too large" in reason(text, "x.view(7)")


@pytest.mark.parametrize(
    "name",
    ["__class__", "__builtins__", "__name__", "__debug__x", "self", "print", "torch_2", "CommandLine1", "_"],
)
def test_names_that_mean_something_elsewhere(name):
    text = f"{HEAD}{name} = 3\nx = torch.zeros({name})\nx.view(7)\n"
    assert program(text, "x.view(7)") == text


@pytest.mark.parametrize("text", ["", "\x00", "x = = 3", "def f(:\n", "\ud800"])
def test_file_that_is_no_program_has_a_reason(text):
    with pytest.raises(NotWhole):
        cut([Site("a.py", 0, 1)], FilesInMemory({"a.py": text}))


def test_site_outside_of_the_text_has_a_reason():
    with pytest.raises(NotWhole):
        cut([Site("a.py", 10_000, 10_001)], FilesInMemory({"a.py": HEAD}))


def test_notebook_has_a_reason():
    document = Document("a.ipynb", HEAD)
    object.__setattr__(document, "cells", (1,))

    class Files(FilesInMemory):
        def document(self, path):
            return document

    with pytest.raises(NotWhole, match="the cells of a notebook run in any order"):
        cut([Site("a.ipynb", 0, 1)], Files({}))


@pytest.mark.parametrize("kind", ["fifo", "device", "folder", "missing", "large", "no text"])
def test_import_of_what_is_no_file_has_a_reason(tmp_path, kind):
    other = tmp_path / "other.py"
    if kind == "fifo":
        os.mkfifo(other)
    elif kind == "device":
        other.symlink_to("/dev/zero")
    elif kind == "folder":
        other.mkdir()
    elif kind == "large":
        other.write_text("n = 3\n" * MAX_BYTES)
    elif kind == "no text":
        other.write_bytes(b"n = '\xff\xfe'\x00")
    text = HEAD + "from other import n\nx = torch.zeros(n)\nx.view(7)\n"
    main = tmp_path / "main.py"
    main.write_text(text)
    made = slice_of(finding(str(main), text, "x.view(7)"), SlicedFiles([Document(str(main), text)]))
    assert made.reason and not made.program


def test_slice_of_a_file_that_cannot_be_read(tmp_path):
    made = slice_of(finding(str(tmp_path / "gone.py"), "x.view(7)", "x.view(7)"), SlicedFiles([]))
    assert made.reason == "a file on the way cannot be read"
