"""`torchlsp explain` and `torchlsp rules`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from torchlsp.engine.config import TOOL_RULES, Catalogue, ConfigError
from torchlsp.engine.engine import installed_rules
from torchlsp.report.pages import TOOL_PAGES

if TYPE_CHECKING:
    import argparse


def explain(options: argparse.Namespace) -> int:
    """Print the page of one rule."""
    catalogue = Catalogue(installed_rules())
    rule = catalogue.get(options.rule)
    if rule is None:
        nearest = catalogue.nearest(options.rule)
        meant = f", did you mean `{nearest}`?" if nearest else "; `torchlsp rules` lists them"
        raise ConfigError(f"unknown rule `{options.rule}`{meant}")
    if rule.code in TOOL_PAGES:
        title, text = TOOL_PAGES[rule.code]
        print(f"# {rule.code} {rule.name}\n\n{title}.\n\n{text}", end="")
        return 0
    from torchlsp.lint.pages import load_page
    from torchlsp.lint.registry import find

    info = find(rule.code)
    if info is None or not info.page_path.is_file():
        raise ConfigError(f"{rule.code} has no page in this installation")
    print(load_page(info.page_path).markdown, end="")
    return 0


def list_rules(options: argparse.Namespace) -> int:
    """Print all rules: a table as text or markdown, or JSON."""
    from torchlsp.lint.registry import rules

    listed: list[dict[str, Any]] = [
        {
            "code": rule.code,
            "name": rule.name,
            "severity": rule.severity.value,
            "preview": False,
            "summary": TOOL_PAGES[rule.code][0],
        }
        for rule in TOOL_RULES
    ]
    listed.extend(
        {
            "code": info.code,
            "name": info.name,
            "severity": info.severity.value,
            "preview": bool(info.preview),
            "summary": info.summary,
        }
        for info in rules()
    )
    if options.output_format == "json":
        print(json.dumps(listed, indent=2, ensure_ascii=False))
        return 0
    if options.output_format == "markdown":
        print("| code | name | severity | what it finds |\n|---|---|---|---|")
        for rule in listed:
            cells = (rule["code"], rule["name"], rule["severity"], _sentence(rule))
            print(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
        return 0
    width = max(len(rule["name"]) for rule in listed)
    for rule in listed:
        print(f"{rule['code']}  {rule['name']:<{width}}  {rule['severity']:<7}  {_sentence(rule)}")
    return 0


def _sentence(rule: dict[str, Any]) -> str:
    summary = rule["summary"][:1].upper() + rule["summary"][1:].removesuffix(".")
    return summary + (" (preview)" if rule["preview"] else "")
