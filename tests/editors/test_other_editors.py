"""What editors/README.md and the folders beside it give to editors that are not started here: it has the keys that these read."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from editor_availability import ROOT
from editor_project import block

import torchlsp
from torchlsp.server.settings import EditorSettings, read_settings

EDITORS = ROOT / "editors"
HERE = Path(__file__).parent


def toml(text: str) -> dict[str, Any]:
    return pytest.importorskip("tomllib").loads(text)


def test_helix_starts_the_server_and_gets_its_settings() -> None:
    languages = toml(block("Helix", "toml", 0))
    server = languages["language-server"]["torchlsp"]
    assert [server["command"], *server["args"]] == ["torchlsp", "server"]
    assert "torchlsp" in languages["language"][0]["language-servers"]
    # Helix answers the section `torchlsp` with this entry.
    settings, problems = read_settings(server["config"]["torchlsp"])
    assert (settings.hints_sizes, problems) == (True, [])


def test_sublime_text_starts_the_server_and_gets_its_settings() -> None:
    told = json.loads(block("Sublime Text", "json"))
    # The names are those of the JSON schema of LSP 2.9, which allows no others.
    assert set(told) <= {"clients", "show_inlay_hints", "lsp_code_actions_on_save"}
    client = told["clients"]["torchlsp"]
    assert set(client) <= {"enabled", "command", "selector", "settings", "initialization_options", "env"}
    assert (client["enabled"], client["command"], client["selector"]) == (
        True,
        ["torchlsp", "server"],
        "source.python",
    )
    settings, problems = read_settings(
        {name.removeprefix("torchlsp."): value for name, value in client["settings"].items()}
    )
    assert (settings.hints_sizes, problems) == (True, [])


def test_zed_is_told_the_server_by_the_extension() -> None:
    manifest = toml((EDITORS / "zed" / "extension.toml").read_text(encoding="utf-8"))
    # What Zed requires of a manifest, and what it reads of a language server.
    assert {"id", "name", "version", "schema_version"} <= set(manifest)
    assert (manifest["schema_version"], manifest["version"]) == (1, torchlsp.__version__)
    server = manifest["language_servers"]["torchlsp"]
    assert set(server) <= {"name", "languages", "language_ids", "code_action_kinds"}
    assert (server["languages"], server["language_ids"]) == (["Python"], {"Python": "python"})
    package = toml((EDITORS / "zed" / "Cargo.toml").read_text(encoding="utf-8"))
    assert package["lib"]["crate-type"] == ["cdylib"]
    assert package["package"]["version"] == torchlsp.__version__
    assert package["dependencies"] == {"zed_extension_api": "0.7.0"}


def test_the_settings_of_zed_are_the_server_s() -> None:
    told = json.loads(block("Zed", "json"))
    assert told["languages"]["Python"]["language_servers"][0] == "torchlsp"
    settings, problems = read_settings(told["lsp"]["torchlsp"]["settings"])
    assert (settings.hints_sizes, problems) == (True, [])


@pytest.mark.processes
def test_the_extension_for_zed_compiles_against_the_signatures_that_it_uses(tmp_path: Path) -> None:
    rustc = shutil.which("rustc")
    if rustc is None:
        pytest.skip("rustc is needed")
    options = ["--edition", "2021", "--out-dir", str(tmp_path), "-D", "warnings"]
    interface = HERE / "zed_interface" / "zed_extension_api.rs"
    subprocess.run([rustc, *options, "--crate-type", "rlib", str(interface)], check=True, timeout=100)
    library = tmp_path / "libzed_extension_api.rlib"
    extension = EDITORS / "zed" / "src" / "lib.rs"
    done = subprocess.run(
        [rustc, *options, "--crate-type", "rlib", "--crate-name", "zed_torchlsp", "--emit", "metadata",
         "--extern", f"zed_extension_api={library}", str(extension)],
        capture_output=True, text=True, check=False, timeout=100,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_jetbrains_ides_import_the_template() -> None:
    folder = EDITORS / "jetbrains" / "torchlsp"
    # The files and keys that LSP4IJ 0.20 reads of a template.
    read = {
        "template.json",
        "settings.json",
        "settings.schema.json",
        "initializationOptions.json",
        "README.md",
    }
    assert {path.name for path in folder.iterdir()} <= read
    template = json.loads((folder / "template.json").read_text(encoding="utf-8"))
    assert set(template) == {"id", "name", "programArgs", "fileTypeMappings"}
    assert template["programArgs"] == {"default": "torchlsp server"}
    patterns = {}
    for mapping in template["fileTypeMappings"]:
        assert set(mapping) == {"fileType", "languageId"}
        assert set(mapping["fileType"]) <= {"name", "patterns"}
        patterns[mapping["languageId"]] = mapping["fileType"]["patterns"]
    assert patterns == {"python": ["*.py"], "toml": ["torchlsp.toml", "pyproject.toml"]}
    table = json.loads((folder / "settings.json").read_text(encoding="utf-8"))
    assert set(table) == {"torchlsp"}
    assert read_settings(table["torchlsp"]) == (EditorSettings(), [])
