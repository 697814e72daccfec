"""Finds errors in pasted text: tracebacks among other output, of several tools, and warnings.

Nothing of the text is trusted: it is only read, in time that grows with its length, and control characters are dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from torchlsp.core.records import dataclass, replace

MAX_TEXT_LENGTH = 2_000_000
"""The maximum number of characters read, from the end of the text: the fatal error comes last."""

_MAX_MESSAGE_LENGTH = 20_000
_MAX_MESSAGE_LINES = 400
_MAX_FRAMES = 2_000
# The last ones of a text; those of several ranks are each looked for among the lines of all.
_MAX_TRACEBACKS = 200
_MAX_LINE_LENGTH = 4_000
# How many lines after a header are searched for the prefix that a launcher writes before each line.
_PREFIX_SAMPLE = 40
_MAX_PREFIX_LENGTH = 200

_ESCAPES = re.compile(
    r"\x1b\[[0-?]{0,64}[ -/]{0,8}[@-~]|\x1b\][^\x07\x1b\n]{0,500}(?:\x07|\x1b\\)?|\x1b[@-Z\\-_]"
)
_LINE_ENDS = re.compile(r"\r\n?|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_UNPRINTED = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")

_HEADER = "Traceback (most recent call last)"
_FRAME = re.compile(
    r'^(?P<indent> *)File "(?P<path>[^"\n]{1,1000})", line (?P<row>\d{1,9})(?:,? in (?P<name>.{0,300}))?\s*$'
)
_CARETS = re.compile(r"^[ ~^]*[~^][ ~^]*$")
_DRAWN = re.compile(r"^(?:={5,}|-{5,}|_{5,}|.{0,80}?\d%\|)")
_ERROR = re.compile(r"^(?P<class>[A-Za-z_][\w.]{0,200}(?:\.<locals>\.\w{1,100}){0,3})(?:: ?(?P<text>.*))?$")
_NAMED_ERROR = re.compile(
    r"^(?P<class>(?:[A-Za-z_]\w{0,100}\.){0,8}[A-Z]\w{0,100}(?:Error|Exception|Warning|Interrupt|Unsupported|Failed|Exit))"
    r": ?(?P<text>.*)$"
)
_WARNING = re.compile(
    r"^(?P<path>[^\n:][^\n]{0,500}?):(?P<row>\d{1,9}): (?P<class>(?:\w{1,100}\.){0,8}\w{0,100}Warning): (?P<text>.*)$"
)
_CAUSE = "The above exception was the direct cause of the following exception:"
_CONTEXT = "During handling of the above exception, another exception occurred:"

_PYTEST_ERROR = re.compile(r"^E   ?(?P<text>.*)$")
_PYTEST_FRAME = re.compile(
    r"^(?P<path>[^\s:][^\n:]{0,500}):(?P<row>\d{1,9}): ?(?:in (?P<name>.{1,200})|(?P<class>[\w.]{0,200}))$"
)
_PYTEST_SOURCE = re.compile(r"^> {3,}(?P<source>.*)$")

_CELL = re.compile(r"^(?:Cell |Input )?In ?\[(?P<cell>\d{1,9})\],? (?:line (?P<row>\d{1,9})|in .{0,200})$")
_OLD_CELL = re.compile(r"^<ipython-input-(?P<cell>\d{1,9})-\w{1,64}> in (?P<name>.{1,200})$")
_IPYTHON_FRAME = re.compile(
    r"^(?:File )?(?P<path>[^\s:<\"][^\n\"]{0,500}?):(?P<row>\d{1,9}),? in (?P<name>.{1,300})$"
)
_OLD_IPYTHON_FRAME = re.compile(r"^(?P<path>[~/.\w][^\n\"]{0,500}?\.(?:py|pyc|ipynb)) in (?P<name>.{1,300})$")
_ARROW = re.compile(r"^-+> ?(?P<row>\d{1,9}) ?(?P<source>.*)$")

_RICH_FRAME = re.compile(
    r"^│ (?P<path>[^\s│][^│\n]{0,500}?):(?P<row>\d{1,9}) in (?P<name>[^│\n]{1,200}?) *│?$"
)
# Indentation is drawn with the same bars as the box.
_RICH_ARROW = re.compile(r"^│ *❱ *(?P<row>\d{1,9}) │[│ ]*(?P<source>[^\n]*?)[│ ]*$")

_INSTALLED = re.compile(
    r"(?:^|[\\/])(?:site-packages|dist-packages)[\\/]"
    r"|[\\/]lib(?:64)?[\\/]python\d(?:\.\d+)?[\\/]"
    r"|[\\/]python\d*[\\/]lib[\\/]"
    r"|[\\/]torchinductor_[^\\/]*[\\/]"
    r"|[\\/]torch[\\/](?:nn|optim|utils|autograd|distributed|fx|jit|onnx|export|cuda|amp|_\w+)[\\/]"
    r"|[\\/]torch[\\/](?:_\w+|serialization|functional|overrides)\.py$",
    re.IGNORECASE,
)

# Colab and Jupyter make links of places: `[path](address) in name`.
_LINK = re.compile(r"\[([^\[\]\n]{1,500})\]\(https?://[^)\n]{0,1000}\)")
# Bold or code, when an error is quoted in Markdown.
_MARKUP = re.compile(r"^(\*\*|`)(?=[A-Za-z])(?P<inside>[^\n]*?)(?:\1)?$")


@dataclass(frozen=True, slots=True)
class Frame:
    """A place in a traceback. `source` is its line as the traceback shows it, stripped; empty if it shows none.

    `cell` is the number in a notebook's prompt; such a frame has no path. `carets` are the columns of `source` that are
    marked below it, where they are.
    """

    path: str
    row: int
    name: str = ""
    source: str = ""
    cell: int | None = None
    carets: tuple[int, int] | None = None

    @property
    def is_users(self) -> bool:
        """Returns whether the file is the user's: neither of a library nor made up."""
        if self.cell is not None:
            return True
        return not self.path.startswith("<") and _INSTALLED.search(self.path) is None


@dataclass(frozen=True, slots=True)
class Raised:
    """One error of a text: its class ("" if the text names none), its text, and its frames, the innermost last.

    `stream` is what stands before each of its lines, as launchers write the rank; `follows` says that it was raised
    because of, or while handling, the one before it in the same stream; `inner`, that it is told inside another's text.
    """

    exception: str
    text: str
    frames: tuple[Frame, ...] = ()
    stream: str = ""
    follows: bool = False
    inner: bool = False
    is_warning: bool = False

    @property
    def last_name(self) -> str:
        return self.exception.rpartition(".")[2]

    @property
    def users_frame(self) -> Frame | None:
        """Returns the innermost frame of the user's own code."""
        return next((frame for frame in reversed(self.frames) if frame.is_users), None)


def cleaned(text: str) -> str:
    """Returns text as lines that end in a line feed, without colours and control characters. The last part of
    a long one."""
    text = _LINE_ENDS.sub("\n", _ESCAPES.sub("", text[-MAX_TEXT_LENGTH:]))
    text = _UNPRINTED.sub("", text)
    if "](http" in text:
        text = _LINK.sub(r"\1", text)
    if f"{_HEADER}:\\n" in text:
        text = text.replace("\\n", "\n")  # a string's repr, as services that watch runs print it
    return text


def raised(text: str) -> tuple[Raised, ...]:
    """Returns all errors of a cleaned text, in its order. Where it holds no error these are its warnings."""
    lines = [_MARKUP.sub(r"\g<inside>", line[:_MAX_LINE_LENGTH].rstrip()) for line in text.split("\n")]
    found = [one for _, one in sorted(_tracebacks(lines), key=lambda one: one[0])]
    found = found or list(_pytest_failures(lines)) or list(_named_errors(lines))
    return tuple(found or _warnings(lines))


# ---- Python, notebooks, rich: everything under a header ---------------------------------------------------------------


def _tracebacks(lines: list[str]) -> Iterator[tuple[int, Raised]]:
    headers = [number for number, line in enumerate(lines) if _HEADER in line][-_MAX_TRACEBACKS:]
    following: dict[str, bool] = {}
    nexts = [*headers[1:], len(lines)]
    for number, end in zip(headers, nexts):
        before, _, after = lines[number].partition(_HEADER)
        is_inner = before.endswith("Original ")
        before = before.removesuffix("Original ")
        if before.lstrip().startswith("╭"):
            yield from _numbered(number, _rich(lines[number + 1 : end]))
            continue
        stream = _stream(lines, number, before)
        name = before.strip() if stream is not None else ""
        key = stream.pattern if stream is not None else ""
        # Other ranks write between the lines of this one, and their headers do not end it.
        limit = min(len(lines), number + 3 * _MAX_FRAMES) if name else end
        body = _body(lines[number + 1 : limit], stream)
        error: Raised | None
        if not after.startswith(":") and before.strip() and stream is None:
            error = _notebook(before.split()[0], body)
        elif not after.startswith(":"):
            error = next(_named_errors(body), None)  # a notebook's, whose first line was cut
        else:
            error = _plain(body)
        if error is None:
            continue
        error = replace(error, stream=name, follows=following.get(key, False), inner=is_inner)
        yield number, error
        following[key] = any(_CAUSE in line or _CONTEXT in line for line in body[-4:])


def _numbered(number: int, error: Raised | None) -> Iterator[tuple[int, Raised]]:
    if error is not None:
        yield number, error


def _stream(lines: list[str], number: int, before: str) -> re.Pattern[str] | None:
    """Returns what precedes each line of this traceback: a rank, or a time, of which the digits differ."""
    if not before or len(before) > _MAX_PREFIX_LENGTH:
        return None
    sample = [line for line in lines[number + 1 : number + 1 + _PREFIX_SAMPLE] if line.strip()]
    exact = re.escape(before)
    for pattern in (exact, re.sub(r"\d+", r"\\d+", exact)):
        compiled = re.compile(pattern)
        if any(_is_frame_after(compiled, line) for line in sample):
            return compiled
    return None


def _is_frame_after(stream: re.Pattern[str], line: str) -> bool:
    """Returns whether a line is a frame after a prefix: a progress bar precedes a header, but no frame."""
    match = stream.match(line)
    return match is not None and _FRAME.match(line[match.end() :]) is not None


def _body(lines: list[str], stream: re.Pattern[str] | None) -> list[str]:
    """Returns the lines of one traceback up to the next of the same stream."""
    if stream is None:
        return lines
    found: list[str] = []
    is_indented = not stream.pattern.replace("\\", "").strip()
    for line in lines:
        match = stream.match(line)
        if match is not None:
            line = line[match.end() :]
        elif is_indented or stream.match(line + " "):
            line = ""
        else:
            continue
        if _HEADER in line:
            break
        found.append(line)
    return found


def _plain(body: list[str]) -> Raised | None:
    """Parses a traceback as Python prints it."""
    frames: list[Frame] = []
    for number, line in enumerate(body):
        frame = _FRAME.match(line)
        if frame is not None:
            if len(frames) < _MAX_FRAMES:
                frames.append(_plain_frame(frame, body[number + 1 : number + 3]))
            continue
        if not line.strip() or line[0].isspace():
            continue
        error = _ERROR.match(line)
        if error is None or not _is_class(error["class"]) or not frames and not _NAMED_ERROR.match(line):
            continue  # a line of something else's output
        text = _message(error["text"] or "", body[number + 1 :])
        return Raised(error["class"], text, (*frames, *frames_of_compiled_code(text)))
    return None


def frames_of_compiled_code(text: str) -> Iterator[Frame]:
    """Returns the places in the compiled function that torch.compile lists in the text of its errors."""
    _, _, below = text.partition("from user code:")
    lines = below.split("\n")
    for number, line in enumerate(lines[:_MAX_MESSAGE_LINES]):
        frame = _FRAME.match(line)
        if frame is not None:
            yield _plain_frame(frame, lines[number + 1 : number + 3])


def _is_class(name: str) -> bool:
    """Returns whether a word names an error class: `RuntimeError`, `queue.Empty`, and Python's own in lower
    case, `struct.error`."""
    module, _, last = name.rpartition(".")
    return last.isidentifier() and (last[0].isupper() or bool(module) and last in ("error", "timeout"))


def _plain_frame(frame: re.Match[str], below: list[str]) -> Frame:
    indent = len(frame["indent"])
    source, carets = "", None
    if below and below[0].strip() and not _FRAME.match(below[0]) and below[0].startswith(" " * (indent + 1)):
        source = below[0].strip()
        margin = len(below[0]) - len(below[0].lstrip())
        if len(below) > 1 and _CARETS.match(below[1]):
            marked = below[1].rstrip()
            first = len(marked) - len(marked.lstrip())
            if margin <= first:
                carets = (first - margin, len(marked) - margin)
    return Frame(frame["path"], int(frame["row"]), (frame["name"] or "").strip(), source, carets=carets)


def _message(first: str, rest: list[str]) -> str:
    """Returns the text of an error: its first line and those below that belong to it."""
    kept = [first]
    for number, line in enumerate(rest[:_MAX_MESSAGE_LINES]):
        if (
            _CAUSE in line
            or _CONTEXT in line
            or _HEADER in line
            or _WARNING.match(line)
            or _is_drawn(line, kept)
        ):
            break
        if not line and number and not any(rest[number + 1 : number + 2]):
            break
        kept.append(line)
    return "\n".join(kept).strip()[:_MAX_MESSAGE_LENGTH]


def _is_drawn(line: str, above: list[str]) -> bool:
    """Returns whether a line is a rule or a bar that another tool draws below an error. The errors of torchrun itself
    begin with one."""
    return bool(above[0]) and _DRAWN.match(line) is not None


def _notebook(exception: str, body: list[str]) -> Raised:
    """Parses a traceback as IPython prints it: each frame with lines around it, and an arrow at its own."""
    frames: list[Frame] = []
    message, is_told = "", False
    for number, line in enumerate(body):
        frame = _notebook_frame(line)
        if frame is not None:
            if len(frames) < _MAX_FRAMES:
                frames.append(frame)
            continue
        arrow = _ARROW.match(line)
        if arrow is not None and frames:
            if not frames[-1].source:
                frames[-1] = replace(frames[-1], row=int(arrow["row"]), source=arrow["source"].strip())
            continue
        if line == exception or line.startswith(exception + ":"):
            message = _message(line[len(exception) + 1 :].strip(), body[number + 1 :])
            is_told = True
            break
    if not is_told:
        message = next((line for line in reversed(body) if line.strip()), "").strip()
    return Raised(exception, message, tuple(frames))


def _notebook_frame(line: str) -> Frame | None:
    cell = _CELL.match(line) or _OLD_CELL.match(line)
    if cell is not None:
        row = cell.groupdict().get("row")
        return Frame("", int(row) if row else 0, cell=int(cell["cell"]))
    plain = _FRAME.match(line)
    if plain is not None:
        return Frame(plain["path"], int(plain["row"]), (plain["name"] or "").strip())
    frame = _IPYTHON_FRAME.match(line)
    if frame is not None:
        return Frame(frame["path"], int(frame["row"]), frame["name"])
    old = _OLD_IPYTHON_FRAME.match(line)
    return Frame(old["path"], 0, old["name"]) if old is not None else None


def _rich(body: list[str]) -> Raised | None:
    """Parses a traceback in a box, as the `rich` package and what is built on it print it."""
    frames: list[Frame] = []
    for number, line in enumerate(body):
        line = line.lstrip()
        if line.startswith("╰"):
            rest = body[number + 1 :]
            error = _ERROR.match(rest[0]) if rest else None
            return (
                Raised(error["class"], _message(error["text"] or "", rest[1:]), tuple(frames))
                if error
                else None
            )
        frame, arrow = _RICH_FRAME.match(line), _RICH_ARROW.match(line)
        if frame is not None and len(frames) < _MAX_FRAMES:
            frames.append(Frame(frame["path"].strip(), int(frame["row"]), frame["name"].strip()))
        elif arrow is not None and frames:
            frames[-1] = replace(frames[-1], row=int(arrow["row"]), source=arrow["source"].strip())
    return None


# ---- pytest -----------------------------------------------------------------------------------------------------------


def _pytest_failures(lines: list[str]) -> Iterator[Raised]:
    """Parses failures as pytest prints them: source, `E` lines, and places below what they are about or above
    it."""
    frames: list[Frame] = []
    told: list[str] = []
    source = ""
    for line in [*lines, "____"]:
        error = _PYTEST_ERROR.match(line)
        if error is not None:
            told.append(error["text"].strip())
            continue
        shown, frame = _PYTEST_SOURCE.match(line), _PYTEST_FRAME.match(line)
        if shown is not None:
            source = shown["source"].strip()
        elif frame is not None and len(frames) < _MAX_FRAMES:
            frames.append(Frame(frame["path"], int(frame["row"]), frame["name"] or "", source))
            source = ""
        elif frames and not frames[-1].source and frames[-1].name and line.startswith("    "):
            frames[-1] = replace(frames[-1], source=line.strip())
        if line.startswith(("____", "====")):
            if told:
                match = _ERROR.match(told[0])
                name, first = "", told[0]
                if match is not None and match["text"] is not None:
                    name, first = match["class"], match["text"]
                text = "\n".join([first, *told[1:]])
                yield Raised(name, text[:_MAX_MESSAGE_LENGTH], tuple(frames))
            frames, told, source = [], [], ""


# ---- errors and warnings without a traceback -----------------------------------------------------------------------------


def _named_errors(lines: list[str]) -> Iterator[Raised]:
    """Finds errors by their last lines, with such frames above them as were pasted without the header."""
    frames: list[Frame] = []
    for number, line in enumerate(lines):
        _keep_frame(frames, line, lines[number + 1 : number + 3])
        match = _NAMED_ERROR.match(line.lstrip("> ").strip())
        if match is not None and not match["class"].endswith("Warning"):
            text = _message(match["text"], lines[number + 1 : number + 40])
            yield Raised(match["class"], text, tuple(frames))
            frames = []


def _keep_frame(frames: list[Frame], line: str, below: list[str]) -> None:
    plain, arrow = _FRAME.match(line), _ARROW.match(line)
    if arrow is not None and frames and not frames[-1].source:
        frames[-1] = replace(frames[-1], row=int(arrow["row"]), source=arrow["source"].strip())
    frame = _plain_frame(plain, below) if plain is not None else _notebook_frame(line)
    if frame is not None and len(frames) < _MAX_FRAMES:
        frames.append(frame)


def _warnings(lines: list[str]) -> Iterator[Raised]:
    for number, line in enumerate(lines):
        match = _WARNING.match(line.strip())
        if match is not None:
            below = lines[number + 1] if number + 1 < len(lines) else ""
            source = below.strip() if below.startswith("  ") else ""
            frame = Frame(match["path"], int(match["row"]), source=source)
            yield Raised(match["class"], match["text"], (frame,), is_warning=True)
            continue
        named = _NAMED_ERROR.match(line.strip())
        if named is not None:
            yield Raised(named["class"], named["text"], is_warning=True)
