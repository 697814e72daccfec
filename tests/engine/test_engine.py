"""Runs over files: what is shown, what is survived, what is fixed."""

from __future__ import annotations

import codecs
import gc
import json
import os
import stat
import sys
import time
from pathlib import Path

import pytest

from torchlsp.core.finding import Severity
from torchlsp.core.text import Document
from torchlsp.engine.engine import CheckResult, Engine
from torchlsp.engine.fingerprint import fingerprints
from torchlsp.engine.provider import Provider
from torchlsp.engine.workspace import Workspace
from torchlsp.interp.store.state import Scope
from torchlsp.syntax.parse import SyntaxTree

HEAD = "import torch\n"


def shown(result: CheckResult) -> list[tuple[str, int, str]]:
    return [
        (one.path.replace(os.sep, "/"), result.documents[one.path].row_column(one.span.start)[0], one.rule)
        for one in result.findings
    ]


def test_findings_are_ordered_by_place(project, engine) -> None:
    project({"b.py": HEAD + "bad(1)\nworse(2)\n", "a.py": HEAD + "x = worse(1); bad(2)\n"})
    result = engine().check(["."])
    assert shown(result) == [
        ("a.py", 2, "TL102"),
        ("a.py", 2, "TL101"),
        ("b.py", 2, "TL101"),
        ("b.py", 3, "TL102"),
    ]
    assert (result.files, result.exit_code()) == (2, 1)


def test_a_file_without_torch_is_parsed_only(project, engine) -> None:
    project({"a.py": "bad(1)\n", "b.py": "def f(:\n"})
    assert shown(engine().check(["."])) == [("b.py", 1, "TL000")]


def test_a_training_loop_needs_no_name_of_torch(project, engine) -> None:
    loop = "def train(loss, optimizer):\n    optimizer.zero_grad()\n    loss.backward()\n    bad(1)\n"
    project(
        {
            "a.py": loop,
            "b.py": f"import mxnet\n{loop}",
            "c.py": f"import mxnet, torch\n{loop}",
            "d.py": f"def backward(): ...\n{loop}",
        }
    )
    assert shown(engine().check(["."])) == [("a.py", 4, "TL101"), ("c.py", 5, "TL101")]


def test_exit_codes(project, engine) -> None:
    project(
        {"e.py": HEAD + "bad(1)\n", "w.py": HEAD + "worse(1)\n", "i.py": HEAD + "hint(1)\n", "n.py": HEAD}
    )
    codes = {name: engine().check([f"{name}.py"]).exit_code() for name in "ewin"}
    assert codes == {"e": 1, "w": 1, "i": 0, "n": 0}
    assert engine().check(["w.py"]).exit_code(fail_on=Severity.ERROR) == 0
    hint = engine(extend_select=("TL103",)).check(["i.py"])
    assert [one.rule for one in hint.findings] == ["TL103"]
    assert (hint.exit_code(), hint.exit_code(fail_on=Severity.INFO)) == (0, 1)


def test_one_bad_file_never_costs_the_run(project, engine) -> None:
    root = project(
        {
            "a_crash.py": HEAD + "crash()\n",
            "b_deep.py": HEAD + "deep()\n",
            "c_latin.py": b"# torch\nx = '\xe9'\n",
            "d_null.py": b"import torch\nx\0 = 1\nbad(1)\n",
            "e_broken.py": HEAD + "def f(:\n\nbad(2)\n",
            "f_fine.py": HEAD + "bad(3)\n",
            "g_empty.py": "",
            "h_feed.py": HEAD + "\x0c\nbad(4)\n",
            "i_crlf.py": HEAD.replace("\n", "\r\n") + "bad(5)\r\n",
            "j_bom.py": codecs.BOM_UTF8 + HEAD.encode() + b"bad(6)\n",
            "k_latin.py": "# coding: latin-1\nimport torch\nx = 'é'; bad(7)\n".encode("latin-1"),
            "l_deep.py": HEAD + "x = " + "(" * 500 + ")" * 500 + "\nbad(8)\n",
        }
    )
    (root / "m_dangling.py").symlink_to(root / "nowhere")
    result = engine().check(["."])
    assert shown(result) == [
        ("c_latin.py", 2, "TL000"),
        ("d_null.py", 2, "TL000"),
        ("d_null.py", 3, "TL101"),
        ("e_broken.py", 2, "TL000"),
        ("e_broken.py", 4, "TL101"),
        ("f_fine.py", 2, "TL101"),
        ("h_feed.py", 3, "TL101"),
        ("i_crlf.py", 2, "TL101"),
        ("j_bom.py", 2, "TL101"),
        ("k_latin.py", 3, "TL101"),
        ("l_deep.py", 2, "TL000"),
        ("l_deep.py", 3, "TL101"),
        ("m_dangling.py", 1, "TL000"),
    ]
    (error,) = result.internal_errors
    head, *rest = error.split("\n")
    assert head.startswith("a_crash.py: ZeroDivisionError at fake_analysis.py:")
    assert head.endswith("a bug of ours")
    assert "Traceback" in rest[0]
    assert result.stopped == ["b_deep.py: nested too deeply to be analysed"]
    assert result.exit_code() == 2


def test_what_the_analysis_reports_is_passed_on(project, engine) -> None:
    project({"a.py": HEAD + "slow(); inner(); bad(1)\n"})
    result = engine().check(["a.py"])
    assert result.stopped == ["a.py: analysis of f stopped"]
    assert result.internal_errors == ["a.py: f: KeyError\nTraceback of it"]
    assert shown(result) == [("a.py", 2, "TL101")]


def test_newer_syntax_is_a_notice(project, engine) -> None:
    if sys.version_info >= (3, 14):
        pytest.skip("this Python reads it")
    project({"a.py": HEAD + "x = t'{y}'\nbad(1)\n"})
    result = engine().check(["a.py"])
    assert shown(result) == [("a.py", 2, "TL101")] or shown(result) == [("a.py", 3, "TL101")]
    assert "needs Python 3.14 or later" in result.stopped[0]
    asked = engine(extend_select=("TL000",)).check(["a.py"])
    assert [one.severity for one in asked.findings if one.rule == "TL000"] == [Severity.INFO]


NO_PYTHON_3 = {
    "async before 1.11": (HEAD + "x.cuda(async=True)\n", "Needs PyTorch 1.2.\n", "3.6"),
    "async in a newer torch": (HEAD + "x.cuda(async=True)\n", "Needs PyTorch 1.11.\n", ""),
    "an old torch": (
        HEAD + "print 'hello'\nprint('hello')\nprint(f'{1}')\nbad(1)\n",
        "Needs PyTorch 0.4.1.\n",
        "2",
    ),
    "a newer torch": (
        HEAD + "print 'hello'\nprint('hello')\nprint(f'{1}')\nbad(1)\n",
        "Needs PyTorch 1.5.\n",
        "",
    ),
    "only statements": (HEAD + "print 'hello'\nprint 'a', b\nprint('c')\n", "", "2"),
    "one statement": (HEAD + "print 'hello'\nprint('a')\nprint('c')\n", "", "2"),
    "an annotation": (HEAD + "print 'hello'\ndef f(x) -> int:\n    return x\n", "", ""),
    "an f-string": (HEAD + "print 'hello'\nx = f'{y}'\n", "", ""),
}


@pytest.mark.parametrize(("text", "readme", "python"), NO_PYTHON_3.values(), ids=NO_PYTHON_3.keys())
def test_a_file_for_an_older_python_is_a_notice(project, engine, text, readme, python) -> None:
    project({"a.py": text, "README.md": readme})
    result = engine().check(["a.py"])
    assert ("a.py", 2, "TL000") in shown(result) or python
    assert result.stopped == ([f"a.py:2: a file for Python {python} is not read"] if python else [])


def test_a_cell_that_does_not_parse_is_a_notice(project, engine) -> None:
    cells = [
        {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": one}
        for one in (HEAD, "x = = 1", "bad(1)")
    ]
    project({"a.ipynb": json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})})
    result = engine().check(["a.ipynb"])
    assert [one.rule for one in result.findings] == ["TL101"]
    assert "does not parse" in result.stopped[0]


@pytest.mark.parametrize("line", ["!pip install torch", "%matplotlib inline"])
def test_a_line_for_ipython_is_a_notice(project, engine, line) -> None:
    project({"a.py": HEAD + f"{line}\nbad(1)\n"})
    result = engine().check(["a.py"])
    assert shown(result) == [("a.py", 3, "TL101")]
    assert result.stopped == ["a.py:2: a line for IPython, which Python does not read"]


def test_a_notice_for_a_file_above_the_limit(project, engine, monkeypatch) -> None:
    monkeypatch.setattr("torchlsp.syntax.parse.MAX_TEXT_LENGTH", 20)
    project({"a.py": HEAD + "bad(1)\n" * 5, "b.py": HEAD + "bad(1)"})
    result = engine().check(["."])
    assert shown(result) == [("b.py", 2, "TL101")]
    assert "a.py:1: file not analysed" in result.stopped[0]


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="needs a user whom modes bind")
def test_an_unreadable_file_is_a_finding(project, engine) -> None:
    root = project({"a.py": HEAD, "b.py": HEAD + "bad(1)\n"})
    (root / "a.py").chmod(0)
    assert shown(engine().check(["."])) == [("a.py", 1, "TL000"), ("b.py", 2, "TL101")]


def test_configuration_of_each_file(project, engine) -> None:
    project(
        {
            "torchlsp.toml": '[per-file-ignores]\n"tests/**" = ["TL1"]\n[severity]\nTL102 = "error"\nTL1 = "info"',
            "a.py": HEAD + "bad(1)\nworse(1)\n",
            "tests/b.py": HEAD + "bad(1)\nloop(1)\n",
            "sub/torchlsp.toml": 'select = ["TL5"]',
            "sub/c.py": HEAD + "bad(1)\nloop(1)\n",
        }
    )
    result = engine().check(["."])
    assert shown(result) == [("a.py", 3, "TL102"), ("sub/c.py", 3, "TL501"), ("tests/b.py", 3, "TL501")]
    assert result.findings[0].severity is Severity.ERROR


def test_groups_in_severities_and_in_ignores_of_files(project, engine) -> None:
    project(
        {
            "torchlsp.toml": (
                'select = ["ALL"]\n[per-file-ignores]\n"tests/**" = ["performance"]\n'
                '[severity]\nTL904 = "error"\nupgrade = "info"\nperformance = "error"\nALL = "warning"\n'
            ),
            "a.py": HEAD + "slow_loop(1)\nold(1)\nolder(1)\nbad(1)\n",
            "tests/b.py": HEAD + "slow_loop(1)\nbad(1)\n",
        }
    )
    result = engine().check(["."])
    assert [(one.path, one.rule, one.severity.value) for one in result.findings] == [
        ("a.py", "TL902", "error"),
        ("a.py", "TL903", "info"),
        ("a.py", "TL904", "error"),
        ("a.py", "TL101", "warning"),
        (os.path.join("tests", "b.py"), "TL101", "warning"),
    ]


SUPPRESSED = [
    "bad(1)  # torchlsp: ignore[TL101] it is fine",
    "bad(1)  # torchlsp: ignore[view-on-noncontiguous]",
    "bad(1)  # torchlsp: ignore",
    "bad(1)  # noqa: TL101",
    "bad(1)  # noqa: F401, TL101",
    "bad(\n  1,\n)  # torchlsp: ignore[TL101]",
    "x = (  # torchlsp: ignore[TL101]\n  1 +\n  bad(1)\n)",
    "if x:\n    y = [  # torchlsp: ignore[TL101]\n        bad(1)\n    ]",
]


@pytest.mark.parametrize("code", SUPPRESSED)
def test_suppressed(project, engine, code: str) -> None:
    project({"a.py": f"{HEAD}{code}\n"})
    assert shown(engine().check(["a.py"])) == []


@pytest.mark.parametrize(
    ("code", "rules"),
    [
        ("bad(1)  # noqa", ["TL101"]),
        ("bad(1)  # noqa: F401", ["TL101"]),
        ("bad(1)\n# torchlsp: ignore[TL101]", ["TL101", "TL001"]),
        ("bad(1)  # torchlsp: ignore[TL102]", ["TL101", "TL001"]),
        ("if x:  # torchlsp: ignore[TL101]\n    bad(1)", ["TL001", "TL101"]),
        ("bad('''# torchlsp: ignore[TL101]''')", ["TL101"]),
        ("pass  # torchlsp: ignore[TL101]", ["TL001"]),
        ("pass  # torchlsp: ignore", ["TL001"]),
        ("pass  # noqa: TL101", ["TL001"]),
        ("pass  # torchlsp: ignore[TL110]", ["TL001"]),
        ("pass  # torchlsp: ignore[TL901] not run", []),
        ("bad(1)  # torchlsp: ignore[TL101, TL102]", ["TL001"]),
        ("pass\n# torchlsp: ignore-file[TL101]", ["TL001"]),
        ("pass  # torchlsp: ignore[TL101, TL001]", []),
    ],
)
def test_what_a_comment_does_not_cover(project, engine, code: str, rules: list[str]) -> None:
    project({"a.py": f"{HEAD}{code}\n"})
    assert [one.rule for one in engine().check(["a.py"]).findings] == rules


COMMENTS = {
    "one unknown code": "pass  # torchlsp: ignore[" + "a," * 8_000 + "]",
    "unknown codes": "pass  # torchlsp: ignore[" + ",".join(f"a{number}" for number in range(8_000)) + "]",
    "one code": "pass  # torchlsp: ignore[" + "TL102," * 8_000 + "]",
    "rows": "pass  # torchlsp: ignore[TL101]\n" * 8_000,
    "found": "bad(1)  # torchlsp: ignore[" + "TL101," * 8_000 + "]\n",
    "files": "# torchlsp: ignore-file[TL102]\n" * 8_000,
    "noqa": "pass  # noqa: " + ",".join(["TL101"] * 8_000),
}


@pytest.mark.parametrize("code", COMMENTS.values(), ids=COMMENTS)
def test_thousands_of_codes_and_comments_take_time_in_proportion(project, engine, code: str) -> None:
    """4,000 codes took 12 seconds, and twice as many four times as long."""
    project({"a.py": f"{code}\n" if code.startswith("#") else f"{HEAD}{code}\n"})
    start = time.process_time()
    found = engine().check(["a.py"]).findings
    assert time.process_time() - start < 1.9
    assert len(found) == (0 if code.startswith("bad") else 8_000)


def test_a_whole_file_can_be_suppressed(project, engine) -> None:
    project({"a.py": f"# torchlsp: ignore-file[TL101] old\n{HEAD}bad(1)\nworse(2)\nbad(3)\n"})
    assert [one.rule for one in engine().check(["a.py"]).findings] == ["TL102"]


def test_comments_of_a_broken_file_are_not_called_unused(project, engine) -> None:
    project({"a.py": f"{HEAD}def f(:\n    pass  # torchlsp: ignore[TL101]\n"})
    assert [one.rule for one in engine().check(["a.py"]).findings] == ["TL000"]


@pytest.mark.parametrize("given_up", ["slow()", "inner()", "crash()", "deep()"])
def test_comments_are_not_judged_where_the_analysis_gave_up(project, engine, given_up: str) -> None:
    project({"a.py": f"{HEAD}{given_up}\npass  # torchlsp: ignore[TL101]\n"})
    assert engine().check(["a.py"]).findings == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("pass  # torchlsp: ignore[TL101] why\n", "pass\n"),
        ("# torchlsp: ignore[TL101]\npass\n", "pass\n"),
        ("pass  # noqa: TL101\n", "pass\n"),
        ("pass  # noqa: TL101  \n", "pass\n"),
        ("# noqa: TL101  \npass\n", "pass\n"),
        ("pass  # noqa: F401, TL101\n", None),
        ("bad(1)  # torchlsp: ignore[TL102, TL101] why\n", "bad(1)  # torchlsp: ignore[TL101] why\n"),
        ("pass  # noqa: TL101 (said the linter)\n", "pass  # (said the linter)\n"),
    ],
)
def test_unused_suppressions_are_removed(project, engine, before: str, after: str | None) -> None:
    root = project({"a.py": HEAD + before})
    engine(fix=True).check(["a.py"])
    if after is None:
        after = "pass  # noqa: F401\n"
    assert (root / "a.py").read_text() == HEAD + after


def test_a_safe_alternative_is_not_made_where_the_fix_that_is_shown_is_unsafe(project, engine) -> None:
    root = project({"a.py": HEAD + "bad(either)\n"})
    assert engine(fix=True).check(["a.py"]).changes == []
    assert (root / "a.py").read_text() == HEAD + "bad(either)\n"
    engine(fix=True, unsafe_fixes=True).check(["a.py"])
    assert (root / "a.py").read_text() == HEAD + "good(unsafe)\n"


def test_safe_and_unsafe_fixes(project, engine) -> None:
    root = project({"a.py": HEAD + "bad(safe)\nbad(unsafe)\n"})
    result = engine(fix=True).check(["a.py"])
    assert (root / "a.py").read_text() == HEAD + "good(safe)\nbad(unsafe)\n"
    assert shown(result) == [("a.py", 3, "TL101")]
    assert engine(fix=True, unsafe_fixes=True).check(["a.py"]).exit_code() == 0
    assert (root / "a.py").read_text() == HEAD + "good(safe)\ngood(unsafe)\n"


def test_an_import_that_two_fixes_share_is_added_once(project, engine) -> None:
    root = project({"a.py": HEAD + "bad(import1)\nbad(import2)\n"})
    engine(fix=True).check(["a.py"])
    assert (root / "a.py").read_text() == "import good\n" + HEAD + "good(import1)\ngood(import2)\n"


def test_rounds_end(project, engine) -> None:
    root = project({"a.py": HEAD + "bad(again)\n"})
    result = engine(fix=True).check(["a.py"])
    assert (root / "a.py").read_text() == HEAD + "bad(again" + "x" * 10 + ")\n"
    assert result.exit_code() == 1


def test_a_fix_that_would_not_parse_leaves_the_file_alone(project, engine) -> None:
    root = project({"a.py": HEAD + "bad(safe)\nbad(broken)\n"})
    result = engine(fix=True).check(["a.py"])
    assert (root / "a.py").read_text() == HEAD + "bad(safe)\nbad(broken)\n"
    assert result.problems == ["a.py: left alone, its fixes would not parse"]
    assert len(result.findings) == 2


def test_broken_files_are_not_fixed(project, engine) -> None:
    text = HEAD + "bad(safe)\ndef f(:\n"
    root = project({"a.py": text})
    engine(fix=True).check(["a.py"])
    assert (root / "a.py").read_text() == text


@pytest.mark.parametrize(
    "data",
    [
        codecs.BOM_UTF8 + b"import torch\r\nx = '\xc3\xa9'; bad(safe)\r\n\x0c\r\n",
        "# coding: latin-1\nimport torch\nx = 'é'; bad(safe)".encode("latin-1"),
        b"import torch\rbad(safe)\r",
        b"import torch\nbad(safe)\r\n\n\ny = 1",
    ],
)
def test_bytes_around_a_fix_are_kept(project, engine, data: bytes) -> None:
    root = project({"a.py": data})
    engine(fix=True).check(["a.py"])
    assert (root / "a.py").read_bytes() == data.replace(b"bad(", b"good(")


@pytest.mark.skipif(sys.platform == "win32", reason="modes and links differ there")
def test_mode_and_link_are_kept(project, engine) -> None:
    root = project({"real.py": HEAD + "bad(safe)\n", "sub/x": ""})
    (root / "real.py").chmod(0o750)
    (root / "sub" / "link.py").symlink_to(root / "real.py")
    engine(fix=True).check(["sub/link.py"])
    assert (root / "sub" / "link.py").is_symlink()
    assert (root / "real.py").read_text() == HEAD + "good(safe)\n"
    assert stat.S_IMODE((root / "real.py").stat().st_mode) == 0o750
    assert sorted(path.name for path in root.iterdir()) == ["real.py", "sub"]


def test_diff_changes_nothing_on_disk(project, engine) -> None:
    root = project({"a.py": HEAD + "bad(safe)\n", "b.py": HEAD + "bad(1)\n"})
    result = engine(diff=True).check(["."])
    assert (root / "a.py").read_text() == HEAD + "bad(safe)\n"
    assert [(change.document.path, change.text) for change in result.changes] == [
        ("a.py", HEAD + "good(safe)\n")
    ]
    assert result.exit_code(diff=True) == 1
    assert engine(diff=True).check(["b.py"]).exit_code(diff=True) == 0


def test_fingerprints_survive_edits_elsewhere(project, engine) -> None:
    project({"a.py": HEAD + "def f():\n    bad(1)\n    bad(1)\n\n\ndef g():\n    bad(1)\n"})
    before = engine().check(["a.py"])
    project(
        {
            "a.py": "# moved\n"
            + HEAD
            + "x = 1\n\n\ndef f():\n        bad(1)\n        bad(1)\n\n\ndef g():\n    bad(1)\n"
        }
    )
    after = engine().check(["a.py"])
    one = fingerprints(before.findings, before.documents)
    assert one == fingerprints(after.findings, after.documents)
    assert len(set(one)) == 3


def test_a_text_that_is_not_on_disk(project, engine) -> None:
    project({})
    result = engine().check_document(Document("new.py", HEAD + "bad(1)"))
    assert shown(result) == [("new.py", 2, "TL101")]


def test_the_provider_gives_the_modules_of_the_workspace(project) -> None:
    project(
        {"pyproject.toml": "", "a.py": "from b import f\n", "b.py": "def f(): pass\n", "c.py": "def f(:\n"}
    )
    provider = Provider(Workspace())
    tree = provider.module("b", "a.py")
    assert tree is not None and tree.document.path == "b.py"
    assert provider.module("b", "a.py") is tree
    assert provider.tree(Document("b.py", "def f(): pass\n")) is tree
    assert provider.tree(Document("b.py", "def g(): pass\n")) is not tree
    assert provider.module("c", "a.py").problems  # type: ignore[union-attr]
    assert provider.module("torch", "a.py") is None


def test_the_provider_keeps_a_bounded_amount(project) -> None:
    project({f"m{number}.py": "x = 1111\n" for number in range(4)})
    provider = Provider(Workspace(), kept_characters=25)
    trees = [provider.module(f"m{number}", "main.py") for number in range(4)]
    assert provider.module("m3", "main.py") is trees[3]
    assert provider.module("m0", "main.py") is not trees[0]


def test_a_tree_that_is_not_looked_at_keeps_what_is_derived_of_it_only(project) -> None:
    folder = project({"a.py": "x = 1\n", "b.py": "y = 2\n", "c.py": "def f(:\n"})
    documents = [Document(name, Path(name).read_text()) for name in ("a.py", "b.py", "c.py")]
    opened = {os.path.realpath(folder / one.path): one for one in documents}
    provider = Provider(Workspace(), opened)
    trees = [provider.tree(document) for document in documents]
    assert [_holds_ast(tree) for tree in trees] == [False, False, True]
    assert [provider.tree(tree.document) is tree for tree in (*trees, *trees)] == [True] * 6
    assert [_holds_ast(tree) for tree in trees] == [False, False, True]
    assert len(trees[0].module.body) == 1 and trees[0].problems == ()
    assert trees[2].problems


def test_a_file_that_others_have_read_is_kept_for_them_without_the_ast_of_its_own_check(project) -> None:
    whole = "def f(value):\n" + "    value = value.reshape(-1).contiguous()  # whatever it was before\n" * 4
    project({"pyproject.toml": "", "a.py": "import b\n", "b.py": whole, "c.py": "z = 3\n"})
    provider = Provider(Workspace())
    read = provider.module("b", "a.py")
    assert read is not None and read.outline is not None and not _holds_ast(read)
    checked = provider.tree(Document("b.py", whole))
    assert checked is read and len(checked.module.body[0].body) == 4
    provider.tree(Document("c.py", "z = 3\n"))
    assert provider.module("b", "a.py") is read and not _holds_ast(read)
    assert read.problems == () and not _holds_ast(read)


def test_a_file_that_nobody_imports_is_not_kept_after_its_check(project) -> None:
    project({"pyproject.toml": "", "a.py": "x = 1\n", "b.py": "import a\n"})
    provider = Provider(Workspace())
    alone = provider.tree(Document("a.py", "x = 1\n"))
    assert provider.tree(Document("a.py", "x = 1\n")) is alone
    provider.tree(Document("b.py", "import a\n"))
    read = provider.module("a", "b.py")
    assert read is not None and read is not alone
    # What imports itself, by way of another file, is imported.
    again = provider.tree(Document("b.py", "import a\n"))
    assert provider.module("b", "a.py") is again
    provider.tree(Document("a.py", "x = 1\n"))
    assert provider.module("b", "a.py") is again


def _holds_ast(tree: SyntaxTree) -> bool:
    try:
        SyntaxTree.module.__get__(tree)
    except AttributeError:
        return False
    return True


def test_a_check_leaves_nothing_for_the_collector() -> None:
    """In a long run the collector looks at everything that lives; what names files and classes have must go by itself."""
    text = (
        HEAD
        + "class A(torch.nn.Module):\n    def __init__(self):\n        self.a = 1\n\n    def f(self):\n        return A\n\nA().f()\n"
    )
    checked = Engine()
    checked.check_document(Document("a.py", text))
    gc.collect()
    gc.disable()
    try:
        before = sum(type(one) is Scope for one in gc.get_objects())
        checked.check_document(Document("a.py", text))
        assert sum(type(one) is Scope for one in gc.get_objects()) <= before
    finally:
        gc.enable()


def test_progress_is_told_before_each_file(project, engine) -> None:
    project({"a.py": "", "b.py": ""})
    told: list[tuple[int, int]] = []
    engine().check(["."], lambda number, total, path: told.append((number, total)))
    assert told == [(0, 2), (1, 2)]
