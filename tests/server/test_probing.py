"""What torch says of findings, in the editor: it comes by itself, and nobody waits for it or misses it."""

from __future__ import annotations

import os
import select
import shlex
import signal
import sys
import time
import venv
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import raw_client
from raw_client import RawClient

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are found in /proc")

VIEW = "import torch\n\nx = torch.zeros(2, 3).t().view(6)\n"
# The replay of this one is changed by WRONG_REPLAY, so that it runs through.
HARMLESS = "import torch\n\nx = torch.zeros(7, 11).t().view(77)\n"
DEVICE = "import torch\n\nx = torch.zeros(2, device='cuda').numpy()\n"
RANKS = "import torch\nimport torch.distributed as dist\n\nif dist.get_rank() == 0:\n    dist.barrier()\n"
# Of this one it takes the program away.
UNKNOWN = "import torch\n\nx = torch.zeros(5, 13).t().view(65)\n"
PUSHED: dict[str, Any] = {
    "textDocument": {
        "publishDiagnostics": {"versionSupport": True},
        "hover": {"contentFormat": ["markdown"]},
    },
}
PULLED = {
    "textDocument": {"diagnostic": {}},
    "workspace": {"diagnostics": {"refreshSupport": True}},
}
WRONG_REPLAY = """
from dataclasses import replace
from torchlsp.lint import check
made = check.reproducer
def request(what):
    found = made(what)
    if found is not None and "(7, 11)" in found.program:
        found = replace(found, program=found.program.replace(".permute(1, 0)", ""))
    return None if found is not None and "(5, 13)" in found.program else found
check.reproducer = request
from torchlsp.engine import slices
with_slices = slices.with_slices
def changed(finding):
    own = finding.slice
    if own is None or "(5, 13)" in own.program:
        return replace(finding, slice=None)
    return replace(finding, slice=replace(own, program=own.program.replace("(7, 11).t()", "(7, 11)")))
slices.with_slices = lambda findings, texts, report: [changed(one) for one in with_slices(findings, texts, report)]
"""


@pytest.fixture(scope="module")
def begin(tmp_path_factory) -> Iterator[Callable[..., RawClient]]:
    """Start a server with the probe on."""
    started: list[RawClient] = []
    with pytest.MonkeyPatch.context() as patching:
        plain = {name: value for name, value in raw_client.environment().items() if name != "TORCHLSP_PROBE"}
        patching.setattr(raw_client, "LIMIT", 60.0)

        def start(patch: str = "", **environment: str) -> RawClient:
            folder = tmp_path_factory.mktemp("workspace")
            script = folder / "start_server.py"
            script.write_text(
                f"{patch}\nfrom torchlsp.server.stdio import serve\nserve()\n", encoding="utf-8"
            )
            cache = {"XDG_CACHE_HOME": str(tmp_path_factory.mktemp("cache"))}
            patching.setattr(raw_client, "environment", lambda: plain | cache | environment)
            client = RawClient(folder, (str(script),))
            started.append(client)
            return client

        yield start
        for client in started:
            client.kill()


@pytest.fixture(scope="module")
def probing(begin) -> RawClient:
    """A server that the tests share, for an editor that is sent diagnostics."""
    pytest.importorskip("torch")
    client = begin(WRONG_REPLAY)
    client.initialize(PUSHED)
    return client


@pytest.fixture
def client(probing, tmp_path) -> RawClient:
    probing.begin(tmp_path)
    return probing


def workers(client: RawClient) -> list[int]:
    """The processes of the probe that a server has started."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                command = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if parent == client.process.pid and b"zygote.py" in command:
                found.append(int(entry.name))
    return found


def is_gone(process: int) -> bool:
    """Whether a process ends within a while."""
    try:
        descriptor = os.pidfd_open(process)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([descriptor], [], [], raw_client.LIMIT)[0])
    finally:
        os.close(descriptor)


def messages(client: RawClient, uri: str) -> list[tuple[int, list[str]]]:
    """Everything published for a text since the test began: version and messages."""
    return [
        (params["version"], [one["message"] for one in params["diagnostics"]])
        for params in client.received("textDocument/publishDiagnostics")
        if params["uri"] == uri and "version" in params
    ]


def judged(client: RawClient, uri: str, words: str) -> str:
    """The first message about a text that has these words."""
    params = client.wait_for(
        "textDocument/publishDiagnostics",
        lambda params: params["uri"] == uri and any(words in one["message"] for one in params["diagnostics"]),
    )
    return params["diagnostics"][0]["message"]


@pytest.mark.torch
def test_a_finding_is_there_at_once_and_then_what_torch_says_of_it(begin, tmp_path):
    client = begin(WRONG_REPLAY)  # one that knows no verdict yet
    client.initialize(PUSHED)
    client.begin(tmp_path)
    uri = client.open(client.uri("a.py"), VIEW)
    (first,) = client.published(uri, 1)
    assert "torch 2" not in first["message"]
    (second,) = client.published(uri, 1)
    head, said = second["message"].split("\n")
    assert head == first["message"]
    assert said.startswith("confirmed by torch ") and "RuntimeError: view size is not compatible" in said
    assert {**second, "message": head} == first
    # What is known comes with the finding: nothing flickers while one types elsewhere.
    for version in (2, 3):
        client.replace(uri, "import torch\n", "import torch\n\n")
        (again,) = client.published(uri, version)
        assert again["message"] == second["message"]
    client.settle()
    assert [version for version, _ in messages(client, uri)] == [1, 1, 2, 3]


@pytest.mark.torch
@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            DEVICE,
            "\nconfirmed (emulated device): your code fails here: TypeError: can't convert cuda:0 device type tensor to numpy",
        ),
        (
            RANKS,
            "\nwould hang (simulated ranks): rank 0 waits in barrier, rank 1 has ended",
        ),
    ],
)
def test_only_real_kernels_are_called_torch(client, text, words):
    uri = client.open(client.uri("a.py"), text)
    assert words in judged(client, uri, words)
    assert "torch 2" not in str(messages(client, uri))


@pytest.mark.torch
def test_what_torch_refutes_disappears_and_does_not_come_back(client):
    uri = client.open(client.uri("a.py"), HARMLESS + "y = torch.zeros(2, 3).t().view(6)\n")
    assert len(client.published(uri, 1)) == 2
    (left,) = client.published(uri, 1)
    assert left["range"]["start"]["line"] == 3 and "confirmed by torch" in left["message"]
    client.replace(uri, "import torch\n", "import torch\n\n")
    (left,) = client.published(uri, 2)
    assert left["range"]["start"]["line"] == 4
    client.settle()
    assert [(version, len(shown)) for version, shown in messages(client, uri)] == [(1, 2), (1, 1), (2, 1)]


@pytest.mark.torch
def test_what_cannot_be_told_stays_and_hover_says_why(client):
    uri = client.open(client.uri("a.py"), UNKNOWN + "y = torch.zeros(3, 8).t().view(24)\n")
    client.published(uri, 1)
    judged(client, uri, "confirmed by torch")
    client.replace(uri, "import torch\n", "import torch\n\n")
    unknown, known = client.published(uri, 2)
    assert "\n" not in unknown["message"] and "confirmed by torch" in known["message"]
    shown = client.hover(uri, "view")["contents"]["value"]
    assert "TL101: probe inconclusive: facts: too little is known to run it" in shown
    assert "probe inconclusive" not in client.hover(uri, "view", nth=1)["contents"]["value"]


@pytest.mark.torch
def test_the_commands_of_the_actions(client):
    uri = client.open(client.uri("a.py"), VIEW)
    actions = client.actions(uri, "view")
    (script,) = (one["command"] for one in actions if "runnable script" in one["title"])
    text = client.request("workspace/executeCommand", {k: script[k] for k in ("command", "arguments")})
    assert text.startswith("# TL101: this raises.\nimport torch\n") and ".view(6)  # TL101\n" in text
    place = {"command": "torchlsp.probe", "arguments": [uri, "TL101", 2]}
    assert client.request("workspace/executeCommand", place).startswith("confirmed by torch ")
    gone = {"command": "torchlsp.probe", "arguments": [uri, "TL101", 0]}
    assert client.request("workspace/executeCommand", gone) is None


@pytest.mark.torch
def test_a_worker_that_is_killed_is_replaced(client):
    uri = client.open(client.uri("a.py"), "import torch\n\nx = torch.zeros(3, 5).t().view(15)\n")
    judged(client, uri, "confirmed by torch")
    (worker,) = workers(client)
    os.kill(worker, signal.SIGKILL)
    client.replace(uri, "15)", "15)\ny = torch.zeros(3, 4).t().view(12)")
    client.wait_for(
        "textDocument/publishDiagnostics",
        lambda params: str(params["diagnostics"]).count("confirmed by torch") == 2,
    )
    assert worker not in workers(client)
    assert client.received("window/showMessage") == []


@pytest.mark.torch
def test_the_worker_ends_with_the_server(begin, tmp_path):
    client = begin()
    client.initialize(PUSHED)
    client.begin(tmp_path)
    uri = client.open(client.uri("a.py"), "import torch\n\nx = torch.zeros(4, 5).t().view(20)\n")
    judged(client, uri, "confirmed by torch")
    (worker,) = workers(client)
    assert client.leave() == 0
    assert is_gone(worker)


@pytest.mark.torch
def test_a_client_that_asks_is_told_to_ask_again(begin):
    pytest.importorskip("torch")
    client = begin()
    client.initialize(PULLED)
    uri = client.open(client.uri("a.py"), VIEW)
    (first,) = client.pulled(uri)
    assert "torch 2" not in first["message"]
    client.wait_for("workspace/diagnostic/refresh")
    (second,) = client.pulled(uri)
    assert second["message"].startswith(f"{first['message']}\nconfirmed by torch ")
    assert client.received("textDocument/publishDiagnostics") == []
    (worker,) = workers(client)
    client.kill()
    assert is_gone(worker)


@pytest.mark.processes
@pytest.mark.parametrize(
    ("options", "environment", "reason"),
    [
        ({"probe.enable": False}, {}, "the probe is switched off"),
        ({}, {"TORCHLSP_PROBE": "off"}, "the probe is switched off"),
        ({"trusted": False}, {}, "nothing is run in a workspace that is not trusted"),
    ],
    ids=["setting", "variable", "trust"],
)
def test_switched_off_it_starts_nothing(begin, options, environment, reason):
    client = begin(**environment)
    client.initialize(PUSHED, options=options)
    uri = client.open(client.uri("a.py"), VIEW)
    (found,) = client.published(uri, 1)
    assert "\n" not in found["message"]
    told = {"command": "torchlsp.probe", "arguments": [uri, "TL101", 2]}
    assert client.request("workspace/executeCommand", told) == reason
    assert workers(client) == []
    assert len(messages(client, uri)) == 1
    client.leave()


@pytest.mark.processes
@pytest.mark.torch
@pytest.mark.parametrize("way", ["setting", "variable"])
def test_another_machine(begin, way):
    command = f"env {shlex.quote(sys.executable)}"
    client = begin(**({"TORCHLSP_PROBE_ON": command} if way == "variable" else {}))
    client.initialize(PUSHED, options={"probe.on": command} if way == "setting" else {})
    uri = client.open(client.uri("a.py"), VIEW)
    client.published(uri, 1)
    asked = {"command": "torchlsp.probe", "arguments": [uri, "TL101", 2]}
    assert client.request("workspace/executeCommand", asked).startswith("confirmed by torch ")
    (worker,) = workers(client)
    client.kill()
    assert is_gone(worker)


@pytest.mark.processes
@pytest.mark.parametrize(
    ("variable", "reason"),
    [
        ("sh -c 'echo no route >&2; exit 255'", "ended with status 255 before a worker ran: no route"),
        ("ssh 'gpu1", "TORCHLSP_PROBE_ON: `ssh 'gpu1` is no command: No closing quotation"),
    ],
)
def test_a_machine_that_is_not_reached_is_told_and_findings_stay(begin, variable, reason):
    client = begin(TORCHLSP_PROBE_ON=variable)
    client.initialize(PUSHED)
    uri = client.open(client.uri("a.py"), VIEW)
    (found,) = client.published(uri, 1)
    assert "\n" not in found["message"]
    asked = {"command": "torchlsp.probe", "arguments": [uri, "TL101", 2]}
    told = client.request("workspace/executeCommand", asked)
    assert told.startswith("nothing can be probed: ") and told.endswith(reason)
    assert workers(client) == []
    client.leave()


# Starts are written down, and so is what is asked.
COUNTED = """
import subprocess
started = subprocess.Popen
class Popen(started):
    def __init__(self, command, *rest, **more):
        if any("zygote" in str(word) for word in command):
            open("starts", "a").write("x")
        super().__init__(command, *rest, **more)
subprocess.Popen = Popen
"""


@pytest.mark.processes
def test_without_torch_findings_stay_and_it_is_said_once(begin, tmp_path):
    venv.create(tmp_path / "env", with_pip=False)
    client = begin(COUNTED)
    client.initialize(PUSHED, options={"interpreter": str(tmp_path / "env")})
    uri = client.open(client.uri("a.py"), VIEW)
    assert len(client.published(uri, 1)) == 1
    told = client.wait_for("window/logMessage", lambda params: "nothing can be probed" in params["message"])
    assert told["message"].startswith("nothing can be probed: torch cannot be imported: ModuleNotFoundError")
    for version in (2, 3, 4):
        client.replace(uri, "import torch\n", "import torch\n\n")
        assert len(client.published(uri, version)) == 1
        # Answered by the thread that would start a worker: what was asked before it has come to its end.
        asked = {"command": "torchlsp.probe", "arguments": [uri, "TL101", version + 1]}
        assert client.request("workspace/executeCommand", asked) == told["message"]
    logged = [one for one in client.received("window/logMessage") if "probed" in one["message"]]
    assert logged == [told]
    shown = [one["message"] for one in client.received("window/showMessage")]
    assert shown == [f"TL101: {told['message']}"] * 3  # the answers to the commands, nothing else
    assert (client.folder / "starts").read_text() == "x"
    client.leave()


UNLOCKED = """
from torchlsp.probe import client, request
client.Worker.hello = lambda self: request.Hello("2.0", "3.11", frozenset(), {"fork": False})
client.Worker.run = lambda self, batch, deadline: [request.Answer("passed", reached=True, key=one.key) for one in batch]
"""


@pytest.mark.processes
@pytest.mark.parametrize(("options", "runs"), [({}, False), ({"trusted": True}, True)])
def test_what_cannot_be_locked_in_runs_only_in_a_workspace_known_to_be_trusted(begin, options, runs):
    client = begin(UNLOCKED)
    client.initialize(PUSHED, options=options)
    uri = client.open(client.uri("a.py"), VIEW)
    client.published(uri, 1)
    asked = {"command": "torchlsp.probe", "arguments": [uri, "TL101", 2]}
    answer = client.request("workspace/executeCommand", asked)
    assert answer.startswith(
        "refuted by torch 2.0" if runs else "nothing can be probed: programs cannot be sandboxed"
    )
    client.leave()


# A worker whose programs all end as the page of TL101 says, each run as soon as the test closes its pipe.
STAND_IN = """
from torchlsp.probe import client, request
from torchlsp.server.features import probing
locked = dict.fromkeys(("landlock", "seccomp", "limits", "verified"), True)
client.Worker.hello = lambda self: request.Hello("9.9", "3.11", frozenset(), locked)
def run(self, batch, deadline):
    if PIPES:
        open(PIPES.pop(0)).read()
    error = lambda one: request.Error("RuntimeError", "view size is not compatible with input tensor's size and stride", one.flag[0])
    return [request.Answer("raised", error(one), key=one.key) for one in batch]
client.Worker.run = run
"""


@pytest.mark.processes
def test_what_is_said_of_a_text_that_has_moved_on_is_not_shown(begin, tmp_path):
    pipes = [str(tmp_path / name) for name in ("first", "second")]
    for pipe in pipes:
        os.mkfifo(pipe)
    client = begin(STAND_IN + f"PIPES = {pipes!r}\n")
    client.initialize(PUSHED)
    uri = client.open(client.uri("a.py"), VIEW)
    client.published(uri, 1)
    with open(pipes[0], "w"):  # it is open once the program of the first text runs
        client.replace(uri, "2, 3", "2, 4")
        client.replace(uri, "view(6", "view(8")
        client.published(uri, 3)
    with open(pipes[1], "w"):
        pass
    assert "[8]" in judged(client, uri, "confirmed by torch 9.9")
    assert [version for version, _ in messages(client, uri)] == [1, 3, 3]
    client.leave()


@pytest.mark.processes
def test_many_findings_are_judged_in_rounds(begin):
    client = begin(STAND_IN + "PIPES = []\nprobing.ROUND_SECONDS = 0\n")
    client.initialize(PUSHED)
    views = "".join(f"x{n} = torch.zeros(2, {n}).t().view({2 * n})\n" for n in range(2, 27))
    uri = client.open(client.uri("a.py"), "import torch\n" + views)
    client.wait_for(
        "textDocument/publishDiagnostics",
        lambda params: str(params["diagnostics"]).count("confirmed by torch 9.9") == 25,
    )
    told = [sum("confirmed" in one for one in shown) for _, shown in messages(client, uri)]
    assert told == [0, 10, 20, 25]
    assert len(client.published(uri)) == 25  # none has gone meanwhile
    client.leave()


@pytest.mark.torch
def test_a_server_that_ends_while_the_worker_starts_leaves_none_behind(begin):
    client = begin()
    client.initialize(PUSHED)
    uri = client.open(client.uri("a.py"), VIEW)
    client.published(uri, 1)
    ends = time.monotonic() + raw_client.LIMIT
    while not (found := workers(client)):
        assert time.monotonic() < ends
    assert client.leave() == 0
    assert all(map(is_gone, found))


@pytest.mark.torch
def test_each_folder_s_findings_are_put_to_its_own_torch(begin, tmp_path):
    pytest.importorskip("torch")
    client: RawClient = begin()
    with_torch, without = tmp_path / "with", tmp_path / "without"
    for folder in (with_torch, without):
        folder.mkdir()
    bare = tmp_path / "python"
    bare.write_text("#!/bin/sh\nexit 1\n")
    bare.chmod(0o755)
    pythons = {with_torch.as_uri(): sys.executable, without.as_uri(): str(bare)}
    client.configuration = lambda folder: {"interpreter": pythons.get(folder)}
    client.initialize({**PUSHED, "workspace": {"configuration": True}}, folders=[without, with_torch])
    client.wait_for("workspace/configuration")
    uris = [client.open((folder / "a.py").as_uri(), VIEW) for folder in (without, with_torch)]
    assert judged(client, uris[1], "confirmed by torch")
    asked = [
        client.request(
            "workspace/executeCommand", {"command": "torchlsp.probe", "arguments": [uri, "TL101", 2]}
        )
        for uri in uris
    ]
    assert "nothing can be probed" in asked[0]
    assert "confirmed by torch" in asked[1]
