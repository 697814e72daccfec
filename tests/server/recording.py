"""A recording of somebody editing this repository's own programs, and how it is played back.

`python tests/server/recording.py` writes `recorded_edits.jsonl` anew: a session in which lines are typed and mistyped,
blocks pasted and cut, texts left broken for a while, files left and come back to. It is the same each time as long as the programs
are. A line of the file is one thing that the user did, with places as line numbers, taken modulo the lines
there are: a program that has changed since is edited all the same.
"""

from __future__ import annotations

import json
import os
import random
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
RECORDING = Path(__file__).with_name("recorded_edits.jsonl")
EDITS = 5_000
SEED = 20_260
PROJECT = ("config", "data", "evaluate", "losses", "model", "optim", "train")
CASES = (
    "autograd_graph",
    "data_samples",
    "distributed_unused_parameters",
    "layout_ordinary_code",
    "losses_targets",
    "modules_set_up",
    "training_modes",
    "training_scalers",
    "views_across_functions",
)
# At the end of a line: a fault where there was none, none where there was one, a text that does not parse.
ENDINGS = (
    ".permute(0, 2, 1)",
    ".view(-1)",
    ".t().view(-1)",
    ".cuda()",
    ".numpy()",
    ".double()",
    ".detach_()",
    "  # é 😀",
    "  # noqa: TL101",
    "  # torchlsp: ignore[TL101]",
)
BREAKING = ("(", "[", '"""', " = ", ".", "  if", " 😀")
NEW_LINES = (
    'spare = "é 😀"; tail = torch.zeros(2, 3, 4).permute(0, 2, 1).view(2, 12)',
    "spare = torch.zeros(3, 4).t().view(12)",
    "tail = torch.randn(4, 5) @ torch.randn(4, 5)",
    "for step in range(3): spare = torch.zeros(step + 1, 2).t()",
    "loss.backward()",
    "optimizer.step()",
    "optimizer.zero_grad()",
    "from torch import nn",
    "if spare is None: raise ValueError('é')",
)


def programs() -> dict[str, Path]:
    """The programs by their names in the workspace of a session."""
    found = {f"{name}.py": ROOT / "examples" / "training_project" / f"{name}.py" for name in PROJECT}
    return found | {f"{name}.py": ROOT / "tests" / "rules" / "cases" / f"{name}.py" for name in CASES}


def text_of(path: Path) -> str:
    return path.read_bytes().decode("utf-8")


@dataclass(frozen=True, slots=True)
class Change:
    """The text between two offsets becomes another; as an editor sends one."""

    start: int
    end: int
    new: str

    def made(self, text: str) -> str:
        return text[: self.start] + self.new + text[self.end :]

    def undone(self, text: str) -> Change:
        """What takes it back; `text` is the one before it."""
        return Change(self.start, self.start + len(self.new), text[self.start : self.end])


@dataclass(slots=True)
class Buffer:
    """A text in the editor, and what was done to it: the texts before, and the changes from each."""

    text: str
    history: list[tuple[str, Change]] = field(default_factory=list)

    def put(self, change: Change) -> Change:
        self.history.append((self.text, change))
        self.text = change.made(self.text)
        return change

    def lines(self) -> list[tuple[int, int]]:
        """Begin and end of each line, without what ends it."""
        return [match.span() for match in re.finditer(r"[^\n]+|(?<=\n)|^(?=\n)", self.text)] or [(0, 0)]


def changes(buffer: Buffer, deed: list[Any]) -> Iterator[Change]:
    """The changes that a deed makes, one by one, as the buffer takes them."""
    kind, *rest = deed
    match kind:
        case "type":  # a new line below, letter by letter
            start, end = _line(buffer, rest[0])
            indent = re.match(r"[ \t]*", buffer.text[start:end])[0]
            yield buffer.put(Change(end, end, "\n" + indent))
            yield from _letters(buffer, end + 1 + len(indent), rest[1])
        case "append":
            yield from _letters(buffer, _line(buffer, rest[0])[1], rest[1])
        case "erase":
            start, end = _line(buffer, rest[0])
            for place in range(end, max(start, end - rest[1]), -1):
                yield buffer.put(Change(place - 1, place, ""))
        case "paste":
            end = _line(buffer, rest[0])[1]
            yield buffer.put(Change(end, end, "\n" + rest[1]))
        case "cut":
            lines = buffer.lines()
            first = rest[0] % len(lines)
            last = min(first + rest[1], len(lines)) - 1
            yield buffer.put(Change(lines[first][0], lines[last][1], ""))
        case "swap":
            lines = buffer.lines()
            if len(lines) > 1:
                (a, b), (c, d) = lines[(first := rest[0] % (len(lines) - 1)) : first + 2]
                yield buffer.put(Change(a, d, buffer.text[c:d] + buffer.text[b:c] + buffer.text[a:b]))
        case "rename":
            words = [match.span() for match in re.finditer(rf"\b{rest[0]}\b", buffer.text)]
            for start, end in reversed(words):
                yield buffer.put(Change(start, end, rest[1]))
        case "undo":
            for _ in range(min(rest[0], len(buffer.history))):
                before, change = buffer.history.pop()
                back = change.undone(before)
                buffer.text = back.made(buffer.text)
                yield back
        case "revert":
            yield buffer.put(Change(0, len(buffer.text), rest[0]))
            buffer.history.clear()
        case _:
            raise ValueError(kind)


def _line(buffer: Buffer, number: int) -> tuple[int, int]:
    lines = buffer.lines()
    return lines[number % len(lines)]


def _letters(buffer: Buffer, place: int, text: str) -> Iterator[Change]:
    for offset, letter in enumerate(text):
        yield buffer.put(Change(place + offset, place + offset, letter))


# ---- making it ------------------------------------------------------------------------------------------------------


def recorded() -> list[list[Any]]:
    """The deeds of a session of EDITS changes or a few more."""
    chance = random.Random(SEED)
    texts = {name: text_of(path) for name, path in programs().items()}
    stock = [line.strip() for text in texts.values() for line in text.splitlines()]
    stock = [line for line in stock if 10 < len(line) < 70 and not line.startswith(("def ", "class ", "#"))]
    deeds: list[list[Any]] = []
    edits = 0
    opened: list[str] = []
    while edits < EDITS:
        names = list(texts)
        chance.shuffle(names)
        for name in names:
            if name not in opened:
                opened.append(name)
                deeds.append(["open", name])
            if len(opened) > 4:
                deeds.append(["close", opened.pop(0)])
            deeds.append(["look", name])
            buffer = Buffer(texts[name])
            before = len(deeds)
            for deed in _visit(chance, buffer, texts, stock):
                deeds.append(deed)
                if deed[0] not in ("pause", "save", "wait"):
                    edits += sum(1 for _ in changes(buffer, deed))
            assert len(deeds) > before
            # As `git checkout` does, so that the next visit finds a program again.
            deeds += [["restore"], ["pause"]]
            edits += 1
            if edits >= EDITS:
                break
    return deeds


def _visit(
    chance: random.Random, buffer: Buffer, texts: dict[str, str], stock: list[str]
) -> Iterator[list[Any]]:
    """What is done in one file until another is turned to."""

    def line() -> int:
        full = [n for n, (start, end) in enumerate(buffer.lines()) if buffer.text[start:end].strip()]
        return chance.choice(full or [0])

    def is_slow() -> list[Any]:
        return ["wait", chance.random() < 0.25]

    for what in chance.sample(("retype", "type", "break", "paste", "cut", "rename", "append", "swap"), 4):
        yield is_slow()
        if what == "retype":
            number = line()
            start, end = buffer.lines()[number]
            gone = min(end - start, chance.randint(3, 18))
            old = buffer.text[end - gone : end]
            yield ["erase", number, gone]
            yield ["pause"]
            yield ["append", number, old]
        elif what == "type":
            yield ["type", line(), chance.choice(stock if chance.random() < 0.5 else NEW_LINES)]
        elif what == "break":
            broken = chance.choice(BREAKING)
            number = line()
            yield ["append", number, broken]
            yield ["pause"]
            other = max(number - 1, 0) if chance.random() < 0.5 else number + 1
            yield ["append", other, chance.choice(ENDINGS)]
            yield ["pause"]
            yield ["undo", chance.randint(1, 30)]
        elif what == "paste":
            source = chance.choice(list(texts.values())).splitlines()
            first = chance.randrange(len(source))
            yield ["paste", line(), "\n".join(source[first : first + chance.randint(2, 12)])]
            yield ["pause"]
            yield ["undo", 1]
        elif what == "cut":
            yield ["cut", line(), chance.randint(1, 5)]
            yield ["pause"]
            if chance.random() < 0.7:
                yield ["undo", 1]
        elif what == "rename":
            words = sorted(set(re.findall(r"\b[a-z_]{3,}\b", buffer.text)))
            yield ["rename", chance.choice(words or ["torch"]), chance.choice(("x", "spare", "naïve"))]
        elif what == "append":
            yield ["append", line(), chance.choice(ENDINGS)]
        else:
            yield ["swap", line()]
        yield ["pause"]
        if chance.random() < 0.15:
            yield ["save"]
            yield ["pause"]


def main() -> None:
    lines = [json.dumps(deed, ensure_ascii=False) for deed in recorded()]
    RECORDING.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(lines)} deeds in {os.path.relpath(RECORDING)}", file=sys.stderr)


if __name__ == "__main__":
    main()
