"""A Python is asked for its documentation once; what is kept is looked up, shared, replaced and mended."""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from torchlsp.cli.main import main
from torchlsp.docs_db.build import BUILD_VERSION, DocEntry
from torchlsp.docs_db.store import Damaged, Store
from torchlsp.engine.documentation import Unbuildable, clear, kept
from torchlsp.report.documentation import notes_as_text, signature

pytestmark = pytest.mark.processes

if TYPE_CHECKING:
    from collections.abc import Callable

    from torchlsp.engine.documentation import Documentation

    Make = Callable[..., Documentation]

SYMBOLS = ("torch.Tensor", "torch.Tensor.view", "torch.Thing", "torch.Thing.run", "torch.add", "torch.old")


def test_nothing_is_there_before_a_build_and_looking_builds_nothing(make: Make) -> None:
    documentation = make()
    assert not documentation.is_built()
    assert documentation.entry("torch.add") is None
    assert documentation.search("numbers") == []
    assert not os.path.exists(documentation.folder)


def test_a_build_reads_the_public_names(make: Make) -> None:
    documentation = make()
    told: list[float] = []
    documentation.build(lambda done, text: told.append(done))
    assert all(documentation.entry(symbol) is not None for symbol in SYMBOLS)
    assert documentation.entry("torch._private") is None
    assert documentation.versions() == {"torch": "9.1.0"}
    assert told[-1] == 1.0 and told == sorted(told)
    added = documentation.entry("torch.add")
    assert added is not None
    assert (added.kind, added.signature) == ("function", "torch.add(a, b=2)")
    assert added.summary == "Adds 9.1.0 numbers."
    assert added.markdown == "Adds 9.1.0 numbers.\n\n**Args**\n\n- `a` (int): the first"
    assert added.source == "torch/__init__.py:22"
    assert added.url == "https://docs.pytorch.org/docs/9.1/generated/torch.add.html"


def test_members_are_found_through_bases_and_docstrings_tell_signatures(make: Make) -> None:
    documentation = make()
    documentation.build()
    view = documentation.entry("torch.Thing.view")
    assert view is not None
    assert view.symbol == "torch.Tensor.view"
    assert view.summary == "Returns a made-up view, see `add()`."
    thing = documentation.entry("torch.Thing")
    assert thing is not None
    assert thing.since == "9.1.0"
    assert thing.url == "https://docs.pytorch.org/docs/9.1/generated/torch.Thing.html"


def test_what_torch_has_removed_says_so(make: Make) -> None:
    documentation = make()
    documentation.build()
    old = documentation.entry("torch.old")
    assert old is not None
    assert old.removed == "This function was deprecated since version 1.9 and is now removed."
    added = documentation.entry("torch.add")
    assert added is not None and added.removed is None


def test_two_environments_have_their_own(make: Make) -> None:
    older, newer = make("a", "8.0.0"), make("b", "9.2.0")
    older.build()
    newer.build()
    assert older.path != newer.path
    texts = [one.entry("torch.add").summary for one in (older, newer)]  # type: ignore[union-attr]
    assert texts == ["Adds 8.0.0 numbers.", "Adds 9.2.0 numbers."]


@pytest.mark.parametrize(
    ("torch", "expected"),
    [
        (
            "raise ImportError('libtorch.so: no such file')",
            "torch cannot be imported: ImportError: libtorch.so",
        ),
        ("raise SystemExit(3)", "torch cannot be imported: SystemExit: 3"),
        ("import os\nos._exit(7)", "status 7"),
        ("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)", "SIGSEGV"),
        ("", "torch cannot be imported: AttributeError"),
    ],
    ids=["import-error", "exit", "sudden-exit", "crash", "empty"],
)
def test_a_torch_that_cannot_be_imported_is_said(make: Make, torch: str, expected: str) -> None:
    documentation = make(torch=torch)
    with pytest.raises(Unbuildable, match=expected.replace(".", r"\.")):
        documentation.build()
    assert not documentation.is_built()
    assert [path for path, _ in kept(documentation.folder) if not path.endswith(".lock")] == []


def test_without_torch_there_is_nothing_to_build(make: Make) -> None:
    documentation = make()
    metadata = next(Path(documentation.python).parents[1].rglob("METADATA"))
    metadata.unlink()
    metadata.parent.rmdir()
    with pytest.raises(Unbuildable, match="torch is not installed for"):
        documentation.build()


def test_where_nothing_can_be_written_or_started_that_is_said(make: Make) -> None:
    documentation = make()
    Path(documentation.folder).write_text("a file where the folder should be", encoding="utf-8")
    with pytest.raises(Unbuildable, match="cannot write .*docs-torch-9"):
        documentation.build()
    Path(documentation.folder).unlink()
    Path(documentation.python).unlink()
    with pytest.raises(Unbuildable, match="python cannot be started: No such file"):
        documentation.build()
    assert kept(documentation.folder) == [(f"{documentation.path}.lock", 0)]


def test_a_torch_that_never_ends_its_import_is_given_up(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torchlsp.engine.documentation.BUILD_SECONDS", 0.5)
    documentation = make(torch="while True: pass")
    with pytest.raises(Unbuildable, match=r"it took more than 0\.5 seconds"):
        documentation.build()


@pytest.mark.parametrize(
    "vision", ["def nms():\n    'Drops :attr:`boxes`.'", "raise OSError('no image library')"]
)
def test_torchvision_is_read_too_if_it_can_be(make: Make, vision: str) -> None:
    documentation = make()
    packages = Path(documentation._site_packages[0])
    (packages / "torchvision" / "ops").mkdir(parents=True)
    (packages / "torchvision" / "__init__.py").write_text("__version__ = '0.9.0'", encoding="utf-8")
    (packages / "torchvision" / "ops" / "__init__.py").write_text(vision, encoding="utf-8")
    (packages / "torchvision-0.9.0.dist-info").mkdir()
    (packages / "torchvision-0.9.0.dist-info" / "METADATA").write_text("Name: torchvision\nVersion: 0.9.0\n")
    documentation.build()
    assert documentation.path is not None and "torchvision-0.9.0" in documentation.path
    assert documentation.entry("torch.add") is not None
    entry = documentation.entry("torchvision.ops.nms")
    if vision.startswith("raise"):
        assert entry is None
    else:
        assert entry is not None and (entry.summary, entry.torch) == ("Drops `boxes`.", "0.9.0")
        assert entry.url == "https://docs.pytorch.org/vision/0.9/generated/torchvision.ops.nms.html"


def test_odd_objects_cost_only_themselves(make: Make) -> None:
    torch = """
__version__ = "9.1.0"
class Tensor:
    def view(self): pass
class Meta(type):
    def __getattribute__(cls, name):
        if name == "__mro__":
            raise RuntimeError("not yours")
        return type.__getattribute__(cls, name)
class Odd(metaclass=Meta): pass
class Broken:
    __doc__ = 3
    @property
    def x(self):
        raise ValueError
def half():
    "\\ud800 of a pair"
def __getattr__(name):
    if name == "lazy":
        raise RuntimeError("too lazy")
    raise AttributeError(name)
__all__ = ["lazy", "half", "missing", "Broken", "fine"]
def fine():
    "Is fine."
"""
    documentation = make(torch=torch)
    documentation.build()
    fine, half = documentation.entry("torch.fine"), documentation.entry("torch.half")
    assert fine is not None and fine.summary == "Is fine."
    assert half is not None and half.summary.endswith("of a pair")
    assert documentation.entry("torch.Broken.x") is not None


@pytest.mark.parametrize("content", [b"", b"no database at all" * 500, None], ids=["empty", "noise", "cut"])
def test_a_damaged_file_counts_as_none_and_is_built_anew(make: Make, content: bytes | None) -> None:
    documentation = make()
    documentation.build()
    assert documentation.path is not None
    whole = Path(documentation.path).read_bytes()
    documentation.close()
    Path(documentation.path).write_bytes(whole[: len(whole) // 2] if content is None else content)
    assert documentation.entry("torch.add") is None
    documentation.build()
    assert documentation.entry("torch.add") is not None


def test_a_file_of_another_build_is_built_anew(make: Make) -> None:
    documentation = make()
    documentation.build()
    documentation.close()
    assert documentation.path is not None
    with sqlite3.connect(documentation.path) as connection:
        connection.execute(f"PRAGMA user_version = {BUILD_VERSION + 1}")
    connection.close()
    with pytest.raises(Damaged, match="another build"):
        Store(documentation.path)
    assert not documentation.is_built()
    documentation.build()
    assert documentation.is_built()


def test_many_may_build_at_a_time(make: Make) -> None:
    documentation = make()
    others = [
        type(documentation)(documentation.python, documentation._site_packages, documentation.folder)
        for _ in range(3)
    ]
    begun: list[str] = []

    def build(one: Documentation) -> None:
        one.build(lambda done, text: begun.append(threading.current_thread().name) if done == 1.0 else None)

    threads = [threading.Thread(target=build, args=(one,)) for one in others]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # The others waited, and found that it was done.
    assert len(begun) == 1
    assert all(one.entry("torch.add") is not None for one in others)
    assert [path for path, _ in kept(documentation.folder) if path.endswith(".part")] == []


def test_what_another_process_builds_is_seen(make: Make) -> None:
    here = make()
    there = type(here)(here.python, here._site_packages, here.folder)
    assert here.entry("torch.add") is None
    there.build()
    assert here.entry("torch.add") is not None


def test_a_progress_that_raises_ends_the_build_and_leaves_nothing(make: Make) -> None:
    documentation = make()

    def refuse(done: float, text: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        documentation.build(refuse)
    assert not documentation.is_built()
    documentation.build()
    assert documentation.is_built()


def test_clearing_leaves_the_rest_of_the_cache(make: Make) -> None:
    documentation = make()
    documentation.build()
    other = Path(documentation.folder) / "verdicts-0.json"
    other.write_text("{}", encoding="utf-8")
    documentation.close()
    assert clear(documentation.folder) > 1000
    assert [path.name for path in Path(documentation.folder).iterdir()] == ["verdicts-0.json"]
    assert not documentation.is_built()


@pytest.fixture
def run(make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """Runs `torchlsp docs` for a made-up torch: exit status, stdout, stderr."""
    python = make().python
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))

    def ran(*arguments: str) -> tuple[int, str, str]:
        status = main(["docs", *arguments, "--python", python])
        said = capsys.readouterr()
        return status, said.out, said.err

    return ran


def test_the_command_builds_on_first_use(run) -> None:
    status, out, err = run("torch.add")
    assert (status, err) == (0, "")
    assert out.startswith("torch.add  function\n\n    torch.add(a, b=2)\n\nAdds 9.1.0 numbers.\n")
    assert "\x1b" not in out


def test_the_command_in_colours(run) -> None:
    _, out, _ = run("torch.add", "--color", "always")
    assert "\x1b[1;33mArgs\x1b[0m\n" in out
    assert "• \x1b[36ma\x1b[0m (int): the first" in out


def test_the_command_as_data_and_as_markdown(run) -> None:
    _, out, _ = run("torch.add", "--output-format", "json")
    told = json.loads(out)
    assert (told["symbol"], told["kind"], told["torch"]) == ("torch.add", "function", "9.1.0")
    _, out, _ = run("torch.old", "--output-format", "markdown")
    assert out.startswith("```python\ntorch.old(x)\n```\n\n**Removed.** This function was deprecated")


def test_an_unknown_symbol_names_the_nearest(run) -> None:
    status, out, err = run("torch.ad")
    assert (status, out) == (2, "")
    assert err == "torchlsp: torch 9.1.0 has no `torch.ad`, did you mean `torch.add`?\n"


@pytest.mark.parametrize(("name", "symbol"), [("add", "torch.add"), ("view", "torch.Tensor.view")])
def test_a_name_alone_is_looked_for_where_torch_has_it(run, name: str, symbol: str) -> None:
    status, out, _ = run(name)
    assert (status, out.split()[0]) == (0, symbol)
    assert run(f"torch.nn.{name}")[0] == 2


def test_search(run) -> None:
    status, out, _ = run("--search", "numbers made-up")
    assert status == 0
    assert run("--search", "numbers", "made-up") == (status, out, "")
    status, out, _ = run("--search", "RUNS thing")
    assert out.split()[0] == "torch.Thing.run"
    status, out, err = run("--search", '"); DROP TABLE entries; -- zebra')
    assert (status, out) == (1, "") and "nothing found" in err


def test_status_build_and_clear(run) -> None:
    assert "documentation: not built yet\nkept: nothing\n" in run("--status")[1]
    assert run("--build")[1].startswith("torch 9.1.0: ")
    assert "versions: torch 9.1.0\n" in run("--status")[1]
    assert json.loads(run("--status", "--output-format", "json")[1])["built"] is True
    assert run("--clear")[1].startswith("freed ")
    assert "kept: nothing" in run("--status")[1]


def test_the_command_without_torch(tmp_path: Path, capsys: pytest.CaptureFixture[str], run) -> None:
    python = tmp_path / "bare" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.symlink_to(os.path.realpath("/bin/sh"))
    (tmp_path / "bare" / "pyvenv.cfg").write_text("version = 3.11\n", encoding="utf-8")
    for question in (["torch.special.i0e"], ["--search", "view"], ["--build"]):
        assert main(["docs", *question, "--python", str(python)]) == 2
        said = capsys.readouterr()
        assert said.out == ""
        assert said.err == f"torchlsp: torch is not installed for {python}: it has no documentation\n"
    # Our notes need none, and say whose facts they are.
    assert main(["docs", "torch.Tensor.expand", "--python", str(python), "--color", "never"]) == 0
    said = capsys.readouterr().out
    assert "Gives a view" in said and "this is of torch 2.13" in said
    assert main(["docs", "torch.Tensor.expand", "--python", str(python), "--output-format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["symbol"] == "torch.Tensor.expand"


def test_a_prompt_in_an_example_is_code_and_a_wrapped_paragraph_one() -> None:
    text = "\n".join([
        "First line of", "a `paragraph`", "that goes on.", "", "```python", ">>> x.t()", "tensor(1)", "```",
        "", "> **Note**", ">", "> ```python", "> >>> y", "> ```", "", "- one", "- two", "  hangs",
    ])  # fmt: skip
    assert notes_as_text(text, coloured=False, width=80).split("\n") == [
        "First line of a `paragraph` that goes on.", "", "    >>> x.t()", "    tensor(1)",
        "", "│ Note", "│", "│     >>> y", "", "• one", "• two", "  hangs",
    ]  # fmt: skip


def test_a_long_signature_has_a_row_for_each_parameter() -> None:
    def shown(text: str) -> str:
        return signature(DocEntry("torch.f", "function", text, "", "", None, "2.13.0"))

    assert shown("torch.f(input, *, out=None) -> Tensor") == "torch.f(input, *, out=None) -> Tensor"
    long = "torch.f(a: typing.Union[int, tuple[int, int]] = (1, 2), *, b: collections.abc.Callable[[int], str] = max(1, 2)) -> list[int]"
    assert shown(long) == (
        "torch.f(\n    a: Union[int, tuple[int, int]] = (1, 2),\n    *,\n    b: Callable[[int], str] = max(1, 2),\n"
        ") -> list[int]"
    )


def test_a_package_that_cannot_be_imported_is_named(make: Make) -> None:
    documentation = make()
    packages = Path(documentation._site_packages[0])
    (packages / "torchvision").mkdir()
    (packages / "torchvision" / "__init__.py").write_text(
        "raise RuntimeError('built for another torch')", encoding="utf-8"
    )
    documentation.build()
    assert documentation.left_out == [
        "torchvision cannot be imported, and is left out: RuntimeError('built for another torch')"
    ]
