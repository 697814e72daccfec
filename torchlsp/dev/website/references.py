"""Renders what the site has a page of: rules, notes on symbols of torch, and errors explained."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from torchlsp.dev.website.programs import folded, labelled, shown_source, side_by_side, wrong
from torchlsp.docs_db.errors import ErrorEntry, entries
from torchlsp.docs_db.notes import Note, Part, load_note, note_paths
from torchlsp.engine.config import TOOL_RULES
from torchlsp.engine.config_options import DOCUMENTATION, OPTIONS, Kind
from torchlsp.engine.explaining import general_fixes
from torchlsp.lint.pages import NOTATION_LINK, Block, Page, load_page, notation
from torchlsp.lint.question import RuleInfo
from torchlsp.lint.registry import rules
from torchlsp.report.pages import TOOL_PAGES

FAMILIES = {
    "layout": "Shapes and layout",
    "dtypes": "Dtypes and losses",
    "devices": "Devices and NumPy",
    "autograd": "Autograd",
    "training": "Training loops",
    "modules": "Modules",
    "data": "Data loading",
    "distributed": "Distributed training",
    "api": "torch's own interface",
}
"""The families of rules in the order of their codes, by folder."""
_EVIDENCE = {
    "emulated": "This explanation was tried on an emulated device: {why}.",
    "unverified": "This explanation is from documentation and reports, not from a run of our own: {why}.",
}


def rule_pages() -> dict[str, str]:
    """Returns the pages of all rules, the list of them, and the page on notation, by their paths on the site."""
    known = rules()
    pages = {f"rules/{info.code}.md": rule_page(load_page(info.page_path)) for info in known}
    for rule in TOOL_RULES:
        title, text = TOOL_PAGES[rule.code]
        declared = f"*{rule.severity.value} · on by default*"
        pages[f"rules/{rule.code}.md"] = f"# {rule.code} {rule.name}\n\n{declared}\n\n{title}.\n\n{text}"
    pages["rules/index.md"] = _list_of_rules(known)
    pages["rules/notation.md"] = notation()
    return pages


def rule_page(page: Page) -> str:
    """Returns a rule's page for readers: labelled programs, bad beside fixed, what only tests need folded away."""
    lines = page.path.read_text(encoding="utf-8").split("\n")
    fixed = {before.line: after for before, after in page.fixes}
    written: list[str] = []
    end = 0
    index = 0
    blocks = page.blocks
    while index < len(blocks):
        block = blocks[index]
        written.extend(lines[end : _opening(block)])
        end = _closing(block) + 1
        after = fixed.get(block.line)
        if after is not None and not any(lines[end : _opening(after)]):
            written.append(side_by_side(block, after, "Fixed"))
            end = _closing(after) + 1
            index += 1
        elif block.role in ("watch", "proof"):
            texts = [f"```python\n{shown_source(block.source)}```"]
            while index + 1 < len(blocks) and blocks[index + 1].role in ("watch", "proof"):
                following = blocks[index + 1]
                if any(lines[end : _opening(following)]):
                    break
                texts.append(f"```python\n{shown_source(following.source)}```")
                end = _closing(following) + 1
                index += 1
            written.append(folded("How the project's tests see the difference", "\n\n".join(texts)))
        elif block.role == "bad":
            written.append(wrong(block))
        else:
            written.append(labelled(block, "Fixed" if block.role == "fixed" else "Good"))
        index += 1
    text = "\n".join([*written, *lines[end:]])
    return text.replace(NOTATION_LINK, "[How facts are written](notation.md)")


def note_pages() -> dict[str, str]:
    """Returns the pages of all notes and the list of them, by their paths on the site."""
    pages: dict[str, str] = {}
    by_family: dict[str, list[Note]] = defaultdict(list)
    for path in note_paths():
        note = load_note(path)
        by_family[path.parent.name].append(note)
        pages[f"notes/{path.parent.name}/{path.stem}.md"] = note_page(note)
    rows = [
        "# Notes on torch",
        "",
        "What functions, layers and classes of torch do, and the mistakes that people make with them. Every program was run "
        "in torch 2.13.0. `torchlsp docs NAME` and a hover show them beside the documentation of the installed torch.",
    ]
    for family, notes in sorted(by_family.items()):
        rows += [
            "",
            f"## {family.replace('_', ' ').capitalize()}",
            "",
            "| symbol | what it does |",
            "|---|---|",
        ]
        rows += [
            f"| [`{note.symbols[0]}`]({note.path.parent.name}/{note.path.stem}.md) | {_cell(_first_sentence(note.summary))} |"
            for note in notes
        ]
    pages["notes/index.md"] = "\n".join(rows) + "\n"
    return pages


def note_page(note: Note) -> str:
    """Returns a note for readers."""
    parts = [f"# {note.symbols[0]}", note.summary]
    if note.symbols[1:]:
        parts.append(f"The same holds for {_listed(f'`{one}`' for one in note.symbols[1:])}.")
    if note.absent:
        parts.append(f"torch has no {_listed(f'`{one}`' for one in note.absent)}.")
    if note.returns:
        parts.append(f"Returns: {note.returns}.")
    if note.package:
        parts.append(f"It is part of the package {note.package}.")
    if note.torch:
        parts.append(f"This holds for torch {_listed(note.torch)}.")
    if note.rules:
        parts.append(f"Found by {_listed(note.rules)}.")
    parts += [labelled(block, "Example") for block in note.examples]
    if note.pitfalls:
        parts.append("## Pitfalls")
    for pitfall in note.pitfalls:
        parts += [f"### {pitfall.title}", pitfall.text, *_programs(pitfall)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _programs(pitfall: Part) -> Iterator[str]:
    bad, good = pitfall.of_role("bad"), pitfall.of_role("good")
    if len(bad) == len(good):
        yield from (side_by_side(before, after, "Good") for before, after in zip(bad, good, strict=True))
        return
    for block in (*bad, *good):
        yield wrong(block) if block.role == "bad" else labelled(block, "Good" if bad else "Example")


def error_pages() -> dict[str, str]:
    """Returns the pages of all errors that are explained and the list of them, by their paths on the site."""
    pages = {f"errors/{entry.id}.md": error_page(entry) for entry in entries()}
    rows = [
        "# Errors of torch, explained",
        "",
        "What torch says, what it means and what to do. `python train.py 2>&1 | torchlsp explain` finds the page for an error by "
        "its text, and adds what is known of the line that raised it.",
        "",
        "| error | what it is | raised as |",
        "|---|---|---|",
    ]
    rows += [
        f"| [{entry.id}]({entry.id}.md) | {_cell(entry.title)} | {', '.join(sorted(entry.exceptions)) or 'any'} |"
        for entry in entries()
    ]
    pages["errors/index.md"] = "\n".join(rows) + "\n"
    return pages


def error_page(entry: ErrorEntry) -> str:
    """Returns the explanation of an error for readers."""
    parts = [f"# {entry.id} {entry.title}"]
    texts = [*filter(None, (_wording(stem.pattern) for stem in entry.stems)), *entry.others]
    if texts:
        raised = " or ".join(f"`{one}`" for one in sorted(entry.exceptions))
        parts += [f"Raised as {raised}:" if raised else "The text reads like:"]
        parts += [
            f'<div class="wraps" markdown>\n\n```text\n{chr(10).join(dict.fromkeys(texts))}\n```\n\n</div>'
        ]
    parts += ["## What it means", entry.meaning]
    if entry.secondary:
        parts.append("Often the consequence of another error: look for the first of any rank.")
    parts += ["## What to do", "\n".join(f"{n}. {fix}" for n, fix in enumerate(general_fixes(entry), 1))]
    named = [info for info in rules() if info.code in entry.rules]
    if named:
        found = _listed(f"[{info.code} {info.name}](../rules/{info.code}.md)" for info in named)
        parts += ["## What finds it before it runs", f"{found}."]
    if entry.trigger:
        where = "Within a process group, " if entry.ranks else ""
        lead = f"{where}this raises it:"
        parts += [
            "## A program that raises it",
            lead[0].upper() + lead[1:],
            f"```python\n{entry.trigger.strip()}\n```",
        ]
    if entry.evidence in _EVIDENCE:
        parts.append(_EVIDENCE[entry.evidence].format(why=entry.why))
    return "\n\n".join(parts) + "\n"


def _wording(pattern: str) -> str:
    """Returns a regular expression as a text with `…` for what differs; empty where it has alternatives."""
    text, depth = "", 0
    index = 0
    while index < len(pattern):
        character = pattern[index]
        if character == "\\" and index + 1 < len(pattern):
            following = pattern[index + 1]
            if not depth:
                text += "…" if following.isalnum() else following
            index += 2
            continue
        if character == "(" and not depth:
            text += "…"
        depth += (character == "(") - (character == ")")
        if not depth and character not in "()":
            text += character
        index += 1
    if re.search(r"[|*+?{}^$]|\[[^\]]*\]…|…\[", text) or len(re.findall(r"[A-Za-z]{2,}", text)) < 2:
        return ""
    return re.sub(r"…+", "…", re.sub(r"(?<=[a-z])\.(?=[st]\b)", "'", text))


def _list_of_rules(known: Iterable[RuleInfo]) -> str:
    rows = [
        "# Rules",
        "",
        "What torchlsp finds. A rule that is *off* is switched on by its code, its name or its group: "
        '`extend-select = ["TL112", "performance"]`. `torchlsp rules` prints this list.',
    ]
    by_folder: dict[str, list[RuleInfo]] = defaultdict(list)
    for info in known:
        by_folder[info.folder].append(info)
    for folder, title in FAMILIES.items():
        rows += [
            "",
            f"## {title}",
            "",
            "| rule | finds | severity | default | group |",
            "|---|---|---|---|---|",
        ]
        for info in by_folder[folder]:
            default = "on" if info.is_default else "off"
            cells = (
                f"[{info.code}]({info.code}.md)<br>{info.name}",
                _cell(info.summary.removesuffix(".")),
                info.severity.value,
                f"{default}, preview" if info.preview else default,
                info.group,
            )
            rows.append(f"| {' | '.join(cells)} |")
    rows += ["", "## Of the tool itself", "", "| rule | finds | severity |", "|---|---|---|"]
    rows += [
        f"| [{rule.code}]({rule.code}.md)<br>{rule.name} | {_cell(TOOL_PAGES[rule.code][0])} | {rule.severity.value} |"
        for rule in TOOL_RULES
    ]
    return "\n".join(rows) + "\n"


def list_of_options() -> str:
    """Returns the table of the options of the configuration files."""
    rows = ["", "## All options", "", "| option | what it says | value |", "|---|---|---|"]
    for option in OPTIONS:
        value = (
            " or ".join(f"`{word}`" for word in DOCUMENTATION)
            if option.kind is Kind.DOCUMENTATION
            else option.kind.value
        )
        rows.append(f"| `{option.name}` | {_cell(option.about)} | {value} |")
    return "\n".join(rows) + "\n"


def families_of_rules() -> dict[str, list[Path]]:
    """Returns the rules' pages on the site by the title of their family."""
    by_title: dict[str, list[Path]] = {title: [] for title in FAMILIES.values()}
    for info in rules():
        by_title[FAMILIES[info.folder]].append(Path(f"rules/{info.code}.md"))
    return by_title


def _opening(block: Block) -> int:
    """Returns the index of the line that opens a block's fence."""
    return block.line - 2


def _closing(block: Block) -> int:
    return _opening(block) + block.source.count("\n") + 1


def _first_sentence(text: str) -> str:
    first = re.split(r"(?<=[.:])\s+(?=[A-Z`])", " ".join(text.split()), maxsplit=1)[0]
    # What follows the colon is on the page.
    return f"{first[:-1]}." if first.endswith(":") else first


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _listed(words: Iterable[str]) -> str:
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last
