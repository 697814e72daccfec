"""The six tools."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from torchlsp.docs_db.build import DocEntry
from torchlsp.mcp_server.boundary import Boundary, Refused
from torchlsp.mcp_server.tools import Tools

BAD = "import torch\n\nx = torch.zeros(2, 3).t()\ny = x.view(6)\n"


def the_finding(reply) -> dict:
    (found,) = reply.data["findings"]
    return found


# ---- check and apply_fix ---------------------------------------------------------------------------------------------


def test_check_gives_place_causes_and_the_fix(ask) -> None:
    reply = ask("check")
    found = the_finding(reply)
    assert (found["place"], found["rule"], found["severity"]) == ("bad.py:4:5", "TL101", "error")
    assert found["because"] == ["because transposed here: f32[3, 2] noncontig (bad.py:3:5)"]
    assert found["fix"] == {
        "title": "Replace view by reshape",
        "safe": True,
        "diff": "@@ -4 +4 @@\n-y = x.view(6)\n+y = x.reshape(6)",
    }
    assert f"id: {found['id']}" in reply.text
    assert reply.data["summary"] == "1 error in 2 files; 1 fixable with --fix"


def test_check_of_what_is_clean_is_one_line(ask) -> None:
    reply = ask("check", paths=["model.py"])
    assert reply.text == "No findings in 1 file"
    assert reply.data == {"summary": "No findings in 1 file", "findings": []}


def test_check_shows_no_more_than_the_limit(ask, root: Path) -> None:
    (root / "bad.py").write_text(BAD + "z = x.view(6)\n")
    reply = ask("check", limit=1)
    assert len(reply.data["findings"]) == 1
    assert "1 finding not shown (limit 0 shows all)" in reply.data["summary"]
    assert len(ask("check", limit=0).data["findings"]) == 2


def test_apply_fix_writes_the_file_and_checks_it_again(ask, root: Path) -> None:
    reply = ask("apply_fix", path="bad.py", id=the_finding(ask("check"))["id"])
    assert (root / "bad.py").read_text() == BAD.replace("view", "reshape")
    assert reply.data["gone"] is True
    assert reply.data["findings"] == []
    assert reply.data["summary"] == "No findings in 2 files"
    assert "-y = x.view(6)\n+y = x.reshape(6)\n" in reply.data["diff"]


def test_apply_fix_says_what_is_left_in_the_file(ask, root: Path) -> None:
    (root / "bad.py").write_text(BAD + "z = x.view(6, 1)\n")
    first = ask("check").data["findings"][0]
    reply = ask("apply_fix", path="bad.py", id=first["id"])
    assert (reply.data["gone"], the_finding(reply)["place"]) == (True, "bad.py:5:5")


def test_apply_fix_makes_a_fix_whose_finding_rests_on_a_call_in_another_file(ask, root: Path) -> None:
    (root / "bad.py").write_text("def flat(x):\n    return x.view(-1)\n")
    (root / "main.py").write_text("import torch\nfrom bad import flat\n\nflat(torch.zeros(2, 3).t())\n")
    found = the_finding(ask("check"))
    assert found["place"] == "bad.py:2:12"
    assert ask("apply_fix", path="bad.py", id=found["id"]).data["gone"] is True
    assert (root / "bad.py").read_text() == "def flat(x):\n    return x.reshape(-1)\n"


@pytest.mark.parametrize("wanted", ["", "000000000000"])
def test_apply_fix_refuses_an_id_that_is_none(ask, root: Path, wanted: str) -> None:
    with pytest.raises(Refused, match="check gives the ids"):
        ask("apply_fix", path="bad.py", id=wanted)
    assert (root / "bad.py").read_text() == BAD


def test_apply_fix_refuses_an_id_of_another_file(ask) -> None:
    with pytest.raises(Refused, match="model.py has no finding"):
        ask("apply_fix", path="model.py", id=the_finding(ask("check"))["id"])


def test_apply_fix_refuses_what_has_no_fix(ask, root: Path) -> None:
    (root / "bad.py").write_text("import torch\n\ny = torch.zeros(2, 3) @ torch.zeros(4, 5)\n")
    found = the_finding(ask("check"))
    assert "fix" not in found
    with pytest.raises(Refused, match="no automatic fix"):
        ask("apply_fix", path="bad.py", id=found["id"])


# ---- facts_at --------------------------------------------------------------------------------------------------------


def test_facts_at_gives_the_facts_of_a_line(ask) -> None:
    reply = ask("facts_at", path="bad.py", line=3, name="x")
    (found,) = reply.data["facts"]
    assert (found["name"], found["fact"]) == ("x", "f32[3, 2] noncontig")
    assert reply.data["unknown"] == []
    assert {one["name"] for one in ask("facts_at", path="bad.py", line=4).data["facts"]} >= {"x", "y"}


@pytest.mark.parametrize(
    ("line", "name", "why"),
    [
        (8, "small", "`crop` is a parameter (line 8), and no call in this file passes anything known"),
        (9, "rows", "`crop` is a parameter (line 8), and no call in this file passes anything known"),
        (10, "made", "what `absent.make` returns (line 10) is not known"),
        (7, "crop", "`crop` is a parameter (line 7), and no call in this file passes anything known"),
    ],
)
def test_facts_at_says_where_the_knowledge_ends(ask, line: int, name: str, why: str) -> None:
    reply = ask("facts_at", path="model.py", line=line, name=name)
    assert reply.data["unknown"] == [{"name": name, "because": why}]
    assert reply.text == f"{name}: unknown because {why}"


def test_facts_at_knows_that_code_is_not_reached(ask, root: Path) -> None:
    (root / "bad.py").write_text(
        "import torch\n\ndef f():\n    return 1\n    x = torch.zeros(2)\n    y = x\n"
    )
    (found,) = ask("facts_at", path="bad.py", line=6, name="y").data["unknown"]
    assert found["because"] == "the analysis does not reach this code"


UNKNOWNS = """\
import torch


@torch.no_grad()
def f(model, items):
    x = torch.zeros(2)
    y = x.to(device="cpu")

    def later():
        nonlocal x
        x = items

    model(later)
    z = x
    try:
        return model.size[0].width
    except RuntimeError:
        return self.x, items, items


def g():
    return later.name
"""


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (4, {}),  # a decorator is evaluated for nothing
        (7, {}),  # the name of a keyword is no value
        (14, {"z": "`x` may have changed since it was bound (line 6)", "x": "`x` may have changed since it was bound (line 6)"}),
        (16, dict.fromkeys(("model", "size", "width"), "`model` is a parameter (line 16), and no call in this file passes anything known")),
        (17, {}),
        (18, {"items": "`items` is a parameter (line 18), and no call in this file passes anything known", "x": "nothing is known of `self` (line 18)"}),
    ],
)  # fmt: skip
def test_facts_at_follows_a_value_to_where_it_comes_from(ask, root: Path, line: int, expected: dict) -> None:
    (root / "bad.py").write_text(UNKNOWNS)
    told = ask("facts_at", path="bad.py", line=line).data["unknown"]
    assert {one["name"]: one["because"] for one in told} == expected


def test_facts_at_says_that_a_function_was_given_up(ask, root: Path) -> None:
    many = "[" * 6 + "a" + "".join(f" for i{depth} in [5, 3, 9, 7, 8, 11, 12, 15]]" for depth in range(6))
    (root / "bad.py").write_text(f"import torch\n\ndef f(a):\n    x = {many}\n    y = torch.ones(2)\n")
    told = ask("facts_at", path="bad.py", line=5, name="y").data["unknown"]
    assert told == [
        {"name": "y", "because": "the function `f` (line 3) is too large to be analysed to its end"}
    ]


def test_facts_at_takes_what_calls_in_the_file_pass(ask, root: Path) -> None:
    (root / "bad.py").write_text("import torch\n\ndef f(x):\n    return x\n\nf(torch.zeros(2, 3))\n")
    (found,) = ask("facts_at", path="bad.py", line=4, name="x").data["facts"]
    assert (found["fact"], "as called in this file" in found["notes"]) == ("f32[2, 3]", True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"path": "bad.py", "line": 99}, "bad.py has 4 lines"),
        ({"path": "bad.py", "line": 0}, "bad.py has 4 lines"),
        ({"path": "bad.py", "line": 3, "name": "q"}, r"bad.py:3 has no `q`: x = torch.zeros\(2, 3\).t\(\)"),
        ({"path": "pyproject.toml", "line": 1}, "not a Python file"),
        ({"path": ".", "line": 1}, "not a Python file"),
    ],
)
def test_facts_at_says_what_is_wrong_with_a_question(ask, arguments: dict, message: str) -> None:
    with pytest.raises(Refused, match=message):
        ask("facts_at", **arguments)


# ---- the workspace is all that is read ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path", ["..", "../other.py", "/etc/passwd", "bad.py/../../other.py", "link.py", "folder"]
)
@pytest.mark.parametrize("name", ["check", "facts_at", "apply_fix"])
def test_no_tool_leaves_the_workspace(ask, root: Path, name: str, path: str) -> None:
    outside = root.parent / f"{root.name}-outside"
    outside.mkdir()
    (outside / "other.py").write_text(BAD)
    (root / "link.py").symlink_to(outside / "other.py")
    (root / "folder").symlink_to(outside)
    arguments = {"check": {"paths": [path]}, "facts_at": {"path": path, "line": 3}}
    with pytest.raises(Refused, match="outside the workspace"):
        ask(name, **arguments.get(name, {"path": path, "id": "0"}))


def test_a_link_to_a_file_elsewhere_is_not_reported(ask, root: Path) -> None:
    outside = root.parent / f"{root.name}-outside"
    outside.mkdir()
    (outside / "other.py").write_text(BAD)
    (root / "link.py").symlink_to(outside / "other.py")
    assert [one["place"] for one in ask("check").data["findings"]] == ["bad.py:4:5"]


def test_nothing_is_quoted_that_imports_lead_to_outside(project, tools, monkeypatch) -> None:
    text = "import torch\n\ndef secret():\n    return torch.zeros(2, 3).t()\n"
    user = "import torch\nfrom other import secret\n\ny = secret().view(6)\n"
    root = project({"pyproject.toml": "", "other.py": text, "inside/user.py": user}) / "inside"
    monkeypatch.chdir(root)
    bounded = Tools(Boundary(str(root)))
    told = [bounded.call("check", {}), bounded.call("facts_at", {"path": "user.py", "line": 4})]
    assert "TL101" in told[0].text  # the facts from there are used
    assert not any("zeros(2, 3)" in one.text for one in told)


@pytest.mark.parametrize("path", ["absent.py", "a\0b"])
def test_a_path_that_is_none_is_named(ask, path: str) -> None:
    with pytest.raises(Refused, match="no such file|null character"):
        ask("facts_at", path=path, line=1)


def test_a_traceback_opens_no_file_outside(ask, root: Path) -> None:
    outside = root.parent / f"{root.name}-outside"
    outside.mkdir()
    (outside / "other.py").write_text(BAD)

    def explained(path: Path) -> str:
        return ask(
            "explain_error",
            text=f'Traceback (most recent call last):\n  File "{path}", line 4, in <module>\n    y = x.view(6)\n'
            "RuntimeError: view size is not compatible with input tensor's size and stride\n",
        ).text

    assert "f32[3, 2] noncontig" in explained(root / "bad.py")
    assert "f32[3, 2] noncontig" not in explained(outside / "other.py")


# ---- explain_error -----------------------------------------------------------------------------------------------------


def test_explain_error_explains_and_says_what_to_do(ask) -> None:
    reply = ask("explain_error", text="RuntimeError: mat1 and mat2 shapes cannot be multiplied (3x5 and 4x3)")
    assert reply.data["known"] is True
    assert reply.data["fixes"]
    assert "matrix product" in reply.text


def test_explain_error_admits_what_it_does_not_know(ask) -> None:
    reply = ask("explain_error", text="RuntimeError: the moon is full")
    assert (reply.data["known"], reply.data["fixes"]) == (False, [])


# ---- try_snippet, probe and docs, as far as they need no torch -------------------------------------------------------------------------------


class Unlocked:
    """A worker on a system that cannot lock it in."""

    torch = "2.13.0"
    is_locked = False

    def hello(self) -> Unlocked:
        return self

    def close(self) -> None:
        pass


def test_without_a_lock_nothing_is_run(ask, tools) -> None:
    tools._worker = tools._prober = Unlocked()
    with pytest.raises(Refused, match="cannot be sandboxed"):
        ask("try_snippet", code="import torch\n")
    assert "nothing was probed: programs cannot be sandboxed" in ask("check", probe=True).data["summary"]


def test_a_snippet_has_a_largest_size(ask) -> None:
    with pytest.raises(Refused, match="more than 100,000 characters"):
        ask("try_snippet", code="#" * 100_001)


class Documented:
    """A documentation that is built when it is first needed."""

    path = "docs.sqlite"

    def __init__(self, markdown: str) -> None:
        self.built = 0
        self.known = DocEntry("torch.add", "function", "add(a, b)", "Adds.", markdown, None, "2.13.0")

    def is_built(self) -> bool:
        return self.built > 0

    def build(self) -> None:
        self.built += 1

    def meant(self, symbol: str) -> DocEntry | None:
        return self.known if symbol == "torch.add" else None

    def search(self, text: str) -> list[DocEntry]:
        return [self.known] if text == "sum" else []

    def nearest(self, symbol: str) -> list[str]:
        return ["torch.add"]

    def versions(self) -> dict[str, str]:
        return {"torch": "2.13.0"}

    def close(self) -> None:
        pass


def test_docs_are_built_once_and_shown(ask, tools) -> None:
    tools._documentation = Documented("Adds two tensors.")
    text = ask("docs", symbol="torch.add").text
    assert "add(a, b)" in text and "Adds two tensors." in text
    assert "torch.add" in ask("docs", search="sum").text
    assert ask("docs", search="moon").text == "nothing found for `moon`"
    with pytest.raises(Refused, match="torch 2.13.0 has no `torch.ad`; near: torch.add"):
        ask("docs", symbol="torch.ad")
    assert tools._documentation.built == 1


def test_long_docs_are_cut_at_a_line(ask, tools) -> None:
    tools._documentation = Documented("a line of text\n" * 1_000)
    text = ask("docs", symbol="torch.add").text
    assert len(text) <= 8_010
    assert text.endswith("a line of text\n[cut]")


@pytest.mark.parametrize("arguments", [{}, {"symbol": "a", "search": "b"}, {"symbol": ""}])
def test_docs_wants_a_symbol_or_a_search(ask, arguments: dict) -> None:
    with pytest.raises(Refused, match="either symbol or search"):
        ask("docs", **arguments)


def test_a_python_without_torch_has_our_notes_only(ask, tools, tmp_path: Path) -> None:
    tools._python = str(tmp_path / "bin" / "python")
    os.makedirs(tmp_path / "bin")
    (tmp_path / "bin" / "python").write_text("")
    (tmp_path / "bin" / "python").chmod(0o755)
    assert "view" in ask("docs", symbol="torch.Tensor.view").text
    with pytest.raises(Refused, match="there is no torch"):
        ask("docs", symbol="torch.absent")
