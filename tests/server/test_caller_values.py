"""What hovers say of a function's sizes once the calls of other files are known: `§` stands before the place that is asked about."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from torchlsp.core.span import Span
from torchlsp.core.text import Document
from torchlsp.engine.inspection import HintKinds, at, hints
from torchlsp.report.hover import plain_text
from torchlsp.report.sources import Sources
from torchlsp.server.analyst import Analyst, Examined
from torchlsp.server.settings import EditorSettings

MODEL = """\
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.conv = nn.Conv2d(cin, cout, 3, padding=1)

    def forward(self, x):
        y = self.conv(x)
        return torch.relu(y)


class Net(nn.Module):
    def __init__(self, width, classes):
        super().__init__()
        self.first = Block(3, width)
        self.second = Block(width, 2 * width)
        self.head = nn.Linear(2 * width, classes)

    def forward(self, images):
        maps = self.second(self.first(images))
        count = maps.size(0)
        pooled = maps.mean((2, 3))
        return self.head(pooled)


def normed(batch):
    rows, columns = batch.shape
    total = batch.sum(1)
    return batch / columns


def first_of(item):
    held = item
    return held
"""
TRAIN = """\
import torch
from model import Net, normed


def main():
    net = Net(32, 10)
    logits = net(torch.randn(8, 3, 64, 64))
    normed(logits)


if __name__ == "__main__":
    main()
"""


class Desk:
    """The open texts of an editor in a folder; the callers are followed when the test says so."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.analyst = folder, Analyst()
        (folder / "pyproject.toml").touch()
        self.write("model.py", MODEL)
        self.examined = self.open("model.py", MODEL)

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text)

    def open(self, name: str, text: str) -> Examined:
        document = Document(str(self.folder / name), text)
        self.analyst.open_documents[os.path.realpath(document.path)] = document
        return self.analyst.examine(document, EditorSettings())

    def edit(self, text: str) -> None:
        self.examined = self.open("model.py", text)

    def follow(self) -> None:
        self.analyst.follow_callers(self.examined.examination.document, lambda: None)
        self.analyst.show_values(self.examined)

    def hover(self, marked: str) -> str:
        """What is said at the `§` of a piece of the model's text."""
        document = self.examined.examination.document
        offset = document.text.index(marked.replace("§", "")) + marked.index("§")
        found = at(self.examined.examination, offset)
        return "" if found is None else plain_text(found, Sources({document.path: document}))


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def headline(text: str) -> str:
    return text.split("\n")[0]


@pytest.mark.parametrize(
    ("place", "after"),
    [
        ("§images):", "images: f32[8, 3, 64, 64]"),
        ("§maps = ", "maps: f32[8, 64, 64, 64] grad"),
        ("§count = ", "count: 8"),
        ("§pooled = ", "pooled: f32[8, 64] grad"),
        ("maps.§mean(", "maps.mean: f32[8, 64, 64, 64] grad → f32[8, 64] grad"),
        ("self.§head(", "self.head: Linear(64, 10)"),
        ("§width, classes", "width: 32"),
    ],
)
def test_a_hover_says_the_sizes_that_another_file_passes(desk: Desk, place: str, after: str) -> None:
    desk.write("train.py", TRAIN)
    assert headline(desk.hover(place)) != after
    desk.follow()
    said = desk.hover(place)
    assert headline(said) == after
    row = 6 if place.startswith("§width") else 7
    assert f"\nas called in train.py (line {row})" in said


@pytest.mark.torch
def test_those_are_the_sizes_in_torch(desk: Desk) -> None:
    import torch

    names: dict[str, object] = {"__name__": "model"}
    exec(MODEL, names)
    seen = {}
    net = names["Net"](32, 10)  # type: ignore[operator]
    net.first.register_forward_pre_hook(lambda module, given: seen.update(images=given[0]))
    net.second.register_forward_hook(lambda module, given, made: seen.update(maps=made))
    net.head.register_forward_pre_hook(lambda module, given: seen.update(pooled=given[0]))
    net(torch.randn(8, 3, 64, 64))
    desk.write("train.py", TRAIN)
    desk.follow()
    for name, tensor in seen.items():
        place = "§images):" if name == "images" else f"§{name} = "
        shown = f"{name}: f32{list(tensor.shape)}" + (" grad" if tensor.requires_grad else "")
        assert headline(desk.hover(place)) == shown
    assert sum(one.numel() for one in net.head.parameters()) == 650
    assert "650 parameters" in desk.hover("self.§head(")


@pytest.mark.torch
def test_the_parameters_of_modules_are_counted_with_the_sizes_that_another_file_passes(desk: Desk) -> None:
    names: dict[str, object] = {"__name__": "model"}
    exec(MODEL, names)
    net = names["Net"](32, 10)  # type: ignore[operator]
    desk.write("train.py", TRAIN)
    desk.follow()
    for name, row in {"first": 6, "second": 6}.items():
        count = sum(one.numel() for one in getattr(net, name).parameters())
        said = desk.hover(f"self.§{name} = ")
        counted = f"self.{name}: Block\n{count:,} parameters, as called in train.py (line {row})\n"
        assert said.startswith(counted + "made at line ")
    # In a call the line is there already.
    said = desk.hover("self.§second(")
    assert said.count("as called in train.py (line 7)") == 1
    assert f"\n{count:,} parameters\n" in said


def test_a_function_that_calls_of_several_sizes_reach_says_what_they_have_in_common(desk: Desk) -> None:
    desk.write("train.py", TRAIN)
    desk.follow()
    # The block is called for 3 and for 32 channels.
    said = desk.hover("forward(self, §x)")
    assert said == "x: f32[8, ?, 64, 64]\nas called in train.py (line 7), in calls that differ"
    called = desk.hover("self.§conv(x)")
    assert called.startswith(
        "self.conv: Conv2d(cin, cout, kernel_size=3, padding=1)\nf32[8, ?, 64, 64] → f32[8, ?, 64, 64] grad\n"
    )


def test_of_calls_without_a_size_in_common_no_size_is_claimed(desk: Desk) -> None:
    desk.write(
        "one.py",
        "import torch\nfrom model import first_of\n\nfirst_of(torch.zeros(2, 3))\nfirst_of(torch.zeros(4))\n",
    )
    desk.follow()
    said = desk.hover("first_of(§item)")
    assert headline(said) == "item: f32[...]"
    assert said.endswith("as called in one.py (lines 4 and 5), in calls that differ")


def test_where_one_call_has_made_a_tensor_is_named(desk: Desk) -> None:
    desk.write("train.py", TRAIN)
    desk.follow()
    made = "made by torch.randn at train.py, line 7 (torch.randn(8, 3, 64, 64)): f32[8, 3, 64, 64]"
    assert desk.hover("§images):").endswith(made)


def test_the_files_that_call_are_named_up_to_two(desk: Desk) -> None:
    for name in ("one", "two"):
        desk.write(f"{name}.py", TRAIN)
    desk.follow()
    said = desk.hover("§images):")
    assert headline(said) == "images: f32[8, 3, 64, 64]"
    # Each call has made its tensor elsewhere.
    assert said.endswith("\nas called in one.py (line 7) and two.py (line 7)")
    desk.write("three.py", TRAIN.replace("8, 3, 64, 64", "2, 3, 64, 64"))
    desk.follow()
    said = desk.hover("§images):")
    assert headline(said) == "images: f32[?, 3, 64, 64]"
    assert "as called in 3 files, one.py (line 7) among them, in calls that differ" in said


def test_many_calls_in_one_file_are_counted(desk: Desk) -> None:
    call = "normed(torch.ones(4, 5))\n"
    desk.write("one.py", "import torch\nfrom model import normed\n\n" + 4 * call)
    desk.follow()
    assert "as called in one.py (lines 4 and 3 more)" in desk.hover("§total")


def test_files_of_the_same_name_are_named_with_their_folders(desk: Desk) -> None:
    for folder in ("first", "second"):
        (desk.folder / folder).mkdir()
        desk.write(f"{folder}/__init__.py", "")
        desk.write(f"{folder}/run.py", TRAIN)
    desk.follow()
    assert "as called in first/run.py (line 7) and second/run.py (line 7)" in desk.hover("§images):")


def test_calls_of_unknown_sizes_say_nothing(desk: Desk) -> None:
    desk.write(
        "train.py",
        "from model import Net\n\n\ndef evaluate(net: Net, images):\n    return net(images)\n",
    )
    desk.follow()
    assert "as called" not in desk.hover("§images):") + desk.hover("§pooled")


def test_calls_of_unknown_sizes_take_nothing_from_those_of_known_ones(desk: Desk) -> None:
    desk.write("train.py", TRAIN + "\n\ndef again(images):\n    return Net(32, 10)(images)\n")
    desk.follow()
    assert headline(desk.hover("§images):")) == "images: f32[8, 3, 64, 64]"


def test_calls_of_the_body_go_before_those_of_functions_that_nothing_calls(desk: Desk) -> None:
    desk.write("train.py", TRAIN + "\n\ndef never():\n    return Net(32, 10)(torch.randn(1, 3, 8, 8))\n")
    desk.follow()
    assert headline(desk.hover("§images):")) == "images: f32[8, 3, 64, 64]"
    desk.write("train.py", TRAIN.partition("if __name__")[0])
    desk.follow()
    assert headline(desk.hover("§images):")) == "images: f32[8, 3, 64, 64]"


def test_names_that_the_user_gives_sizes_stay_above_what_calls_pass(desk: Desk) -> None:
    desk.write("train.py", TRAIN)
    desk.follow()
    said = desk.hover("§total = ")
    assert headline(said) == "total: f32[rows]" or headline(said) == "total: tensor[rows]"
    assert "\nas called in train.py (line 8): f32[8] grad\n" in said + "\n"


def test_the_sizes_of_callers_are_those_of_texts_that_are_open(desk: Desk) -> None:
    desk.write("train.py", TRAIN)
    desk.open("train.py", TRAIN.replace("8, 3, 64, 64", "5, 3, 64, 64"))
    desk.follow()
    assert headline(desk.hover("§images):")) == "images: f32[5, 3, 64, 64]"
    # No facts of a text that is another now.
    desk.open("train.py", TRAIN.replace("8, 3, 64, 64", "6, 3, 64, 64"))
    desk.analyst.show_values(desk.examined)
    assert "as called" not in desk.hover("§images):")
    desk.follow()
    assert headline(desk.hover("§images):")) == "images: f32[6, 3, 64, 64]"


def test_a_changed_text_says_nothing_of_its_callers_before_they_are_followed_again(desk: Desk) -> None:
    desk.write("train.py", TRAIN)
    desk.follow()
    desk.edit(MODEL.replace("count = maps.size(0)", "count = maps.size(1)"))
    assert headline(desk.hover("§count = ")) != "count: 8"
    assert "as called" not in desk.hover("§images):")
    desk.follow()
    assert headline(desk.hover("§count = ")) == "count: 64"
    # While one function is typed in, the text that is analysed has more blanks than the document.
    desk.edit(MODEL.replace("count = maps.size(0)", "count = maps.size(2)  # height"))
    desk.follow()
    assert headline(desk.hover("§count = ")) == "count: 64"
    assert desk.examined.examination.padding.is_needed
    assert "f32[8] grad" in desk.hover("§total = ")


def test_a_caller_is_followed_again_when_a_text_is_opened_that_it_calls(desk: Desk) -> None:
    other = "def doubled(x):\n    import torch\n    return x * 2\n"
    desk.write("other.py", other)
    desk.write(
        "train.py",
        TRAIN.replace("    normed(logits)", "    normed(logits)\n    doubled(logits)").replace(
            "\n\n\ndef", "\nfrom other import doubled\n\n\ndef"
        ),
    )
    desk.follow()
    desk.examined = desk.open("other.py", other)
    desk.follow()
    assert headline(desk.hover("doubled(§x)")) == "x: f32[8, 10] grad"


def test_hints_show_what_holds_for_all_callers(desk: Desk) -> None:
    everything = Span(0, len(MODEL))
    kinds = HintKinds(module=True, size=True)
    before = hints(desk.examined.examination, everything, kinds)
    desk.write("train.py", TRAIN)
    desk.follow()
    desk.hover("§images):")
    assert hints(desk.examined.examination, everything, kinds) == before != []


def test_what_is_kept_of_callers_has_a_bound(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    from torchlsp.server import caller_values

    monkeypatch.setattr(caller_values, "_MOST_FILES", 2)
    for name in ("one", "two", "three"):
        desk.write(f"{name}.py", TRAIN)
    desk.follow()
    assert desk.hover("§images):").count(".py") == 2


CONTAINERS = """\
import torch
from torch import nn


class Unit(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.only = nn.Linear(width, width)

    def forward(self, x):
        return self.only(x)


class Net(nn.Module):
    def __init__(self, width, depth=2, drop=0.25):
        super().__init__()
        self.reduce = nn.Sequential(nn.Linear(3, width), nn.LayerNorm(width), nn.Dropout(drop))
        self.units = nn.ModuleList([Unit(width) for _ in range(depth)])
        self.heads = nn.ModuleDict({"mean": nn.Linear(width, 2), "scale": nn.Linear(width, 1)})
        self.grown = nn.ModuleList()
        for step in range(2):
            self.grown.append(nn.Linear(width, 2))

    def forward(self, x):
        maps = self.reduce(x)
        for unit in self.units:
            maps = unit(maps)
        return self.heads["mean"](maps), self.grown
"""
CALLS = "import torch\nfrom model import Net\n\nnet = Net(16, 3)\nnet(torch.randn(8, 3))\n"
HOLDS = "holds Linear(3, 16), LayerNorm(16), Dropout(p=0.25)"


@pytest.fixture
def containers(desk: Desk) -> Desk:
    desk.write("model.py", CONTAINERS)
    desk.edit(CONTAINERS)
    return desk


@pytest.mark.torch
def test_a_container_says_the_sizes_of_its_children_in_the_calls_of_another_file(containers: Desk) -> None:
    names: dict[str, object] = {"__name__": "model"}
    exec(CONTAINERS, names)
    net = names["Net"](16, 3)  # type: ignore[operator]
    assert [(one.in_features, one.out_features) for one in (net.reduce[0], net.heads["mean"])] == [
        (3, 16),
        (16, 2),
    ]
    assert (net.reduce[1].normalized_shape, len(net.units)) == ((16,), 3)
    counts = [sum(one.numel() for one in part.parameters()) for part in (net.reduce, net.units, net.heads)]
    assert counts == [96, 816, 51]
    containers.write("run.py", CALLS)
    before = containers.hover("self.§reduce(x)")
    assert "\nholds Linear(3, width), LayerNorm(width), Dropout(p=drop)\n" in before
    containers.follow()
    called = containers.hover("self.§reduce(x)")
    assert f"\n{HOLDS}\n96 parameters\nas called in run.py (line 5)\n" in called
    made = containers.hover("self.§reduce = ")
    assert made.startswith(
        f"self.reduce: Sequential\n{HOLDS}\n96 parameters\nas called in run.py (line 4)\nmade at "
    )
    assert "\nholds 3 × Unit\n816 parameters\nas called in run.py (line 5)\n" in containers.hover(
        "in self.§units:"
    )
    held = "\nholds mean: Linear(16, 2), scale: Linear(16, 1)\n51 parameters\nas called in run.py (line 5)\n"
    assert held in containers.hover('self.§heads["mean"]')


def test_a_container_that_grows_says_what_it_holds_at_the_place(containers: Desk) -> None:
    containers.write("run.py", CALLS)
    containers.follow()
    assert "holds" not in containers.hover("self.§grown = ") + containers.hover("self.§grown.append")
    assert "\nholds 2 × Linear(16, 2)\n68 parameters\nas called in run.py (line 5)" in containers.hover(
        ", self.§grown\n"
    )


def test_children_whose_sizes_differ_between_calls_are_said_as_without_the_calls(containers: Desk) -> None:
    before = containers.hover("self.§reduce = ")
    assert "\nholds Linear(3, width), LayerNorm(width), Dropout(p=drop)\n" in before
    # In one file, and in two.
    containers.write("run.py", CALLS + "Net(32, 3)\n")
    containers.follow()
    assert containers.hover("self.§reduce = ") == before
    containers.write("run.py", CALLS)
    containers.write("other.py", CALLS.replace("16", "32"))
    containers.follow()
    assert containers.hover("self.§reduce = ") == before
    containers.write("other.py", CALLS)
    containers.follow()
    said = f"\n{HOLDS}\n96 parameters\nas called in other.py (line 4) and run.py (line 4)\n"
    assert said in containers.hover("self.§reduce = ")


def test_children_that_calls_of_the_file_make_otherwise_are_said_as_without_the_calls(
    containers: Desk,
) -> None:
    containers.write("run.py", CALLS)
    containers.edit(CONTAINERS + "\n\nif __name__ == '__main__':\n    Net(32, 3)\n")
    containers.write("model.py", containers.examined.examination.document.text)
    containers.follow()
    assert "\nholds Linear(3, width), LayerNorm(width), Dropout(p=drop)\n" in containers.hover(
        "self.§reduce = "
    )
    containers.edit(CONTAINERS + "\n\nif __name__ == '__main__':\n    Net(16, 3)\n")
    containers.follow()
    assert f"\n{HOLDS}\n96 parameters\nas called in this file\n" in containers.hover("self.§reduce = ")


def test_children_are_of_the_same_sizes_in_calls_that_differ_in_something_else(containers: Desk) -> None:
    containers.write("run.py", CALLS + "net(torch.randn(4, 3))\n")
    containers.follow()
    said = containers.hover("self.§reduce(x)")
    assert headline(said) == "self.reduce: Sequential"
    assert f"\n{HOLDS}\n96 parameters\nas called in run.py (lines 5 and 6), in calls that differ\n" in said


def test_sizes_that_the_calls_leave_open_do_not_replace_names(containers: Desk) -> None:
    containers.write("run.py", "import sys\n" + CALLS.replace("Net(16, 3)", "Net(int(sys.argv[1]), 3)"))
    containers.follow()
    said = containers.hover("self.§reduce = ")
    assert "\nholds Linear(3, width), LayerNorm(width), Dropout(p=drop)\n" in said


def test_what_is_kept_of_children_has_a_bound(containers: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    from torchlsp.interp.store import called_files

    monkeypatch.setattr(called_files, "_MAX_OUTLINED", 2)
    containers.write("run.py", CALLS)
    containers.follow()
    said = containers.hover("self.§reduce = ")
    assert (
        "\nholds Linear(3, width), LayerNorm(width), Dropout(p=drop)\n96 parameters, as called in run.py"
        in said
    )


def test_classes_of_children_do_not_keep_their_files_in_memory(containers: Desk) -> None:
    from torchlsp.facts import values as v

    containers.write("run.py", CALLS)
    containers.follow()
    passed = containers.examined.examination.passed
    assert passed is not None
    held = [one for caller in passed.callers for one in caller.file.children.values()]
    items = [item for one in held if isinstance(one, v.TupleValue) for item in one.items]
    assert items and all(isinstance(item, v.LayerValue) and not item.ref for item in items)
