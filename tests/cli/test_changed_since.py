"""`--changed-since`: what is reported, fixed and counted is what has to do with changed lines."""

from __future__ import annotations

import io
import json
import os
import sys

import pytest

from torchlsp.cli.main import main
from torchlsp.report.formats import FORMATS

HEAD = "import torch\n\n"
# The stand-in analysis finds each call of view, and says that it rests on the first row.
OLD = HEAD + "x.view(1)\n\n\n\ny = 2\n"
stand_in = pytest.mark.usefixtures("stand_in")


def found(capsys, *arguments: str) -> list[str]:
    """Where something is found, as `path:row`, in a notebook `path:cell:row`."""
    capsys.readouterr()
    status = main(["check", *arguments, "--output-format", "json"])
    shown = capsys.readouterr()
    records = json.loads(shown.out)
    assert status == int(bool(records)), shown.err
    places = [(record["filename"], record["cell"], record["location"]["row"]) for record in records]
    return [":".join(str(part) for part in place if part is not None) for place in places]


@stand_in
def test_only_changed_lines_are_reported(commit, project, capsys) -> None:
    commit({"a.py": OLD, "b.py": OLD, "c d/é.py": OLD})
    project({"a.py": OLD + "x.view(2)\n", "c d/é.py": OLD.replace("y = 2", "y = 3"), "new.py": OLD})
    assert found(capsys, "--changed-since", "main") == ["a.py:8", "new.py:3"]
    assert found(capsys, "a.py", "--changed-since=HEAD") == ["a.py:8"]
    assert found(capsys, "b.py", "--changed-since=HEAD") == []


@stand_in
def test_since_before_anything_is_a_whole_run(commit, project, capsys) -> None:
    base = commit({})
    commit({"a.py": OLD + "x.view(2)\n", "sub/b.py": OLD})
    project({"c.py": OLD})
    assert (
        found(capsys, "--changed-since", base)
        == found(capsys)
        == ["a.py:3", "a.py:8", "c.py:3", "sub/b.py:3"]
    )


@stand_in
def test_what_rests_on_a_changed_line_is_reported(commit, project, capsys) -> None:
    commit({"a.py": OLD})
    project({"a.py": OLD.replace("import torch", "import torch as t")})
    assert found(capsys, "--changed-since", "HEAD") == ["a.py:3"]


@stand_in
def test_a_file_that_does_not_parse_any_more_is_reported(commit, project, capsys) -> None:
    commit({"a.py": OLD + "z = [\n    1,\n]\n\n" + "a = 1\n" * 9, "b.py": "def f(:\n"})
    project({"a.py": OLD + "z = [\n    1,\n}\n\n" + "a = 1\n" * 9})
    assert [place[:4] for place in found(capsys, "--changed-since", "HEAD")] == ["a.py"]


@stand_in
def test_the_summary_says_what_was_left_out(commit, project, capsys) -> None:
    base = commit({"a.py": OLD, "b.py": OLD})
    commit({"b.py": OLD + "b = 1\n"})
    project({"a.py": OLD + "x.view(2)\n"})
    assert main(["check", "--changed-since", base, "--statistics"]) == 1
    assert capsys.readouterr().out == (
        "1  TL101  view-on-noncontiguous  fixable: 1 with --fix --unsafe-fixes\n1 error in 2 files; 1 fixable with --fix --unsafe-fixes\n"
        f"only findings of changes since {base} ({base[:10]}) are shown; 2 older findings left out\n"
    )
    assert main(["check", "b.py", "--changed-since", "HEAD", "--output-format", "github"]) == 0
    shown = capsys.readouterr()
    assert (shown.out, shown.err.count("\n")) == ("", 1)
    assert shown.err.startswith("torchlsp: only findings of changes since HEAD (")
    assert main(["check", "b.py", "--changed-since", "HEAD"]) == 0
    assert capsys.readouterr().out.startswith("No findings in 0 files\nonly findings of changes since HEAD (")
    assert main(["check", "--changed-since", base, "-q", "--output-format", "concise"]) == 1
    assert capsys.readouterr().out.count("\n") == 1


@stand_in
def test_only_what_is_reported_is_fixed(commit, project, capsys) -> None:
    commit({"a.py": OLD, "b.py": OLD})
    root = project({"a.py": OLD + "x.view(2)\n"})
    assert main(["check", "--changed-since", "HEAD", "--diff", "--unsafe-fixes"]) == 1
    assert "-x.view(2)\n+x.reshape(2)\n" in capsys.readouterr().out
    assert main(["check", "--changed-since", "HEAD", "--fix", "--unsafe-fixes"]) == 0
    assert (root / "a.py").read_text() == OLD + "x.reshape(2)\n"
    assert (root / "b.py").read_text() == OLD
    assert main(["check", "--changed-since", "HEAD", "--add-ignores"]) == 0
    assert (root / "a.py").read_text() == OLD + "x.reshape(2)\n"


@stand_in
def test_beside_a_baseline(commit, project, capsys) -> None:
    root = project({"a.py": OLD})
    main(["check", "--write-baseline", "b.json"])
    commit({"b.py": OLD})
    (root / "a.py").write_text(OLD + "x.view(1)\n")
    project({"b.py": OLD + "x.view(1)\n"})
    assert found(capsys, "--baseline", "b.json", "--changed-since", "HEAD") == ["a.py:8", "b.py:8"]
    capsys.readouterr()
    assert main(["check", "--baseline", "b.json", "--changed-since", "HEAD"]) == 1
    assert "1 known finding hidden by the baseline\n" in capsys.readouterr().out


@stand_in
def test_a_finding_has_the_fingerprint_that_it_has_in_a_whole_run(commit, project, capsys) -> None:
    commit({"a.py": OLD})
    project({"a.py": OLD + "x.view(1)\n"})
    prints = []
    for arguments in ([], ["--changed-since", "HEAD"]):
        capsys.readouterr()
        main(["check", "--output-format", "gitlab", *arguments])
        prints.append([record["fingerprint"] for record in json.loads(capsys.readouterr().out)])
    assert prints[1] == prints[0][1:]


@stand_in
@pytest.mark.parametrize("name", FORMATS)
def test_in_every_format_only_that_is_shown(commit, project, capsys, name: str) -> None:
    commit({"a.py": OLD})
    project({"a.py": OLD + "x.view(2)\n"})
    assert main(["check", "--changed-since", "HEAD", "--output-format", name]) == 1
    shown = capsys.readouterr().out
    assert shown.count("is not contiguous") == (2 if name == "junit" else 1)


@stand_in
def test_cells_of_a_notebook(commit, project, capsys) -> None:
    def notebook(*sources: str, counted: int | None = None) -> str:
        cells = [
            {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": counted, "source": one}
            for one in sources
        ]
        return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})

    first, second = HEAD + "x.view(1)", "a = 1\nx.view(2)"
    commit({"a.ipynb": notebook(first, second), "run.ipynb": notebook(first, second)})
    project(
        {
            "a.ipynb": notebook(first, "b = 1\nx.view(0)", second + "\nx.view(3)", counted=3),
            "run.ipynb": notebook(first, second, counted=1),
        }
    )
    assert found(capsys, "--changed-since", "HEAD") == ["a.ipynb:2:2", "a.ipynb:3:3"]


@stand_in
def test_text_on_standard_input_is_compared_with_its_file(commit, capsysbinary, monkeypatch) -> None:
    commit({"sub/a.py": OLD})

    def given(text: str) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))

    arguments = ["check", "-", "--stdin-filename", "sub/a.py", "--changed-since", "HEAD"]
    given(OLD)
    assert main(arguments) == 0
    given(OLD + "x.view(2)\r\n")
    assert main([*arguments, "--output-format", "concise"]) == 1
    assert b"sub/a.py:8:3" in capsysbinary.readouterr().out
    given(OLD + "x.view(2)\r\n")
    assert main([*arguments, "--fix", "--unsafe-fixes"]) == 0
    assert capsysbinary.readouterr().out == (OLD + "x.reshape(2)\r\n").encode()
    given(OLD)
    assert main(["check", "-", "--stdin-filename", "sub/new.py", "--changed-since", "HEAD"]) == 1


@stand_in
def test_settings_hold_as_in_a_whole_run(commit, project, capsys, monkeypatch) -> None:
    commit({"a.py": OLD})
    root = project(
        {
            "torchlsp.toml": 'exclude = ["gen"]\n[per-file-ignores]\n"tests/**" = ["TL101"]\n',
            "gen/a.py": OLD,
            "tests/a.py": OLD,
            "sub/a.py": OLD,
        }
    )
    assert found(capsys, "--changed-since", "HEAD") == ["sub/a.py:3"]
    monkeypatch.chdir(root / "sub")
    assert found(capsys, "--changed-since", "HEAD") == ["a.py:3"]
    named = os.path.join("..", "gen", "a.py")
    assert found(capsys, named, "--changed-since", "HEAD") == [f"{root / 'gen' / 'a.py'}:3"]
    assert found(capsys, named, "--changed-since", "HEAD", "--force-exclude") == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--changed-since", "nope"], "--changed-since: git knows no revision `nope` here"),
        (
            ["--changed-since", "HEAD", "--write-baseline", "b"],
            "--changed-since and --write-baseline contradict",
        ),
        (["--changed-since", "HEAD", "--show-settings"], "--show-settings and --changed-since contradict"),
        (["-", "--changed-since", "HEAD"], "--changed-since needs --stdin-filename with `-`"),
        (["absent", "--changed-since", "HEAD"], "no such file or folder: absent"),
    ],
)
def test_what_is_refused_in_one_line(commit, capsys, arguments: list[str], message: str) -> None:
    commit({"a.py": OLD})
    assert main(["check", *arguments]) == 2
    shown = capsys.readouterr()
    assert shown.err.startswith(f"torchlsp: {message}")
    assert (shown.err.count("\n"), shown.out) == (1, "")


# ---- with the analysis itself ----------------------------------------------------------------------------------------

SHAPES = "import torch\n\n\ndef make():\n    return torch.zeros(2, 3, 4)\n"
USE = "import torch\nfrom layers import shapes\n\nx = shapes.make()\ny = 1\nz = x.view(2, 12)\n"
TURNED = SHAPES.replace("4)", "4).permute(0, 2, 1)")


def test_the_cause_may_be_changed_in_another_file(commit, project, capsys) -> None:
    commit({"layers/shapes.py": SHAPES, "layers/__init__.py": "", "use.py": USE, "other.py": USE})
    assert found(capsys) == []
    project({"layers/shapes.py": TURNED, "use.py": USE + "# more\n"})
    # The unchanged file has the same mistake, but is not checked.
    assert found(capsys) == ["other.py:6", "use.py:6"]
    assert found(capsys, "--changed-since", "HEAD") == ["use.py:6"]
    assert found(capsys, "use.py", "--changed-since", "HEAD", "--jobs", "2") == ["use.py:6"]


LOOP = """import torch

model = torch.nn.Linear(2, 2)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(9):
    opt.zero_grad()
    x = torch.rand(2, 2)

    loss = model(x).sum()
    loss.backward()
    opt.step()
"""


def test_what_a_line_that_is_gone_leads_to_is_new(commit, project, capsys) -> None:
    commit({"train.py": LOOP, "old.py": LOOP.replace("    opt.zero_grad()\n", "")})
    assert found(capsys) == ["old.py:9"]
    root = project({"train.py": LOOP.replace("    opt.zero_grad()\n", "")})
    (root / "old.py").write_text("# above\n" + (root / "old.py").read_text())
    assert found(capsys) == ["old.py:10", "train.py:9"]
    assert found(capsys, "--changed-since", "HEAD") == ["train.py:9"]
    arguments = ["check", "--changed-since", "HEAD", "--fix", "--unsafe-fixes"]
    assert main(arguments) == 0
    assert "zero_grad" in (root / "train.py").read_text()
    assert "zero_grad" not in (root / "old.py").read_text()


def test_what_calls_in_another_changed_file_led_to_before_is_not_new(commit, project, capsys) -> None:
    shapes = "import torch\n\n\ndef flat(x):\n    return x.view(2, 12)\n"
    use = "import torch\nimport shapes\n\nshapes.flat(torch.zeros(2, 4, 3).permute(0, 2, 1))\n"
    commit({"a_use.py": use, "shapes.py": shapes, "use.py": use})
    assert found(capsys) == ["shapes.py:5"]
    project(
        {
            name: text + "\n\n# more\n"
            for name, text in {"a_use.py": use, "shapes.py": shapes, "use.py": use}.items()
        }
    )
    assert found(capsys, "--changed-since", "HEAD") == []
    # On its own, the calling file is where it is shown.
    assert found(capsys, "use.py") == ["use.py:4"]
    assert found(capsys, "use.py", "--changed-since", "HEAD") == []


def test_a_module_that_was_moved_brings_nothing_to_those_who_import_it(commit, project, capsys) -> None:
    shapes = "import torch\n\n\ndef flat(x):\n    return x.view(2, 12)\n"
    use = "import torch\nfrom old.deep import shapes\n\nshapes.flat(torch.zeros(2, 4, 3).permute(0, 2, 1))\n"
    commit({"old/deep/shapes.py": shapes, "old/__init__.py": "", "old/deep/__init__.py": "", "use.py": use})
    assert found(capsys, "use.py") == ["use.py:4"]
    commit(
        {
            "old/deep/shapes.py": None,
            "old/__init__.py": None,
            "old/deep/__init__.py": None,
            "new.py": shapes,
            "use.py": use.replace("from old.deep import shapes", "import new as shapes"),
        }
    )
    assert found(capsys, "use.py") == ["use.py:4"]
    assert found(capsys, "--changed-since", "HEAD~1") == []


def test_what_a_change_in_a_file_beside_leads_to_is_new(commit, project, capsys) -> None:
    """Though no place of the finding is in that file, and only the other one is to be checked."""
    settings = "import torch\n\nTURNED = False\n"
    use = "import torch\nfrom settings import TURNED\n\nx = torch.zeros(2, 3)\nif TURNED:\n    x = x.t()\ny = x.view(6)\n"
    commit({"settings.py": settings, "use.py": use})
    assert found(capsys) == []
    project({"settings.py": settings.replace("False", "True"), "use.py": use + "# more\n"})
    assert found(capsys) == ["use.py:7"]
    assert found(capsys, "use.py", "--changed-since", "HEAD") == ["use.py:7"]


def test_a_file_that_was_moved_and_edited_keeps_its_old_findings_to_itself(commit, project, capsys) -> None:
    text = LOOP.replace("    opt.zero_grad()\n", "") + "\nx = torch.zeros(2, 3).t()\n"
    commit({"train.py": text})
    commit({"train.py": None, "sub/run.py": text + "y = x.view(6)\n"})
    assert found(capsys) == ["sub/run.py:9", "sub/run.py:13"]
    assert found(capsys, "--changed-since", "HEAD~1") == ["sub/run.py:13"]
