"""What agents are told of the tools."""

from __future__ import annotations

import json

import jsonschema
import pytest

from torchlsp.mcp_server.definitions import DEFINITIONS, INSTRUCTIONS

MOST_TOKENS = 1_200
CHARACTERS_PER_TOKEN = 4
"""A rule of thumb for English and JSON; no tokenizer is installed."""


def test_there_are_six_tools_and_only_one_changes_something() -> None:
    assert {one.name: one.is_read_only for one in DEFINITIONS} == {
        "check": True,
        "facts_at": True,
        "explain_error": True,
        "try_snippet": True,
        "docs": True,
        "apply_fix": False,
    }


def test_all_definitions_together_stay_within_their_tokens() -> None:
    wire = [
        {
            "name": one.name,
            "description": one.description,
            "inputSchema": one.arguments,
            "outputSchema": one.result,
            "annotations": {"readOnlyHint": one.is_read_only},
        }
        for one in DEFINITIONS
    ]
    length = len(json.dumps(wire, separators=(",", ":"))) + len(INSTRUCTIONS)
    assert length / CHARACTERS_PER_TOKEN <= MOST_TOKENS


@pytest.mark.parametrize("definition", DEFINITIONS, ids=lambda one: one.name)
def test_schemas_are_schemas_of_objects(definition) -> None:
    for schema in (definition.arguments, definition.result):
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema["type"] == "object"
        assert set(schema.get("required", ())) <= schema["properties"].keys()
