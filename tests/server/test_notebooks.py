"""Notebooks: one text to the checker, cells to the editor."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import client_text
import pytest
from client_profiles import VISUAL_STUDIO_CODE
from raw_client import RawClient

pytestmark = pytest.mark.processes

PULL = VISUAL_STUDIO_CODE
PUSH = copy.deepcopy(VISUAL_STUDIO_CODE)
del PUSH["textDocument"]["diagnostic"]
PUSH["textDocument"]["publishDiagnostics"]["versionSupport"] = True

MARKUP, CODE = 1, 2
MAKES = "import torch\nx = torch.zeros(2, 3).t()"
VIEWS = 'é = "😀"; y = x.view(6)'


class Notebook:
    """A notebook as the client has it. `uri` of a cell has the folder's path and a fragment, as VS Code makes it."""

    def __init__(
        self, client: RawClient, name: str, texts: list[tuple[int, str]], *, markup: bool = True
    ) -> None:
        self.client = client
        self.uri = client.uri(name)
        self.version = 1
        self.markup = markup
        self._count = 0
        cells = [self._new(kind, text) for kind, text in texts]
        self.cells = [uri for uri, kind in cells if self._sent(kind)]
        client.notify(
            "notebookDocument/didOpen",
            {
                "notebookDocument": {
                    "uri": self.uri,
                    "notebookType": "jupyter-notebook",
                    "version": 1,
                    "metadata": {"language_info": {"name": "python"}},
                    "cells": [{"kind": kind, "document": uri} for uri, kind in cells if self._sent(kind)],
                },
                "cellTextDocuments": [self._item(uri, kind) for uri, kind in cells if self._sent(kind)],
            },
        )

    def edit(self, uri: str, old: str, new: str) -> None:
        message = self.client.replacing(uri, old, new)["params"]
        content = {"document": message["textDocument"], "changes": message["contentChanges"]}
        self._change({"textContent": [content]})

    def apply(self, edit: dict[str, Any]) -> None:
        """Make a workspace edit of cells; its versions must be those of the cells."""
        for change in edit["documentChanges"]:
            uri, version = change["textDocument"]["uri"], change["textDocument"]["version"]
            assert version == self.client.versions[uri]
            text = self.client.texts[uri]
            self.client.texts[uri] = client_text.edited(text, change["edits"], self.client.encoding)
            self.client.versions[uri] += 1
            content = {
                "document": {"uri": uri, "version": version + 1},
                "changes": [{"text": self.client.texts[uri]}],
            }
            self._change({"textContent": [content]})

    def insert(self, place: int, text: str, kind: int = CODE) -> str:
        uri, _ = self._new(kind, text)
        self.cells.insert(place, uri)
        array = {"start": place, "deleteCount": 0, "cells": [{"kind": kind, "document": uri}]}
        self._change({"structure": {"array": array, "didOpen": [self._item(uri, kind)]}})
        return uri

    def delete(self, uri: str) -> None:
        array = {"start": self.cells.index(uri), "deleteCount": 1}
        self.cells.remove(uri)
        self._change({"structure": {"array": array, "didClose": [{"uri": uri}]}})

    def move(self, uri: str, place: int) -> None:
        """As VS Code tells of it: what changed is all between the two places, nothing is opened or closed."""
        before = list(self.cells)
        self.cells.remove(uri)
        self.cells.insert(place, uri)
        changed = [n for n, (old, new) in enumerate(zip(before, self.cells, strict=True)) if old != new]
        start, end = changed[0], changed[-1] + 1
        cells = [{"kind": CODE, "document": one} for one in self.cells[start:end]]
        self._change({"structure": {"array": {"start": start, "deleteCount": end - start, "cells": cells}}})

    def close(self) -> None:
        self.client.notify(
            "notebookDocument/didClose",
            {
                "notebookDocument": {"uri": self.uri},
                "cellTextDocuments": [{"uri": uri} for uri in self.cells],
            },
        )

    def _new(self, kind: int, text: str) -> tuple[str, int]:
        self._count += 1
        uri = self.uri.replace("file:", "vscode-notebook-cell:") + f"#W{self._count}sZmlsZQ%3D%3D"
        self.client.texts[uri], self.client.versions[uri] = text, 1
        return uri, kind

    def _item(self, uri: str, kind: int) -> dict[str, Any]:
        language = "python" if kind == CODE else "markdown"
        return {"uri": uri, "languageId": language, "version": 1, "text": self.client.texts[uri]}

    def _sent(self, kind: int) -> bool:
        return kind == CODE or self.markup

    def _change(self, cells: dict[str, Any]) -> None:
        self.version += 1
        self.client.notify(
            "notebookDocument/didChange",
            {"notebookDocument": {"uri": self.uri, "version": self.version}, "change": {"cells": cells}},
        )


@pytest.fixture(scope="module", params=[PUSH, PULL], ids=["push", "pull"])
def client(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory):
    """One client of each kind for all tests; each opens a notebook of its own."""
    started = RawClient(tmp_path_factory.mktemp("notebooks"))
    started.initialize(request.param)
    yield started
    started.kill()


@pytest.fixture
def notebook(client: RawClient, request: pytest.FixtureRequest):
    opened: list[Notebook] = []

    def make(*texts: str | tuple[int, str], markup: bool = True) -> Notebook:
        cells = [(CODE, text) if isinstance(text, str) else text for text in texts]
        name = f"{Path(request.node.name).stem.partition('[')[0]}_{len(opened)}.ipynb"
        opened.append(Notebook(client, name, cells, markup=markup))
        return opened[-1]

    yield make
    for one in opened:
        one.close()


def shows(client: RawClient, uri: str, expected: list[str]) -> list[Any]:
    """Wait until a cell shows these findings, each by the words that it is at; the newest result counts."""

    def words(found: list[Any]) -> list[str]:
        return [client.at(uri, one["range"]) for one in found]

    if client.pulls:
        found = client.pulled(uri)
        assert words(found) == expected
        return found
    # The analysis of the newest text has been waited for once a request about it is answered.
    client.request("textDocument/inlayHint", {"textDocument": {"uri": uri}, "range": WHOLE})
    sent = [p for p in client.received("textDocument/publishDiagnostics") if p["uri"] == uri]
    assert sent and words(sent[-1]["diagnostics"]) == expected
    return sent[-1]["diagnostics"]


WHOLE = {"start": {"line": 0, "character": 0}, "end": {"line": 1000, "character": 0}}


@pytest.mark.parametrize("markup", [True, False], ids=["all-cells", "code-cells-only"])
def test_a_cell_may_be_faulty_for_what_another_did(client: RawClient, notebook, markup: bool):
    """VS Code leaves out cells that the server did not ask for, others send them all."""
    book = notebook(
        MAKES, (MARKUP, "# y = x.view(6)"), "%matplotlib inline\n!pip list\n" + VIEWS, markup=markup
    )
    first, last = book.cells[0], book.cells[-1]
    (found,) = shows(client, last, ["x.view(6)"])
    assert found["range"]["start"] == {"line": 2, "character": 14}
    (step, *_) = found["relatedInformation"]
    assert step["location"]["uri"] == first
    assert client.at(first, step["location"]["range"]) == "torch.zeros(2, 3).t()"
    shows(client, first, [])


def test_an_edit_of_one_cell_counts_in_the_others(client: RawClient, notebook):
    book = notebook(MAKES, VIEWS)
    first, last = book.cells
    shows(client, last, ["x.view(6)"])
    seen = len(client.seen)
    book.edit(first, ".t()", ".relu()")
    if client.pulls:
        client.wait_for("workspace/diagnostic/refresh", since=seen)
    shows(client, last, [])
    book.edit(first, ".relu()", ".t()\nx = x.t().t()")
    shows(client, last, ["x.view(6)"])
    book.edit(last, 'é = "😀"; ', 'ü = "😀😀"\n\n')
    (found,) = shows(client, last, ["x.view(6)"])
    assert found["range"]["start"]["line"] == 2


def test_cells_come_and_go(client: RawClient, notebook):
    book = notebook(MAKES, VIEWS)
    last = book.cells[1]
    shows(client, last, ["x.view(6)"])
    between = book.insert(1, "x = x.contiguous()")
    shows(client, last, [])
    shows(client, between, [])
    book.insert(0, "# Title", MARKUP)
    shows(client, last, [])
    book.delete(between)
    shows(client, last, ["x.view(6)"])
    book.move(last, 1)
    shows(client, last, [])
    book.move(last, 2)
    shows(client, last, ["x.view(6)"])


def test_a_deleted_cell_shows_nothing(client: RawClient, notebook):
    book = notebook(MAKES, VIEWS)
    first, last = book.cells
    shows(client, last, ["x.view(6)"])
    book.delete(last)
    if client.pulls:
        assert client.pulled(last) == []
    else:
        shows(client, first, [])
        sent = [p for p in client.received("textDocument/publishDiagnostics") if p["uri"] == last]
        assert sent[-1]["diagnostics"] == []


def test_a_fix_lands_in_its_cell(client: RawClient, notebook):
    book = notebook(MAKES, "# above", "%%time\n" + VIEWS)
    last = book.cells[2]
    shows(client, last, ["x.view(6)"])
    fix = client.actions(last, "x.view")[0]
    assert fix["isPreferred"]
    book.apply(fix["edit"])
    assert client.texts[last] == "%%time\n" + VIEWS.replace("view", "reshape")
    shows(client, last, [])


def test_ignoring_lands_in_its_cell(client: RawClient, notebook):
    book = notebook(MAKES, VIEWS, "z = x.view(6)")
    shows(client, book.cells[1], ["x.view(6)"])
    ignore = next(a for a in client.actions(book.cells[1], "x.view") if a["title"].startswith("Ignore"))
    book.apply(ignore["edit"])
    assert client.texts[book.cells[1]] == VIEWS + "  # torchlsp: ignore[TL101]"
    shows(client, book.cells[1], [])
    shows(client, book.cells[2], ["x.view(6)"])


def test_all_cells_are_fixed_and_magics_stay(client: RawClient, notebook):
    texts = [MAKES + "\na = x.view(6)", "b = x.view(-1)\n!ls", "%time c = x.view(6)", "print(1)"]
    book = notebook(*texts)
    shows(client, book.cells[0], ["x.view(6)"])
    (action,) = client.actions(book.cells[1], "x.view", only=["source.fixAll.torchlsp"])
    book.apply(client.request("codeAction/resolve", action)["edit"])
    assert [client.texts[uri] for uri in book.cells] == [text.replace("view", "reshape") for text in texts]
    for uri in book.cells:
        shows(client, uri, [])


def test_hover_and_hints_are_those_of_the_cell(client: RawClient, notebook):
    book = notebook(MAKES, "y = x.relu()\nz = y", "w = torch.zeros(7)")
    hover = client.hover(book.cells[1], "y = x")
    assert "f32[3, 2]" in hover["contents"]["value"]
    assert client.at(book.cells[1], hover["range"]) == "y"
    asked = {"textDocument": {"uri": book.cells[2]}, "range": WHOLE}
    (hint,) = client.request("textDocument/inlayHint", asked)
    assert hint["position"] == {"line": 0, "character": 1}
    assert "f32[7]" in hint["label"]


def test_one_broken_cell_leaves_the_others(client: RawClient, notebook):
    book = notebook(MAKES, "def broken(:\n    pass", VIEWS)
    shows(client, book.cells[2], ["x.view(6)"])
    shows(client, book.cells[1], [])


def test_closing_clears_every_cell(client: RawClient, notebook):
    book = notebook(MAKES, VIEWS, VIEWS)
    for uri in book.cells[1:]:
        shows(client, uri, ["x.view(6)"])
    book.close()
    client.settle()
    for uri in book.cells[1:]:
        if client.pulls:
            assert client.pulled(uri) == []
        else:
            sent = [p for p in client.received("textDocument/publishDiagnostics") if p["uri"] == uri]
            assert sent[-1]["diagnostics"] == []


def test_versions_are_those_of_the_cells(client: RawClient, notebook):
    if client.pulls:
        pytest.skip("this client asks")
    book = notebook(MAKES, VIEWS)
    first, last = book.cells
    shows(client, last, ["x.view(6)"])
    book.edit(first, "2, 3", "3, 4")
    book.edit(first, "3, 4", "2, 3")
    shows(client, last, ["x.view(6)"])
    newest = {p["uri"]: p.get("version") for p in client.received("textDocument/publishDiagnostics")}
    assert (newest[first], newest[last]) == (3, 1)


def test_empty_notebooks_and_cells(client: RawClient, notebook):
    book = notebook()
    first = book.insert(0, "")
    shows(client, first, [])
    book.edit(first, "", MAKES + "\n")
    second = book.insert(1, VIEWS + "\n\n")
    shows(client, second, ["x.view(6)"])
    book.delete(first)
    shows(client, second, [])
    assert client.received("window/showMessage") == []
