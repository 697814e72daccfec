"""Reads and writes baselines, files of known findings: JSON that a person can read and compare line by line.

    {"version": 1, "findings": [{"path": …, "code": …, "message": …, "fingerprint": …}, …]}

Paths are relative to the folder of the file. Only the fingerprint says which finding is meant; it holds no row, so
that edits above a finding do not bring it back.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import asdict
from typing import TYPE_CHECKING

from torchlsp.core.records import dataclass
from torchlsp.engine.config import ConfigError
from torchlsp.engine.fingerprint import fingerprints, path_below
from torchlsp.engine.writing import write_whole
from torchlsp.files import read_text

if TYPE_CHECKING:
    from collections.abc import Callable, Container

    from torchlsp.core.decoded import Table
    from torchlsp.engine.engine import CheckResult

MAX_BASELINE_BYTES = 200_000_000
VERSION = 1
MAX_BASELINE_BYTES = 200_000_000
_FINDINGS = re.compile(r'"findings"\s*:\s*\[')


@dataclass(frozen=True, slots=True, order=True)
class Entry:
    path: str
    code: str
    message: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Baseline:
    """The entries of a file by fingerprint; `root` is the folder that their paths are relative to."""

    root: str
    entries: dict[str, Entry]


def read_baseline(path: str) -> Baseline:
    """Reads a baseline. Raises ConfigError, with the line, when it is not one or cannot be read."""
    try:
        text = read_text(path, MAX_BASELINE_BYTES, encoding="utf-8-sig")
    except OSError as failure:
        raise ConfigError(f"cannot read the baseline {path}: {failure.strerror or failure}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: not valid UTF-8") from None
    try:
        top = json.loads(text)
    except json.JSONDecodeError as failure:
        raise ConfigError(f"{path}:{failure.lineno}: not valid JSON: {failure.msg}") from None
    except RecursionError:
        raise ConfigError(f"{path}:1: not a baseline: nested too deeply") from None
    if not isinstance(top, dict) or not isinstance(top.get("findings"), list):
        raise ConfigError(f"{path}:1: not a baseline: it must be an object with a list `findings`")
    if top.get("version") != VERSION:
        row = _row(text, text.find('"version"'))
        version = top.get("version")
        told = version if isinstance(version, int | float | str | None) else "of another kind"
        raise ConfigError(f"{path}:{row}: version {told} is not known, only {VERSION} is")
    entries: dict[str, Entry] = {}
    names = tuple(Entry.__dataclass_fields__)
    for number, one in enumerate(top["findings"]):
        if not isinstance(one, dict) or not all(isinstance(one.get(name), str) for name in names):
            row = _row(text, _start_of_entry(text, number))
            raise ConfigError(f"{path}:{row}: an entry needs the strings {', '.join(names)}")
        entry = Entry(**{name: one[name] for name in names})
        entries[entry.fingerprint] = entry
    return Baseline(_root(path), entries)


def hide_known(result: CheckResult, baseline: Baseline, codes_for: Callable[[str], Container[str]]) -> int:
    """Moves the findings that the baseline lists to `known`; returns how many of its entries no longer occur.

    An entry is missed only where it was looked for: in a file of this run, by a rule that runs there, or in a
    file that is gone.
    """
    prints = fingerprints(result.findings, result.documents, root=baseline.root)
    pairs = list(zip(result.findings, prints, strict=True))
    result.known = [finding for finding, one in pairs if one in baseline.entries]
    result.findings = [finding for finding, one in pairs if one not in baseline.entries]
    found = set(prints)
    return sum(
        entry.fingerprint not in found and not kept for entry, kept in _with_fate(result, baseline, codes_for)
    )


def write_baseline(path: str, result: CheckResult, codes_for: Callable[[str], Container[str]]) -> int:
    """Writes the findings to a baseline. Returns how many entries of the old file stay, because this run did
    not check for them."""
    root = _root(path)
    prints = fingerprints(result.findings, result.documents, root=root)
    entries = {
        one: Entry(path_below(finding.path, root), finding.rule, finding.message, one)
        for finding, one in zip(result.findings, prints, strict=True)
    }
    before = len(entries)
    if os.path.exists(path) and not _is_special(path):
        old = read_baseline(path)
        for entry, kept in _with_fate(result, old, codes_for):
            if kept:
                entries.setdefault(entry.fingerprint, entry)
    top: Table = {"version": VERSION, "findings": [asdict(one) for one in sorted(entries.values())]}
    write_whole(path, json.dumps(top, indent=2, ensure_ascii=False) + "\n", "baseline")
    return len(entries) - before


def _with_fate(
    result: CheckResult, baseline: Baseline, codes_for: Callable[[str], Container[str]]
) -> list[tuple[Entry, bool]]:
    """Returns each entry, and whether this run cannot say if it still occurs."""
    checked = {path_below(path, baseline.root): path for path in result.checked}
    codes: dict[str, Container[str]] = {}
    fates: list[tuple[Entry, bool]] = []
    for entry in baseline.entries.values():
        path = checked.get(entry.path)
        if path is None:
            fates.append((entry, os.path.exists(os.path.join(baseline.root, entry.path))))
            continue
        if path not in codes:
            codes[path] = codes_for(path)
        fates.append((entry, entry.code not in codes[path]))
    return fates


def _root(path: str) -> str:
    return os.path.dirname(os.path.abspath(path))


def _is_special(path: str) -> bool:
    return not os.path.isfile(path)


def _row(text: str, offset: int) -> int:
    return text.count("\n", 0, max(offset, 0)) + 1


def _start_of_entry(text: str, number: int) -> int:
    """Returns where an element of the list `findings` begins."""
    found = _FINDINGS.search(text)
    place = found.end() if found else 0
    decoder = json.JSONDecoder()
    for _ in range(number):
        _, place = decoder.raw_decode(text, _behind_blanks(text, place))
        place = _behind_blanks(text, place) + 1
    return _behind_blanks(text, place)


def _behind_blanks(text: str, offset: int) -> int:
    while text[offset] in " \t\r\n":
        offset += 1
    return offset
