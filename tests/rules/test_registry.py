"""Rules are found by their files, without importing them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from torchlsp.core.finding import Severity
from torchlsp.lint import registry
from torchlsp.lint.registry import RegistryError, discover

RULE = '''"""TL501: gradients pile up."""

from torchlsp.lint import rule


@rule("TL501", severity="error", group="correctness")
def missing_zero_grad(check):
    yield from ()
'''


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / "training" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return folder


def test_declaration_is_read_from_the_text(tmp_path: Path):
    (info,) = discover(written(tmp_path, "missing_zero_grad.py", RULE), "some.package")
    assert (info.code, info.name, info.severity) == ("TL501", "missing-zero-grad", Severity.ERROR)
    assert (info.group, info.is_default) == ("correctness", True)
    assert (info.folder, info.summary, info.preview) == ("training", "gradients pile up.", "")
    assert info.page_path == tmp_path / "training" / "missing_zero_grad.md"
    assert info.module == "some.package.training.missing_zero_grad"


def test_preview_carries_its_reason(tmp_path: Path):
    text = RULE.replace('severity="error"', 'severity="warning", preview="needs loaders"')
    (info,) = discover(written(tmp_path, "missing_zero_grad.py", text), "some.package")
    assert (info.severity, info.preview) == (Severity.WARNING, "needs loaders")


def test_what_does_not_hold_of_a_rule_carries_its_reason(tmp_path: Path):
    text = RULE.replace(
        'severity="error"', 'severity="error", unproven="it takes a file", hint="it may be meant"'
    )
    (info,) = discover(written(tmp_path, "missing_zero_grad.py", text), "some.package")
    assert (info.unproven, info.hint, info.chosen_sizes) == ("it takes a file", "it may be meant", "")


@pytest.mark.parametrize(
    ("declared", "is_default"),
    [
        ('"error", group="correctness"', True),
        ('"info", group="correctness"', False),
        ('"warning", group="correctness", preview="not yet"', False),
        ('"warning", group="style"', False),
        ('"warning", group="performance"', False),
        ('"warning", group="upgrade"', False),
        ('"warning", group="upgrade", mended="torch warns, and people listen"', True),
        ('"warning", group="upgrade", mended="people listen", preview="not yet"', False),
        ('"info", group="upgrade", mended="people listen"', False),
    ],
)
def test_on_by_default_is_correctness_and_what_people_mend(tmp_path: Path, declared: str, is_default: bool):
    text = RULE.replace('"error", group="correctness"', declared)
    (info,) = discover(written(tmp_path, "missing_zero_grad.py", text), "some.package")
    assert info.is_default is is_default


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("missing_zero_grad.py", "x = 1\n", "no `@rule"),
        (
            "missing_zero_grad.py",
            RULE.replace('"error"', '"fatal"'),
            "an option or a value that is not known",
        ),
        ("missing_zero_grad.py", RULE.replace('"error"', '"error", colour="red"'), "an option or a value"),
        (
            "missing_zero_grad.py",
            RULE.replace("correctness", "corectness"),
            "one of correctness, .*not `corec",
        ),
        ("missing_zero_grad.py", RULE.replace(', group="correctness"', ""), "the group of a rule is one of"),
        ("other_name.py", RULE, "must have the file's name"),
    ],
)
def test_broken_declaration_names_the_file(tmp_path: Path, name: str, text: str, message: str):
    with pytest.raises(RegistryError, match=message) as caught:
        discover(written(tmp_path, name, text), "some.package")
    assert name in str(caught.value)


def test_a_code_is_used_once(tmp_path: Path):
    written(tmp_path, "missing_zero_grad.py", RULE)
    written(tmp_path, "other_name.py", RULE.replace("def missing_zero_grad", "def other_name"))
    with pytest.raises(RegistryError, match="TL501 is also missing-zero-grad"):
        discover(tmp_path, "some.package")


def test_installed_rules_load_as_they_declare_themselves():
    for info in registry.rules():
        rule = registry.load(info)
        assert (rule.code, rule.name, rule.severity) == (info.code, info.name, info.severity)
        assert rule.group == info.group
        assert registry.find(info.code.lower()) == registry.find(info.name) == info


def test_listing_the_rules_imports_none(tmp_path: Path):
    before = set(sys.modules)
    discover(written(tmp_path, "missing_zero_grad.py", RULE), "some.package")
    assert set(sys.modules) == before
