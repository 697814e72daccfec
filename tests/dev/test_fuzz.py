"""Mutants of programs, hostile repositories and messages: a few by a fixed seed; `python -m torchlsp.dev fuzz` makes more."""

from __future__ import annotations

import os
import subprocess
import sys
from random import Random

import pytest

from torchlsp.dev import fuzz
from torchlsp.dev.fuzzing import repository_checks, running, seeds, token_mutations, tree_mutations
from torchlsp.dev.fuzzing.mutants import Mutant, mutant

SEED = 18
posix = pytest.mark.skipif(sys.platform == "win32", reason="needs signals and limits of posix")
TEXT = 'import torch\n\n\ndef f(x, y=1):\n    return torch.cat([x, y], dim=0) + x.view(2, 3)\n\n\nz = f("a", y=2)\n'


@posix
@pytest.mark.slow
@pytest.mark.processes
@pytest.mark.parametrize("first", [0, 100, 200])
def test_mutants_are_checked_within_their_limits(first: int, capsys) -> None:
    status = fuzz.main(["programs", "--seed", str(SEED), "--first", str(first), "--count", "100"])
    printed = capsys.readouterr().out
    assert status == 0, printed
    assert "100 mutants with " in printed


@posix
@pytest.mark.slow
@pytest.mark.processes
def test_mutants_in_an_editor_keep_no_other_file_from_its_answers(capsys) -> None:
    assert fuzz.main(["edits", "--seed", str(SEED), "--count", "12"]) == 0, capsys.readouterr().out


@posix
@pytest.mark.slow
@pytest.mark.processes
def test_random_messages_keep_no_file_from_its_answers(capsys) -> None:
    assert fuzz.main(["messages", "--seed", str(SEED), "--count", "20"]) == 0, capsys.readouterr().out


QUICK = (
    "links in circles",
    "names of control characters",
    "modules called as libraries",
    "git that runs programs",
    "odd encodings",
)


@posix
@pytest.mark.slow
@pytest.mark.processes
@pytest.mark.parametrize("name", QUICK)
def test_hostile_repository_is_checked_and_opened(name: str) -> None:
    commands = repository_checks.COMMANDS[QUICK.index(name) % 3 :: 3]
    assert list(repository_checks.problems([name], commands)) == []


REFUSED = ("configuration nested too deep", "configuration of wrong types", "git in circles")


@posix
@pytest.mark.slow
@pytest.mark.processes
@pytest.mark.parametrize("name", REFUSED)
def test_hostile_repository_is_checked_or_refused_in_a_sentence(name: str) -> None:
    assert list(repository_checks.problems([name], repository_checks.COMMANDS[:1], served=False)) == []


# ---- the watch itself ------------------------------------------------------------------------------------------------


class Checking:
    """Does something else in place of a check."""

    steps = findings = 0

    def __init__(self, code: str) -> None:
        self._code = code

    def problems(self, made: Mutant) -> list[str]:
        found: list[str] = []
        exec(self._code, {"found": found})
        return found


def watched(code: str, tmp_path, monkeypatch) -> list[str]:
    monkeypatch.setattr(running, "seconds_allowed", lambda characters: 0.05)
    with open(tmp_path / "output", "w+b") as output:
        before = os.dup(1)
        os.dup2(output.fileno(), 1)
        try:
            outcome = running.outcome(mutant(SEED, 1), Checking(code), output.fileno())  # type: ignore[arg-type]
        finally:
            os.dup2(before, 1)
            os.close(before)
    return [problem.splitlines()[0] for problem in outcome.problems]


@posix
@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("found.append('x')", "x"),
        ("while True: pass", "took more than 0.2 s"),
        ("import os; os.write(1, b'stray')", "printed 'stray'"),
        ("{}['x']", "KeyError left the check: 'x'"),
    ],
)
def test_watch_notices(code: str, expected: str, tmp_path, monkeypatch, capfd) -> None:
    assert watched(code, tmp_path, monkeypatch) == [expected]


@posix
@pytest.mark.processes
def test_watch_leaves_out_processes_of_before(tmp_path, monkeypatch, capfd) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE):
        assert watched("found.append('x')", tmp_path, monkeypatch) == ["x"]


@posix
@pytest.mark.processes
def test_watch_notices_a_child_process(tmp_path, monkeypatch, capfd) -> None:
    code = (
        "import subprocess, sys; p = subprocess.Popen([sys.executable, '-c', '']); found.append(str(p.pid))"
    )
    number, problem = watched(code, tmp_path, monkeypatch)
    assert problem == "left a process behind"
    os.waitpid(int(number), 0)


@posix
@pytest.mark.processes
def test_mutant_that_ends_its_process_is_named_and_the_next_are_checked(monkeypatch) -> None:
    """With so little memory the process cannot even begin."""
    found = list(running.outcomes(SEED, [1, 2], memory_mb=1))
    assert [one.number for one in found] == [1, 2]
    assert all(one.problems[0].startswith("ended its process with status ") for one in found)


# ---- the mutants -----------------------------------------------------------------------------------------------------


def test_mutant_is_the_same_each_time() -> None:
    made = [mutant(SEED, number) for number in range(6)]
    assert [mutant(SEED, number) for number in range(6)] == made
    assert len({one.text for one in made}) == 6
    assert all(one.text != one.seed.text for one in made)


def test_tokens_give_the_text_again() -> None:
    for place in dict.fromkeys(seeds.CHOSEN):
        for seed in seeds.seeds(place)[:20]:
            assert "".join(token_mutations.tokens(seed.text)) == seed.text


@pytest.mark.parametrize("change", dict.fromkeys(token_mutations.CHANGES), ids=lambda change: change.__name__)
def test_token_change_changes_the_text(change) -> None:
    assert any(change(TEXT, "a = b\nc = d\n", Random(number)) != TEXT for number in range(5))


@pytest.mark.parametrize("change", dict.fromkeys(tree_mutations.CHANGES), ids=lambda change: change.__name__)
def test_tree_change_changes_the_tree(change) -> None:
    text = TEXT + "\n@f\nclass C(A):\n    a = 1\n    b.c = d.e = {}\n\n    def g(self): return self\n"
    found = set()
    for number in range(12):
        try:
            found.add(change(tree_mutations.program(text), TEXT, Random(number)).code)
        except tree_mutations.Unchanged:
            pass
    assert found - {text}
