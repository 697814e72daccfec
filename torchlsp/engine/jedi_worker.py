"""Runs jedi in its own process: one request per line on stdin, one response per line on stdout, both JSON.

Started as a script, `python -I -S jedi_worker.py FOLDER...`, with the folders that hold jedi and parso. It imports
nothing of ours. jedi imports a compiled module in order to read it, torch's too; here nothing can be imported but
jedi and the standard library, and no process can be started.
"""

from __future__ import annotations

import importlib
import json
import os
import pathlib
import queue
import re
import sys
import threading
from collections.abc import Callable
from types import ModuleType
from typing import Any, BinaryIO, NoReturn

# More of a docstring's first line or of a signature does not fit into a hover.
MAX_DESCRIPTION_LENGTH = 2000
_Jedi = Any  # jedi ships no types
Message = dict[str, Any]  # Any: what JSON holds
Symbol = Message
"""A response, as it is sent over the pipe."""

_SYMBOLS = ("function", "class", "module", "namespace")


def main(folders: list[str]) -> None:
    requests, answers = guard()
    # The standard library alone: without `site` (-S) and the environment (-I).
    standard = list(sys.path)
    sys.path.extend(folders)
    import jedi

    # From here on jedi takes what it finds there for safe to import.
    sys.path[:] = standard
    sys.addaudithook(refuse)
    jedi.settings.auto_import_modules = []
    # It would search the workspace for callers.
    jedi.settings.dynamic_params_for_other_modules = False
    lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=read, args=(requests, lines), daemon=True).start()
    say(answers, {"ready": True})
    while True:
        request = json.loads(lines.get())
        try:
            symbol = resolve(jedi, standard, **request["question"])
        # jedi fails in many ways on unusual code; its answer is then that nothing is known.
        except Exception:
            symbol = None
        say(answers, {"id": request["id"], "symbol": symbol})


def guard() -> tuple[BinaryIO, BinaryIO]:
    """Returns the ends of the pipes, on descriptors that no `print` and no library knows."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    sys.stdin, sys.stdout = open(0, closefd=False), sys.stderr
    return requests, answers


def refuse(event: str, arguments: tuple[Any, ...]) -> None:  # Any: each event has its own
    """Refuses, as an audit hook, to start or connect to anything, and to import more than jedi and the
    standard library."""
    if event == "import":
        package = arguments[0].partition(".")[0]
        if package not in sys.stdlib_module_names and package not in ("jedi", "parso"):
            raise ImportError("the jedi worker does not import " + arguments[0])
    elif event in ("subprocess.Popen", "socket.connect") or event.startswith(_STARTS_A_PROCESS):
        raise PermissionError("the jedi worker does not " + event)


_STARTS_A_PROCESS = (
    "os.system",
    "os.exec",
    "os.posix_spawn",
    "os.spawn",
    "os.startfile",
    "os.fork",
    "pty.spawn",
)


def read(requests: BinaryIO, lines: queue.SimpleQueue[bytes]) -> NoReturn:
    """Passes lines on; exits at the end of the pipe, which is the end of the parent process, whatever jedi is
    doing."""
    for line in requests:
        lines.put(line)
    os._exit(0)


def say(answers: BinaryIO, message: Message) -> None:
    answers.write(json.dumps(message).encode() + b"\n")
    answers.flush()


def resolve(
    jedi: ModuleType,
    standard: list[str],
    path: str,
    text: str,
    row: int,
    column: int,
    root: str,
    site_packages: list[str],
) -> Symbol | None:
    """Returns the definition of the name at a place, as a dictionary; None when it is not known."""
    importlib.invalidate_caches()
    project = jedi.Project(
        root,
        # In Python's own order: what is run, the standard library, what is installed.
        sys_path=[*import_root(path), root, os.path.join(root, "src"), *standard, *site_packages],
        load_unsafe_extensions=False,
        smart_sys_path=False,
    )
    environment = jedi.InterpreterEnvironment()

    def follow(text: str, path: str, row: int, column: int) -> tuple[_Jedi, list[_Jedi]]:
        script = jedi.Script(text, path=path, environment=environment, project=project)
        return script, script.goto(row, column, follow_imports=True, follow_builtin_imports=True)

    script, bound = follow(text, path, row, column)
    found = definition(script, bound, row, column)
    if found is None or not found["full_name"]:
        return None
    return published(found, lambda text: follow(text, path, 1, len(text))[1])


def import_root(path: str) -> list[str]:
    """Returns the folder from which the file's own package is imported: beside a script, `src` for a package
    there."""
    if not os.path.isabs(path):
        return []
    folder = os.path.dirname(path)
    while os.path.isfile(os.path.join(folder, "__init__.py")) and os.path.dirname(folder) != folder:
        folder = os.path.dirname(folder)
    return [folder]


def definition(script: _Jedi, bound: list[_Jedi], row: int, column: int) -> Symbol | None:
    """Returns the definition of a name, from what binds it."""
    # jedi goes from a literal to its class, which is not a name of the user's.
    if not bound or bound[0].type == "instance":
        return None
    name = bound[0]
    if name.type in _SYMBOLS:
        return described(name, name)
    meant = next(iter(script.infer(row, column)), None)
    if meant is None:
        return described(name, name)
    # `torch.nn.functional.max_pool2d = boolean_dispatch(...)` is a name that a package gives to something of its own,
    # and is the name to show. A name for another package's thing (`conv = torch.nn.Conv2d`) is an alias.
    if meant.type != "instance" and top_package(name) == top_package(meant):
        return described(name, meant)
    return described(meant, meant)


def top_package(name: _Jedi) -> str | None:
    return name.module_name.partition(".")[0] if name.module_name else None


def described(name: _Jedi, meant: _Jedi) -> Symbol:
    """Returns the name, with what is known of its definition."""
    signatures = [signature.to_string() for signature in meant.get_signatures()]
    documentation = meant.docstring(raw=True).strip().splitlines()
    parts = [*signatures[:1], *documentation[:1]]
    return {
        "full_name": name.full_name or meant.full_name,
        "module": name.module_name,
        "kind": meant.type,
        "description": "\n".join(part[:MAX_DESCRIPTION_LENGTH] for part in parts)
        or meant.description[:MAX_DESCRIPTION_LENGTH],
        "defined_in": str(name.module_path) if name.module_path is not None else None,
    }


def published(found: Symbol, follow: Callable[[str], list[_Jedi]]) -> Symbol:
    """Returns a definition under the shortest name by which a package re-exports it from one of its modules.

    `follow` goes from the end of a text to definitions. Only packages that write the name down are asked: a search
    through what they import with a star would take seconds.
    """
    full_name, module, file = found["full_name"], found["module"], found["defined_in"]
    packages = module.split(".")[:-1] if module else []
    if not packages or not file or not full_name.startswith(module + "."):
        return found
    inner = full_name[len(module) + 1 :]
    first = inner.partition(".")[0]
    path = pathlib.PurePath(file)
    above = len(packages) + (path.stem == "__init__")
    if above >= len(path.parents):
        return found
    for depth in range(1, len(packages) + 1):
        package = ".".join(packages[:depth])
        if writes(path.parents[above].joinpath(*packages[:depth], "__init__.py"), first):
            same = follow("from " + package + " import " + first)
            if any(one.full_name == module + "." + first for one in same):
                return {**found, "full_name": package + "." + inner, "module": package}
    return found


def writes(file: pathlib.PurePath, word: str) -> bool:
    try:
        if not os.path.isfile(file):
            return False
        with open(file, encoding="utf-8", errors="replace") as text:
            return re.search(r"\b" + re.escape(word) + r"\b", text.read(1_000_000)) is not None
    except OSError:
        return False


if __name__ == "__main__":
    main(sys.argv[1:])
