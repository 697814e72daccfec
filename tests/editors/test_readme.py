"""What editors/README.md says of the server is so."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from torchlsp.server.settings import EditorSettings, read_settings

README = (Path(__file__).parents[2] / "editors" / "README.md").read_text(encoding="utf-8")


def rows(heading: str) -> list[list[str]]:
    """The cells of the first table below a heading, code marks left out."""
    below = README.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in below.splitlines() if line.startswith("|")][2:]
    return [[cell.strip().strip("`") for cell in line.strip("|").split("|")] for line in lines]


@pytest.mark.parametrize(("key", "default"), [(key, default) for key, default, _ in rows("Settings")])
def test_each_setting_has_its_default(key, default):
    settings, problems = read_settings({key: json.loads(default)})
    assert (settings, problems) == (EditorSettings(), [])


def test_no_setting_is_left_out():
    said = "\n".join(f"{key}: {default}" for key, default, _ in rows("Settings"))
    # Every key changes a field of its own, and every field but trust has a key.
    others = {"true": False, "false": True, "75": 10, "[]": ["TL1"], '"onType"': "onSave"}
    special = {
        "configuration": "torchlsp.toml",
        "interpreter": "python",
        "lint.select": ["TL1"],
        "hover.documentation": "full",
        "probe.on": "ssh gpu1",
    }
    table = {key: special.get(key, others.get(default)) for key, default, _ in rows("Settings")}
    settings, problems = read_settings(table)
    assert problems == []
    same = {
        name
        for name in EditorSettings.__slots__
        if getattr(settings, name) == getattr(EditorSettings(), name)
    }
    assert same == {"trusted"}, said


def test_commands_and_kinds_are_those_of_the_server():
    from torchlsp.server.main import create

    server = create()
    assert {name for name, _, _ in rows("Code actions and commands")} == set(server.protocol.fm.commands)
    from torchlsp.server.features.actions import FIX_ALL

    assert re.search(rf"`{re.escape(FIX_ALL)}`", README)
