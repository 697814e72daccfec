"""Converts a trace to the outline of a program: its branches, loops and calls around the lines that events
become.

What all paths through a program agree on is left out: branches without events, and the early exits under tests of
which nothing is known. Such a test that decides about events is a number of the program, tried with 0 and 1.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from keyword import iskeyword

from torchlsp.core.finding import SIZES, ProbeRequest, Sizes
from torchlsp.core.records import dataclass, field, replace
from torchlsp.facts.fault import Fault
from torchlsp.interp.store.trace import BranchItem, CallItem, Event, Exit, Item, IterationItem, LoopItem

MAX_LINES = 200
_MAX_OPEN_TESTS = 10
_FLIPPED = 8
_TURNS = 2
_RESERVED = frozenset("torch dist rank model optimizer fresh stale lost run".split())


MAX_ITEMS = 400
"""The number of items of a trace of which a program is written, whether they matter to it or not."""


class NotReproducible(Exception):
    """Too little is known to reproduce what happened; the text names what is missing."""


@dataclass(frozen=True, slots=True)
class Line:
    """A row of the program under construction.

    `is_event`: an event happens here; the row is not only on the path to one. `flagged`: it is the event that the finding is
    about. `leads`: that event happens in the function that is called here.
    """

    text: str
    is_event: bool = False
    flagged: bool = False
    leads: bool = False


Lines = list[Line]
Reproducer = Callable[[Fault], ProbeRequest | None]
Test = str | None


def is_longer_than(items: tuple[Item, ...], most: int) -> bool:
    """Returns whether a trace has more items than that, those inside of others included."""
    stack, count = [items], 0
    while stack:
        block = stack.pop()
        count += len(block)
        if count > most:
            return True
        for item in block:
            if isinstance(item, BranchItem):
                stack += [item.body, item.orelse]
            elif isinstance(item, LoopItem | CallItem | IterationItem):
                stack.append(item.body)
    return False


@dataclass(slots=True)
class Outline:
    """Writes the rows of a program from the items of a trace.

    `of_event` gives the rows of an event (none: it does not matter). `of_test` gives the text of a test on which the runs of
    the program differ, where it is one. `guesses`: something unknown was chosen or left out.
    """

    of_event: Callable[[Event], Lines]
    of_test: Callable[[BranchItem], Test] = lambda branch: None
    functions: list[tuple[str, Lines]] = field(default_factory=list)
    open_tests: list[tuple[str, int]] = field(default_factory=list)
    """Names of numbers that decide tests, and the value that leads to what is flagged."""
    guesses: bool = False

    def block(self, items: tuple[Item, ...]) -> Lines:
        """Writes the lines of the items of a block, up to the first exit."""
        lines: Lines = []
        for item in items:
            lines.extend(self._item(item))
            if len(lines) > MAX_LINES:
                raise NotReproducible("a shorter trace")
            if isinstance(item, Exit):
                break
        return lines

    def program(self, items: tuple[Item, ...]) -> Lines:
        """Writes the lines of a root; where it returns early they become a function."""
        return self.called("run", self.block(items))

    def loop(self, body: tuple[Item, ...], turns: int) -> Lines:
        """Writes a loop that runs so many times, or the iterations that the trace has one by one."""
        iterations = [item for item in body if isinstance(item, IterationItem)]
        if body and len(iterations) == len(body):
            return self._iterations([self.block(item.body) for item in iterations])
        return self._iterations([self.block(body)] * turns)

    def open_test(self, value: int) -> str:
        """Names a number that decides a test of which nothing is known."""
        if len(self.open_tests) == _MAX_OPEN_TESTS:
            raise NotReproducible("fewer open tests")
        self.guesses = True
        name = f"way_{len(self.open_tests) + 1}"
        self.open_tests.append((name, value))
        return name

    def head(self) -> list[str]:
        """Writes the line that gives the open tests their numbers."""
        return [", ".join(name for name, _ in self.open_tests) + f" = {SIZES}"] if self.open_tests else []

    def assignments(self) -> tuple[Sizes, ...]:
        """Lists the values of the open tests: those that lead to the flagged row, and each of them flipped."""
        flips = range(min(len(self.open_tests), _FLIPPED))
        return (tuple(self.open_tests), *(
            tuple((name, 1 - value if number == flipped else value) for number, (name, value) in enumerate(self.open_tests))
            for flipped in flips
        ))  # fmt: skip

    def rendered(self, head: list[str], lines: Lines, proof: list[str]) -> tuple[str, tuple[int, int]]:
        """Writes the program, and returns it with its first and last flagged row."""
        written = [Line(text) for text in head]
        for name, body in self.functions:
            written += [Line(""), Line(f"def {name}():"), *_indented(body), Line("")]
        written += [*lines, *(Line(text) for text in proof)]
        rows = [row for row, line in enumerate(written, 1) if line.flagged]
        if not rows:
            raise NotReproducible("the way to what is flagged")
        return "\n".join(line.text for line in written) + "\n", (rows[0], rows[-1])

    def _item(self, item: Item) -> Lines:
        match item:
            case Event():
                return self.of_event(item)
            case Exit(kind="raise"):
                return [Line("raise RuntimeError")]
            case Exit(kind=kind):
                return [Line(kind)]
            case BranchItem():
                return self._branch(item)
            case LoopItem(body=body, endless=endless):
                self.guesses = self.guesses or endless
                return self.loop(body, _TURNS)
            case IterationItem(body=body):
                return self._iterations([self.block(body)])
            case CallItem(name=name, body=body):
                return self.called(name, self.block(body))
        return []

    def _branch(self, item: BranchItem) -> Lines:
        kept = len(self.open_tests)
        test = self.of_test(item)
        body, orelse = self.block(item.body), self.block(item.orelse)
        decides = any(line.is_event for line in (*body, *orelse))
        if test is None and not decides or not body and not orelse:
            self.guesses = self.guesses or bool(body or orelse)
            del self.open_tests[kept:]
            return []
        if body == orelse:
            return body
        if test is None:
            test = self.open_test(_wanted(body, orelse))
        lines = [Line(f"if {test}:"), *_indented(body or [Line("pass")])]
        if orelse:
            lines += [Line("else:"), *_indented(orelse)]
        return lines

    def _iterations(self, bodies: list[Lines]) -> Lines:
        if not any(line.is_event or line.text.strip() in _LEAVING for body in bodies for line in body):
            return []
        exits = any(line.text.strip() in ("break", "continue") for body in bodies for line in body)
        if all(body == bodies[0] for body in bodies):
            if len(bodies) == 1 and not exits:
                return bodies[0]
            return [Line(f"for _ in range({len(bodies)}):"), *_indented(bodies[0])]
        if not exits:
            return [line for body in bodies for line in body]
        lines = [Line(f"for turn in range({len(bodies)}):")]
        for turn, body in enumerate(bodies):
            lines += _indented([Line(f"if turn == {turn}:"), *_indented(body or [Line("pass")])])
        return lines

    def called(self, name: str, lines: Lines) -> Lines:
        """Writes a call of a function with these lines, or the lines themselves where nothing returns early."""
        while lines and lines[-1].text == "return":
            lines = lines[:-1]
        if not any(line.text.strip() == "return" for line in lines):
            return lines
        if not any(line.is_event or line.text.strip() == "raise RuntimeError" for line in lines):
            return []
        for known, body in self.functions:
            if body == lines:
                return [self._call(known, lines)]
        plain = re.sub(r"\W", "_", name).strip("_") or "call"
        plain = (
            f"{plain}_call"
            if iskeyword(plain) or not plain.isascii() or plain in _RESERVED - {"run"}
            else plain
        )
        found, number = plain, 2
        while found in {known for known, _ in self.functions}:
            found, number = f"{plain}_{number}", number + 1
        self.functions.append((found, lines))
        return [self._call(found, lines)]

    def _call(self, name: str, lines: Lines) -> Line:
        leads = any(line.flagged or line.leads for line in lines)
        return Line(f"{name}()", any(line.is_event for line in lines), leads=leads)


_LEAVING = ("return", "raise RuntimeError")


def _wanted(body: Lines, orelse: Lines) -> int:
    """Returns the value of an open test that leads to the flagged row, or at least on."""
    for value, lines in ((1, body), (0, orelse)):
        if any(line.flagged or line.leads for line in lines):
            return value
    return 0 if body and body[-1].text in (*_LEAVING, "break", "continue") else 1


def _indented(lines: Lines) -> Iterator[Line]:
    for line in lines:
        yield replace(line, text=f"    {line.text}" if line.text else "")
