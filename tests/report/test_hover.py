"""Descriptions as Markdown and as plain text: `§` in a program stands just before the place that is asked about."""

from __future__ import annotations

import re

import pytest

from torchlsp.core.span import Span
from torchlsp.core.text import Cell, Document
from torchlsp.engine.engine import Engine
from torchlsp.engine.inspection import Description, at, rule_at
from torchlsp.engine.provider import Provider
from torchlsp.engine.values_shown import Note, Step
from torchlsp.engine.workspace import Workspace
from torchlsp.report.hover import markdown, plain_text
from torchlsp.report.sources import Sources

ENGINE = Engine()


def hovered(marked: str, cells: tuple[Cell, ...] = ()) -> tuple[Description, Sources]:
    text = marked.replace("§", "")
    document = Document("program.py", text, cells=cells)
    examination = ENGINE.examine(document, Provider(Workspace()))
    found = at(examination, marked.index("§"))
    assert found is not None
    return found, Sources({document.path: document})


PERMUTED = "import torch\nx = torch.zeros(2, 3, 4)  # ones\nx = x.permute(0, 2, 1)\nprint(§x)\n"


def test_a_tensor_in_markdown() -> None:
    assert markdown(*hovered(PERMUTED)) == (
        "```python\n"
        "x: f32[2, 4, 3] noncontig\n"
        "```\n"
        "\n"
        "- strides `(12, 1, 4)`\n"
        "- 24 elements, 96 bytes\n"
        "- permuted at line 3 (`x = x.permute(0, 2, 1)`): `f32[2, 4, 3] noncontig`\n"
        "- made by torch.zeros at line 2 (`x = torch.zeros(2, 3, 4)`): `f32[2, 3, 4]`"
    )


def test_a_tensor_in_plain_text() -> None:
    assert plain_text(*hovered(PERMUTED)) == (
        "x: f32[2, 4, 3] noncontig\n"
        "strides (12, 1, 4)\n"
        "24 elements, 96 bytes\n"
        "permuted at line 3 (x = x.permute(0, 2, 1)): f32[2, 4, 3] noncontig\n"
        "made by torch.zeros at line 2 (x = torch.zeros(2, 3, 4)): f32[2, 3, 4]"
    )


def test_the_steps_of_a_loop_are_named_once() -> None:
    text = "import torch\nx = torch.zeros(3)\nfor _ in range(3):\n    x = x.relu()\n§x\n"
    assert plain_text(*hovered(text)).endswith(
        "\nresult of relu at line 4 (x = x.relu()): f32[3]\nmade by torch.zeros at line 2 (x = torch.zeros(3)): f32[3]"
    )


def test_a_call_says_the_public_name() -> None:
    text = "import torch\nimport torch.nn.functional as F\nF.§relu(torch.zeros(3))\n"
    assert markdown(*hovered(text)) == (
        "```python\nF.relu: f32[3] → f32[3]\n```\n\n- `torch.nn.functional.relu`"
    )


LAYER = "import torch\nfrom torch import nn\nstem = nn.Conv2d(3, 64, kernel_size=7, stride=2)\ny = §stem(torch.ones(1, 3, 16, 16))\n"


def test_a_layer_is_shown_as_it_was_made_above_what_the_call_takes_and_gives() -> None:
    assert markdown(*hovered(LAYER)) == (
        "```python\n"
        "stem: Conv2d(3, 64, kernel_size=7, stride=2)\n"
        "f32[1, 3, 16, 16] → f32[1, 64, 5, 5] grad\n"
        "```\n"
        "\n"
        "- `torch.nn.Conv2d`\n"
        "- 9,472 parameters: `weight [64, 3, 7, 7], bias [64]`\n"
        "- made at line 3 (`stem = nn.Conv2d(3, 64, kernel_size=7, stride=2)`)"
    )
    assert plain_text(*hovered(LAYER)).startswith(
        "stem: Conv2d(3, 64, kernel_size=7, stride=2)\nf32[1, 3, 16, 16] → f32[1, 64, 5, 5] grad\ntorch.nn.Conv2d\n"
    )


@pytest.mark.torch
def test_the_call_of_that_layer_gives_in_torch_what_is_shown() -> None:
    import torch

    made = torch.nn.Conv2d(3, 64, kernel_size=7, stride=2)(torch.ones(1, 3, 16, 16))
    assert tuple(made.shape) == (1, 64, 5, 5) and made.requires_grad


def test_what_is_said_of_a_symbol_stands_below_its_facts_and_a_signature_stands_for_its_name() -> None:
    below = "```python\ntorch.nn.functional.relu(input)\n```"
    text = markdown(
        *hovered("import torch\nimport torch.nn.functional as F\nF.§relu(torch.zeros(3))\n"), below=below
    )
    assert text == f"```python\nF.relu: f32[3] → f32[3]\n```\n\n{below}"


def test_of_a_symbol_without_facts_the_signature_says_all() -> None:
    found, sources = hovered("from torch.optim import AdamW\nAdamW(unknown).§step()\n")
    below = "```python\nAdamW.step(closure=None)\n```"
    assert markdown(found, sources, below=below) == below
    assert markdown(found, sources, below="[notes](<file:///a>)").startswith(
        "```python\ntorch.optim.AdamW.step\n```"
    )


@pytest.mark.parametrize("below", ["", "one\n\ntwo", "a\n" * 18 + "b"])
def test_a_hover_has_no_more_lines_than_asked_for(below: str) -> None:
    steps = tuple(Step(Span(0, 1), f"step {i}") for i in range(40))
    found = Description("value", Span(0, 1), "x", "f32[3]", trail=steps, path="here.py")
    sources = Sources({})
    text = markdown(found, sources, below=below, most_lines=25)
    assert len(text.split("\n")) <= 25 and text.endswith(below) and "step 0" in text
    assert len(markdown(found, sources, below=below).split("\n")) > 25


def test_a_call_of_which_no_facts_are_known_is_its_public_name() -> None:
    text = "from torch.optim import AdamW\nAdamW(unknown).§step()\n"
    assert plain_text(*hovered(text)) == "torch.optim.AdamW.step"


def test_rows_of_a_notebook_count_within_the_cell() -> None:
    first, second = "import torch\nx = torch.zeros(3)\n", "\ny = x.t()\nprint(§y)"
    cells = (Cell(1, Span(0, len(first) - 1)), Cell(4, Span(len(first), len(first + second) - 1)))
    text = plain_text(*hovered(first + second, cells))
    assert "transposed at cell 4, line 2 (y = x.t()): f32[3]" in text
    assert "made by torch.zeros at cell 1, line 2 (x = torch.zeros(3)): f32[3]" in text


def test_other_files_are_named(project) -> None:
    project({"my_layout.py": "def flip(x):\n    return x.t()\n"})
    found, sources = hovered("import torch\nfrom my_layout import flip\n§y = flip(torch.zeros(2, 3))\n")
    assert "- transposed at my\\_layout.py, line 2 (`x.t()`): `f32[3, 2] noncontig`" in markdown(
        found, sources
    )
    assert "transposed at my_layout.py, line 2 (x.t()): f32[3, 2] noncontig" in plain_text(found, sources)


def test_a_file_that_is_gone_or_shorter_now_is_named_without_its_source() -> None:
    steps = (
        Step(Span(40, 50), "permuted", "f32[3]", "gone.py"),
        Step(Span(40, 50), "made by torch.zeros", "f32[3]"),
    )
    found = Description("value", Span(0, 1), "x", "f32[3]", trail=steps, path="here.py")
    sources = Sources({"here.py": Document("here.py", "x\n")})
    assert plain_text(found, sources) == "x: f32[3]\npermuted in gone.py: f32[3]\nmade by torch.zeros: f32[3]"


def test_only_the_whole_of_an_assignment_is_quoted_with_its_name() -> None:
    text = plain_text(*hovered("import torch\ny = torch.zeros(2, 3).t() + 1\n§y\n"))
    assert "transposed at line 2 (torch.zeros(2, 3).t())" in text
    assert "result of add at line 2 (y = torch.zeros(2, 3).t() + 1)" in text


def test_a_source_of_several_rows_is_one_line() -> None:
    text = plain_text(*hovered("import torch\ny = torch.zeros(\n    2,\n    3,\n)\n§y\n"))
    assert "made by torch.zeros at line 2 (y = torch.zeros(2, 3)): f32[2, 3]" in text


def test_the_names_of_a_long_source_stay_whole() -> None:
    made = "nn.Sequential(nn.Conv2d(64, width, 1), nn.BatchNorm2d(width), nn.ReLU(inplace=True))"
    text = plain_text(*hovered(f"from torch import nn\nwidth = 8\nreduce = {made}\n§reduce\n"))
    shown = "nn.Sequential(nn.Conv2d(...), nn.BatchNorm2d(width), nn.ReLU(...))"
    assert f"made at line 3 (reduce = {shown})" in text


def test_a_long_source_keeps_its_two_ends() -> None:
    chain = "torch.zeros(2, 3)" + ".relu()" * 20 + ".t()"
    newest = plain_text(*hovered(f"import torch\ny = {chain}\n§y\n")).splitlines()[3]
    source = re.fullmatch(r"transposed at line 2 \((.*)\): f32\[3, 2\] noncontig", newest)
    assert source is not None and len(source[1]) == 80
    assert source[1].startswith("y = torch.zeros(2, 3).relu()") and source[1].endswith(".relu().t()")


def test_backticks_of_the_user_break_no_markup() -> None:
    text = 'import torch\nd = {"```": torch.zeros(3)}\nx = d["```"].t()\nprint(§d, x)\n'
    found, sources = hovered(text)
    assert markdown(found, sources) == "````python\nd: {'```': f32[3]}\n````"
    x, sources = hovered(text.replace("§d, x", "d, §x"))
    assert '(```` x = d["```"].t() ````)' in markdown(x, sources)
    assert "`" not in plain_text(found, sources) and "`" not in plain_text(x, sources)


def test_words_of_the_user_are_no_markup_and_control_characters_are_not_shown() -> None:
    note = Note("see [x](http://a) *now* <b>\u202e", "")
    found = Description("call", Span(0, 1), "f(x)", notes=(note,), path="here.py")
    text = markdown(found, Sources({}))
    assert text.endswith(r"- see \[x\](http://a) \*now\* \<b\>?")
    assert plain_text(found, Sources({})) == "f(x)\nsee [x](http://a) *now* <b>?"


@pytest.mark.parametrize("link", [None, lambda code: f"file:///rules/{code} (1).md"])
def test_a_rule(link) -> None:
    found = rule_at("select = ['TL101']", 12)
    assert found is not None
    text = markdown(found, Sources({}), page_link=link)
    title = "[TL101](<file:///rules/TL101 (1).md>)" if link else "**TL101**"
    assert text.startswith(
        f"{title} view-on-noncontiguous (error · correctness · on by default)\n\n`view` is asked"
    )
    assert "## Good" in text and "```python\n" in text and "# TL101" not in text and "expect:" not in text
    plain = plain_text(found, Sources({}), page_link=link)
    assert plain.startswith("TL101 view-on-noncontiguous (error · correctness · on by default)\n\n")
    assert ("file:///rules/TL101 (1).md" in plain) == bool(link)
    assert "`" not in plain and "import torch\n" in plain


def test_a_rule_of_the_tool_itself() -> None:
    found = rule_at("ignore = ['unused-suppression']", 15)
    assert found is not None
    assert markdown(found, Sources({})).startswith("**TL001** unused-suppression\n\n")


@pytest.mark.torch
def test_strides_elements_and_bytes_are_those_of_torch() -> None:
    import torch

    x = torch.zeros(2, 3, 4).permute(0, 2, 1)
    text = plain_text(*hovered(PERMUTED))
    assert f"strides {x.stride()}" in text
    assert f"{x.numel()} elements, {x.untyped_storage().nbytes()} bytes" in text


def test_the_tools_own_codes_have_their_pages_too():
    found = rule_at('[tool.torchlsp]\nignore = ["TL001"]\n', 30)
    assert found is not None
    text = markdown(found, Sources({}), page_link=lambda code: "")
    assert text.startswith("**TL001** unused-suppression")
    assert "suppresses" in text or "Left in place" in text
    assert "Left in place" in plain_text(found, Sources({}))
