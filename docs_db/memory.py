"""Reads which calls share memory with their input: facts as data, in `memory.toml`."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from torchlsp.docs_db.notes import full_name

if TYPE_CHECKING:
    from torchlsp.core.decoded import Table

PATH = Path(__file__).with_name("memory.toml")
MAY_SHARE = "the result may share memory with its input"
"""What is said of a symbol when only torch's own schema is known."""
RESULTS = ("view", "copy", "self")
# A contiguous f32[3, 4]: what `x` is where a case does not say otherwise.
DEFAULT_BASE = "torch.arange(12.).reshape(3, 4)"


class MemoryTableError(ValueError):
    """A table that does not have the form described in its header; the message begins with the file."""


@dataclass(frozen=True, slots=True)
class Case:
    """One call on `x`, made by the expression `base`, and whether its (first) result shares memory with it."""

    call: str
    result: str
    contiguous: bool = True
    base: str = DEFAULT_BASE


@dataclass(frozen=True, slots=True)
class Memory:
    """The result of a symbol: one of RESULTS, or `depends`, and then `on` says what it depends on."""

    names: tuple[str, ...]
    result: str
    on: str
    cases: tuple[Case, ...]


def memory(symbol: str) -> Memory | None:
    """Returns what is known of a symbol, named as in code (`Tensor.view`) or in full."""
    return _by_name().get(full_name(symbol))


@cache
def all_memory() -> tuple[Memory, ...]:
    return parse_memory(PATH.read_text(encoding="utf-8"), PATH)


@cache
def _by_name() -> dict[str, Memory]:
    return {name: one for one in all_memory() for name in one.names}


def parse_memory(text: str, path: Path) -> tuple[Memory, ...]:
    """Reads the table; raises MemoryTableError where an entry does not have the documented form."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        entries = tomllib.loads(text).get("symbol", [])
    except tomllib.TOMLDecodeError as error:
        raise MemoryTableError(f"{path}: {error}") from error
    found: dict[str, Memory] = {}
    for number, entry in enumerate(entries, 1):
        one = _read(entry, f"{path}: symbol {number} ({', '.join(entry.get('names', ())) or 'no name'})")
        for name in one.names:
            if name in found:
                raise MemoryTableError(f"{path}: {name} is there twice")
            found[name] = one
    return tuple(dict.fromkeys(found.values()))


def _read(entry: Table, place: str) -> Memory:
    try:
        cases = tuple(Case(**case) for case in entry["cases"])
        one = Memory(tuple(entry["names"]), entry["result"], entry.get("on", ""), cases)
    except (KeyError, TypeError) as error:
        raise MemoryTableError(f"{place}: {error}") from error
    kinds = {case.result for case in one.cases}
    if not isinstance(entry["names"], list):
        raise MemoryTableError(f"{place}: names is a list")
    if not one.names or not kinds or not kinds <= set(RESULTS):
        raise MemoryTableError(f"{place}: names and cases are needed, results are {', '.join(RESULTS)}")
    if (one.result == "depends") != bool(one.on):
        raise MemoryTableError(f"{place}: `on` belongs to `depends`, and to nothing else")
    if one.result == "depends" and len(kinds) < 2:
        raise MemoryTableError(f"{place}: what depends needs cases with different results")
    if one.result != "depends" and kinds != {one.result}:
        raise MemoryTableError(f"{place}: its cases say {', '.join(sorted(kinds))}")
    return one
