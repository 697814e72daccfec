"""Documents, editors and outputs say of each rule's group, and of what is on by default, what the registry says."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from torchlsp.cli.main import main
from torchlsp.core.finding import GROUPS, Finding, Severity
from torchlsp.core.span import Span
from torchlsp.core.text import Document
from torchlsp.engine.config import Catalogue, Configuration, Overrides
from torchlsp.engine.engine import CheckResult, installed_rules
from torchlsp.lint.pages import declared, load_page
from torchlsp.lint.registry import rules
from torchlsp.report.formats import render
from torchlsp.report.sources import Sources
from torchlsp.report.text import Painter

ROOT = Path(__file__).parents[1]
RULES = rules()
DEFAULT = {info.code for info in RULES if info.is_default}
MENDED = sorted(code for code in DEFAULT if next(r for r in RULES if r.code == code).group != "correctness")
TEXTS = (
    "docs/configuration.md",
    "editors/README.md",
    "editors/vscode/README.md",
    "editors/neovim/doc/torchlsp.txt",
)


def text_of(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def test_every_group_has_rules_and_infos_are_no_mistakes() -> None:
    assert {info.group for info in RULES} == set(GROUPS)
    infos = [info.code for info in RULES if info.severity is Severity.INFO]
    assert [info.code for info in RULES if info.code in infos and info.group == "correctness"] == []
    assert not DEFAULT & set(infos)


def test_correctness_is_on_and_of_the_others_what_says_why() -> None:
    assert DEFAULT == {info.code for info in RULES if info.group == "correctness" or info.mended}
    assert [info.code for info in RULES if info.mended and info.group == "correctness"] == []


def test_what_nobody_mends_is_off() -> None:
    """True findings on unseen public code that nobody would have acted upon."""
    groups = {info.code: info.group for info in RULES}
    off = {"TL424": "style", "TL603": "style", "TL910": "style", "TL911": "style", "TL928": "style"}
    assert {code: groups[code] for code in off} == off
    assert not DEFAULT & off.keys()


def test_without_configuration_the_default_runs() -> None:
    catalogue = Catalogue(installed_rules())
    settings = Configuration(catalogue, Overrides(isolated=True)).for_path("x.py")
    assert catalogue.enabled(settings) == DEFAULT | {"TL000", "TL001"}


@pytest.mark.parametrize("path", TEXTS)
def test_documents_name_the_groups_and_the_default(path: str) -> None:
    text = " ".join(text_of(path).split())
    missing = [group for group in GROUPS if not re.search(rf"[*`\"]{group}[*`\"]", text)]
    assert missing == []
    named = re.search(
        r"(?:\*correctness\*|\"correctness\"\))(?: and, of the others, what people mend:|,) ((?:TL\d+(?:, | and )?)+)",
        text,
    )
    assert named is not None
    assert re.findall(r"TL\d+", named[1]) == MENDED


def test_the_settings_of_the_vscode_extension_name_them() -> None:
    properties = json.loads(text_of("editors/vscode/package.json"))["contributes"]["configuration"][
        "properties"
    ]
    description = properties["torchlsp.lint.select"]["markdownDescription"]
    assert re.findall(r"groups \((.*?)\)", description) == [", ".join(f"`{group}`" for group in GROUPS)]
    empty = description.partition("Empty: ")[2]
    assert re.findall(r"`(\w+)`|(TL\d+)", empty) == [("correctness", ""), *(("", code) for code in MENDED)]


def test_help_of_check_names_the_groups(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["check", "--help"])
    assert f"groups ({', '.join(GROUPS)})" in " ".join(capsys.readouterr().out.split())


def test_design_page_has_each_rule_with_its_group_and_default() -> None:
    text = text_of("docs/design/groups.md")
    found = {}
    for group in GROUPS:
        section = text.partition(f"\n## {group}\n")[2].partition("\n## ")[0]
        if group == "correctness":
            found |= dict.fromkeys(re.findall(r"\bTL\d+", section.partition("|---|---|")[2]), (group, "on"))
            continue
        for code, name, severity, default, why in re.findall(
            r"^\| (TL\d+) ([\w-]+) \| (\w+) \| (on|off) \| (.+) \|$", section, re.MULTILINE
        ):
            info = next(info for info in RULES if info.code == code)
            assert (name, severity) == (info.name, info.severity.value)
            assert why.endswith(".")
            found[code] = (group, default)
    assert found == {info.code: (info.group, "on" if info.is_default else "off") for info in RULES}


def test_pages_rules_and_sarif_say_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "--output-format", "json"]) == 0
    listed = {one["code"]: one for one in json.loads(capsys.readouterr().out)}
    findings = [Finding(info.code, info.name, "a.py", Span(0, 1), "message", info.severity) for info in RULES]
    groups_of = Catalogue(installed_rules()).groups()
    result = CheckResult(findings=findings, groups=groups_of, documents={"a.py": Document("a.py", "x = 1\n")})
    painter = Painter(False)
    sarif = json.loads(render("sarif", result, Sources({}), painter))
    described = {one["id"]: one for one in sarif["runs"][0]["tool"]["driver"]["rules"]}
    groups = {one["code"]: one["group"] for one in json.loads(render("json", result, Sources({}), painter))}
    for info in RULES:
        assert load_page(info.page_path).declared == declared(info)
        assert (listed[info.code]["group"], listed[info.code]["default"]) == (info.group, info.is_default)
        assert described[info.code]["properties"] == {"tags": [info.group], "onByDefault": info.is_default}
        assert groups[info.code] == info.group
