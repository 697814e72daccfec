"""Defines the six tools as agents see them: every word here is paid for in each of their conversations.

Together they take at most 1,200 tokens, counted as four characters each; `tests/mcp_server/test_definitions.py` holds that.
"""

from __future__ import annotations

from torchlsp.core.decoded import Table
from torchlsp.core.records import dataclass

INSTRUCTIONS = (
    "Static facts about PyTorch code, without running it. Call check after edits; what is unknown is not reported."
    " Paths are relative to the workspace."
)

_TEXT: Table = {"type": "string"}
_NUMBER: Table = {"type": "integer"}
_FLAG: Table = {"type": "boolean"}


def _list(items: Table) -> Table:
    return {"type": "array", "items": items}


def _object(properties: Table, required: str = "") -> Table:
    told: Table = {"type": "object", "properties": properties}
    return told | {"required": required.split()} if required else told


_FIX = _object({"title": _TEXT, "safe": _FLAG, "diff": _TEXT})
_FINDING = _object(
    {
        "id": _TEXT,
        "place": _TEXT,
        "severity": _TEXT,
        "rule": _TEXT,
        "message": _TEXT,
        "because": _list(_TEXT),
        "verdict": _TEXT,
        "fix": _FIX,
    },
    "id place severity rule message because",
)


@dataclass(frozen=True, slots=True)
class Definition:
    """One tool: its name, what it does, the schemas of its arguments and result, and whether it changes nothing."""

    name: str
    description: str
    arguments: Table
    result: Table
    is_read_only: bool = True


DEFINITIONS = (
    Definition(
        "check",
        "Find PyTorch mistakes (shapes, dtypes, devices, gradients, training loops, collectives) in files or folders,"
        " the worst first: the whole workspace without paths. probe: also test them in the installed torch.",
        _object(
            {"paths": _list(_TEXT), "probe": _FLAG, "limit": {"type": "integer", "minimum": 0, "default": 20}}
        ),
        _object({"summary": _TEXT, "findings": _list(_FINDING)}, "summary findings"),
    ),
    Definition(
        "facts_at",
        "Shape, dtype, device, layout and gradient of the values on a line, or of one name there, or why they are"
        " unknown.",
        _object({"path": _TEXT, "line": _NUMBER, "name": _TEXT}, "path line"),
        _object(
            {
                "facts": _list(_object({"name": _TEXT, "fact": _TEXT, "notes": _list(_TEXT)})),
                "unknown": _list(_object({"name": _TEXT, "because": _TEXT})),
            },
            "facts unknown",
        ),
    ),
    Definition(
        "explain_error",
        "Explain an error of torch: pass the whole traceback or program output.",
        _object({"text": _TEXT}, "text"),
        _object({"known": _FLAG, "explanation": _TEXT, "fixes": _list(_TEXT)}, "known explanation fixes"),
    ),
    Definition(
        "try_snippet",
        "Run a small self-contained torch program in a sandbox: torch only, no files, no network. Use assert to ask;"
        " nothing is printed.",
        _object({"code": _TEXT}, "code"),
        _object({"outcome": _TEXT, "error": _TEXT, "line": _NUMBER, "torch": _TEXT}, "outcome"),
    ),
    Definition(
        "docs",
        "Documentation of the installed torch and known pitfalls: of a symbol, or the symbols for a search.",
        _object({"symbol": _TEXT, "search": _TEXT}),
        _object({"text": _TEXT}, "text"),
    ),
    Definition(
        "apply_fix",
        "Make the fix of a finding, by its id from check, in its file, then check again: findings are those left there.",
        _object({"path": _TEXT, "id": _TEXT}, "path id"),
        _object(
            {"diff": _TEXT, "gone": _FLAG, "summary": _TEXT, "findings": _list(_FINDING)},
            "diff gone summary findings",
        ),
        is_read_only=False,
    ),
)
