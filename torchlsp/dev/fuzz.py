"""Tries to break torchlsp: mutants of real programs, hostile repositories, hostile messages; prints what did not hold."""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from torchlsp.dev.fuzzing import editing, messages, repository_checks
from torchlsp.dev.fuzzing.mutants import mutant
from torchlsp.dev.fuzzing.repositories import MAKERS
from torchlsp.dev.fuzzing.running import MEMORY_MB, Outcome, outcomes
from torchlsp.dev.fuzzing.seeds import ROOT

_SHOWN = 4_000
"""The characters of one problem that are printed."""


def main(argv: list[str]) -> int:
    """Returns exit status 1 where something did not hold."""
    options = _parser().parse_args(argv)
    if not (ROOT / "tests").is_dir():
        print(
            "the programs to begin with are in the repository, not in the installed package", file=sys.stderr
        )
        return 2
    run: Callable[[argparse.Namespace], int] = options.run
    return run(options)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m torchlsp.dev fuzz", description=__doc__)
    kinds = parser.add_subparsers(dest="kind", required=True)
    programs = kinds.add_parser("programs", help="checks mutants of the project's own programs")
    programs.add_argument("--memory", type=int, default=MEMORY_MB, metavar="MB", help="default: %(default)s")
    programs.add_argument("--print", action="store_true", help="print the mutants and check none")
    programs.add_argument(
        "--keep", type=Path, metavar="FOLDER", help="write there the mutants with a problem"
    )
    programs.set_defaults(run=check_programs)
    edits = kinds.add_parser(
        "edits", help="edits mutants in a real server, beside a file that nobody touches"
    )
    edits.set_defaults(run=lambda options: _told(editing.problems(options.seed, _numbers(options))))
    sent = kinds.add_parser("messages", help="sends sequences of random messages to a real server")
    sent.set_defaults(run=lambda options: _told(messages.problems(options.seed, _numbers(options))))
    for kind in (programs, edits, sent):
        kind.add_argument("--seed", type=int, default=1, help="default: %(default)s")
        kind.add_argument(
            "--first", type=int, default=0, metavar="N", help="number of the first; default: %(default)s"
        )
        kind.add_argument("--count", type=int, default=100, metavar="N", help="default: %(default)s")
    repositories = kinds.add_parser("repositories", help="checks and opens hostile repositories")
    repositories.add_argument("names", nargs="*", metavar="NAME", help=f"default: all of {', '.join(MAKERS)}")
    repositories.set_defaults(
        run=lambda options: _told(repository_checks.problems(options.names or tuple(MAKERS)))
    )
    return parser


def _numbers(options: argparse.Namespace) -> range:
    return range(options.first, options.first + options.count)


def _told(problems: Iterable[str]) -> int:
    """Prints problems as they are found."""
    count, started = 0, time.monotonic()
    for problem in problems:
        print(problem[:_SHOWN], flush=True)
        count += 1
    print(f"{count} problems; {time.monotonic() - started:.0f} s")
    return 1 if count else 0


def check_programs(options: argparse.Namespace) -> int:
    """Checks mutants in a process of limited memory, and prints their problems and what they cost."""
    if options.print:
        for number in _numbers(options):
            made = mutant(options.seed, number)
            print(f"# {made}\n{made.text}")
        return 0
    done: list[Outcome] = []
    started = time.monotonic()
    try:
        for outcome in outcomes(options.seed, _numbers(options), options.memory):
            done.append(outcome)
            _told_of(outcome, options)
    except KeyboardInterrupt:
        print("interrupted")
    print("\n".join(_summary(done, time.monotonic() - started)))
    return 1 if any(outcome.problems for outcome in done) else 0


def _told_of(outcome: Outcome, options: argparse.Namespace) -> None:
    for problem in outcome.problems:
        print(f"{outcome.about}: {problem[:_SHOWN]}", flush=True)
    if outcome.problems and options.keep is not None:
        options.keep.mkdir(parents=True, exist_ok=True)
        text = mutant(options.seed, outcome.number).text.encode("utf-8", "surrogatepass")
        (options.keep / f"{options.seed}_{outcome.number}.py").write_bytes(text)


def _summary(done: Sequence[Outcome], seconds: float) -> Iterator[str]:
    kinds = Counter(_in_short(problem) for one in done for problem in one.problems)
    for problem, count in kinds.most_common():
        yield f"{count:>5}  {problem}"
    broken, findings = sum(bool(one.problems) for one in done), sum(one.findings for one in done)
    yield f"{len(done)} mutants with {findings} findings in {seconds:.0f} s: {broken} with a problem"
    if done:
        slowest = max(done, key=lambda one: one.seconds)
        yield f"{sum(one.seconds for one in done):.0f} CPU s; slowest {slowest.seconds:.2f} CPU s: {slowest.about}"
        yield f"most steps {max(one.steps for one in done)}; most memory {max(one.megabytes for one in done)} MB"


def _in_short(problem: str) -> str:
    """Returns the first line of a problem without the path that it begins with, and the innermost place of its traceback."""
    lines = problem.splitlines()
    places = [line.strip() for line in lines if line.startswith("  File ")]
    return "  ".join([lines[0].rpartition(".py: ")[2], *places[-1:]])
