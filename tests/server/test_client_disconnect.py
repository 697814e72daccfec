"""The server ends when its editor goes away without a word, as one that crashed does."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def message(text: str) -> bytes:
    return b"Content-Length: %d\r\n\r\n%s" % (len(text), text.encode())


@pytest.mark.processes
@pytest.mark.parametrize("last", ["shutdown", "no/such/method"])
def test_a_server_that_nobody_hears_leaves_in_silence(tmp_path, last):
    server = subprocess.Popen(
        [sys.executable, "-m", "torchlsp", "server"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    beginning = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,"rootUri":null,"capabilities":{}}}'
    server.stdin.write(message(beginning))
    server.stdin.flush()
    assert server.stdout.readline().startswith(b"Content-Length:")
    server.stdout.close()
    server.stdin.write(message(f'{{"jsonrpc":"2.0","id":2,"method":"{last}"}}'))
    server.stdin.close()
    said = server.stderr.read()
    server.stderr.close()
    assert (server.wait(60), said.decode()) == (0, "")


# ---- killed, with everything running ---------------------------------------------------------------------------------

# Seconds in which all must be gone, and in which all must have begun. A worker that imports torch just then leaves after that.
GONE, BEGUN = 20.0, 60.0
# What shows which process is which, and what has it started.
KINDS = {"server": "torchlsp", "names": "jedi_worker.py", "documentation": "extract.py", "probe": "zygote.py"}
EDITOR = """
import sys, time
from pathlib import Path
sys.path.insert(0, {here!r})
import raw_client
raw_client.environment = lambda: __import__("os").environ
client = raw_client.RawClient(Path.cwd())
client.initialize({{"textDocument": {{"publishDiagnostics": {{}}, "hover": {{"contentFormat": ["markdown"]}}}}}})
text = "import torch\\nfrom pytest import raises\\n" + "x = torch.zeros(2, 3).t().view(6)\\nraises(ValueError)\\n"
uri = client.open(client.uri("a.py"), text)
client.published(uri)
client.ask("textDocument/hover", {{"textDocument": {{"uri": uri}}, "position": {{"line": 3, "character": 2}}}})
client.hover(uri, "view")
print(client.process.pid, flush=True)
time.sleep(1000)
"""


def below(process: int) -> dict[int, str]:
    """All processes below one, and that one, with their command lines."""
    parents: dict[int, list[int]] = {}
    lines: dict[int, str] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                lines[int(entry.name)] = (entry / "cmdline").read_bytes().decode(errors="replace")
            except OSError:
                continue
            parents.setdefault(parent, []).append(int(entry.name))
    found, wanted = {}, [process]
    while wanted:
        one = wanted.pop()
        found[one] = lines.get(one, "")
        wanted += parents.get(one, [])
    return found


def left(processes: dict[int, int], seconds: float) -> list[int]:
    """Those of the processes, by descriptor, that have not ended after so long."""
    deadline = time.monotonic() + seconds
    waiting = dict(processes)
    while waiting and (remaining := deadline - time.monotonic()) > 0:
        for descriptor in select.select(list(waiting), [], [], remaining)[0]:
            del waiting[descriptor]
    return list(waiting.values())


@pytest.fixture
def killed(tmp_path) -> Iterator[Callable[[dict[str, str]], dict[str, list[int]]]]:
    """Start an editor, wait until certain processes run, and kill it: what ran by kind, and `left` what still runs."""
    begun: list[subprocess.Popen] = []

    def kill(kinds: dict[str, str]) -> dict[str, list[int]]:
        script = tmp_path / "editor.py"
        script.write_text(EDITOR.format(here=str(Path(__file__).parent)))
        environment = {name: value for name, value in os.environ.items() if name != "TORCHLSP_PROBE"}
        environment |= {"PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(tmp_path / "cache")}
        editor = subprocess.Popen(
            [sys.executable, str(script)], cwd=tmp_path, env=environment, stdout=subprocess.PIPE
        )
        begun.append(editor)
        server = int(editor.stdout.readline())
        ends = time.monotonic() + BEGUN
        while True:
            running = below(server)
            by_kind = {
                kind: [one for one, line in running.items() if word in line] for kind, word in kinds.items()
            }
            if all(by_kind.values()):
                break
            assert time.monotonic() < ends, f"never came: {by_kind}\n{running}"
        descriptors = {os.pidfd_open(one): one for one in running}
        try:
            os.kill(editor.pid, signal.SIGKILL)
            return by_kind | {"left": [running[one] for one in left(descriptors, GONE)]}
        finally:
            for descriptor, one in descriptors.items():
                if not select.select([descriptor], [], [], 0)[0]:
                    os.kill(one, signal.SIGKILL)
                os.close(descriptor)

    yield kill
    for editor in begun:
        editor.kill()
        editor.wait()
        editor.stdout.close()


@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="processes are watched as Linux lets one")
def test_a_killed_editor_takes_the_server_and_its_workers_along(killed):
    pytest.importorskip("torch")
    assert killed(KINDS)["left"] == []
