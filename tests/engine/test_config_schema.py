"""The JSON schema of the configuration: it is up to date, and accepts what the reader accepts."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path

import pytest

from torchlsp.dev.schema import PATH, main, schema
from torchlsp.engine.config import KEYS, Catalogue, ConfigError, Settings, read_settings
from torchlsp.engine.config_options import OPTIONS, Kind
from torchlsp.engine.engine import installed_rules

jsonschema = pytest.importorskip("jsonschema")
ROOT = Path(__file__).parents[2]
VALUES = {
    "text": '"some text"',
    "version": '"2.13"',
    "long version": '"2.13.0"',
    "part of a version": '"2"',
    "documentation": '"short"',
    "number": "7",
    "truth": "true",
    "nothing": "[]",
    "rules": '["TL101", "tl1", "TL", "style", "ALL", "view-on-noncontiguous", "view_on_noncontiguous"]',
    "numbers": "[1]",
    "mixed": '["TL101", 1]',
    "code by pattern": '{ "tests/**" = ["TL5"] }',
    "text by pattern": '{ "tests/**" = "TL5" }',
    "severity by code": '{ TL502 = "error", view-on-noncontiguous = "info" }',
    "wrong severity": '{ TL502 = "fatal" }',
    "empty table": "{}",
    "unknown in a table": "{ enabled = true }",
    "documentation in a table": '{ documentation = "full" }',
}


def accepted(text: str) -> tuple[bool, bool]:
    """Whether the reader takes a configuration, and whether the schema does."""
    import tomllib

    try:
        read_settings("torchlsp.toml", text, Catalogue(installed_rules()))
        by_reader = True
    except ConfigError:
        by_reader = False
    return by_reader, jsonschema.Draft7Validator(schema()).is_valid(tomllib.loads(text))


def test_the_file_is_up_to_date() -> None:
    assert main(["--check"]) == 0, "run python -m torchlsp.dev schema"
    assert json.loads(PATH.read_text(encoding="utf-8")) == schema()
    jsonschema.Draft7Validator.check_schema(schema())


@pytest.mark.parametrize(
    "name", [option.name for option in OPTIONS] + ["hover", "hover.enabled", "selekt", "lint.select"]
)
def test_the_schema_accepts_what_the_reader_accepts(name: str) -> None:
    pytest.importorskip("tomllib")
    differing = []
    for about, value in VALUES.items():
        by_reader, by_schema = accepted(f"{name} = {value}\n")
        if by_reader != by_schema:
            differing.append(f"{name} = {value} ({about}): reader {by_reader}, schema {by_schema}")
    assert not differing, "\n".join(differing)


def test_every_option_has_a_value_that_is_accepted() -> None:
    pytest.importorskip("tomllib")
    refused = [
        option.name
        for option in OPTIONS
        if not any(accepted(f"{option.name} = {value}\n") == (True, True) for value in VALUES.values())
    ]
    assert refused == []


def test_every_option_sets_a_field_of_the_settings_and_every_field_has_an_option() -> None:
    named = {option.field for option in OPTIONS} - {"extend_exclude"}  # part of `exclude`
    assert named == {field.name for field in fields(Settings)} - {"root", "source"}
    assert len({option.name for option in OPTIONS}) == len(OPTIONS)
    assert list(KEYS) == sorted(set(KEYS))
    assert {option.kind for option in OPTIONS} == set(Kind)


def test_the_documents_name_the_schema_and_every_option() -> None:
    text = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    assert PATH.relative_to(ROOT).as_posix() in text
    assert [option.name for option in OPTIONS if option.name not in text] == []
