"""Implements `torchlsp rules`: the list of rules, and the page of each."""

from __future__ import annotations

import json
import shutil
import sys
from typing import TYPE_CHECKING, Any

from torchlsp.core.finding import GROUPS
from torchlsp.engine.config import TOOL_RULES, Catalogue, ConfigError
from torchlsp.engine.engine import installed_rules
from torchlsp.report.pages import TOOL_PAGES

if TYPE_CHECKING:
    import argparse

    from torchlsp.engine.config import KnownRule

_WIDEST = 100


def rules(options: argparse.Namespace) -> int:
    """Prints the page of a rule that is named, else a list of rules; raises ConfigError for a word that means none."""
    words = options.what
    if not words:
        return _list(options, None)
    catalogue = Catalogue(installed_rules())
    for word in words:
        if catalogue.selector(word) is None:
            nearest = catalogue.nearest(word, selects=True)
            meant = f", did you mean `{nearest}`?" if nearest else "; `torchlsp rules` lists them"
            raise ConfigError(f"unknown rule `{word}`{meant}")
    named = catalogue.get(words[0])
    if len(words) == 1 and named is not None:
        if options.group:
            raise ConfigError("--group goes with a list of rules, not with the page of one")
        return show_page(named, options)
    meant = (rule.code for rule in catalogue.rules if any(catalogue.covers(word, rule) for word in words))
    return _list(options, frozenset(meant))


def show_page(rule: KnownRule, options: argparse.Namespace) -> int:
    """Prints the page of one rule: as JSON, else as Markdown, which a terminal gets in colours."""
    from torchlsp.cli.output import coloured

    page = _page(rule)
    if options.output_format == "json":
        told = next(one for one in _listed() if one["code"] == rule.code)
        told = {name: told[name] for name in ("code", "name", "group", "default")}
        print(json.dumps(told | {"page": page}, indent=2, ensure_ascii=False))
    elif options.output_format == "text" and coloured(options.color, sys.stdout):
        from torchlsp.report.documentation import notes_as_text

        width = min(shutil.get_terminal_size((_WIDEST, 24)).columns, _WIDEST)
        print(notes_as_text(page, coloured=True, width=width))
    else:
        print(page, end="")
    return 0


def _page(rule: KnownRule) -> str:
    """Returns the page of a rule as Markdown. Raises ConfigError where the installation has none."""
    if rule.code in TOOL_PAGES:
        title, text = TOOL_PAGES[rule.code]
        declared = f"*{rule.severity.value} · on by default*"
        return f"# {rule.code} {rule.name}\n\n{declared}\n\n{title}.\n\n{text}"
    from torchlsp.lint.pages import load_page
    from torchlsp.lint.registry import find

    info = find(rule.code)
    if info is None or not info.page_path.is_file():
        raise ConfigError(f"{rule.code} has no page in this installation")
    return load_page(info.page_path).markdown


def _list(options: argparse.Namespace, codes: frozenset[str] | None) -> int:
    """Prints all rules, or those of some codes or groups: a table as text or markdown, or JSON."""
    groups = _groups(options.group)
    listed = [
        one
        for one in _listed()
        if (not groups or one["group"] in groups) and (codes is None or one["code"] in codes)
    ]
    if options.output_format == "json":
        print(json.dumps(listed, indent=2, ensure_ascii=False))
        return 0
    rows = [
        (
            rule["code"],
            rule["name"],
            rule["severity"],
            rule["group"] or "-",
            "on" if rule["default"] else "off",
        )
        for rule in listed
    ]
    if options.output_format == "markdown":
        print("| code | name | severity | group | default | what it finds |\n|---|---|---|---|---|---|")
        for rule, cells in zip(listed, rows, strict=True):
            escaped = (cell.replace("|", chr(92) + "|") for cell in (*cells, _sentence(rule)))
            print(f"| {' | '.join(escaped)} |")
        return 0
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for rule, cells in zip(listed, rows, strict=True):
        print(
            "  ".join(f"{cell:<{width}}" for cell, width in zip(cells, widths, strict=True)),
            _sentence(rule),
            sep="  ",
        )
    return 0


def _groups(words: list[str] | None) -> frozenset[str]:
    """Returns the groups that --group names; raises ConfigError for one that does not exist."""
    named = [word.strip().lower() for given in words or () for word in given.split(",") if word.strip()]
    for word in named:
        if word not in GROUPS:
            from difflib import get_close_matches

            nearest = get_close_matches(word, GROUPS, 1, 0.5)
            meant = f", did you mean `{nearest[0]}`?" if nearest else f": {', '.join(GROUPS)}"
            raise ConfigError(f"--group: unknown group `{word}`{meant}")
    return frozenset(named)


def _listed() -> list[dict[str, Any]]:
    from torchlsp.lint.registry import rules

    own = [
        {
            "code": rule.code,
            "name": rule.name,
            "severity": rule.severity.value,
            "group": None,
            "default": True,
            "preview": False,
            "summary": TOOL_PAGES[rule.code][0],
        }
        for rule in TOOL_RULES
    ]
    return own + [
        {
            "code": info.code,
            "name": info.name,
            "severity": info.severity.value,
            "group": info.group,
            "default": info.is_default,
            "preview": bool(info.preview),
            "summary": info.summary,
        }
        for info in rules()
    ]


def _sentence(rule: dict[str, Any]) -> str:
    summary = rule["summary"][:1].upper() + rule["summary"][1:].removesuffix(".")
    return summary + (" (preview)" if rule["preview"] else "")
