"""Configuration: which file holds, what it may say, and what is said about mistakes in it."""

from __future__ import annotations

import pytest
from fake_analysis import RULES

from torchlsp.core.finding import Severity
from torchlsp.engine.config import Catalogue, ConfigError, Configuration, Overrides, Settings
from torchlsp.engine.globs import matcher

CATALOGUE = Catalogue(RULES)


def configuration(**overrides) -> Configuration:
    return Configuration(CATALOGUE, Overrides(**overrides))


def refused(**overrides) -> str:
    with pytest.raises(ConfigError) as caught:
        configuration(**overrides).for_path("x.py")
    return str(caught.value)


def test_torchlsp_toml_beats_pyproject_in_one_folder(project) -> None:
    project({"torchlsp.toml": 'ignore = ["TL101"]', "pyproject.toml": '[tool.torchlsp]\nignore = ["TL102"]'})
    assert configuration().for_path("x.py").ignore == ("TL101",)


def test_the_nearest_file_upwards_holds_alone(project) -> None:
    root = project(
        {
            "torchlsp.toml": 'ignore = ["TL101"]\npreview = true',
            "a/torchlsp.toml": 'select = ["TL5"]',
            "a/b/x.py": "",
            "c/pyproject.toml": '[project]\nname = "no-table-of-ours"\ndescription = "torchlsp"',
        }
    )
    found = configuration()
    inner = found.for_path("a/b/x.py")
    assert (inner.select, inner.ignore, inner.preview) == (("TL5",), (), False)
    assert inner.root == str(root / "a")
    assert found.for_path("c/y.py").ignore == ("TL101",)


def test_isolated_and_config(project) -> None:
    project({"torchlsp.toml": 'ignore = ["TL101"]', "other.toml": 'ignore = ["TL102"]'})
    assert configuration(isolated=True).for_path("x.py").ignore == ()
    assert configuration(config="other.toml").for_path("x.py").ignore == ("TL102",)
    assert "cannot read" in refused(config="absent.toml")


def test_every_key_is_read(project) -> None:
    project(
        {
            "torchlsp.toml": """
select = ["ALL"]
extend-select = ["still-in-preview"]
ignore = ["TL5"]
exclude = ["gen"]
extend-exclude = ["more/**"]
torch-version = "2.13"
preview = true
rules-url = "https://example.invalid/"
hover.documentation = "off"
[severity]
TL101 = "warning"
[per-file-ignores]
"tests/**" = ["TL101"]
"""
        }
    )
    settings = configuration().for_path("x.py")
    assert settings.exclude == ("gen", "more/**")
    assert settings.severity == (("TL101", Severity.WARNING),)
    assert settings.per_file_ignores == (("tests/**", ("TL101",)),)
    assert (settings.torch_version, settings.preview) == ("2.13", True)
    assert settings.hover_documentation == "off"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('\nselects = ["ALL"]', "torchlsp.toml:2: unknown key `selects`, did you mean `select`?"),
        (
            'extend_select = ["TL101"]',
            "torchlsp.toml:1: unknown key `extend_select`, did you mean `extend-select`?",
        ),
        (
            '[tool.torchlsp]\nselect = ["TL1"]',
            "torchlsp.toml:1: unknown table `tool`: options stand at the top of this file",
        ),
        (
            '[lint]\nignore = ["TL1"]',
            "torchlsp.toml:1: unknown table `lint`: options stand at the top of this",
        ),
        ("[lint]\nline-length = 1", "torchlsp.toml:1: unknown key `lint`"),
        (
            'select = [\n  "TL101",\n  "TL5O1",\n]',
            "torchlsp.toml:3: unknown rule `TL5O1`, did you mean `TL501`?",
        ),
        (
            'ignore = ["view-on-noncontigous"]',
            "torchlsp.toml:1: unknown rule `view-on-noncontigous`, did you mean `view-on-noncontiguous`?",
        ),
        ('ignore = ["stile"]', "torchlsp.toml:1: unknown rule `stile`, did you mean `style`?"),
        (
            '[per-file-ignores]\n"a.py" = ["perfomance"]',
            "torchlsp.toml:2: unknown rule `perfomance`, did you mean `performance`?",
        ),
        ('select = "TL101"', "torchlsp.toml:1: `select` must be a list of strings"),
        (
            '[severity]\nTL101 = "fatal"',
            "torchlsp.toml:2: severity must be error, warning or info, not `fatal`",
        ),
        ('[severity]\nTL999 = "error"', "torchlsp.toml:2: unknown rule `TL999`"),
        ('[per-file-ignores]\n"a.py" = ["XX"]', "torchlsp.toml:2: unknown rule `XX`"),
        ("hover = true", "torchlsp.toml:1: `hover` must be a table"),
        ('hover.documentation = "long"', "torchlsp.toml:1: `hover.documentation` must be full, short or off"),
        (
            "[hover]\nenabled = false",
            "torchlsp.toml:2: unknown key `hover.enabled`, did you mean `hover.documentation`?",
        ),
        ("preview = 1", "torchlsp.toml:1: `preview` must be true or false"),
        ('respect-gitignore = "no"', "torchlsp.toml:1: `respect-gitignore` must be true or false"),
        (
            "respect_gitignore = true",
            "torchlsp.toml:1: unknown key `respect_gitignore`, did you mean `respect-",
        ),
        (
            'torch-version = "new"',
            "torchlsp.toml:1: `torch-version` must look like 2.13 or 2.13.0, not `new`",
        ),
        ("select = [", "not valid TOML"),
    ],
)
def test_mistakes_name_file_row_and_spelling(project, text: str, message: str) -> None:
    project({"torchlsp.toml": text})
    assert message in refused()


def test_rows_count_from_the_top_of_pyproject(project) -> None:
    project({"pyproject.toml": '[project]\nname = "x"\nignore = 1\n\n[tool.torchlsp]\nignores = ["TL101"]'})
    assert "pyproject.toml:6: unknown key `ignores`, did you mean `ignore`?" in refused()


def test_options_are_judged_too() -> None:
    assert refused(select=("TL01",)).startswith("--select: unknown rule `TL01`")
    for option in ("select", "extend_select", "ignore"):
        found = refused(**{option: ("corectness",)})
        assert found.endswith("unknown rule `corectness`, did you mean `correctness`?")


def enabled(**settings) -> set[str]:
    return set(CATALOGUE.enabled(Settings(root="/", **settings))) - {"TL000", "TL001"}


def test_selection() -> None:
    default = {"TL101", "TL102", "TL501", "TL904"}
    assert enabled() == default
    assert enabled(preview=True) == {*default, "TL901"}
    assert enabled(select=("ALL",)) == {*default, "TL103", "TL902", "TL903"}
    assert enabled(select=("TL1",), ignore=("TL101",)) == {"TL102", "TL103"}
    assert enabled(select=("TL101",), ignore=("TL1",)) == {"TL101"}
    assert enabled(select=("TL101",), ignore=("TL101",)) == set()
    assert enabled(select=("TL9",)) == {"TL902", "TL903", "TL904"}
    assert enabled(select=("TL901",)) == {"TL901"}
    assert enabled(extend_select=("only-a-hint",)) == {*default, "TL103"}


def test_groups_are_selected_and_ignored_like_codes() -> None:
    default = enabled()
    assert enabled(select=("performance",)) == {"TL902"}
    assert enabled(select=("Performance", "upgrade")) == {"TL902", "TL903", "TL904"}
    assert enabled(select=("performance",), preview=True) == {"TL902", "TL905"}
    assert enabled(select=("correctness",)) == {"TL101", "TL102", "TL103", "TL501"}
    assert enabled(extend_select=("upgrade",)) == {*default, "TL903"}
    assert enabled(ignore=("upgrade",)) == default - {"TL904"}
    assert enabled(select=("ALL",), ignore=("correctness",)) == {"TL902", "TL903", "TL904"}
    assert enabled(select=("style",)) == set()


def test_between_a_group_and_a_prefix_what_is_ignored_wins() -> None:
    assert enabled(select=("upgrade", "performance"), ignore=("TL90",)) == set()
    assert enabled(select=("TL90",), ignore=("upgrade",)) == {"TL902"}
    assert enabled(select=("TL903",), ignore=("upgrade",)) == {"TL903"}
    assert enabled(select=("upgrade",), ignore=("TL903",)) == {"TL904"}
    assert enabled(select=("upgrade",), ignore=("upgrade",)) == set()


def test_no_group_holds_the_tools_own_rules() -> None:
    for options in ({"select": ("style",)}, {"ignore": ("correctness",)}):
        assert {"TL000", "TL001"} <= CATALOGUE.enabled(Settings(root="/", **options))


def test_infos_of_a_selected_group_are_shown() -> None:
    chosen = CATALOGUE.chosen_by_hand(Settings(root="/", select=("correctness",)))
    assert chosen == {"TL101", "TL102", "TL103", "TL501", "TL901"}
    assert CATALOGUE.chosen_by_hand(Settings(root="/")) == set()


def test_the_tools_own_rules_stay_on_unless_ignored() -> None:
    assert "TL000" in CATALOGUE.enabled(Settings(root="/", select=("TL101",)))
    assert "TL000" not in CATALOGUE.enabled(Settings(root="/", ignore=("TL000",)))


@pytest.mark.parametrize(
    ("pattern", "covered", "not_covered"),
    [
        ("build", ["build", "build/a.py", "a/build/b.py"], ["builder", "a/rebuild"]),
        ("*_pb2.py", ["a_pb2.py", "x/a_pb2.py"], ["a_pb2.pyx"]),
        ("a/b", ["a/b", "a/b/c.py"], ["x/a/b", "a/bc"]),
        ("./a/*.py", ["a/x.py"], ["a/b/x.py"]),
        ("a/**/*.py", ["a/x.py", "a/b/c/x.py"], ["b/x.py"]),
        ("tests/", ["tests/x.py", "a/tests/x.py"], ["tests.py"]),
        ("*a*b*c*", ["xabc", "d/abc/e.py", "a.b.c.py"], ["acb", "a/b/c"]),
        ("a/**/b/**/*.py", ["a/b/x.py", "a/c/b/d/x.py", "a/b/x.py/y"], ["a/x.py", "b/x.py"]),
    ],
)
def test_patterns(pattern: str, covered: list[str], not_covered: list[str]) -> None:
    match = matcher([pattern])
    assert [path for path in covered if not match(path)] == []
    assert [path for path in not_covered if match(path)] == []
    assert not matcher([])("anything")
