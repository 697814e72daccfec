"""What an editor's user waits for, in wall milliseconds through the server's real stdio, and the server's processor time beside them.

The server's pause for further typing (`debounce`) is set to nothing, and nothing is put to the test in torch. Parsers take turns with the keystrokes in this
process on the same text, so that ratios to them hold on a busy machine too.
"""

from __future__ import annotations

import ast
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import generated
from lsp_client import Client, client, position, replacement

# Of a wheel in the corpus: about 1,000 and about 4,000 lines.
FILES = {
    "ghostnet": "timm/timm/models/ghostnet.py",
    "qwen2_5_omni": "transformers/transformers/models/qwen2_5_omni/modeling_qwen2_5_omni.py",
}
PROJECT = Path(__file__).resolve().parents[1] / "examples" / "training_project"
# Does not parse at most of its letters, and has a finding and its fix at the last.
TYPED = "y = torch.ones(2, 3).t().view(6)"
_ASSIGNMENT = re.compile(r"^( {4,})\w+ = [^\n]*[\w)\]]\n", re.MULTILINE)
_WORD = re.compile(r"\b[a-z_]\w*")


def scripts() -> dict[str, dict[str, str]]:
    """Programs that run `main()` at their end: by name the text that is typed in, under "", and the files that it imports."""
    project = {path.name: path.read_text(encoding="utf-8") for path in sorted(PROJECT.glob("*.py"))}
    return {
        "script_of_project": {"": project.pop("train.py"), **project},
        "script_and_models": generated.split_script(300),
        "script_300": {"": generated.script(300)},
        "script_1000": {"": generated.script(1000)},
    }


def texts(corpus: Path | None) -> dict[str, str]:
    found = {f"generated_{lines}": generated.training_file(lines) for lines in (1000, 5000)}
    for name, path in FILES.items():
        if corpus is not None and (corpus / path).is_file():
            found[name] = (corpus / path).read_text(encoding="utf-8")
    return found


def summary(milliseconds: Sequence[float]) -> dict[str, float]:
    ordered = sorted(milliseconds)
    return {
        "n": len(ordered),
        "p50": round(statistics.median(ordered), 2),
        "p95": round(ordered[min(int(len(ordered) * 0.95), len(ordered) - 1)], 2),
        "max": round(ordered[-1], 2),
    }


def taken(function: Callable[[], object]) -> float:
    begin = time.perf_counter()
    function()
    return (time.perf_counter() - begin) * 1000


# ---- starting ------------------------------------------------------------------------------------------------------


def initializing(folder: Path, repeats: int) -> dict:
    """From the start of the process to the answer to `initialize`, beside the start of Python alone."""

    def once() -> float:
        begin = time.perf_counter()
        with client(folder) as server:
            server.initialize()
            return (time.perf_counter() - begin) * 1000

    once()  # compiles what is not compiled yet

    def python(code: str) -> float:
        return taken(lambda: subprocess.run([sys.executable, "-c", code], check=True))

    ours, bare, library = [], [], []
    for _ in range(repeats):
        ours.append(once())
        bare.append(python("pass"))
        library.append(python("import pygls.lsp.server"))
    return {
        "initialize_ms": summary(ours),
        "python_ms": summary(bare),
        "python_and_pygls_ms": summary(library),
    }


# ---- one text ------------------------------------------------------------------------------------------------------


def measured(text: str, folder: Path, places: int) -> dict:
    """Opening, typing, pasting, deleting and hovering in one text, in a server of its own."""
    import libcst

    uri = (folder / "typed.py").as_uri()
    with client(folder, limit=600) as server:
        server.initialize()
        before = server.cpu_ms()
        first = _opened(server, uri, text)
        opened = server.cpu_ms() - before
        again = _opened(server, (folder / "again.py").as_uri(), text)
        hovers = _hovers(server, uri, text)
        whole: list[float] = []
        broken: list[float] = []
        processor: list[float] = []
        parsers: dict[str, list[float]] = {"ast": [], "libcst": []}
        before = server.cpu_ms()
        for after, milliseconds in _keystrokes(server, uri, text, places):
            processor.append(server.cpu_ms() - before)
            before += processor[-1]
            try:
                parsers["ast"].append(taken(lambda after=after: ast.parse(after)))
            except SyntaxError:
                broken.append(milliseconds)
                continue
            whole.append(milliseconds)
            if len(parsers["libcst"]) < places * 4:
                parsers["libcst"].append(taken(lambda after=after: libcst.parse_module(after)))
        complaints = server.messages()
        status = server.shut_down()
    middle = statistics.median(whole)
    return {
        "lines": text.count("\n"),
        "open_ms": round(first, 1),
        "open_cpu_ms": round(opened, 1),
        "open_warm_ms": round(again, 1),
        "change_ms": summary(whole + broken),
        "change_cpu_ms": summary(processor),
        "change_that_parses_ms": summary(whole),
        "change_that_does_not_ms": summary(broken),
        "hover_on_facts_ms": summary(hovers["facts"]) if hovers["facts"] else None,
        "hover_on_any_word_ms": summary(hovers["words"]),
        "ast_ms": summary(parsers["ast"]),
        "libcst_ms": summary(parsers["libcst"]),
        "ratio_to_ast": round(middle / statistics.median(parsers["ast"]), 2),
        "ratio_to_libcst": round(middle / statistics.median(parsers["libcst"]), 3),
        "complaints": complaints,
        "exit": status,
    }


def _opened(server: Client, uri: str, text: str) -> float:
    """Milliseconds from opening a text to its first diagnostics."""
    begin = time.perf_counter()
    server.open(uri, text)
    server.diagnostics(uri, 1)
    return (time.perf_counter() - begin) * 1000


def _keystrokes(server: Client, uri: str, text: str, places: int) -> Iterator[tuple[str, float]]:
    """The text after each change, and milliseconds until its diagnostics are there: a line is typed letter by letter,
    copied ten times in one paste, and deleted again, in some functions of the file."""
    version = 1

    def change(start: int, end: int, new: str) -> tuple[str, float]:
        nonlocal text, version
        version += 1
        event = replacement(text, start, end, new)
        text = text[:start] + new + text[end:]
        begin = time.perf_counter()
        server.change(uri, version, event)
        server.diagnostics(uri, version)
        return text, (time.perf_counter() - begin) * 1000

    for offset, indent in _places(text, places):
        # Places are those of the text at first, to which each round comes back.
        yield change(offset, offset, indent + "\n")
        cursor = offset + len(indent)
        for letter in TYPED:
            yield change(cursor, cursor, letter)
            cursor += 1
        line = indent + TYPED + "\n"
        yield change(offset, offset, line * 10)
        yield change(offset, offset + len(line) * 11, "")


def _places(text: str, number: int) -> list[tuple[int, str]]:
    """Evenly spread places for one more statement, each with its indent."""
    found = []
    for match in _ASSIGNMENT.finditer(text):
        try:
            ast.parse(f"{text[: match.end()]}{match[1]}pass\n{text[match.end() :]}")
        except SyntaxError:
            continue
        found.append((match.end(), match[1]))
    step = max(len(found) // number, 1)
    return found[step // 2 :: step][:number]


def _hovers(server: Client, uri: str, text: str) -> dict[str, list[float]]:
    """Milliseconds of hovers on names whose facts are hinted at, and on words all over the text."""
    whole = {"start": {"line": 0, "character": 0}, "end": position(text, len(text))}
    hints = server.request("textDocument/inlayHint", {"textDocument": {"uri": uri}, "range": whole})
    words = [match.start() for match in _WORD.finditer(text)]
    wanted = {
        # A hint stands behind its name.
        "facts": [
            {**hint["position"], "character": hint["position"]["character"] - 1}
            for hint in _spread(hints, 60)
        ],
        "words": [position(text, offset) for offset in _spread(words, 60)],
    }

    def hover(place: dict) -> None:
        server.request("textDocument/hover", {"textDocument": {"uri": uri}, "position": place})

    return {kind: [taken(lambda p=place: hover(p)) for place in places] for kind, places in wanted.items()}


def _spread(found: list, number: int) -> list:
    return found[:: max(len(found) // number, 1)][:number]


def latency(corpus: Path | None, folder: Path, repeats: int, places: int = 2) -> dict:
    """B8: what an editor's user waits for."""
    answers = {"initialize": initializing(folder, repeats)}
    for name, text in texts(corpus).items():
        answers[name] = measured(text, folder, places)
    for name, files in scripts().items():
        own = folder / name
        own.mkdir()
        for other, text in files.items():
            if other:
                (own / other).write_text(text, encoding="utf-8")
        answers[name] = measured(files[""], own, places)
    return answers
