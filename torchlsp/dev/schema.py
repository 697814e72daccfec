"""Writes the JSON schema of the configuration files, docs/torchlsp.schema.json, from the table of options."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from torchlsp.core.finding import GROUPS, Severity
from torchlsp.engine.config import DEFAULT_EXCLUDE, Settings
from torchlsp.engine.config_options import DOCUMENTATION, OPTIONS, VERSION, Kind

PATH = Path(__file__).parents[2] / "docs" / "torchlsp.schema.json"

_WORDS: dict[str, Any] = {
    "type": "string",
    "anyOf": [
        {"enum": ["ALL", *GROUPS]},
        {"pattern": "^[Tt][Ll][0-9]{0,3}$"},
        {"pattern": "^[A-Za-z][A-Za-z0-9_-]*$"},
    ],
    "description": "A code (TL101), a prefix of codes (TL1), a rule's name, a group, or ALL.",
}
_LIST_OF_WORDS = {"type": "array", "items": {"$ref": "#/definitions/rules"}}
_VALUES: dict[Kind, dict[str, Any]] = {
    Kind.STRINGS: {"type": "array", "items": {"type": "string"}},
    Kind.CODES: _LIST_OF_WORDS,
    Kind.CODES_BY_PATTERN: {"type": "object", "additionalProperties": _LIST_OF_WORDS},
    Kind.SEVERITIES: {
        "type": "object",
        "propertyNames": {"$ref": "#/definitions/rules"},
        "additionalProperties": {"enum": [one.value for one in Severity]},
    },
    Kind.BOOLEAN: {"type": "boolean"},
    Kind.TEXT: {"type": "string"},
    Kind.VERSION: {"type": "string", "pattern": f"^{VERSION}$"},
    Kind.DOCUMENTATION: {"enum": list(DOCUMENTATION)},
}


def schema() -> dict[str, Any]:
    """Returns the schema of torchlsp.toml, which is that of `[tool.torchlsp]` in pyproject.toml, too."""
    top = _table("What torchlsp reports in the files below this folder.")
    for option in OPTIONS:
        table, _, name = option.name.rpartition(".")
        into = top
        if table:
            into = top["properties"].setdefault(table, _table(f"The options of `{table}`."))
        into["properties"][name] = {
            "description": option.about,
            **_VALUES[option.kind],
            **_default(option.field),
        }
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "torchlsp",
        **top,
        "definitions": {"rules": _WORDS},
    }


def _table(about: str) -> dict[str, Any]:
    return {"description": about, "type": "object", "additionalProperties": False, "properties": {}}


def _default(field: str) -> dict[str, Any]:
    """Returns the default of an option, where there is one that can be written."""
    if field == "exclude":
        return {"default": list(DEFAULT_EXCLUDE)}
    value = getattr(Settings(root=""), field, ())
    return {"default": value} if isinstance(value, bool) else {}


def text() -> str:
    """Returns the content of the file."""
    return json.dumps(schema(), indent=2) + "\n"


def main(arguments: list[str]) -> int:
    """Writes the schema, or says whether the file is up to date."""
    parser = argparse.ArgumentParser(prog="python -m torchlsp.dev schema", description=__doc__)
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit with 1 if the file is out of date"
    )
    options = parser.parse_args(arguments)
    if options.check:
        return 0 if PATH.read_text(encoding="utf-8") == text() else 1
    PATH.write_text(text(), encoding="utf-8")
    return 0
