"""Programs that mean harm: through gate and lock nothing comes of them, and through the lock alone nothing outside."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from torchlsp.probe.request import Request

pytestmark = pytest.mark.torch

PROGRAMS = sorted((Path(__file__).parent / "hostile").glob("*.py"))
TEXTS = [path.read_text(encoding="utf-8") for path in PROGRAMS]
GOOD = Request("import torch\ntorch.ones(2, 3).t().view(6)\n", key="good")
# The gate leaves these to the limits: they do nothing but take time or memory.
LEFT_TO_LIMITS = ("limit_", "size_")
BATCH = 25


def traces() -> set[str]:
    """Names in the places where a program without a folder of its own could leave something."""
    found = set()
    for folder in ("/", "/dev/shm", os.path.expanduser("~"), os.getcwd()):
        found.update(os.path.join(folder, name) for name in os.listdir(folder))
    return {name for name in found if "escaped" in name or "torch_" in name}


def right(answer) -> bool:
    return answer.outcome == "raised" and answer.error.row == 2 and "view size" in answer.error.text


def test_there_are_enough():
    assert len(PROGRAMS) >= 40


def test_gate_and_lock_let_nothing_happen(worker):
    """All in one batch, with a good program behind each: none is disturbed by the one before it."""
    before, pid = traces(), worker.hello() and worker.pid
    requests = [one for text in TEXTS for one in (Request(text), GOOD)]
    answers = worker.run(requests, 0.4)
    wrong = {
        path.name: answer.outcome
        for path, answer in zip(PROGRAMS, answers[::2])
        if answer.outcome != "denied" and not path.name.startswith(LEFT_TO_LIMITS)
    }
    assert wrong == {}
    # What is left to the limits is stopped by them, or comes to an end that is its own.
    ends = {answer.outcome for answer in answers[::2]}
    assert not ends & {"deadlock", "mismatch", "import", "syntax"}
    assert all(right(answer) for answer in answers[1::2])
    assert (traces(), worker.pid) == (before, pid)


@pytest.mark.parametrize("user", ["open_worker", "nobodys_worker"])
@pytest.mark.parametrize("start", range(0, len(PROGRAMS), BATCH))
def test_the_lock_alone_lets_nothing_out(request, user, start):
    """Each in a fork of its own. What it answers may be forged; nothing outside of it changes."""
    worker = request.getfixturevalue(user)
    before, pid = traces(), worker.hello() and worker.pid
    for text in TEXTS[start : start + BATCH]:
        worker.run([Request(text)], 0.4)
    assert right(worker.run([GOOD], 5)[0])
    assert (traces(), worker.pid) == (before, pid)
