"""Joins a notebook's code cells into one text: what only IPython reads is blanked, and nothing else moves."""

from __future__ import annotations

import ast
import keyword
import re
from types import MappingProxyType
from typing import TYPE_CHECKING

from torchlsp.core.records import replace
from torchlsp.core.span import Span
from torchlsp.core.text import Cell, Document
from torchlsp.syntax.lexing import COMMENT, STRING
from torchlsp.syntax.parse import MAX_TEXT_LENGTH
from torchlsp.syntax.partial import parses

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

# Cell magics that run their body as Python of this notebook; of any other the body is text to us.
_PYTHON_BODIES = frozenset(
    {
        "time",
        "timeit",
        "capture",
        "prun",
        "debug",
        "memit",
        "notify",
        "pyinstrument",
        "scalene",
        "snakeviz",
        "wandb",
    }
)
# Magics that run a statement, and their options that take a value. What `timeit` runs binds no names here.
_RUNS_STATEMENT = {"time": "", "prun": "lsTD", "timeit": "nrp", "memit": "rti"}
_BINDS_NAMES = frozenset({"time", "prun"})
# In a cell of one line IPython takes a first word of these for a magic without its `%`.
_AUTOMAGIC = frozenset(
    """alias autoreload bookmark cat cd clear conda config cp debug dhist dirs env history less load load_ext ll ls
    lsmagic macro magic mamba man matplotlib micromamba mkdir more mv notebook page pastebin pdb pdoc pfile pinfo
    pinfo2 pip popd prun psearch psource pushd pwd pycat pylab rehashx reload_ext rerun reset rm rmdir run save sc
    set_env store sx system tb time timeit unalias unload_ext uv who whos writefile xdel""".split()
)
# Programs whose command lines tutorials keep in code cells, to be pasted into a terminal.
_SHELL = frozenset(
    """accelerate apt apt-get aws bash brew cat chmod cmake conda cp curl docker echo export gcloud git huggingface-cli jupyter
    kubectl make mkdir mv npm nvidia-smi pip pip3 poetry python python3 rm scp sh source ssh sudo tar torchrun unzip uv wget""".split()
)
_ARGUMENT = re.compile(r"""-{0,2}[\w./~$"']""")
# Characters that make a statement's line IPython's own. `,`, `;` and `/` call what follows with quoted words.
_ESCAPES = "!%?,;/"

_LINE_END = r"(?:\r\n|\r|\n)"
_NOT_LINE_END = re.compile(r"[^\r\n]")
_CELL_MAGIC = re.compile(
    rf"(?:[ \t\f]*(?:{COMMENT})?{_LINE_END})*[ \t\f]*(?P<header>%%(?P<name>[^\s]*)[^\r\n]*)"
)
_INDENT = re.compile(r"[ \t\f]*")
# A row, and those below it while a backslash ends it.
_CONTINUED = re.compile(rf"(?:\\{_LINE_END}|[^\r\n])*")
_MAGIC = re.compile(r"%?(?P<name>\w+)(?=[ \t])")
_BLANKS = re.compile(r"[ \t]+")
_OPTION = re.compile(r"-(?P<letter>[A-Za-z])(?P<value>\S*)|--\S+")
_WORD = re.compile(r"\S+")
_PIECE = re.compile(
    rf"(?P<string>{STRING})|(?P<comment>{COMMENT})|(?P<open>[(\[{{])|(?P<close>[)\]}}])"
    rf"|(?P<escaped>\\{_LINE_END})|(?P<line_end>{_LINE_END})"
    r"|(?P<assigned>(?<![=!<>:+\-*/%&|^@~])=[ \t]*(?=[!%]))|(?P<code>\w+|\S)",
    re.DOTALL,
)
_ROW = re.compile(r"[^\r\n]*")
_CHANGES_FOLDER = re.compile(
    r"""^[ \t]*(?:%?cd[ \t]+["']?|os\.chdir\([ \t]*["'])(?P<folder>[^=\s"'()-][^\n"')]*)""", re.MULTILINE
)
_SEVERAL_UNDERSCORES = re.compile(r"\b__+\b")
_INDENTED = "if 1:\n"


def concatenate(cells: Iterable[tuple[int, str, str | None]]) -> tuple[str, tuple[Cell, ...]]:
    """Returns the text to analyse of code cells (number, source, uri), each on the line after the one before.

    What only IPython reads (magics, shell lines, help) is replaced at the same length, so that an offset into a
    cell's span is an offset into its source. Between cells may stand rows of ours: one that allows the cell below
    to be indented as a whole, as IPython does, and one that forgets what a timed cell above has bound in vain.
    """
    listed = list(cells)
    unbound = unbound_name(source for _, source, _ in listed)
    # What is too large to be analysed is too large to be parsed here.
    read = blanked if sum(len(source) for _, source, _ in listed) <= MAX_TEXT_LENGTH else _as_it_is
    parts: list[str] = []
    placed: list[Cell] = []
    position = 0
    above = ""
    for number, source, uri in listed:
        text = read(source, unbound)
        if not parses(text) and parses(_INDENTED + text):
            above += _INDENTED
        span = Span(position + len(above), position + len(above) + len(text))
        placed.append(Cell(number, span, uri))
        parts += [above, text]
        above = "\n" + _forgetting(source, text, unbound)
        position = span.end
    return "".join(parts), tuple(placed)


def notebook_document(
    path: str,
    cells: Iterable[tuple[int, str, str | None]],
    *,
    uri: str | None = None,
    version: int | None = None,
    bom: bool = False,
    raised: Mapping[int, frozenset[str]] = MappingProxyType({}),
) -> Document:
    """Returns the document of a notebook's code cells, with the user's text as its original. `raised`: the rows of
    cells, by their numbers, that kept outputs say to have raised an exception."""
    listed = list(cells)
    text, placed = concatenate(listed)
    placed = tuple(replace(cell, raised=raised.get(cell.number, frozenset())) for cell in placed)
    parts: list[str] = []
    done = 0
    for cell, (_, source, _) in zip(placed, listed, strict=True):
        parts.append(text[done : cell.span.start])
        parts.append(source)
        done = cell.span.end
    original = "".join(parts)
    return Document(path, text, uri=uri, version=version, bom=bom, cells=placed, original=original)


def enters_folder(source: str) -> bool:
    """Returns whether a notebook changes into another folder than one above: its imports may be that folder's files."""
    folders = (found["folder"] for found in _CHANGES_FOLDER.finditer(source))
    return any(set(folder.strip().split("/")) - {"", ".", "..", "~"} for folder in folders)


def unbound_name(sources: Iterable[str]) -> str:
    """Returns a name that no source contains: what is assigned from it is unknown."""
    taken = {word for source in sources for word in _SEVERAL_UNDERSCORES.findall(source)}
    name = "__"
    while name in taken:
        name += "_"
    return name


def blanked(source: str, unbound: str = "__") -> str:
    """Returns a cell's source as Python of the same length and lines; a cell that parses is left as it is.

    Statements inside a `%time` and its like stay, and what is assigned from a magic or a shell line is assigned
    from the name `unbound`. Rows inside brackets and strings are Python's.
    """
    if parses(source):
        return source
    start = 0
    parts: list[str] = []
    for header in _cell_magics(source):
        begin, end = header.span("header")
        if header["name"] not in _PYTHON_BODIES:
            return "".join([*parts, source[start:begin], _spaces(source[begin:])])
        parts += [source[start:begin], _spaces(source[begin:end])]
        start = end
    body = source[start:]
    return "".join([*parts, body if start and parses(body) else _without_magics(body, unbound)])


def _as_it_is(source: str, unbound: str) -> str:
    return source


def _cell_magics(source: str) -> Iterator[re.Match[str]]:
    start = 0
    while found := _CELL_MAGIC.match(source, start):
        yield found
        start = found.end()


def _forgetting(source: str, text: str, unbound: str) -> str:
    """Returns a row that follows the cell: `%%timeit` runs its body in a function, so names bound in it are
    unchanged."""
    if not any(header["name"] == "timeit" for header in _cell_magics(source)) or not parses(text):
        return ""
    names = _bound(text)
    return " = ".join([*names, unbound]) + "\n" if names else ""


def _without_magics(source: str, unbound: str) -> str:
    parts: list[str] = []
    done = position = 0
    while position < len(source):
        start = _INDENT.match(source, position).end()  # type: ignore[union-attr]  # the pattern matches the empty text too
        if source[start : start + 1] in ("", "\r", "\n"):
            position = start + 1
            continue
        if source[start] in _ESCAPES and not source.startswith("%%", start):
            place = Span(start, _CONTINUED.match(source, start).end())  # type: ignore[union-attr]  # the pattern matches the empty text too
            new: str | None = _statement(source[place.start : place.end], start > position, unbound)
            position = place.end
        else:
            place, new = _logical_line(source, start, start > position, unbound)
            position = place.end
        if new is not None:
            parts += [source[done : place.start], new]
            done = place.end
    if not parts:
        return _without_automagic(source, unbound)
    return "".join([*parts, source[done:]])


def _logical_line(source: str, start: int, indented: bool, unbound: str) -> tuple[Span, str | None]:
    """Returns what to replace of the statement line that begins at `start`, and by what. Else the line and
    None."""
    depth = 0
    last = ""
    end = len(source)
    for piece in _PIECE.finditer(source, start):
        kind = piece.lastgroup
        if kind == "line_end" and not depth:
            end = piece.start()
            break
        if kind == "assigned" and not depth:
            place = Span(piece.end(), _CONTINUED.match(source, piece.end()).end())  # type: ignore[union-attr]  # the pattern matches the empty text too
            return place, _value(source[place.start : place.end], unbound)
        if kind == "open":
            depth += 1
        elif kind == "close":
            depth = max(depth - 1, 0)
        if kind not in ("comment", "escaped", "line_end"):
            last = piece.group()
    place = Span(start, end)
    return place, _nothing(source[start:end], indented) if last == "?" else None


def _is_shell(source: str) -> bool:
    """Returns whether every command in a text is one of a terminal: a row that goes on with a backslash is one with the next."""
    rows = re.sub(r"\\\r?\n", " ", source).splitlines()
    commands = [row.split() for row in rows if row.strip() and not row.lstrip().startswith("#")]
    return bool(commands) and all(
        len(words) > 1
        and words[0] in _SHELL
        and _ARGUMENT.match(words[1])
        and not keyword.iskeyword(words[1])
        for words in commands
    )


def _without_automagic(source: str, unbound: str) -> str:
    if _is_shell(source):
        return _spaces(source)
    line = source.strip()
    start = source.find(line)
    word = re.match(r"\w+", line)
    if word is None or word.group() not in _AUTOMAGIC or len(line.splitlines()) != 1:
        return source
    indented = start > 0 and source[start - 1] not in "\r\n"
    return source[:start] + _statement(line, indented, unbound) + source[start + len(line) :]


def _statement(line: str, indented: bool, unbound: str) -> str:
    """Returns the line of a magic or shell command as a statement, or as blanks."""
    found = _run_by_magic(line)
    if found is None:
        return _nothing(line, indented)
    name, start = found
    code = line[start:]
    if name not in _BINDS_NAMES and not _is_expression(code):
        return _nothing(line, indented)
    if parses("0;" + code):
        return "0;" + _spaces(line[2:start]) + code
    # A compound statement cannot stand behind a semicolon: what it binds is unknown from here.
    names = _bound(code)
    forgotten = _padded(" = ".join([*names, unbound]), line) if names else None
    return forgotten or _nothing(line, indented)


def _value(line: str, unbound: str) -> str | None:
    """Returns the right side of an assignment from a magic or shell command. None when it has no room for a
    name."""
    found = _run_by_magic(line)
    if found is not None and found[0] == "time" and _is_expression(line[found[1] :]):
        return _spaces(line[: found[1]]) + line[found[1] :]
    return _padded(unbound, line)


def _run_by_magic(line: str) -> tuple[str, int] | None:
    """Returns the name of the magic and the start of the statement that it runs; None where there is none."""
    magic = _MAGIC.match(line)
    if magic is None or magic["name"] not in _RUNS_STATEMENT:
        return None
    place = magic.end()
    while True:
        blanks = _BLANKS.match(line, place)
        place = blanks.end() if blanks else place
        option = _OPTION.match(line, place)
        if option is None:
            break
        place = option.end()
        if option["letter"] and option["letter"] in _RUNS_STATEMENT[magic["name"]] and not option["value"]:
            value = _WORD.match(line, _INDENT.match(line, place).end())  # type: ignore[union-attr]  # the pattern matches the empty text too
            place = value.end() if value else place
    return (magic["name"], place) if place < len(line) and parses(line[place:]) else None


def _is_expression(code: str) -> bool:
    return parses(f"({code}\n)")


def _bound(code: str) -> list[str]:
    """Returns the names that a statement binds in its own scope, and in functions inside it."""
    names: dict[str, None] = {}
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names[node.id] = None
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names[node.name] = None
        elif isinstance(node, ast.alias):
            names[(node.asname or node.name).partition(".")[0]] = None
    return list(names)


def _nothing(code: str, indented: bool) -> str:
    """Returns blanks, with `0` in front where the line may be the whole body of its block."""
    return "0" + _spaces(code[1:]) if indented else _spaces(code)


def _padded(new: str, code: str) -> str | None:
    """Returns `new` in place of the first row of `code`, and blanks for the rest; None when it does not fit."""
    room = _ROW.match(code).end()  # type: ignore[union-attr]  # the pattern matches the empty text too
    return new + _spaces(code[len(new) :]) if len(new) <= room else None


def _spaces(code: str) -> str:
    return _NOT_LINE_END.sub(" ", code)
