"""The process in which jedi runs: one request a line on stdin, one answer a line on stdout, both JSON.

Started as a script, `python -I -S jedi_worker.py FOLDER...`, with the folders that hold jedi and parso. It imports
nothing of ours. jedi imports a compiled module in order to read it, torch's too; here nothing can be imported but
jedi and the standard library, and no process can be started.
"""

from __future__ import annotations

import importlib
import json
import os
import queue
import sys
import threading

# More of a docstring's first line or of a signature does not fit into a hover.
LONGEST = 2000

_SYMBOLS = ("function", "class", "module", "namespace")


def main(folders):
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
    lines = queue.SimpleQueue()
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


def guard():
    """Our ends of the pipes, on descriptors that no `print` and no library knows."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    sys.stdin, sys.stdout = open(0, closefd=False), sys.stderr
    return requests, answers


def refuse(event, arguments):
    """An audit hook: lets nothing be started or connected, and only jedi and the standard library be imported."""
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


def read(requests, lines):
    """Pass lines on; the end of the pipe is the end of our parent, whatever jedi is doing meanwhile."""
    for line in requests:
        lines.put(line)
    os._exit(0)


def say(answers, message):
    answers.write(json.dumps(message).encode() + b"\n")
    answers.flush()


def resolve(jedi, standard, path, text, row, column, root, site_packages):
    """What the name at a place stands for, as a dictionary; None when it is not known."""
    importlib.invalidate_caches()
    project = jedi.Project(
        root,
        # In Python's own order: what is run, the standard library, what is installed.
        sys_path=[root, *standard, *site_packages],
        load_unsafe_extensions=False,
        smart_sys_path=False,
    )
    script = jedi.Script(text, path=path, environment=jedi.InterpreterEnvironment(), project=project)
    bound = script.goto(row, column, follow_imports=True, follow_builtin_imports=True)
    # jedi goes from a literal to its class, which is no name of the user's.
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
    if meant.type != "instance" and package(name) == package(meant):
        return described(name, meant)
    return described(meant, meant)


def package(name):
    return name.module_name.partition(".")[0] if name.module_name else None


def described(name, meant):
    """The name, with what is known of the thing meant; None for a name that only a function knows."""
    full_name = name.full_name or meant.full_name
    if not full_name:
        return None
    signatures = [signature.to_string() for signature in meant.get_signatures()]
    documentation = meant.docstring(raw=True).strip().splitlines()
    parts = [*signatures[:1], *documentation[:1]]
    return {
        "full_name": full_name,
        "module": name.module_name,
        "kind": meant.type,
        "description": "\n".join(part[:LONGEST] for part in parts) or meant.description[:LONGEST],
        "defined_in": str(name.module_path) if name.module_path is not None else None,
    }


if __name__ == "__main__":
    main(sys.argv[1:])
