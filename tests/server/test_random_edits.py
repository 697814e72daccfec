"""After any edits the server says what a checker that has never seen the text before says."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from torchlsp.core.cancel import Cancelled
from torchlsp.core.finding import Finding
from torchlsp.core.span import Span
from torchlsp.core.text import Document
from torchlsp.dev import corpus
from torchlsp.engine.ignoring import UNREADABLE
from torchlsp.engine.inspection import at, hints
from torchlsp.engine.suppressing import UNUSED
from torchlsp.server.analyst import Analyst
from torchlsp.server.settings import EditorSettings
from torchlsp.server.texts import changed
from torchlsp.syntax.parse import parse

sys.path.insert(0, str(Path(__file__).parent))

import client_text
from check_from_scratch import agree, as_told, cold, kept_findings, placed, told

ROOT = Path(__file__).parents[2]
TIMM = Path(os.environ.get("TORCHLSP_CORPUS", corpus.DEFAULT_FOLDER)) / "timm" / "timm"
EXAMPLES = ROOT / "examples"
SOURCES = {
    "rules": sorted((ROOT / "tests" / "rules" / "cases").glob("*.py")),
    "programs": sorted((ROOT / "tests" / "interp" / "programs").glob("*.py")),
    "projects": sorted(EXAMPLES.rglob("*.py")),
}
ALONE = ("rules", "programs")
"""The sources whose files import none of the others."""
ENCODINGS = ("utf-8", "utf-16", "utf-32")

# What fingers do, what breaks a line, a bracket, a string or a column, and what changes the facts.
TYPED = (
    *" \t\n\r.,:;=()[]{}\"'#\\\f\0é😀\u2028",
    "  # é😀😀",
    '"😀" ',
    '"""',
    "'''",
    "\r\n",
    "\n    ",
    "x",
    "0",
    "-1",
    "def ",
    "class C:\n",
    "import torch\n",
    "return ",
    "if x:\n",
    "else:",
    "lambda: ",
    ".permute(0, 2, 1)",
    ".view(-1)",
    ".t()",
    ".cuda()",
    ".double()",
    ".detach_()",
    "zero_grad()",
    ".backward()",
    "  # torchlsp: ignore[TL101]",
    "  # noqa: TL101",
    "# torchlsp: ignore-file\n",
)
_WORD = re.compile(r"\w+")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")


@dataclass(frozen=True, slots=True)
class Stroke:
    """One thing that a user does: `where` and `other` choose among the places there are, `size` how much of it.
    `near`: where the stroke before was, as most are."""

    kind: str
    near: bool = False
    where: int = 0
    other: int = 0
    size: int = 1
    typed: str = ""
    encoding: str = "utf-16"
    interrupted: int | None = None
    """The analysis of this text is broken off at this question, and then begun again."""


STROKES = st.builds(
    Stroke,
    kind=st.sampled_from(
        (
            "type",
            "type",
            "delete",
            "replace",
            "delete lines",
            "copy lines",
            "copy",
            "rename",
            "undo",
            "line ends",
        )
    ),
    near=st.booleans(),
    where=st.integers(0, 10**6),
    other=st.integers(0, 10**6),
    size=st.integers(1, 25),
    typed=st.sampled_from(TYPED),
    encoding=st.sampled_from(ENCODINGS),
    interrupted=st.one_of(st.none(), st.none(), st.integers(1, 60)),
)
BEHIND_WIDE = [
    Stroke("type", where=30, typed='"😀" '),
    *(Stroke("type", near=True, where=4, typed="x", encoding=encoding) for encoding in ENCODINGS),
]
SESSIONS = st.lists(STROKES, min_size=1, max_size=12)


def place(text: str, number: int) -> int:
    """One of the places of a text that a cursor can be at: not inside CRLF."""
    offset = number % (len(text) + 1)
    return offset - 1 if text[offset - 1 : offset + 1] == "\r\n" else offset


def chosen(pattern: re.Pattern[str], text: str, number: int) -> tuple[int, int]:
    found = [match.span() for match in pattern.finditer(text)]
    return found[number % len(found)] if found else (0, 0)


def replaced(stroke: Stroke, history: list[str]) -> tuple[int, int, str] | str:
    """What a stroke puts in the place of which part, or the whole new text."""
    text = history[-1]
    start = place(text, _cursor(history) + stroke.where % 5 if stroke.near else stroke.where)
    end = place(text, min(start + stroke.size, len(text)))
    match stroke.kind:
        case "type":
            return start, start, stroke.typed
        case "delete":
            return start, end, ""
        case "replace":
            return start, end, stroke.typed
        case "delete lines":
            first, last = chosen(_LINE, text, stroke.where)
            return first, last, ""
        case "copy lines":
            first, last = chosen(_LINE, text, stroke.other)
            target, _ = chosen(_LINE, text, stroke.where)
            return target, target, text[first:last]
        case "copy":
            source = place(text, stroke.other)
            return start, start, text[source : source + stroke.size]
        case "rename":
            first, last = chosen(_WORD, text, stroke.where)
            source, source_end = chosen(_WORD, text, stroke.other)
            return first, last, text[source:source_end]
        case "undo":
            return history[max(len(history) - 1 - stroke.size % 4, 0)]
    ends = ("\n", "\r\n", "\r")
    return re.sub(r"\r\n|\r|\n", ends[stroke.where % 3], text)


def _cursor(history: list[str]) -> int:
    """Where the last stroke began to change the text."""
    return len(os.path.commonprefix(history[-2:])) if len(history) > 1 else 0


def change_event(stroke: Stroke, history: list[str]) -> tuple[dict[str, Any], str]:
    """The client's notice of a stroke, and the text that the client then has."""
    text = history[-1]
    part = replaced(stroke, history)
    if isinstance(part, str):
        return {"text": part}, part
    start, end, new = part
    where = {
        "start": client_text.position(text, start, stroke.encoding),
        "end": client_text.position(text, end, stroke.encoding),
    }
    return {"range": where, "text": new}, text[:start] + new + text[end:]


def received(event: dict[str, Any]) -> SimpleNamespace:
    """A change event as the protocol's library hands it on."""
    if "range" not in event:
        return SimpleNamespace(text=event["text"])
    start, end = (SimpleNamespace(**event["range"][name]) for name in ("start", "end"))
    return SimpleNamespace(text=event["text"], range=SimpleNamespace(start=start, end=end))


def interrupting(after: int) -> Callable[[], None]:
    left = iter(range(after))

    def check() -> None:
        if next(left, None) is None:
            raise Cancelled

    return check


class Desk:
    """An analyst and the texts that it is given, as the editor has them."""

    def __init__(self) -> None:
        self.analyst = Analyst()
        self.settings = EditorSettings()
        self.history: dict[Path, list[str]] = {}
        self.documents: dict[Path, Document] = {}
        self.intact: dict[Path, tuple[str, list[Finding]]] = {}
        """The last text that parsed and was analysed, and its findings."""
        self.kept = 0
        """How often a text that did not parse kept the findings of that one."""

    def open(self, path: Path, text: str) -> None:
        self.history[path] = [text]
        self._put(path, Document(str(path), text, version=0))

    def close(self, path: Path) -> None:
        self.analyst.open_documents.pop(os.path.realpath(path))
        del self.documents[path], self.history[path]

    def stroke(self, path: Path, stroke: Stroke) -> None:
        history, before = self.history[path], self.documents[path]
        event, after = change_event(stroke, history)
        document = changed(before, [received(event)], len(history), stroke.encoding)
        assert document.text == after
        history.append(after)
        self._put(path, document)
        if stroke.interrupted is not None:
            try:
                self.analyst.examine(document, self.settings, interrupting(stroke.interrupted))
            except Cancelled:
                pass

    def compare(self, path: Path, look_at: int = 0) -> None:
        """The findings are those of a cold check; in a function that does not parse just now, those of the text before,
        that statement left out. What other texts lead to comes on top. Whatever else is asked gets an answer."""
        document = self.documents[path]
        examined = self.analyst.examine(document, self.settings)
        examination = examined.examination
        assert not examination.result.internal_errors
        expected, found = cold(document, self.analyst.open_documents), examination.own
        # Editors leave it to others to say that a text does not parse.
        assert not any(one.rule == UNREADABLE for one in found)
        expected = [one for one in expected if one.rule != UNREADABLE]
        if examination.how == "kept":
            self.kept += 1
            assert examination.tree.problems == parse(document).problems
            kept = kept_findings(*self.intact[path], document.text)
            others = [replace(one, fixes=()) for one in found if one.rule != UNUSED]
            assert placed(others) == placed([one for one in kept if one.rule != UNUSED])
        else:
            assert placed(list(found)) == placed(expected)
        # A text that differs in blanks only is not the one whose findings a broken one keeps.
        if not examination.tree.problems and (examination.how != "same" or path not in self.intact):
            self.intact[path] = document.text, expected
        length = len(document.text)
        for finding in examination.result.findings:
            assert 0 <= finding.span.start <= finding.span.end <= length
        for hint in hints(examination, Span(0, length)):
            assert 0 <= hint.offset <= length
        described = at(examination, look_at % (length + 1))
        assert described is None or 0 <= described.span.start <= described.span.end <= length

    def _put(self, path: Path, document: Document) -> None:
        self.documents[path] = document
        self.analyst.open_documents[os.path.realpath(path)] = document


def text_of(path: Path) -> str:
    return path.read_bytes().decode("utf-8")


def play(path: Path, strokes: list[Stroke]) -> None:
    """One session of an editor with one file."""
    desk = Desk()
    desk.open(path, text_of(path))
    desk.compare(path)
    for stroke in strokes:
        desk.stroke(path, stroke)
        desk.compare(path, stroke.other)


@pytest.fixture
def placed_alone(tmp_path: Path) -> Callable[[str, Path], Path]:
    """Returns where to edit a file of one of the sources: in a project of its own, an example in a copy of all of them.

    All files of a project are searched for callers at each text, and this repository has some 2,000.
    """
    (tmp_path / "pyproject.toml").write_text("")

    def place_file(kind: str, path: Path) -> Path:
        if kind in ALONE:
            folder = tmp_path / path.stem
            folder.mkdir(exist_ok=True)
            return shutil.copy(path, folder / path.name)
        copied = tmp_path / EXAMPLES.name
        if not copied.exists():
            shutil.copytree(EXAMPLES, copied)
        return copied / path.relative_to(EXAMPLES)

    return place_file


def bounded(examples: int) -> Callable:
    return settings(
        max_examples=examples,
        derandomize=True,
        deadline=None,
        database=None,
        # Making a failure smaller takes minutes; the sessions are short as they are.
        phases=(Phase.explicit, Phase.generate),
        suppress_health_check=list(HealthCheck),
    )


@pytest.mark.slow
@pytest.mark.parametrize("kind", SOURCES)
def test_the_edited_text_has_the_findings_of_a_cold_check(kind, placed_alone):
    @bounded(20)
    @given(st.sampled_from(SOURCES[kind]), SESSIONS)
    @example(SOURCES[kind][0], BEHIND_WIDE)
    def play_one(path, strokes):
        play(placed_alone(kind, path), strokes)

    play_one()


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("kind", SOURCES)
def test_many_more_sessions(kind, placed_alone):
    @bounded(16)
    @given(st.sampled_from(SOURCES[kind]), st.lists(STROKES, min_size=8, max_size=16))
    def play_one(path, strokes):
        play(placed_alone(kind, path), strokes)

    play_one()


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_files_of_timm():
    if not TIMM.is_dir():
        pytest.skip("timm is not there: python -m torchlsp.dev corpus --fetch FOLDER, TORCHLSP_CORPUS=FOLDER")
    files = sorted((TIMM / "layers").glob("*.py")) + sorted((TIMM / "optim").glob("*.py"))

    @bounded(40)
    @given(st.sampled_from(files), SESSIONS)
    def play_one(path, strokes):
        play(path, strokes)

    play_one()


# ---- two files that import each other ------------------------------------------------------------------------------

LAYERS = """import torch
from torch import nn
import network

WIDTH = 8


def turned(x):
    return x.transpose(1, 2)


class Mixer(nn.Module):
    def __init__(self, width=WIDTH):
        super().__init__()
        self.linear = nn.Linear(width, width)

    def forward(self, x):
        return network.joined(self.linear(x))
"""
NETWORK = """import torch
from layers import WIDTH, Mixer, turned

EXAMPLE = torch.zeros(2, 4, WIDTH)


def joined(x):
    return x.permute(0, 2, 1)


flat = turned(EXAMPLE).view(2, -1)
again = joined(EXAMPLE).view(-1)
mixed = Mixer(WIDTH)(EXAMPLE).view(2, 4 * WIDTH)
wrong = Mixer(WIDTH + 1)(EXAMPLE)
"""


@pytest.fixture
def pair(project) -> tuple[Path, Path]:
    folder = project({"layers.py": LAYERS, "network.py": NETWORK, "pyproject.toml": ""})
    return folder / "layers.py", folder / "network.py"


def test_the_two_files_lead_to_findings_in_each_other(pair):
    desk = Desk()
    layers, network = pair
    desk.open(layers, LAYERS)
    desk.open(network, NETWORK)
    found = desk.analyst.examine(desk.documents[network], desk.settings).examination.result.findings
    assert [one.rule for one in found] == ["TL101", "TL101", "TL101"]
    found = desk.analyst.examine(desk.documents[layers], desk.settings).examination.result.findings
    assert [(one.rule, LAYERS[one.span.start : one.span.end]) for one in found] == [
        ("TL105", "self.linear(x)")
    ]


@pytest.mark.slow
@pytest.mark.parametrize("both_are_open", [True, False])
def test_editing_one_of_two_files_that_import_each_other(pair, both_are_open):
    layers, network = pair

    @bounded(25)
    @given(st.lists(st.tuples(st.sampled_from(pair), STROKES), min_size=1, max_size=8))
    @example([(layers, Stroke("delete lines", where=5))])
    def play_both(strokes):
        desk = Desk()
        layers.write_text(LAYERS)
        network.write_text(NETWORK)
        # The first to be examined reads the other from the disk, by another name than the editor's.
        desk.open(network, NETWORK)
        desk.compare(network)
        if both_are_open:
            desk.open(layers, LAYERS)
        for chosen_path, stroke in strokes:
            path = chosen_path if both_are_open else network
            desk.stroke(path, stroke)
            for one in pair if both_are_open else (network,):
                desk.compare(one, stroke.other)
        if both_are_open:
            desk.close(layers)
            desk.compare(network)

    play_both()


def test_the_text_of_an_imported_file_that_is_open_counts(pair):
    layers, network = pair
    desk = Desk()
    desk.open(network, NETWORK)
    desk.open(layers, LAYERS)
    before = desk.analyst.examine(desk.documents[network], desk.settings).examination.result.findings
    transposing = LAYERS.splitlines().index("    return x.transpose(1, 2)")
    desk.stroke(layers, Stroke("delete lines", where=transposing))
    desk.compare(network)
    after = desk.analyst.examine(desk.documents[network], desk.settings).examination.result.findings
    assert len(after) == len(before) - 1


def test_a_file_that_is_not_open_changes_on_disk(pair):
    layers, network = pair
    desk = Desk()
    desk.open(network, NETWORK)
    desk.compare(network)
    before = desk.analyst.examine(desk.documents[network], desk.settings).examination.result.findings
    layers.write_text(LAYERS.replace("x.transpose(1, 2)", "x"))
    desk.compare(network)
    after = desk.analyst.examine(desk.documents[network], desk.settings).examination.result.findings
    assert len(after) == len(before) - 1


# ---- through the real server ---------------------------------------------------------------------------------------

_PUSHED = {
    "textDocument": {
        "publishDiagnostics": {"relatedInformation": True, "versionSupport": True},
        "hover": {"contentFormat": ["markdown"]},
    }
}


def asked(uri: str, text: str, offset: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """What an editor asks while its user types."""
    document = {"uri": uri}
    here = client_text.position(text, offset, "utf-16")
    whole = {"start": {"line": 0, "character": 0}, "end": client_text.position(text, len(text), "utf-16")}
    yield "textDocument/hover", {"textDocument": document, "position": here}
    yield "textDocument/inlayHint", {"textDocument": document, "range": whole}
    context = {"diagnostics": []}
    yield "textDocument/codeAction", {"textDocument": document, "range": whole, "context": context}


def test_a_server_that_has_seen_every_edit(start, tmp_path):
    # What is said of a text that does not parse is compared too.
    (tmp_path / "pyproject.toml").write_text('[tool.torchlsp]\nextend-select = ["TL000"]\n')
    client = start()
    client.initialize(_PUSHED, options={"settings": {"debounce": 0, "probe.enable": False}})
    names = iter(range(10**6))

    @bounded(20)
    @given(st.sampled_from(SOURCES["rules"] + SOURCES["programs"]), SESSIONS)
    def play_one(path, strokes):
        file = tmp_path / f"edited{next(names)}.py"
        history = [text_of(path)]
        uri = client.open(file.as_uri(), history[0])
        for version, stroke in enumerate(strokes, 2):
            stroke = replace(stroke, encoding="utf-16")
            event, text = change_event(stroke, history)
            history.append(text)
            document = {"uri": uri, "version": version}
            client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [event]})
            if stroke.other % 3 == 0:
                for method, params in asked(uri, text, place(text, stroke.other)):
                    client.request(method, params)
        version = len(strokes) + 1
        checked = Document(str(file), history[-1])
        found = as_told(uri, client.published(uri, version))
        assert agree(found, told(checked, cold(checked, {}))), (path, version)
        client.close(uri)

    play_one()
    complaints = [one["message"] for one in client.received("window/logMessage") if one["type"] <= 2]
    assert complaints == []
    assert client.leave() == 0
