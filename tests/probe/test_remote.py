"""A worker on another machine: over a real ssh to this one, and behind commands that play srun, a banner or a queue."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from torchlsp.probe import client, remote
from torchlsp.probe.request import Request

pytestmark = [
    pytest.mark.processes,
    pytest.mark.skipif(os.name == "nt", reason="scripts stand in for commands"),
]

WRONG = Request("import torch\ntorch.ones(2, 3) @ torch.ones(2, 3)\n", key="wrong")
RIGHT = Request("import torch\ntorch.ones(2, 3) @ torch.ones(3, 2)\n", key="right")


@pytest.mark.parametrize(
    ("text", "words", "shown"),
    [
        ("ssh gpu1", ("ssh", "gpu1", "python3"), "`ssh gpu1`"),
        ("srun -G1 -t5", ("srun", "-G1", "-t5", "python3"), "`srun -G1 -t5`"),
        ("ssh 'my box' /opt/v/bin/python3.12", ("ssh", "my box", "/opt/v/bin/python3.12"), "`ssh 'my box' /opt/v/bin/python3.12`"),
        ("docker run -i --rm torch python", ("docker", "run", "-i", "--rm", "torch", "python"), "`docker run -i --rm torch python`"),
        ("ssh python-box", ("ssh", "python-box", "python3"), "`ssh python-box`"),
    ],
)  # fmt: skip
def test_the_words_of_a_command(text, words, shown):
    assert remote.command_of(text) == words
    assert remote.shown(words) == shown


@pytest.mark.parametrize(("text", "problem"), [("", "it is empty"), ("ssh 'box", "No closing quotation")])
def test_what_is_no_command(text, problem):
    with pytest.raises(ValueError, match=problem):
        remote.command_of(text)


def test_an_option_goes_before_the_environment(monkeypatch):
    monkeypatch.setenv(remote.VARIABLE, "ssh one")
    assert remote.chosen("ssh two") == ("ssh", "two", "python3")
    assert remote.chosen(None) == ("ssh", "one", "python3")
    assert remote.chosen("") == ()
    monkeypatch.setenv(remote.VARIABLE, "ssh 'one")
    with pytest.raises(ValueError, match="TORCHLSP_PROBE_ON: `ssh 'one` is no command: No closing quotation"):
        remote.chosen(None)
    monkeypatch.delenv(remote.VARIABLE)
    assert remote.chosen(None) == ()


def _behind(script: str) -> tuple[str, ...]:
    """Returns a command that runs a shell script before the Python of the tests, which is `"$@"` there."""
    return ("sh", "-c", script, "command", sys.executable)


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("exit 3", "ended with status 3 before a worker ran"),
        ("echo first >&2; echo the box is down >&2; exit 255", "ended with status 255 before a worker ran: the box is down"),
        ("no-such-program-here", "ended with status 127 before a worker ran: .*not found"),
        ("exec yes", "prints something else than the worker's answers"),
        ("exec cat", "prints something else|ended"),
        ("echo '{}'; echo '[1]'; exit 1", "ended with status 1 before a worker ran"),
    ],
)  # fmt: skip
def test_a_command_that_reaches_no_worker_says_why(script, reason):
    worker = client.Worker("", command=_behind(script))
    with pytest.raises(client.Unavailable, match=reason):
        worker.run([WRONG], 1)
    assert worker.pid is None


def test_a_job_that_stays_in_a_queue_is_told_and_ended(tmp_path, monkeypatch):
    monkeypatch.setattr(remote, "START_SECONDS", 1.0)
    ended = tmp_path / "ended"
    script = (
        f"trap 'echo cancelled > {ended}; exit' TERM; echo job 7 is queued >&2; while :; do sleep 0.1; done"
    )
    with pytest.raises(client.Unavailable, match="was not ready within 1 seconds: job 7 is queued"):
        client.Worker("", command=_behind(script)).hello()
    assert ended.read_text() == "cancelled\n"


def test_a_command_that_does_not_exist():
    with pytest.raises(client.Unavailable, match="`no-such-command box` cannot be started"):
        client.Worker("", command=("no-such-command", "box", "python3")).hello()


def test_a_python_without_torch(tmp_path):
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "bare")], check=True)
    command = ("env", str(tmp_path / "bare" / "bin" / "python"))
    with pytest.raises(client.Unavailable, match=r"`env .*python`: torch cannot be imported: ModuleNotFound"):
        client.Worker("", command=command).hello()


@pytest.mark.torch
def test_a_banner_and_a_talkative_command_are_no_answers():
    """As the start files of a shell print them; what is said as an error must not fill a pipe that nobody reads."""
    script = "echo Welcome; echo '{\"motd\": 1}'; yes noise | head -c 300000 >&2; printf 'no end of line'; exec \"$@\""
    with client.Worker("", command=_behind(script)) as worker:
        assert "eager-cpu" in worker.hello().kinds
        assert [one.outcome for one in worker.run([WRONG, RIGHT], 5)] == ["raised", "passed"]


@pytest.mark.torch
def test_it_describes_the_other_side(tmp_path):
    smi = tmp_path / "nvidia-smi"
    smi.write_text("#!/bin/sh\necho 'NVIDIA H100 80GB HBM3, 79000 MiB, 0 %'\n")
    smi.chmod(0o755)
    script = f'PATH={tmp_path}:$PATH; export PATH; exec "$@"'
    with client.Worker("", command=_behind(script), describe=True) as worker:
        hello = worker.hello()
    assert hello.gpus == ("NVIDIA H100 80GB HBM3 (79000 MiB free, 0 % in use)",)
    assert hello.system == f"{os.uname().sysname} {os.uname().machine}"


@pytest.mark.torch
def test_a_gpu_is_looked_for_on_the_other_side(tmp_path):
    smi = tmp_path / "nvidia-smi"
    smi.write_text("#!/bin/sh\necho 'GPU-1, 97, 100'\n")
    smi.chmod(0o755)
    script = f'PATH={tmp_path}:$PATH; export PATH; exec "$@"'
    with pytest.raises(client.Unavailable, match=": all GPUs are in use"):
        client.Worker("", command=_behind(script), gpu="idle").hello()


@pytest.mark.torch
def test_a_lost_connection_loses_no_verdict():
    with client.Worker("", command=_behind('exec "$@"')) as worker:
        assert [one.outcome for one in worker.run([WRONG], 5)] == ["raised"]
        assert worker.pid is not None
        os.killpg(worker.pid, signal.SIGKILL)
        assert [one.outcome for one in worker.run([WRONG, RIGHT], 5)] == ["raised", "passed"]


# ---- a real ssh ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def ssh(tmp_path_factory) -> Iterator[tuple[str, ...]]:
    """The words of ssh to a server on this machine that admits one key."""
    server = shutil.which("sshd") or shutil.which("/usr/sbin/sshd")
    if server is None or shutil.which("ssh-keygen") is None:
        pytest.skip("needs sshd and ssh-keygen")
    folder = tmp_path_factory.mktemp("ssh")
    for name in ("host", "key", "other"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)], check=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (folder / "authorized").write_text((folder / "key.pub").read_text())
    (folder / "config").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {folder}/host\nAuthorizedKeysFile {folder}/authorized\n"
        "PidFile none\nStrictModes no\nPasswordAuthentication yes\nPermitRootLogin yes\n"
    )
    host_key = (folder / "host.pub").read_text()
    (folder / "known").write_text(f"[127.0.0.1]:{port} {host_key}")
    if os.geteuid() == 0:
        os.makedirs("/run/sshd", exist_ok=True)
    log = (folder / "log").open("wb")
    process = subprocess.Popen([server, "-D", "-e", "-f", str(folder / "config")], stderr=log)
    try:
        for _ in range(100):
            with socket.socket() as ask:
                if ask.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        options = ["-F", "none", "-o", f"UserKnownHostsFile={folder}/known", "-o", "IdentitiesOnly=yes"]
        yield ("ssh", *options, "-i", str(folder / "key"), "-p", str(port), "127.0.0.1")
    finally:
        process.terminate()
        process.wait(20)
        log.close()


@pytest.mark.torch
def test_over_ssh_programs_end_as_they_do_here(ssh, worker):
    programs = [
        WRONG,
        RIGHT,
        Request("import os\n", key="os"),
        Request("import torch\ntorch.ones(2).cuda() + torch.ones(2)\n", "logical-device", key="device"),
        Request(
            "import torch.distributed as dist\ndist.init_process_group()\nif dist.get_rank() == 0:\n    dist.barrier()\n",
            "ranks",
            world=2,
            key="ranks",
        ),
    ]
    with client.Worker("", command=(*ssh, sys.executable)) as there:
        assert there.hello() == worker.hello()
        answers = there.run(programs, 5)
    ends = [(one.outcome, one.error, one.lines) for one in answers]
    assert ends == [(one.outcome, one.error, one.lines) for one in worker.run(programs, 5)]
    assert [one.outcome for one in answers] == ["raised", "passed", "denied", "raised", "deadlock"]


@pytest.mark.torch
def test_a_broken_connection_of_ssh_is_made_again(ssh):
    with client.Worker("", command=(*ssh, sys.executable)) as there:
        assert [one.outcome for one in there.run([WRONG], 5)] == ["raised"]
        assert there.pid is not None
        os.kill(there.pid, signal.SIGKILL)
        assert [one.outcome for one in there.run([WRONG, RIGHT], 5)] == ["raised", "passed"]


def test_a_password_is_not_asked_for(ssh):
    """Nobody is there to type one: ssh has no terminal, and says what it would have needed."""
    place = ssh.index("-i") + 1
    other = (*ssh[:place], ssh[place].replace("key", "other"), *ssh[place + 1 :], sys.executable)
    began = time.monotonic()
    with pytest.raises(client.Unavailable, match=r"ended with status 255 .*Permission denied"):
        client.Worker("", command=other).hello()
    assert time.monotonic() - began < remote.START_SECONDS / 2


def test_an_unknown_host_is_not_trusted(ssh, tmp_path):
    words = [one.replace("UserKnownHostsFile=", f"UserKnownHostsFile={tmp_path}/no") for one in ssh]
    with pytest.raises(client.Unavailable, match="Host key verification failed"):
        client.Worker("", command=(*words, sys.executable)).hello()
