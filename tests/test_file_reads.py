"""Only regular files are read, up to a size, and only through one module."""

from __future__ import annotations

import ast
import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from torchlsp import files

ROOT = Path(__file__).parents[1]
PIPES = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")

# What opens files by other means than `torchlsp.files`, and why it may.
ELSEWHERE = {
    "torchlsp/files.py": "it is the one that reads",
    "torchlsp/cli/main.py": "opens the null device in place of an output that is closed",
    "torchlsp/engine/build.py": "reads torchlsp's own files, for a digest",
    "torchlsp/engine/documentation.py": "reads what it has written into a temporary folder of its own",
    "torchlsp/engine/documentation_pages.py": "writes",
    "torchlsp/engine/fixing.py": "writes to the handle of a new file",
    "torchlsp/engine/jedi_worker.py": "imports nothing of ours; looks for a regular file, and reads its beginning",
    "torchlsp/engine/verdict_store.py": "reads the probe's own files, for a digest",
    "torchlsp/engine/writing.py": "writes",
    "torchlsp/lint/pages.py": "reads the rules' own pages",
    "torchlsp/lint/registry.py": "reads the rules' own files",
    "torchlsp/probe/remote.py": "reads the worker's own files",
    "torchlsp/probe/worker/memory.py": "reads what the system says of free memory",
    "torchlsp/probe/worker/sandbox.py": "reads what the system says of its own process",
    "torchlsp/probe/worker/shared_memory.py": "reads what the system says of its own process",
    "torchlsp/probe/worker/zygote.py": "opens the null device",
    "torchlsp/recorder/agent/torchlsp_agent/functions.py": "reads files that Python has just run, in the user's process",
    "torchlsp/recorder/agent/torchlsp_agent/output.py": "writes",
    "torchlsp/recorder/agent/torchlsp_agent/starting.py": "reads the settings that torchlsp has written for it",
    "torchlsp/recorder/store.py": "writes",
    "torchlsp/server/client.py": "writes",
    "torchlsp/server/stdio.py": "writes to the standard output",
    "docs_db/extract.py": "reads and writes under the user's Python, files of torch's installation",
    "docs_db/errors/__init__.py": "reads its own explanations",
    "docs_db/memory.py": "reads its own notes",
    "docs_db/notes.py": "reads its own notes",
    "docs_db/store.py": "opens the lock beside a file that it has written",
}
OPENS = {"open", "fdopen", "read_text", "read_bytes", "fromfile", "getlines"}
_OPENS = re.compile(rf"\b({'|'.join(OPENS)}|load)\b")


def opening_calls(path: Path) -> list[int]:
    """Returns the rows on which a function is named that opens or reads files."""
    rows: list[int] = []
    text = path.read_text(encoding="utf-8")
    if not _OPENS.search(text):
        return rows
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Attribute) and node.attr in OPENS:
            # The recorder of a trace opens branches.
            if ast.unparse(node.value) not in ("it.recorder", "self"):
                rows.append(node.lineno)
        elif isinstance(node, ast.Name) and node.id == "open":
            rows.append(node.lineno)
        elif isinstance(node, ast.Attribute) and ast.unparse(node) in ("tomllib.load", "json.load"):
            rows.append(node.lineno)
    return rows


def sources() -> list[Path]:
    found = [
        *(ROOT / "torchlsp").rglob("*.py"),
        *(ROOT / "docs_db").rglob("*.py"),
        *(ROOT / "rules").rglob("*.py"),
    ]
    links = [ROOT / "torchlsp" / name for name in ("docs_db", "rules", "dev")]
    return [path for path in found if not any(path.is_relative_to(one) for one in links)]


def test_files_are_read_through_one_module() -> None:
    offences = [
        f"{path.relative_to(ROOT).as_posix()}:{row}: read it through torchlsp.files"
        for path in sources()
        if path.relative_to(ROOT).as_posix() not in ELSEWHERE
        for row in opening_calls(path)
    ]
    assert not offences, "\n".join(["", *offences])


def test_every_exception_opens_a_file() -> None:
    assert [name for name in ELSEWHERE if not opening_calls(ROOT / name)] == []


def test_regular_file_is_read_whole(tmp_path) -> None:
    for size in (0, 1, 70_000, 3_000_000):
        path = tmp_path / str(size)
        path.write_bytes(os.urandom(size))
        assert files.read_bytes(path) == path.read_bytes()
        assert files.read_beginning(path, 1_000) == path.read_bytes()[:1_000]


def test_text_has_one_kind_of_line_end(tmp_path) -> None:
    path = tmp_path / "text"
    path.write_bytes("é\r\nb\rc\n".encode())
    assert files.read_text(path) == path.read_text(encoding="utf-8") == "é\nb\nc\n"


def test_file_of_the_most_bytes_is_read_and_a_longer_one_refused(tmp_path) -> None:
    path = tmp_path / "x.py"
    path.write_bytes(b"12345")
    assert files.read_bytes(path, 5) == b"12345"
    with pytest.raises(OSError, match="larger than 4 bytes"):
        files.read_bytes(path, 4)


def test_file_of_five_gigabytes_is_refused_unread(tmp_path) -> None:
    path = tmp_path / "x.py"
    with open(path, "wb") as file:
        file.truncate(5_000_000_000)
    with pytest.raises(OSError, match="larger than 25,000,000 bytes"):
        files.read_source(str(path))


@pytest.mark.skipif(not os.path.exists("/proc/self/maps"), reason="there is no /proc here")
def test_file_without_a_size_is_read_to_its_end_and_its_limit() -> None:
    assert files.read_bytes("/proc/self/maps").endswith(b"\n")
    with pytest.raises(OSError, match="larger than 100 bytes"):
        files.read_bytes("/proc/self/maps", 100)


def strange(folder: Path, kind: str, name: str = "x.py") -> Path:
    """Makes what is no regular file."""
    path = folder / name
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "link to a pipe":
        os.mkfifo(folder / f"pipe of {name}")
        path.symlink_to(f"pipe of {name}")
    elif kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "folder":
        path.mkdir()
    elif kind == "circle":
        path.symlink_to(name)
    elif kind == "5 GB":
        with open(path, "wb") as file:
            file.truncate(5_000_000_000)
    elif kind == "standard input":
        path.symlink_to("/dev/stdin")
    elif kind == "socket":
        here = os.getcwd()
        os.chdir(folder)  # its name must be short
        try:
            with socket.socket(socket.AF_UNIX) as made:
                made.bind(path.name)
        finally:
            os.chdir(here)
    return path


KINDS = ("pipe", "link to a pipe", "device", "folder", "circle", "socket")


@PIPES
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("read", [files.read_bytes, files.read_text, files.read_named, files.read_source])
def test_what_is_no_regular_file_is_refused(tmp_path, kind, read) -> None:
    with pytest.raises(OSError):
        read(str(strange(tmp_path, kind)))


@PIPES
def test_pipe_in_place_of_a_file_that_was_looked_at_does_not_hang(tmp_path, monkeypatch) -> None:
    path = strange(tmp_path, "pipe")
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(files.os, "stat", lambda _, stat=os.stat: stat(tmp_path / "file"))
    with pytest.raises(OSError, match="not a regular file"):
        files.read_bytes(str(path))


@PIPES
def test_link_to_the_standard_input_takes_nothing_from_it(tmp_path, monkeypatch) -> None:
    reading, writing = os.pipe()
    os.write(writing, b"for the server")
    link = tmp_path / "x.py"
    link.symlink_to(f"/dev/fd/{reading}")
    with pytest.raises(OSError, match="not a regular file"):
        files.read_named(str(link))
    assert os.read(reading, 100) == b"for the server"
    os.write(writing, b"x = 1")
    os.close(writing)
    assert files.read_named(f"/dev/fd/{reading}") == b"x = 1"
    os.close(reading)


MAIN = """\
import torch
from x import n
from package import m

torch.zeros(2, 3).t().view(6)
"""
CHECK = """\
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (1_500_000_000, -1))
from torchlsp.cli.main import main
sys.exit(main(sys.argv[1:]))
"""
READ_BY_CHECKS = (
    "x.py", "notes.ipynb", "package/__init__.py", ".gitignore", ".git", "pyproject.toml", "sub/torchlsp.toml", "sub/.gitignore",
    "pyvenv.cfg", "cache/results-1.sqlite3", "cache/records",
)  # fmt: skip


@PIPES
@pytest.mark.processes
@pytest.mark.parametrize("kind", [*KINDS, "5 GB", "standard input"])
def test_repository_of_strange_files_is_checked(tmp_path, kind) -> None:
    """Every name that a check may read is something else; what can be read is checked as ever, within time and memory."""
    folder = tmp_path / "r"
    for name in ("package", "cache", "sub"):
        (folder / name).mkdir(parents=True)
    (folder / "main.py").write_text(MAIN)
    (folder / "sub" / "other.py").write_text(MAIN)
    for name in READ_BY_CHECKS:
        if (kind, name) != ("5 GB", "pyproject.toml") and (kind, name) != ("5 GB", "sub/torchlsp.toml"):
            strange((folder / name).parent, kind, (folder / name).name)
    ended = subprocess.run(
        [sys.executable, "-c", CHECK, "check", ".", "--output-format", "concise", "--cache-dir", "cache"],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ended.returncode == 1, ended.stderr
    assert "Traceback" not in ended.stderr
    rows = ended.stdout.splitlines()
    assert [row.split(": ")[0] for row in rows if " TL101 " in row] == ["main.py:5:1", "sub/other.py:5:1"]
    unread = [row for row in rows if " TL000 " in row]
    assert bool(unread) == (kind not in ("folder", "circle"))
    assert all("larger than 2" in row if kind == "5 GB" else "not a regular file" in row for row in unread)


@PIPES
@pytest.mark.processes
@pytest.mark.parametrize("kind", [*KINDS, "5 GB"])
@pytest.mark.parametrize("option", ["--baseline", "--config", "--recorded"])
def test_strange_file_of_an_option_is_an_error_of_use(tmp_path, kind, option) -> None:
    (tmp_path / "main.py").write_text(MAIN)
    strange(tmp_path, kind, "named")
    command = [sys.executable, "-c", CHECK, "check", "main.py", f"{option}=named"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    ended = subprocess.run(
        command,
        cwd=tmp_path,
        env=environment,
        stdin=subprocess.PIPE,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ended.returncode == 2
    assert len(ended.stderr.splitlines()) == 1, ended.stderr
