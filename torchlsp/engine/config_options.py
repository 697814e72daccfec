"""Lists the options of the configuration files. What reads them, and the JSON schema, is derived from this table."""

from __future__ import annotations

from enum import Enum

from torchlsp.core.records import dataclass

DOCUMENTATION = ("full", "short", "off")
"""How much documentation a hover shows."""

VERSION = r"\d+\.\d+(\.\d+)?"
"""What a version of torch looks like."""


class Kind(Enum):
    """The kinds of values that options have."""

    STRINGS = "a list of strings"
    CODES = "a list of codes, prefixes, names, groups or ALL"
    CODES_BY_PATTERN = "a table from patterns of paths to such lists"
    SEVERITIES = "a table from codes to severities"
    BOOLEAN = "true or false"
    TEXT = "a string"
    VERSION = "a version of torch"
    DOCUMENTATION = "one of DOCUMENTATION"


@dataclass(frozen=True, slots=True)
class Option:
    """An option as it is written, with a dot inside of a table; the field of `Settings` that it sets; what it does."""

    name: str
    kind: Kind
    field: str
    about: str


OPTIONS = (
    Option(
        "exclude", Kind.STRINGS, "exclude", "Names and paths that are not checked, instead of the default."
    ),
    Option(
        "extend-exclude",
        Kind.STRINGS,
        "extend_exclude",
        "Names and paths that are not checked, besides the default.",
    ),
    Option("extend-select", Kind.CODES, "extend_select", "Rules that are reported besides the default."),
    Option(
        "hover.documentation",
        Kind.DOCUMENTATION,
        "hover_documentation",
        "What hovers in an editor show of torch's documentation.",
    ),
    Option("ignore", Kind.CODES, "ignore", "Rules that are not reported."),
    Option(
        "per-file-ignores",
        Kind.CODES_BY_PATTERN,
        "per_file_ignores",
        "Rules that are not reported in files whose paths match a pattern.",
    ),
    Option(
        "preview",
        Kind.BOOLEAN,
        "preview",
        "Treat rules in preview as others are: their group decides whether they are on.",
    ),
    Option(
        "respect-gitignore",
        Kind.BOOLEAN,
        "respect_gitignore",
        "Do not look into what git ignores (the default).",
    ),
    Option(
        "rules-url",
        Kind.TEXT,
        "rules_url",
        "The address to which a rule's code is added, for links to its page.",
    ),
    Option("select", Kind.CODES, "select", "Rules that are reported, instead of the default."),
    Option("severity", Kind.SEVERITIES, "severity", "Severities of rules: error, warning or info."),
    Option(
        "torch-version",
        Kind.VERSION,
        "torch_version",
        "The torch that is meant, instead of the one that is installed.",
    ),
)
