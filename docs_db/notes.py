"""Reads the notes on symbols of torch: semantics to know, and common mistakes.

A note is one Markdown file, `notes/<family>/<symbol>.md`, read line by line::

    ---
    symbols: torch.Tensor.view, torch.Tensor.view_as     the file is named after the first one
    absent: torch.view                                   names that people write and torch does not have
    torch: >=2.6                                         versions for which the note holds
    rules: TL101                                         rules that find one of the pitfalls
    returns: view                                        RETURNS
    package: torchvision                                 where the symbol is not torch's own
    ---
    One paragraph: the summary.

    ```python good                                       an example, which holds
    ## Pitfalls
    ### What goes wrong                                  text, then blocks as on the pages of the rules
    when: result dropped                                 which calls it concerns, see CONDITION
    ```python bad raises="…"

`bad` must raise what it says (a regular expression, or `hang` for ranks that wait), or its pitfall's `proof` must
fail after it; `good` must run and keep the proof. With `world=2` a program runs on two ranks, with
`needs=cuda-emulated` on an emulated device.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent / "notes"
KEYS = ("symbols", "absent", "torch", "rules", "returns", "package")
RETURNS = ("view", "copy", "self", "view or copy", "self or copy", "self or view", "self, view or copy")
ROLES = ("bad", "good", "proof")
ATTRIBUTES = ("raises", "world", "needs")
# No front matter is longer; the tests hold that every name is found.
FRONT_MATTER_BYTES = 1024
# Left out where a note is shown: they would be half of most programs.
USUAL_IMPORTS = (
    "import numpy as np",
    "import torch",
    "import torch.distributed as dist",
    "import torch.nn.functional as F",
    "from torch import nn",
)
# How symbols are written in code, and where they live.
PREFIXES = (("Tensor.", "torch."), ("nn.", "torch."), ("optim.", "torch."), ("F.", "torch.nn.functional."))

# What a pitfall's `when` says of a call, separated by commas: its arguments by the names of the parameters, `input` for what a
# method is called on. All of it must hold.
CONDITION = re.compile(
    r"(?:(?P<negated>not )?given (?P<given>\w+)"
    r"|(?P<name>\w+) = (?P<constant>[\w.-]+)"
    r"|(?P<subject>\w+) is (?P<kind>a scalar|no scalar|floating|whole numbers|bool|u8|noncontiguous|grad|softmax|sigmoid)"
    r"|(?P<pair>\w+ and \w+) differ in shape"
    r"|(?P<holder>\w+) holds tensors"
    r"|(?P<place>result dropped|in a loop))"
)

_VERSION = re.compile(r"(>=|<)\s*(\d+(?:\.\d+)+)$")
_SENTENCE_END = re.compile(r"(?<=[.!?:])(?<!e\.g\.)(?<!i\.e\.)\s+(?=[A-Z`])")
_FENCE = re.compile(r"```\s*(.*)$")
_ATTRIBUTE = re.compile(r'\s*([a-z]+)=(?:"([^"]*)"|(\S+))')


class NoteError(ValueError):
    """A note that does not have the form described above; the message begins with ``file:line:``."""


@dataclass(frozen=True, slots=True)
class Block:
    """One program; `line` is the file's line (1-based) of the first line of `source`."""

    role: str
    attrs: tuple[tuple[str, str], ...]
    source: str
    line: int

    def attr(self, name: str, default: str = "") -> str:
        return dict(self.attrs).get(name, default)


@dataclass(frozen=True, slots=True)
class Part:
    """A pitfall, or the text before the first one (its title is empty).

    `text` is its Markdown without the blocks; `when` are the conditions under which it concerns a call.
    """

    title: str
    text: str
    blocks: tuple[Block, ...]
    line: int
    when: tuple[str, ...] = ()

    @property
    def raises(self) -> bool:
        """Returns whether torch refuses what the pitfall warns of."""
        return any(block.attr("raises") for block in self.of_role("bad"))

    @property
    def first_sentence(self) -> str:
        return _SENTENCE_END.split(" ".join(self.text.split()), maxsplit=1)[0]

    @property
    def error(self) -> str:
        """Returns what torch says of the wrong program, as a sentence; empty if it says nothing."""
        message = next((said for block in self.of_role("bad") if (said := _message(block))), "")
        return "" if not message else "Ranks wait for each other." if message == "hang" else f"`{message}`"

    @property
    def contrast(self) -> str:
        """Returns the line that is wrong and the one that is right, where they differ in one line."""
        bad, good = ([_lines(block) for block in self.of_role(role)] for role in ("bad", "good"))
        if len(bad) != 1 or len(good) != 1:
            return ""
        wrong = [line.strip() for line in bad[0] if line not in good[0]]
        right = [line.strip() for line in good[0] if line not in bad[0]]
        if len(wrong) != 1 or len(right) != 1 or "`" in wrong[0] + right[0]:
            return ""
        return f"Not `{wrong[0]}` but `{right[0]}`."

    def of_role(self, *roles: str) -> tuple[Block, ...]:
        return tuple(block for block in self.blocks if block.role in roles)


@dataclass(frozen=True, slots=True)
class Note:
    path: Path
    symbols: tuple[str, ...]
    absent: tuple[str, ...]
    torch: tuple[str, ...]
    rules: tuple[str, ...]
    returns: str
    package: str
    summary: str
    examples: tuple[Block, ...]
    pitfalls: tuple[Part, ...]

    def holds_for(self, version: str) -> bool:
        """Returns whether the note holds for a torch version such as ``2.4.1+cu121``."""
        asked = _numbers(version)
        for limit in self.torch:
            matched = _VERSION.match(limit)
            assert matched is not None  # checked when the note was read
            sign, number = matched.groups()
            if (asked >= _numbers(number)) != (sign == ">="):
                return False
        return True

    @property
    def markdown(self) -> str:
        """Returns the note for readers, without front matter, proofs and what fences say for the tests."""
        parts = [self.summary, *(_shown(block) for block in self.examples)]
        for pitfall in self.pitfalls:
            parts += [f"**{pitfall.title}**", pitfall.text]
            remarks = {"bad": "# wrong", "good": "# right" if pitfall.of_role("bad") else ""}
            parts += [_shown(block, remarks[block.role]) for block in pitfall.of_role(*remarks)]
        return "\n\n".join(part for part in parts if part) + "\n"


def note(symbol: str, folder: Path = FOLDER) -> Note | None:
    """Returns the note on a symbol or one of its aliases, as written in code (`nn.Linear`) or in full. None
    without one."""
    path = _index(folder).get(full_name(symbol))
    return None if path is None else load_note(path)


def full_name(symbol: str) -> str:
    """Returns `Tensor.view`, `nn.Linear`, `F.pad` and the like as torch's documentation names them."""
    for written, prefix in PREFIXES:
        if symbol.startswith(written):
            tail = symbol[len(written) :] if written == "F." else symbol
            return prefix + tail
    return symbol


def note_paths(folder: Path = FOLDER) -> tuple[Path, ...]:
    return tuple(sorted(folder.glob("*/*.md")))


@cache
def load_note(path: Path) -> Note:
    """Reads one note; raises NoteError where its form is broken."""
    return parse_note(path.read_text(encoding="utf-8"), path)


def parse_note(text: str, path: Path) -> Note:
    lines = text.splitlines()
    head, start = _front_matter(lines, path)
    parts = list(_parts(lines, start, path))
    first, pitfalls = parts[0], tuple(parts[1:])
    if not first.text:
        raise NoteError(f"{path}:{start + 1}: the summary is missing")
    if "\n\n" in first.text:
        raise NoteError(f"{path}:{start + 1}: the summary is one paragraph; the rest belongs to a pitfall")
    return Note(
        path=path,
        symbols=head["symbols"],
        absent=head.get("absent", ()),
        torch=head.get("torch", ()),
        rules=head.get("rules", ()),
        returns=", ".join(head.get("returns", ())),
        package="".join(head.get("package", ())),
        summary=" ".join(first.text.split()),
        examples=first.blocks,
        pitfalls=pitfalls,
    )


@cache
def _index(folder: Path) -> dict[str, Path]:
    """Returns the file of each symbol, alias or absent name."""
    found: dict[str, Path] = {}
    for path in note_paths(folder):
        for symbol in _names(path):
            if symbol in found:
                raise NoteError(f"{path}:1: {symbol} has a note already: {found[symbol]}")
            found[symbol] = path
    return found


def _names(path: Path) -> Iterator[str]:
    """Yields the names under which a note is found. Only the beginning of the file is read: this is done for
    all notes at once."""
    with open(path, "rb", buffering=0) as file:
        head = file.read(FRONT_MATTER_BYTES).decode("utf-8", errors="ignore")
    for line in head.partition("\n---")[0].splitlines():
        key, _, value = line.partition(":")
        if key in ("symbols", "absent"):
            yield from map(str.strip, value.split(","))


def _front_matter(lines: list[str], path: Path) -> tuple[dict[str, tuple[str, ...]], int]:
    """Returns the keys with their values, and the index of the first line after it."""
    if lines[:1] != ["---"] or "---" not in lines[1:]:
        raise NoteError(f"{path}:1: a note begins with its front matter, between two lines `---`")
    end = lines.index("---", 1)
    head: dict[str, tuple[str, ...]] = {}
    for number, line in enumerate(lines[1:end], 2):
        key, colon, value = line.partition(":")
        items = tuple(item.strip() for item in value.split(","))
        if not colon or key not in KEYS or not all(items):
            raise NoteError(f"{path}:{number}: cannot read `{line}`; known keys: {', '.join(KEYS)}")
        if key in head:
            raise NoteError(f"{path}:{number}: `{key}` is given twice")
        if key == "returns" and ", ".join(items) not in RETURNS:
            raise NoteError(f"{path}:{number}: `{value.strip()}`; known: {'; '.join(RETURNS)}")
        if key == "torch" and not all(_VERSION.match(item) for item in items):
            raise NoteError(f"{path}:{number}: `{value.strip()}` is not a version limit such as `>=2.6`")
        head[key] = items
    if "symbols" not in head:
        raise NoteError(f"{path}:1: `symbols` is missing")
    return head, end + 1


def _parts(lines: list[str], start: int, path: Path) -> Iterator[Part]:
    """Yields the text before the pitfalls, then each pitfall."""
    title, line, inside = "", start + 1, False
    text: list[str] = []
    when: tuple[str, ...] = ()
    blocks: list[Block] = []
    index = start
    while index < len(lines):
        current = lines[index]
        fence = _FENCE.match(current)
        if fence:
            end = next((i for i in range(index + 1, len(lines)) if lines[i].strip() == "```"), None)
            if end is None:
                raise NoteError(f"{path}:{index + 1}: this block is never closed")
            blocks.append(_block(fence[1], lines[index + 1 : end], index + 1, path))
            index = end
        elif current == "## Pitfalls" and not inside:
            inside = True
        elif current.startswith("### ") and inside:
            yield Part(title, "\n".join(text).strip(), tuple(blocks), line, when)
            title, text, blocks, line, when = current[4:].strip(), [], [], index + 1, ()
        elif title and current.startswith("when: ") and not any(text):
            when = _conditions(current.removeprefix("when: "), index + 1, path)
        elif current.startswith("#"):
            raise NoteError(f"{path}:{index + 1}: only `## Pitfalls` and below it `### …` are headings")
        elif inside and not title and current.strip():
            raise NoteError(f"{path}:{index + 1}: text below `## Pitfalls` needs a heading `### …`")
        else:
            text.append(current)
        index += 1
    yield Part(title, "\n".join(text).strip(), tuple(blocks), line, when)


def _conditions(written: str, line: int, path: Path) -> tuple[str, ...]:
    conditions = tuple(one.strip() for one in written.split(","))
    for one in conditions:
        if CONDITION.fullmatch(one) is None:
            raise NoteError(f"{path}:{line}: `when` cannot say `{one}`")
    return conditions


def _block(info: str, source: list[str], line: int, path: Path) -> Block:
    words = info.split(None, 2)
    if len(words) < 2 or words[0] != "python" or words[1] not in ROLES:
        raise NoteError(f"{path}:{line}: a block is ```python and one of {', '.join(ROLES)}, not `{info}`")
    attrs, at, rest = [], 0, words[2] if len(words) > 2 else ""
    while at < len(rest.rstrip()):
        match = _ATTRIBUTE.match(rest, at)
        if match is None or match[1] not in ATTRIBUTES:
            raise NoteError(
                f"{path}:{line}: cannot read `{rest[at:].strip()}`; known: {', '.join(ATTRIBUTES)}"
            )
        attrs.append((match[1], match[2] if match[2] is not None else match[3]))
        at = match.end()
    return Block(words[1], tuple(attrs), "\n".join(source) + "\n", line + 1)


def _shown(block: Block, remark: str = "") -> str:
    """Returns the program without the imports that every reader knows, below a remark on how it ends."""
    message = _message(block)
    if message:
        remark = "# hangs" if message == "hang" else f"# raises {message}"
    source = "\n".join(_lines(block)).strip("\n")
    return "```python\n" + (f"{remark}\n" if remark else "") + source + "\n```"


def _message(block: Block) -> str:
    """Returns the error that a program raises, as far as its note says it."""
    return re.sub(r"\\(.)", r"\1", block.attr("raises").replace(".*", "…"))


def _lines(block: Block) -> list[str]:
    return [line for line in block.source.splitlines() if line not in USUAL_IMPORTS]


def _numbers(version: str) -> tuple[int, ...]:
    """Returns the release of a version, for comparison; `2.10` is above `2.9`."""
    release = re.match(r"\d+(?:\.\d+)*", version)
    return tuple(int(part) for part in release[0].split(".")) if release else ()
