"""Builds entries from the output of `extract.py`: signatures, Markdown, and facts read from both."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from torchlsp.docs_db.markdown import markdown
from torchlsp.docs_db.memory import MAY_SHARE
from torchlsp.docs_db.pages import manual, page

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from torchlsp.core.decoded import Table

BUILD_VERSION = 2
"""Incremented whenever the same torch would give other entries or another file."""
# Not those of a parameter, which are indented.
_DIRECTIVE = r"^\.\. {name}::[ \t]*(?P<version>\S+)?"
_SINCE = re.compile(_DIRECTIVE.format(name="versionadded"), re.MULTILINE)
_DEPRECATED = re.compile(
    _DIRECTIVE.format(name="deprecated") + r"[ \t]*(?P<said>(?:.*(?:\n[ \t]+\S.*)*))", re.MULTILINE
)
_IS_DEPRECATED = re.compile(
    r"\b(?:is|are|has been|have been|will be|was) (?:now |being |soon )?(?:deprecated|removed)\b"
)
_SPEAKS_OF_ITSELF = re.compile(
    r"(?:This|These|The) (?:function|method|class|module|API|optimizer|feature|is)\b|DEPRECATED",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<!etc\.)\s+(?=[A-Z`\[*])")
# No pattern is made for a name: compiling thousands would take as long as all the rest.
_CALL = re.compile(r"(?:[\w.]+\.)?(?P<name>\w+)\s*\(")
_NAMED_FIRST = re.compile(r"`(?:[\w.]+\.)?(?P<name>\w+)(?:\([^`]*\))?`")
_MAX_SUMMARY_LENGTH = 300
_WRITES = re.compile(r"Tensor\(\w+!\)(?:\[\])?\??(?:\[\])? (\w+)")
_MAY_VIEW = re.compile(r"-> \(?Tensor\(\w+\)")


class Unreadable(Exception):
    """What was extracted cannot be used; the text says why."""


@dataclass(frozen=True, slots=True)
class DocEntry:
    """The documentation of one symbol in the installed packages.

    `signature` has a line for each overload. `source` is `file:line` relative to the folder of packages, or a module.
    `torch` is the version of the symbol's own package, `url` its page in that version's manual. `effects` are read off
    the registered overloads: what is written to, whether the result may share memory. `deprecated` and `removed` are
    torch's sentences, or "" where it says no more.
    """

    symbol: str
    kind: str
    signature: str | None
    summary: str
    markdown: str
    source: str | None
    torch: str
    deprecated: str | None = None
    since: str | None = None
    url: str | None = None
    removed: str | None = None
    effects: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Extracted:
    """An entry, the other names of its symbol, and the classes whose members it has."""

    entry: DocEntry
    aliases: tuple[str, ...]
    bases: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Header:
    """Versions by package, and the interpreter that read them."""

    versions: dict[str, str]
    tag: str


def read_header(line: str) -> Header:
    """Reads the header. Raises Unreadable, with torch's own error where it could not be imported."""
    told = _parsed(line)
    if "error" in told:
        raise Unreadable(f"torch cannot be imported: {told['error']}")
    if not isinstance(told.get("versions"), dict) or "torch" not in told["versions"]:
        raise Unreadable("the extraction has no header")
    return Header({str(key): str(value) for key, value in told["versions"].items()}, str(told.get("tag")))


def entries(lines: Iterable[str], header: Header) -> Iterator[Extracted]:
    """Yields an entry for each line after the header; a symbol listed twice counts once."""
    kinds: dict[str, str] = {}
    for line in lines:
        told = _parsed(line)
        symbol, kind = told["symbol"], told["kind"]
        if symbol in kinds:
            continue
        kinds[symbol] = kind
        package = symbol.partition(".")[0]
        entry = _entry(told, header.versions.get(package, ""))
        url = (
            page(symbol, kind, kinds.get(symbol.rpartition(".")[0]), entry.torch) if entry.markdown else None
        )
        yield Extracted(replace(entry, url=url), tuple(told["aliases"]), tuple(told.get("bases", ())))


def _parsed(line: str) -> Table:
    try:
        told = json.loads(line)
    except ValueError:
        told = None
    if not isinstance(told, dict):
        raise Unreadable("the extraction is damaged")
    return told


def _entry(told: Table, version: str) -> DocEntry:
    symbol, kind = told["symbol"], told["kind"]
    # What was half of a surrogate pair could not be stored.
    docstring = told["doc"].encode("utf-8", "replace").decode()
    written, rest = leading_signatures(docstring, symbol)
    text = markdown(rest, manual(symbol.partition(".")[0], version))
    since = _SINCE.search(docstring)
    return DocEntry(
        symbol=symbol,
        kind=kind,
        signature=_signature(told, written),
        summary=summary(text) or told.get("removed") or "",
        markdown=text,
        source=_source(told),
        torch=version,
        deprecated=_deprecation(told, docstring, text),
        since=since["version"] if since else None,
        removed=told.get("removed"),
        effects=effects(told.get("overloads", ())),
    )


def leading_signatures(docstring: str, symbol: str) -> tuple[list[str], str]:
    """Splits a docstring into the signatures that it begins with where Python knows none, and the rest:
    `add(input, other) -> Tensor`. A signature may take several lines."""
    name = symbol.rpartition(".")[2]
    lines = docstring.split("\n")
    found: list[str] = []
    row = 0
    while row < len(lines):
        text = lines[row].strip()
        if found and not text:
            row += 1
            continue
        start = _CALL.match(text)
        # An alias may have the docstring of what it is an alias of, with that one's name.
        if start is None or not (start["name"] in (name, "__init__") or re.search(r"\) -> \S+$", text)):
            break
        end = row
        while text.count("(") > text.count(")") and end + 1 < len(lines) and lines[end + 1].strip():
            end += 1
            text += f" {lines[end].strip()}"
        if not re.fullmatch(r"[\w.]+\s*\(.*\)\s*:?(?:\s*->.*)?", text) or text.count("(") != text.count(")"):
            break
        found.append(re.sub(r"\\(.)", r"\1", text).rstrip(":. "))
        row = end + 1
    return (found, "\n".join(lines[row:]).strip("\n")) if found else ([], docstring)


def _signature(told: Table, written: list[str]) -> str | None:
    """Returns Python's own signature, else the docstring's, else the registered overloads."""
    if told["kind"] not in ("function", "class", "method"):
        value = told.get("value")
        if value is None and written:
            return written[0]
        return f"{told['symbol']} = {value}" if value not in (None, told["symbol"]) else None
    name = told["symbol"] if told["kind"] != "method" else ".".join(told["symbol"].rsplit(".", 2)[-2:])
    known = told.get("signature")
    if (
        known
        and known not in ("(*args, **kwargs)", "(self, *args, **kwargs)")
        or not (written or told.get("overloads"))
    ):
        if known is None:
            return None
        if told["kind"] == "method" and told.get("binding") != "staticmethod":
            known = re.sub(r"^\((?:self|cls)(?:, (?:/, )?|(?=\)))", "(", known)
        return name + (known.removesuffix(" -> None") if told["kind"] == "class" else known)
    if written:
        return "\n".join(name + one[one.index("(") :] for one in written)
    return "\n".join(one for one in told["overloads"] if "!) out" not in one) or None


def summary(text: str) -> str:
    """Returns the first sentence of the first paragraph."""
    for block in text.split("\n\n"):
        if block.startswith(("**", "```", "> ", "- ", "|")) or re.fullmatch("`[^`]*`", block):
            continue
        sentence = _SENTENCE_END.split(" ".join(block.split()), maxsplit=1)[0]
        return (
            sentence
            if len(sentence) <= _MAX_SUMMARY_LENGTH
            else sentence[: _MAX_SUMMARY_LENGTH - 1].rstrip() + "…"
        )
    return ""


def _deprecation(told: Table, docstring: str, text: str) -> str | None:
    if told.get("deprecated") is not None:
        return " ".join(str(told["deprecated"]).split())
    found = _DEPRECATED.search(docstring)
    if found:
        said = " ".join(markdown(" ".join(found["said"].split())).split())
        return f"since {found['version']}{': ' if said else ''}{said}" if found["version"] else said
    name = told["symbol"].rpartition(".")[2]
    for block in text.split("\n\n**Args**")[0].split("\n\n"):
        if block.startswith(("- ", "```")):
            continue
        lines = (line.lstrip("> ") for line in block.split("\n"))
        said = " ".join(line for line in lines if not line.startswith("**"))
        for sentence in _SENTENCE_END.split(said.strip()):
            named = _NAMED_FIRST.match(sentence)
            is_own = _SPEAKS_OF_ITSELF.match(sentence) or (named is not None and named["name"] == name)
            if is_own and _IS_DEPRECATED.search(sentence):
                return sentence
    return None


def effects(overloads: Iterable[str]) -> tuple[str, ...]:
    """Returns the effects that the alias annotations of all overloads declare. `out=` writes to its argument,
    which goes without saying."""
    plain = [one for one in overloads if "!) out" not in one and "Tensor" in one]
    if not plain:
        return ()
    found: list[str] = []
    written = [set(_WRITES.findall(one.partition("->")[0])) for one in plain]
    always = set.intersection(*written)
    found.extend(f"writes to `{name}`" for name in sorted(always))
    if not any(written) and all(_MAY_VIEW.search(one) for one in plain):
        found.append(MAY_SHARE)
    return tuple(found)


def _source(told: Table) -> str | None:
    if told.get("file"):
        return f"{told['file']}:{told['line']}" if told.get("line") else told["file"]
    return told.get("module")
