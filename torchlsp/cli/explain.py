"""`torchlsp explain` and `torchlsp rules`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from torchlsp.engine.config import TOOL_RULES, Catalogue, ConfigError
from torchlsp.engine.engine import installed_rules

if TYPE_CHECKING:
    import argparse

_TOOL_PAGES = {
    "TL000": (
        "A file, or a part of it, cannot be read",
        """\
Python cannot parse the file, its bytes do not fit its encoding, or the file cannot be opened. The finding
stands where Python's own parser gave up. The top-level statements that do parse are checked all the same.

When the syntax is not wrong but belongs to a Python later than the one that runs torchlsp, the finding has
severity info and names the Python that can read it: run torchlsp with that Python.
""",
    ),
    "TL001": (
        "A suppression comment suppresses nothing",
        """\
A `# torchlsp: ignore[...]`, a `# torchlsp: ignore-file[...]` or a TL code in a `# noqa: ...` names a rule
that reports nothing there, or no rule at all. Left in place it would hide the next real finding. The fix
removes what is unused. Only rules that ran are judged, and never the codes of other tools.

    x = y.reshape(2, 3)  # torchlsp: ignore[TL101]      unused: reshape is always allowed

A comment counts for a finding on its own row, or, for a finding of several rows, on the first or last of
them, or on the first row of the statement. `ignore-file` must stand above the first statement.
""",
    ),
}


def explain(options: argparse.Namespace) -> int:
    """Print the page of one rule."""
    catalogue = Catalogue(installed_rules())
    rule = catalogue.get(options.rule)
    if rule is None:
        nearest = catalogue.nearest(options.rule)
        meant = f", did you mean `{nearest}`?" if nearest else "; `torchlsp rules` lists them"
        raise ConfigError(f"unknown rule `{options.rule}`{meant}")
    if rule.code in _TOOL_PAGES:
        title, text = _TOOL_PAGES[rule.code]
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
    """Print a table of all rules, or JSON."""
    from torchlsp.lint.registry import rules

    listed: list[dict[str, Any]] = [
        {
            "code": rule.code,
            "name": rule.name,
            "severity": rule.severity.value,
            "preview": False,
            "summary": _TOOL_PAGES[rule.code][0],
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
    width = max(len(rule["name"]) for rule in listed)
    for rule in listed:
        preview = " (preview)" if rule["preview"] else ""
        summary = rule["summary"][:1].upper() + rule["summary"][1:].removesuffix(".")
        print(f"{rule['code']}  {rule['name']:<{width}}  {rule['severity']:<7}  {summary}{preview}")
    return 0
