"""Makes repositories that may hang, exhaust or mislead whatever reads them; each has a `main.py` with one mistake."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

MAIN = "import torch\n\nx = torch.zeros(2, 3).t().view(6)\n"
"""TL101 on row 3."""
FAULTY = MAIN.encode()
MAKERS: dict[str, Callable[[Path], None]] = {}
REFUSED: set[str] = set()
"""Repositories whose configuration is wrong: a check may end with status 2 and a sentence."""
RAN = "ran_by_git"
"""A file that is there once a program has run that a repository's configuration names."""


def repository(make: Callable[[Path], None]) -> Callable[[Path], None]:
    MAKERS[make.__name__.replace("_", " ")] = make
    return make


def wrong_configuration(make: Callable[[Path], None]) -> Callable[[Path], None]:
    REFUSED.add(make.__name__.replace("_", " "))
    return repository(make)


def make(name: str, folder: Path) -> None:
    """Writes one of the repositories into an empty folder."""
    (folder / "main.py").write_bytes(FAULTY)
    MAKERS[name](folder)


@repository
def links_in_circles(folder: Path) -> None:
    (folder / "a" / "b").mkdir(parents=True)
    for name, target in (
        ("self", "."),
        ("a/b/up", "../.."),
        ("root", "/"),
        ("a/proc", "/proc"),
        ("a/nowhere", "nowhere/at/all"),
    ):
        (folder / name).symlink_to(target)
    for name, target in (
        ("x.py", "y.py"),
        ("y.py", "x.py"),
        ("other_name.py", "main.py"),
        ("a/__init__.py", "__init__.py"),
    ):
        (folder / name).symlink_to(target)
    for number in range(60):
        (folder / f"link{number}.py").symlink_to(f"link{number + 1}.py")
    (folder / "using.py").write_text("import torch, a, a.b.up.main, x, link0, root.etc, other_name\n" + MAIN)


@repository
def pipes_and_devices(folder: Path) -> None:
    for name in (
        "pipe.py",
        ".gitignore",
        "pyproject.toml",
        "pyvenv.cfg",
        ".ignore",
        "setup.cfg",
        "notes.ipynb",
    ):
        os.mkfifo(folder / name)
    (folder / "package").mkdir()
    for name in (
        "zero.py",
        "package/__init__.py",
        "package/torchlsp.toml",
        "package/.gitignore",
        "zeros.ipynb",
    ):
        (folder / name).symlink_to("/dev/zero")
    for name, target in (
        ("keyboard.py", "/dev/stdin"),
        ("random.py", "/dev/urandom"),
        ("null.py", "/dev/null"),
        ("mem.py", "/proc/kcore"),
    ):
        (folder / name).symlink_to(target)
    with open(folder / "huge.py", "wb") as file:
        file.truncate(5_000_000_000)
    (folder / "using.py").write_text(
        "import torch, pipe, zero, package, package.x, keyboard, random, huge, mem\n" + MAIN
    )


@repository
def deep_folders(folder: Path) -> None:
    here = os.open(folder, os.O_RDONLY)
    for depth in range(3_000):  # far beyond the longest path that can be named
        os.mkdir("d", dir_fd=here)
        below = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
        if depth % 500 == 0:
            file = os.open("deep.py", os.O_WRONLY | os.O_CREAT, 0o644, dir_fd=here)
            os.write(file, FAULTY)
            os.close(file)
    os.close(here)


@repository
def ten_thousand_files(folder: Path) -> None:
    for number in range(10_000):
        if number % 100 == 0:
            (folder / f"p{number // 100}").mkdir()
        path = folder / f"p{number // 100}" / f"m{number}.py"
        path.write_text(f"from p{(number * 7) % 100} import m{(number * 7) % 10_000}\nx = {number}\n")


@repository
def many_folders_without_files(folder: Path) -> None:
    for number in range(4_000):
        (folder / f"f{number}" / ".git").mkdir(parents=True)
        (folder / f"f{number}" / ".gitignore").write_text("*.x\n!**/y\n")


@repository
def names_of_control_characters(folder: Path) -> None:
    names = (
        b"a\nb.py", b"\x1b[31mred.py", b"\x07.py", b"\xff\xfe.py", "\u202egnp.py".encode(), b"-rf.py", b" .py", b"'\".py", b"%0a::error::x.py",
        b"::warning file=x::y.py", b"\xed\xa0\x80.py", b"<b>.py", b"n" * 252 + b".py", b"\xc3\xa9\xcc\x81.py", b"a\rb.py", b"$(touch x).py", b"\\.py",
        b"*.py", b"a,b,line=5.py", b"\xe2\x80\xa8.py", b"\x7f.py", b"]]>.py", b"__init__.py", b"torch.py.py", b"1.py", b"class.py",
    )  # fmt: skip
    top = os.fsencode(folder)
    for name in names:
        with open(os.path.join(top, name), "wb") as file:
            file.write(FAULTY)
    for name in (b"fold\ner", b"\xff", b"\x1b]0;x\x07", b"x.py"):
        os.mkdir(os.path.join(top, name))
        with open(os.path.join(top, name, b"inner.py"), "wb") as file:
            file.write(FAULTY)


@repository
def odd_encodings(folder: Path) -> None:
    codecs = (
        "latin-1", "utf-16", "utf-7", "rot13", "base64", "zlib", "idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined", "mbcs",
        "oem", "hex", "uu", "cp037", "utf-8-sig", "utf_32_be", "shift_jis", "x" * 5_000, "..", "/etc/passwd", "__main__", "a\0b", "utf-8\x0b",
    )  # fmt: skip
    for number, codec in enumerate(codecs):
        (folder / f"declared{number}.py").write_bytes(f"# -*- coding: {codec} -*-\n".encode() + FAULTY)
    contents = {
        "bom16": "\ufeff".encode("utf-16-le") + MAIN.encode("utf-16-le"), "bom32": MAIN.encode("utf-32"), "bom": b"\xef\xbb\xbf" + FAULTY,
        "boms": b"\xef\xbb\xbf" * 1_000 + FAULTY, "bom_latin": b"\xef\xbb\xbf# coding: latin-1\n" + FAULTY, "null": FAULTY + b"\0",
        "nulls": b"\0" * 1_000_000, "bytes": FAULTY + b"y = '\xff\xc3'\n", "cr": FAULTY.replace(b"\n", b"\r"), "mixed": FAULTY.replace(b"\n", b"\r\n", 1),
        "line": FAULTY + b"y = [" + b"1, " * 400_000 + b"]\n", "page": b"\x0c" * 100 + FAULTY, "end": FAULTY + b"\x1a", "empty": b"",
        "spaces": b" " * 2_000_000, "lines": b"\n" * 2_000_000 + FAULTY, "comment": b"#" * 4_000_000 + b"\n" + FAULTY, "elf": b"\x7fELF" + bytes(range(256)) * 500,
        "separators": FAULTY.replace(b"\n\n", "\n\u2028\x85\n".encode()), "surrogates": FAULTY + "y = '\ud800'".encode("utf-8", "surrogatepass"),
    }  # fmt: skip
    for name, content in contents.items():
        (folder / f"content_{name}.py").write_bytes(content)


@repository
def strange_notebooks(folder: Path) -> None:
    cell = {"cell_type": "code", "source": MAIN, "metadata": {}, "outputs": []}
    contents: dict[str, object] = {
        "plain": {"cells": [cell], "nbformat": 4}, "none": None, "list": [cell], "number": 5, "no_cells": {}, "cells_null": {"cells": None},
        "cell_null": {"cells": [None, 5, [], cell]}, "source_null": {"cells": [{**cell, "source": None}, {**cell, "source": [None, 1, MAIN]}]},
        "many": {"cells": [cell] * 1_500}, "magics": {"cells": [{**cell, "source": "%%bash\nrm\n"}, {**cell, "source": "!x\n%y\n?z\n" + MAIN}]},
        "surrogate": {"cells": [{**cell, "source": "'\ud800'\n" + MAIN}]}, "kinds": {"cells": [{**cell, "cell_type": kind} for kind in ("", None, 5, [], "raw")]},
        "metadata": {"cells": [cell], "metadata": {"kernelspec": {"language": ["R"]}, "language_info": 5}}, "long": {"cells": [{**cell, "source": ["x\n"] * 100_000}]},
    }  # fmt: skip
    for name, content in contents.items():
        (folder / f"{name}.ipynb").write_text(json.dumps(content))
    texts = (
        b"[" * 500_000,
        b'{"a":' * 200_000,
        b"",
        b"\xff\xfe",
        b"NaN",
        b'{"cells": [1e999]}',
        b"\xef\xbb\xbf{}",
        b"9" * 10_000,
        b'{"cells": [}',
        b"{}" * 9,
    )
    for number, text in enumerate(texts):
        (folder / f"text{number}.ipynb").write_bytes(text)


@repository
def gigantic_configuration(folder: Path) -> None:
    patterns = [f"**/{'*' * 30}x{number}*/**/y{number}" for number in range(3_000)]
    patterns += ["*a" * 200, "**/" * 500 + "x", "[!" * 50, "{a,b}" * 50, "(" * 50, "?" * 1_000]
    rows = [
        "[tool.torchlsp]",
        f"exclude = {json.dumps(patterns)}",
        *(f"[tool.other{number}]\nx = {number}" for number in range(20_000)),
    ]
    (folder / "pyproject.toml").write_text("\n".join(rows))
    (folder / ".gitignore").write_text(
        "\n".join([*patterns, "*" * 10_000, "!" * 1_000, "\\" * 1_001, "a" * 1_000_000, "/" * 5_000])
    )
    (folder / "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.py").write_bytes(FAULTY)
    (folder / ("b/" * 30)).mkdir(parents=True)
    (folder / ("b/" * 30) / "deep.py").write_bytes(FAULTY)


def _configuration(text: bytes) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        (folder / "pyproject.toml").write_bytes(text)

    return write


for _name, _text in {
    "configuration nested too deep": b"[tool.torchlsp]\nselect = " + b"[" * 100_000,
    "configuration of nested tables": b"[tool.torchlsp" + b".a" * 50_000 + b"]\n",
    "configuration of wrong types": b"[tool.torchlsp]\nselect = 5\nignore = {a = 1}\nexclude = [[1]]\n",
    "configuration that is no text": b"\xff\xfe\x00[tool.torchlsp]",
    "configuration of junk": b"[tool.torchlsp]\nselect = ['\\u0000', '" + b"x" * 1_000_000 + b"']\n",
    "configuration of 30 MB": b"#" * 30_000_000,
    "configuration where tool is a number": b"tool = 5\n",
    "configuration of large numbers": b"[tool.torchlsp]\ntorch-version = '"
    + b"9" * 10_000
    + b"." * 10
    + b"'\n",
}.items():
    MAKERS[_name] = _configuration(_text)
    REFUSED.add(_name)


def _git_folder(folder: Path) -> Path:
    git = folder / ".git"
    for name in ("refs/heads", "objects/info", "objects/pack", "hooks", "info"):
        (git / name).mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    return git


@repository
def git_that_runs_programs(folder: Path) -> None:
    git = _git_folder(folder)
    run = f"touch {folder / RAN}"
    (git / "config").write_text(
        f"[core]\n\trepositoryformatversion = 0\n\tfsmonitor = {run}\n\tpager = {run}\n\tsshCommand = {run}\n\thooksPath = {folder}/hooks\n"
        f'\teditor = {run}\n\tattributesFile = {folder}/attributes\n\tworktree = /\n[filter "x"]\n\tclean = {run}\n\tsmudge = {run}\n\tprocess = {run}\n'
        f'[diff "x"]\n\ttextconv = {run}\n\tcommand = {run}\n[alias]\n\tshow = !{run}\n\trev-parse = !{run}\n[include]\n\tpath = /dev/zero\n'
    )
    (folder / ".gitattributes").write_text("* filter=x diff=x\n")
    for name in ("post-checkout", "fsmonitor-watchman", "post-index-change"):
        (git / "hooks" / name).write_text(f"#!/bin/sh\n{run}\n")
        (git / "hooks" / name).chmod(0o755)


@repository
def git_of_junk(folder: Path) -> None:
    git = _git_folder(folder)
    (git / "HEAD").write_bytes(b"ref: " + b"x" * 10_000_000)
    (git / "index").write_bytes(b"DIRC\0\0\0\2\xff\xff\xff\xff" + b"\0" * 1_000)
    (git / "config").write_bytes(b"[core\xff" * 100_000)
    (git / "packed-refs").write_bytes(b"\0" * 1_000_000)
    (git / "commondir").write_text("../.git\n")


@repository
def git_of_pipes(folder: Path) -> None:
    git = _git_folder(folder)
    (git / "HEAD").unlink()
    for name in (
        "HEAD",
        "config",
        "index",
        "packed-refs",
        "refs/heads/main",
        "info/exclude",
        "objects/info/alternates",
    ):
        os.mkfifo(git / name)


@repository
def git_in_circles(folder: Path) -> None:
    git = _git_folder(folder)
    (git / "refs/heads/main").write_text("ref: refs/heads/other\n")
    (git / "refs/heads/other").write_text("ref: refs/heads/main\n")
    (git / "commondir").write_text(".\n")
    (git / "objects/info/alternates").write_text(f"{git / 'objects'}\n/dev/zero\n")
    (folder / "sub").mkdir()
    (folder / "sub" / ".git").write_text("gitdir: ../sub/.git\n")
    (folder / "sub" / "inner.py").write_bytes(FAULTY)
    (folder / "link").mkdir()
    (folder / "link" / ".git").symlink_to(".git")


@repository
def git_that_is_a_file(folder: Path) -> None:
    (folder / ".git").write_bytes(b"gitdir: " + b"../" * 300_000)


@repository
def imports_in_circles(folder: Path) -> None:
    for number in range(300):
        (folder / f"m{number}.py").write_text(
            f"import torch\nfrom m{(number + 1) % 300} import *\nimport m{(number * 7) % 300} as n, m{number} as own\n"
            f"def f{number}(x):\n    return f{(number + 1) % 300}(x).t()\n\ny = n.f{(number * 7) % 300}(torch.zeros(2, 3))\n"
        )
    (folder / "wide.py").write_text(
        "import torch\n"
        + "".join(f"import m{number}\n" for number in range(300))
        + "import nothing.at.all\n" * 2_000
        + MAIN
    )
    (folder / "dots.py").write_text(
        "import torch\nfrom " + "." * 500 + " import x\nfrom " + "a." * 500 + "b import y\n" + MAIN
    )


@repository
def modules_called_as_libraries(folder: Path) -> None:
    for name in (
        "torch",
        "numpy",
        "typing",
        "libcst",
        "pygls",
        "tomllib",
        "json",
        "sqlite3",
        "jedi",
        "sitecustomize",
        "usercustomize",
    ):
        (folder / f"{name}.py").write_text(
            f"open({os.fspath(folder / RAN)!r}, 'w')\nraise SystemExit({name!r})\n"
        )
    (folder / "conftest.py").write_text("raise SystemExit\n")


@repository
def unreadable_files(folder: Path) -> None:
    (folder / "closed").mkdir()
    (folder / "closed" / "inner.py").write_bytes(FAULTY)
    (folder / "closed.py").write_bytes(FAULTY)
    (folder / "using.py").write_text("import closed, closed.inner\n" + MAIN)
    (folder / "closed.py").chmod(0)
    (folder / "closed").chmod(0)
