"""Renders what a hover says of a symbol below its facts: a pitfall, the signature, one sentence, links to the rest."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable
from typing import TYPE_CHECKING

from torchlsp.core.records import dataclass
from torchlsp.docs_db.memory import memory
from torchlsp.report.documentation import MEASURED, alarms

if TYPE_CHECKING:
    from torchlsp.docs_db.build import DocEntry
    from torchlsp.docs_db.notes import Note, Part

_WIDTH = 80
"""Of a signature: VS Code breaks longer lines."""
_MAX_ROWS = 5
"""Of a signature; more than this are cut."""
_MAX_SENTENCE = 240
_SEE = re.compile(r"(?:See|Alias (?:for|of)|In-place version of)\s+`?(torch\.[\w.]+?)(?:\(\))?`?\.?$")
_SENTENCE_END = re.compile(r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<!etc\.)\s+(?=[A-Z`\[*])")
_RETURNS = re.compile(r" -> (.*)$")
_MEMORY = {"view": "Gives a view: it shares memory.", "self": "Gives the tensor itself."}


@dataclass(frozen=True, slots=True)
class Links:
    """The addresses that a hover offers; empty where there is none."""

    page: str = ""
    """All of the documentation, with our notes."""
    notation: str = ""
    """How facts are written."""
    rule: Callable[[str], str] = lambda code: ""


def brief(
    entry: DocEntry | None,
    note: Note | None,
    pitfall: Part | None,
    *,
    is_certain: bool,
    says_memory: bool,
    links: Links,
    other: Callable[[str], DocEntry | None] = lambda symbol: None,
    version: str | None = MEASURED,
) -> str:
    """Renders the few lines of Markdown that a hover shows of a symbol.

    `is_certain`: the facts of the call say that the pitfall concerns it. `says_memory`: they say whether memory is shared. `other`
    finds the entry that an entry refers to. `version` is the user's torch, None without one.
    """
    parts = [warning(pitfall, note, is_certain, links)] if pitfall is not None else []
    if entry is not None:
        parts.extend(f"**{label}** {text}".rstrip() for label, text in alarms(entry))
        parts.append(f"```python\n{short_signature(entry)}\n```")
    said = _sentence(entry, note, other)
    shared = None if says_memory or entry is None else memory(entry.symbol)
    said = " ".join(filter(None, (said, _MEMORY.get(shared.result, "") if shared is not None else "")))
    if note is not None and version is None:
        said += f" No torch is installed: this is of torch {MEASURED}."
    parts.append(said.strip())
    parts.append(_linked(entry, note, links))
    return "\n\n".join(part for part in parts if part)


def warning(pitfall: Part, note: Note | None, is_certain: bool, links: Links) -> str:
    """Renders a pitfall in one line."""
    # Which of several rules finds this one, a note does not say.
    rules = note.rules if note is not None and len(note.rules) == 1 and is_certain else ()
    found_by = "".join(f" ([{code}](<{link}>))" for code in rules if (link := links.rule(code)))
    label = "Pitfall" if is_certain else "Common pitfall"
    said = (_cut(pitfall.first_sentence), pitfall.error, pitfall.contrast)
    return f"**{label}: {pitfall.title}.** {next(filter(None, said), '')}".rstrip() + found_by


def legend(links: Links) -> str:
    """Renders the link to how facts are written."""
    return f"[How facts are written](<{links.notation}>)" if links.notation else ""


def short_signature(entry: DocEntry) -> str:
    """Renders a signature without types, in few rows."""
    shown: list[str] = []
    for line in (entry.signature or entry.symbol).split("\n"):
        shown.extend(
            textwrap.wrap(
                _without_types(_named_in_full(line, entry.symbol)),
                _WIDTH,
                subsequent_indent="    ",
                break_long_words=False,
                break_on_hyphens=False,
            )
        )
    if len(shown) > _MAX_ROWS:
        shown[_MAX_ROWS - 1 :] = ["    …"]
    return "\n".join(shown)


def _named_in_full(line: str, symbol: str) -> str:
    """Returns a signature with the whole name of its symbol: `torch.Tensor.view(…)` for `Tensor.view(…)`."""
    head, bracket, rest = line.partition("(")
    return f"{symbol}{bracket}{rest}" if symbol.endswith(f".{head}") else line


def _without_types(line: str) -> str:
    """Returns a signature with the parameters' names and defaults only. What is written as C++ is left alone."""
    head, bracket, rest = line.partition("(")
    parts, depth, begun = [], 0, 0
    for index, character in enumerate(rest):
        if depth == 0 and character in ",)":
            parts.append(rest[begun:index].strip())
            begun = index + 1
            if character == ")":
                returns = _RETURNS.match(rest[index + 1 :])
                end = f" -> {returns[1].removeprefix('torch.')}" if returns else ""
                shown = f"{head}({', '.join(_untyped(part) for part in parts if part)})"
                return shown + end if len(shown + end) <= _WIDTH else shown
        depth += (character in "([{") - (character in ")]}")
    return line


def _untyped(parameter: str) -> str:
    """Returns `stride=1` for `stride: Union[int, tuple[int, int]] = 1`."""
    name, colon, rest = parameter.partition(":")
    if not colon or "=" in name or "(" in name:
        return parameter
    depth = 0
    for index, character in enumerate(rest):
        depth += (character in "([{") - (character in ")]}")
        if character == "=" and depth == 0:
            return f"{name.strip()}={rest[index + 1 :].strip()}"
    return name.strip()


def _sentence(entry: DocEntry | None, note: Note | None, other: Callable[[str], DocEntry | None]) -> str:
    """Returns one sentence on a symbol: torch's, that of what torch refers to, or ours."""
    said = entry.summary if entry is not None else ""
    referred = _SEE.match(said)
    if referred is not None:
        meant = other(referred[1])
        said = meant.summary if meant is not None and not _SEE.match(meant.summary) else ""
    # What ends in a colon goes on with a formula.
    if note is not None and (not said or said.endswith(":") or said.startswith("An instance")):
        said = note.summary
    return _cut(_SENTENCE_END.split(said, maxsplit=1)[0])


def _cut(text: str) -> str:
    if len(text) <= _MAX_SENTENCE:
        return text
    cut = text[:_MAX_SENTENCE].rsplit(" ", 1)[0]
    # No code or link is left open.
    if cut.count("`") % 2:
        cut = cut[: cut.rindex("`")].rstrip()
    if cut.rfind("[") > cut.rfind("]"):
        cut = cut[: cut.rindex("[")].rstrip()
    return cut.rstrip(",;:") + " …"


def _linked(entry: DocEntry | None, note: Note | None, links: Links) -> str:
    shown = []
    if links.page and (note is not None or entry is not None and entry.markdown):
        count = len(note.pitfalls) if note is not None else 0
        what = [*(["documentation"] if entry is not None else []), *([_counted(count)] if count else [])]
        shown.append(f"[{' and '.join(what) or 'notes'}](<{links.page}>)".replace("[d", "[D", 1))
    if entry is not None and entry.url:
        shown.append(
            f"[manual of {entry.symbol.partition('.')[0]} {entry.torch.partition('+')[0]}]({entry.url})"
        )
    shown.append(legend(links))
    return " · ".join(filter(None, shown))


def _counted(count: int) -> str:
    return f"{count} pitfall" + "s" * (count != 1)
