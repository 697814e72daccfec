"""The VS Code extension as a package: it is built, and what it declares is what its code and the server have."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from editor_availability import ROOT
from extension_packages import EXTENSION, packages, program

import torchlsp
from torchlsp.engine.documentation_pages import RulePages
from torchlsp.lint.registry import rules
from torchlsp.server.features.actions import FIX_ALL
from torchlsp.server.main import create
from torchlsp.server.settings import EditorSettings, read_settings

MANIFEST: dict[str, Any] = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))
CONTRIBUTED: dict[str, Any] = MANIFEST["contributes"]
SETTINGS: dict[str, dict[str, Any]] = {
    key.removeprefix("torchlsp."): value for key, value in CONTRIBUTED["configuration"]["properties"].items()
}
SOURCES = {file.name: file.read_text(encoding="utf-8") for file in sorted((EXTENSION / "src").glob("*.ts"))}
README = (EXTENSION / "README.md").read_text(encoding="utf-8")
PACKED = {
    "[Content_Types].xml",
    "extension.vsixmanifest",
    "extension/LICENSE.txt",
    "extension/changelog.md",
    "extension/dist/extension.js",
    "extension/media/icon.png",
    "extension/package.json",
    "extension/readme.md",
    *(f"extension/media/walkthrough/{name}.md" for name in ("install", "look", "open", "prove")),
}
# Nine tenths of it are the language client, minified.
LIMIT = 122 * 1024


def quoted(names: str) -> set[str]:
    """The names `torchlsp.…` that stand in quotes in the code."""
    return set(re.findall(rf'"(torchlsp\.{names})"', "\n".join(SOURCES.values())))


def commands_of_server() -> set[str]:
    return set(create().protocol.fm.commands)


def registered() -> set[str]:
    """The commands that the extension registers."""
    return set(re.findall(r'^    "(torchlsp\.\w+)":', SOURCES["commands.ts"], re.MULTILINE))


def contributed() -> dict[str, dict[str, str]]:
    return {one["command"]: one for one in CONTRIBUTED["commands"]}


# ---- what can be told from the text -----------------------------------------------------------------------------------


def test_the_palette_has_every_command_and_no_other():
    of_server = commands_of_server()
    assert registered().isdisjoint(of_server), "the client registers the server's commands by itself"
    assert registered() <= contributed().keys()
    assert contributed().keys() - registered() <= of_server
    assert all(one["category"] == "torchlsp" for one in CONTRIBUTED["commands"])


def test_the_code_calls_commands_that_there_are():
    called = quoted(r"\w+") - set(contexts())
    # A status item's identifier is none of a command.
    items = set(re.findall(r'createLanguageStatusItem\("(.+?)"', "\n".join(SOURCES.values())))
    # A setting by its whole name.
    named = {f"torchlsp.{key}" for key in SETTINGS}
    assert called - items - named <= registered() | commands_of_server()


def contexts() -> dict[str, str]:
    """The context keys that the extension sets, with the server's command that each stands for."""
    table = dict(re.findall(r'"(torchlsp\.offers\w+)": (\w+)', SOURCES["server_commands.ts"]))
    values = dict(re.findall(r'^export const (\w+) = "(.+?)";', SOURCES["server_commands.ts"], re.MULTILINE))
    assert '"setContext", "torchlsp.ready"' in SOURCES["extension.ts"]
    return {key: values[name] for key, name in table.items()} | {"torchlsp.ready": ""}


def test_what_depends_on_the_server_appears_only_while_it_offers_it():
    conditions = [one.get("enablement", "") for one in CONTRIBUTED["commands"]]
    conditions += [one["when"] for one in CONTRIBUTED["menus"]["commandPalette"]]
    used = {key for condition in conditions for key in re.findall(r"torchlsp\.\w+", condition)}
    assert used == set(contexts())
    assert set(contexts().values()) - {""} <= commands_of_server()
    shown = {one["command"]: one["when"] for one in CONTRIBUTED["menus"]["commandPalette"]}
    names = ("explainRule", "probeHere", "checkWorkspace", "recordRun")
    assert shown.keys() == {f"torchlsp.{name}" for name in names}
    assert all(contributed()[command]["enablement"] == when for command, when in shown.items())


def test_settings_have_the_server_s_names_and_defaults():
    assert read_settings({key: one["default"] for key, one in SETTINGS.items()}) == (EditorSettings(), [])
    # Every field of the server's is set by one of them; trust cannot be set.
    others = {
        "boolean": lambda one: not one["default"],
        "number": lambda one: one["default"] + 1,
        "array": lambda one: ["TL1"],
        "string": lambda one: one["enum"][-1] if "enum" in one else "somewhere",
    }
    changed, problems = read_settings({key: others[one["type"]](one) for key, one in SETTINGS.items()})
    assert problems == []
    same = {
        name for name in EditorSettings.__slots__ if getattr(changed, name) == getattr(EditorSettings(), name)
    }
    assert same == {"trusted"}


def test_only_the_machine_chooses_what_is_run():
    scopes = {key: one["scope"] for key, one in SETTINGS.items()}
    of_machine = {key for key, scope in scopes.items() if scope == "machine-overridable"}
    assert of_machine == {"path", "interpreter", "probe.enable"}
    # A command is the user's own: no folder's settings can name one, trusted or not.
    assert {key for key, scope in scopes.items() if scope == "machine"} == {"probe.on"}
    assert set(scopes.values()) == {"machine", "machine-overridable", "resource"}
    limits = MANIFEST["capabilities"]["untrustedWorkspaces"]
    assert limits["supported"] == "limited"
    assert set(limits["restrictedConfigurations"]) == {
        "torchlsp.path",
        "torchlsp.interpreter",
        "torchlsp.probe.on",
        "torchlsp.configuration",
    }
    assert MANIFEST["capabilities"]["virtualWorkspaces"]["supported"] is False
    assert "extensionDependencies" not in MANIFEST


def test_settings_that_the_extension_reads_are_declared():
    read = set(re.findall(r'pathSetting\("(\w+)"', "\n".join(SOURCES.values())))
    assert read == {"path", "interpreter"}
    (paths,) = re.findall(r"const PATHS = \[(.+?)\]", SOURCES["settings.ts"])
    assert read | set(re.findall(r'"(\w+)"', paths)) <= SETTINGS.keys()


def test_programs_of_the_workspace_are_run_only_where_it_is_trusted():
    trusted = {
        name for name, one in contributed().items() if "isWorkspaceTrusted" in one.get("enablement", "")
    }
    assert trusted == {"torchlsp.install", "torchlsp.recordRun"}
    for file in ("install.ts", "records.ts"):
        assert "!workspace.isTrusted" in SOURCES[file]


def test_the_readme_tells_all_commands_and_settings():
    for one in CONTRIBUTED["commands"]:
        assert one["title"] in README, one
    table = README.partition("\n## Settings\n")[2].partition("\n## ")[0]
    told: dict[str, str] = {}
    for row in re.findall(r"^\| `(.+?) \| (.+?) \|", table, re.MULTILINE):
        told |= dict.fromkeys(re.findall(r"[\w.]+", row[0]), row[1].strip("`"))
    said = {key: "empty" if one["default"] == "" else one["default"] for key, one in SETTINGS.items()}
    assert told == {
        key: value if isinstance(value, str) else json.dumps(value) for key, value in said.items()
    }
    assert f'"{FIX_ALL}"' in README


def test_the_readme_s_pictures_are_there_and_small():
    pictures = re.findall(r"^!\[.+\]\((media/\w+\.png)\)$", README, re.MULTILINE)
    assert len(pictures) == README.count("![") == 4
    for name in pictures:
        data = (EXTENSION / name).read_bytes()
        assert data.startswith(b"\x89PNG") and len(data) < 80 * 1024, name


def test_the_version_and_the_licence_are_those_of_the_server():
    assert MANIFEST["version"] == torchlsp.__version__
    assert f"\n## {torchlsp.__version__}\n" in (EXTENSION / "CHANGELOG.md").read_text(encoding="utf-8")
    assert (EXTENSION / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


def test_fixing_on_save_is_declared_under_the_server_s_name():
    kinds = [action["kind"] for one in CONTRIBUTED["codeActions"] for action in one["actions"]]
    assert kinds == [FIX_ALL]


def test_pages_of_rules_are_shown_as_they_are_meant_to_be_read():
    (pattern,) = CONTRIBUTED["configurationDefaults"]["workbench.editorAssociations"]
    assert pattern == "**/torchlsp/rules/*/*.md"
    written = RulePages()
    pages = [Path(str(written.path(rule.code))).as_posix() for rule in rules()]
    assert len(pages) > 50 and not {rule.page_path.as_posix() for rule in rules()} & set(pages)
    assert [page for page in pages if not re.search(r"/torchlsp/rules/[^/]+/[^/]+\.md$", page)] == []


def test_the_walkthrough_leads_to_what_there_is():
    (walkthrough,) = CONTRIBUTED["walkthroughs"]
    steps = {step["id"]: step for step in walkthrough["steps"]}
    assert list(steps) == ["install", "open", "look", "prove"]
    for step in steps.values():
        assert (EXTENSION / step["media"]["markdown"]).is_file()
    text = json.dumps(walkthrough)
    called = set(re.findall(r"(?:command:|onCommand:)(torchlsp\.\w+)", text))
    assert called and called <= contributed().keys() | commands_of_server()
    assert set(re.findall(r"onContext:(torchlsp\.\w+)", text)) <= set(contexts())


@pytest.mark.processes
def test_the_example_has_the_two_mistakes_that_the_walkthrough_speaks_of(tmp_path):
    (example,) = re.findall(r"`(.+)`", SOURCES["example.ts"], re.DOTALL)
    assert "${" not in example and "\\" not in example
    file = tmp_path / "example.py"
    file.write_text(example, encoding="utf-8")
    command = [sys.executable, "-m", "torchlsp", "check", "--isolated", "--output-format", "json", str(file)]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=100)
    found = json.loads(done.stdout)
    assert [one["code"] for one in found] == ["TL101", "TL501"]
    pages = {
        name: (EXTENSION / f"media/walkthrough/{name}.md").read_text(encoding="utf-8")
        for name in ("open", "look")
    }
    (quotation,) = re.findall(r"```python\n(.+?)```", pages["open"], re.DOTALL)
    for row in quotation.splitlines():
        assert f"        {row}\n" in example
    message = " ".join(re.findall(r"```text\n(.+?)```", pages["look"], re.DOTALL)[0].split())
    assert message.startswith(found[0]["message"])
    assert found[0]["fix"]["title"] in pages["look"]


def test_the_lock_names_no_registry():
    lock = json.loads((EXTENSION / "package-lock.json").read_text(encoding="utf-8"))
    packages = {name: one for name, one in lock["packages"].items() if name}
    assert len(packages) > 50
    assert not [name for name, one in packages.items() if "resolved" in one]
    # What is fetched is held to its checksum, whoever serves it.
    assert not [name for name, one in packages.items() if not one.get("integrity", "").startswith("sha512-")]


# ---- what is built ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory):
    """Runs a script of the package in a copy of it, and gives the copy."""
    node, npm, installed = program("node"), program("npm"), packages()
    copy = tmp_path_factory.mktemp("extension") / "vscode"
    left_out = shutil.ignore_patterns("node_modules", "dist", "*.vsix")
    shutil.copytree(EXTENSION, copy, ignore=left_out)
    (copy / "node_modules").symlink_to(installed)
    path = os.pathsep.join([str(node.parent), os.environ["PATH"]])

    def run(script: str) -> Path:
        done = subprocess.run(
            [npm, "run", script],
            cwd=copy,
            env={"HOME": str(copy.parent), "PATH": path},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return copy

    return run


@pytest.mark.slow
def test_the_types_are_right(build):
    copy = build("check")
    # The check can fail.
    broken = copy / "src" / "broken.ts"
    broken.write_text('export const number: number = "text";\n')
    with pytest.raises(AssertionError, match=r"broken\.ts"):
        build("check")
    broken.unlink()


@pytest.mark.slow
def test_the_package_holds_what_it_should_and_no_more(build):
    copy = build("package")
    (package,) = copy.glob("*.vsix")
    assert package.stat().st_size < LIMIT
    with zipfile.ZipFile(package) as archive:
        assert set(archive.namelist()) == PACKED
        readme = archive.read("extension/readme.md").decode()
        code = archive.read("extension/dist/extension.js").decode()
        manifest = json.loads(archive.read("extension/package.json"))
    # VS Code shows none of its own pictures there.
    assert "![" in README and "![" not in readme
    assert [row for row in README.splitlines() if row.startswith("#")] == [
        row for row in readme.splitlines() if row.startswith("#")
    ]
    assert str(copy.parent) not in code
    assert (copy / manifest["main"]).read_text(encoding="utf-8") == code
