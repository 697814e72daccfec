"""Finds the rules: whatever lies in the folders of `torchlsp.rules`. There is no list to edit.

Code, name, severity, summary and what the rule asks are read from the text of each file, so listing the rules,
filtering them by configuration or finding that a file gives them nothing to do imports none of them;
`load` imports one.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from torchlsp.core.finding import GROUPS, Severity
from torchlsp.lint.question import Question, RuleInfo
from torchlsp.lint.rule import Rule

PACKAGE = "torchlsp.rules"

_DECLARATION = re.compile(
    r'^@rule\(\s*"(?P<code>TL\d{3})"(?P<options>(?:,\s*\w+=(?:"[^"]*"|True))*),?\s*\)\s*^def (?P<function>\w+)\(',
    re.MULTILINE,
)
_OPTION = re.compile(r'(\w+)=(?:"([^"]*)"|True)')
_SEVERITIES = frozenset(one.value for one in Severity)
_TAGS = ("", "deprecated", "unnecessary")
_REASONS = ("preview", "mended", "hint", "shown_right", "chosen_sizes", "unproven", "unproven_cases")
"""Options whose value is the reason why a convention does not hold for this rule."""
_QUESTION = re.compile(r"\bcheck\.(faults|calls|missing_clears|early_clears|divergences)\(([^()]*)\)")
_LITERALS = re.compile(r'\s*(?:FaultKind\.(?P<kind>[A-Z_]+)|"(?P<text>[^"]*)")\s*,?')
_SUMMARY = re.compile(r'^"""(?:TL\d{3}: )?(?P<summary>.+?)\s*(?:"""|$)', re.MULTILINE)


class RegistryError(Exception):
    """A rule file that breaks the conventions; the message begins with the file's path."""


@lru_cache(maxsize=1)
def rules() -> tuple[RuleInfo, ...]:
    """Lists every installed rule, by code."""
    return tuple(discover(rules_folder(), PACKAGE))


def find(code_or_name: str) -> RuleInfo | None:
    """Finds the rule of this code (any case) or name (hyphens or underscores)."""
    wanted = code_or_name.strip()
    name = wanted.lower().replace("_", "-")
    return next((info for info in rules() if info.code == wanted.upper() or info.name == name), None)


def rules_folder() -> Path:
    """Locates the installed rules without importing any of them."""
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise RegistryError(f"{PACKAGE}: this installation has no rules")
    return Path(next(iter(spec.submodule_search_locations)))


def load(info: RuleInfo) -> Rule:
    """Imports a rule."""
    return getattr(importlib.import_module(info.module), info.name.replace("-", "_"))


def discover(folder: Path, package: str) -> list[RuleInfo]:
    """Reads the rules in `folder`/*/*.py, by code; raises RegistryError for a duplicate or a file that declares none."""
    found: dict[str, RuleInfo] = {}
    for info in _declarations(folder, package):
        if info.code in found:
            raise RegistryError(
                f"{info.page_path.with_suffix('.py')}: {info.code} is also {found[info.code].name}"
            )
        found[info.code] = info
    return [found[code] for code in sorted(found)]


def _declarations(folder: Path, package: str) -> Iterator[RuleInfo]:
    for path in sorted(folder.glob("*/*.py")):
        if path.stem.startswith("_"):
            continue
        text = path.read_text(encoding="utf-8")
        match = _DECLARATION.search(text)
        if match is None:
            raise RegistryError(
                f'{path}: no `@rule("TL…", severity="…")` with string literals above its function'
            )
        if match["function"] != path.stem:
            raise RegistryError(f"{path}: the function must have the file's name, not `{match['function']}`")
        options = {option[1]: option[2] for option in _OPTION.finditer(match["options"])}
        severity, tag = options.pop("severity", ""), options.pop("tag", "")
        group = options.pop("group", "")
        if (
            severity not in _SEVERITIES
            or tag not in _TAGS
            or options.keys() - {*_REASONS, "fallback", "since"}
        ):
            raise RegistryError(f"{path}: @rule has an option or a value that is not known")
        if group not in GROUPS:
            raise RegistryError(f"{path}: the group of a rule is one of {', '.join(GROUPS)}, not `{group}`")
        summary = _SUMMARY.search(text)
        yield RuleInfo(
            code=match["code"],
            name=path.stem.replace("_", "-"),
            severity=Severity(severity),
            group=group,
            folder=path.parent.name,
            summary=summary["summary"] if summary else "",
            page_path=path.with_suffix(".md"),
            module=f"{package}.{path.parent.name}.{path.stem}",
            tag=tag,
            fallback="fallback" in options,
            since=options.get("since") or "",
            asks=frozenset(_questions(text, path)),
            **{name: options.get(name) or "" for name in _REASONS},
        )


def _questions(text: str, path: Path) -> Iterator[Question]:
    """Reads every question off the text of a rule, which must write them out: the text is all that is read."""
    for match in _QUESTION.finditer(text):
        method, arguments = match.groups()
        literals = list(_LITERALS.finditer(arguments))
        if "".join(literal.group() for literal in literals).strip() != arguments.strip():
            raise RegistryError(
                f"{path}: the arguments of check.{method} must be FaultKind members or strings"
            )
        if not literals:
            yield method, ""
        for literal in literals:
            yield method, literal["kind"] or literal["text"]
