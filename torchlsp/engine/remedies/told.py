"""Defines what a remedy is made from, and what it says."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from torchlsp.core.records import dataclass
from torchlsp.engine.remedies.scene import Scene


@dataclass(frozen=True, slots=True)
class Found:
    """A finding about the error: its rule and message, the rows of the steps that lead to it, and its fix in words."""

    rule: str
    message: str
    row: int
    steps: tuple[tuple[int, str], ...] = ()
    fix: str = ""


@dataclass(frozen=True, slots=True)
class Told:
    """An error with what its text tells (`values`, by the groups of its entry), the scene where that is known, and what
    the rules find about it."""

    text: str
    values: Mapping[str, str]
    scene: Scene | None
    found: Sequence[Found] = ()

    def sizes(self, name: str) -> tuple[int, ...] | None:
        """Returns a shape that the text tells; None where it tells none, or sizes that are no numbers."""
        parts = [part.strip(" []()") for part in self.values.get(name, "").replace("x", ",").split(",")]
        parts = [part for part in parts if part]
        if not parts or not all(part.lstrip("-").isdigit() for part in parts):
            return None
        return tuple(int(part) for part in parts)

    def number(self, name: str) -> int | None:
        value = self.values.get(name, "")
        return int(value) if value.lstrip("-").isdigit() else None


@dataclass(frozen=True, slots=True)
class Remedy:
    """What is wrong at one place, and what mends it. `is_whole`: the general advice for such errors is left out, for
    what the facts show of it is here, and the rest does not apply."""

    says: str
    fixes: tuple[str, ...] = ()
    is_whole: bool = False


Finder = Callable[[Told], Iterator[Remedy]]
