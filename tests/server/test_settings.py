"""The editor's settings, in every form in which editors send them."""

from __future__ import annotations

import pytest

from torchlsp.server.settings import EditorSettings, read_settings


def test_nested_and_dotted_keys_say_the_same():
    nested = {"lint": {"select": ["TL1"], "run": "onSave"}, "inlayHints": {"shapes": False}}
    dotted = {"lint.select": ["TL1"], "lint.run": "onSave", "inlayHints.shapes": False}
    expected = EditorSettings(select=("TL1",), run="onSave", hints_shapes=False)
    assert read_settings(nested) == read_settings(dotted) == (expected, [])


@pytest.mark.parametrize("nothing", [None, {}, [], "text", 7, {"lint": {}}])
def test_no_settings_are_the_defaults(nothing):
    assert read_settings(nothing)[0] == EditorSettings()


def test_null_is_the_default_even_over_an_earlier_setting():
    before = EditorSettings(select=("TL1",), hover=False)
    assert read_settings({"lint.select": None, "hover": {"enable": None}}, before) == (EditorSettings(), [])


def test_what_is_not_said_stays():
    before = EditorSettings(select=("TL1",))
    assert read_settings({"enable": False}, before) == (EditorSettings(enable=False, select=("TL1",)), [])


def test_codes_may_come_as_one_text():
    assert read_settings({"lint": {"select": "TL1, TL2,", "ignore": []}})[0].select == ("TL1", "TL2")


def test_an_empty_selection_selects_what_none_does():
    before = EditorSettings(select=("TL1",), ignore=("TL2",), interpreter="python", configuration="a.toml")
    empty = {"lint": {"select": [], "ignore": []}, "interpreter": "", "configuration": ""}
    assert read_settings(empty, before) == (EditorSettings(), [])


def test_the_editor_s_own_settings_are_left_alone():
    theirs = {"path": ["x"], "trace": {"server": "verbose"}, "trace.server": "off", "logLevel": "debug"}
    assert read_settings(theirs) == (EditorSettings(), [])


@pytest.mark.parametrize(
    ("table", "word"),
    [
        ({"lint": {"selct": []}}, "torchlsp.lint.select"),
        ({"inlayHint.shapes": True}, "torchlsp.inlayHints.shapes"),
        ({"lint.run": "sometimes"}, "onType or onSave"),
        ({"lint.select": [1]}, "list of codes"),
        ({"lint.select": {"TL1": True}}, "torchlsp.lint.select"),
        ({"enable": "yes"}, "true or false"),
        ({"hover.enable": 1}, "true or false"),
        ({"hover.documentation": "long"}, "full, short or off"),
        ({"hover": {"documentation": True}}, "full, short or off"),
        ({"debounce": True}, "milliseconds"),
        ({"debounce": -1}, "milliseconds"),
        ({"debounce": float("nan")}, "milliseconds"),
        ({"configuration": ["a"]}, "path"),
        ({"interpreter": {"python": 3}}, "torchlsp.interpreter"),
    ],
)
def test_one_wrong_entry_is_named_and_the_others_hold(table, word: str):
    found, problems = read_settings(table | {"inlayHints.modules": True})
    assert found == EditorSettings(hints_modules=True)
    (problem,) = problems
    assert word in problem and "\n" not in problem


@pytest.mark.parametrize("much", ["full", "short", "off"])
def test_how_much_documentation_a_hover_shows(much: str):
    assert read_settings({"hover": {"documentation": much}}) == (EditorSettings(documentation=much), [])


def test_documentation_is_short_unless_said_otherwise():
    assert EditorSettings().documentation == "short"


def test_milliseconds():
    assert read_settings({"debounce": 250})[0].debounce == 0.25


def test_trust_is_not_a_setting():
    found, problems = read_settings({"trusted": True})
    assert not found.trusted
    assert problems
