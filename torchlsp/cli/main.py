"""Implements the `torchlsp` command. Each subcommand's code is imported when it runs, so that start-up stays
small."""

from __future__ import annotations

import argparse
import gc
import os
import sys
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, NoReturn

from torchlsp import __version__
from torchlsp.cli.command_parser import CommandParser
from torchlsp.cli.options import (
    add_cache_dir,
    add_check_options,
    add_places_of_records,
    add_probe_on,
    add_record_options,
    split_command,
    with_optional_reason,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

_DESCRIPTION = "Find PyTorch mistakes in code that carries no annotations, without running or importing it."
_EXIT_CODES = "exit status: 0 nothing to report, 1 findings, 2 usage, configuration or an internal error"


def entry() -> NoReturn:
    """Runs the process without ever showing a traceback, even when the reader of a pipe goes away."""
    try:
        status = main()
        sys.stdout.flush()
    except BrokenPipeError:
        # Python would complain once more while closing stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 1
    except KeyboardInterrupt:
        status = 130
    sys.exit(status)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit status."""
    for stream in (sys.stdout, sys.stderr):
        # A path or a source line may hold what the terminal's encoding cannot show.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    given = with_optional_reason(sys.argv[1:] if arguments is None else arguments)
    given, to_record = split_command(given)
    is_check = given[:1] == ["check"]
    if is_check:
        # Nothing that starting makes is garbage before the check is over, which collects for itself.
        gc.disable()
    parser = _parser(only_check=is_check)
    options = parser.parse_args(given)
    options.to_record = to_record
    if options.command is None:
        parser.print_help()
        return 2
    if options.command == "server":
        # Before anything else: from here on only the protocol may reach stdout.
        from torchlsp.server.stdio import serve

        serve(for_agent=options.agent)
    if options.command == "check":
        from torchlsp.cli.check import check as command
    elif options.command == "explain":
        from torchlsp.cli.explain import explain as command
    elif options.command == "rules":
        from torchlsp.cli.rules import rules as command
    elif options.command == "probe":
        from torchlsp.cli.probe import probe as command
    elif options.command == "docs":
        from torchlsp.cli.docs import docs as command
    elif options.command == "cache":
        from torchlsp.cli.cache import cache as command
    elif options.command == "record":
        from torchlsp.cli.record import record as command
    elif options.command == "init":
        from torchlsp.cli.init import init as command
    elif options.command == "annotate":
        from torchlsp.cli.annotate import annotate as command
    elif options.command == "hang":
        from torchlsp.cli.hang import hang as command
    elif options.command == "mcp":
        from torchlsp.cli.mcp import mcp as command
    else:
        from torchlsp.cli.doctor import doctor as command
    try:
        return command(options)
    except (BrokenPipeError, KeyboardInterrupt):
        raise
    except Exception as failure:
        from torchlsp.engine.config import ConfigError

        if isinstance(failure, ConfigError):
            from torchlsp.report.words import printable

            print(f"torchlsp: {printable(str(failure))}", file=sys.stderr)
            return 2
        if getattr(options, "show_internal_errors", False):
            raise
        text = " ".join(str(failure).split())
        print(f"torchlsp: internal error: {type(failure).__name__}: {text}", file=sys.stderr)
        return 2


def _help(prog: str) -> argparse.HelpFormatter:
    return argparse.HelpFormatter(prog, max_help_position=30, width=_columns() - 2)


@cache
def _columns() -> int:
    """Returns the width of the terminal without importing `shutil`, which argparse uses for each option: it
    imports all the packers of archives that Python has."""
    with suppress(KeyError, ValueError):
        columns = int(os.environ["COLUMNS"])
        if columns > 0:
            return columns
    with suppress(AttributeError, ValueError, OSError):
        return os.get_terminal_size(sys.__stdout__.fileno()).columns or 80
    return 80


def _parser(*, only_check: bool = False) -> CommandParser:
    """Builds the parser. `only_check`: the command is known to be `check`, and the others, half of the work,
    are left out."""
    parser = CommandParser(
        prog="torchlsp",
        description=_DESCRIPTION,
        epilog=_EXIT_CODES,
        formatter_class=lambda prog: argparse.HelpFormatter(prog, width=_columns() - 2),
    )
    parser.add_argument("-V", "--version", action="version", version=f"torchlsp {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    add_check_options(
        commands.add_parser(
            "check",
            help="check files, folders and notebooks",
            usage="torchlsp check [OPTION ...] [PATH ...]",
            epilog=_EXIT_CODES,
            formatter_class=_help,
            allow_abbrev=False,
        )
    )
    if only_check:
        return parser
    server = commands.add_parser("server", help="speak the Language Server Protocol on stdin and stdout")
    server.add_argument(
        "--stdio",
        action="store_true",
        help="accepted because editors pass it; stdin and stdout are always used",
    )
    server.add_argument(
        "--agent", action="store_true", help="serve a coding agent: send errors and warnings only, no infos"
    )
    server.add_argument("--version", action="version", version=f"torchlsp {__version__}")
    explain = commands.add_parser(
        "explain",
        help="explain a rule, an error of torch, or the crash of a recorded run",
        epilog="exit status: 0 explained, 1 an error that is not known, or no crash to explain, 2 usage",
    )
    explain.add_argument(
        "what",
        nargs="*",
        metavar="CODE|TEXT",
        help="a code (TL101), a name (view-on-noncontiguous), `notation` (f32[8, 3] grad), or an error's text; `-` or nothing reads a program's"
        " output on stdin: python train.py 2>&1 | torchlsp explain",
    )
    explain.add_argument(
        "--last",
        action="store_true",
        help="explain the crash of the newest run that `torchlsp record` has kept, with the operands of its line",
    )
    add_places_of_records(explain.add_argument_group("with --last"), None)
    explain.add_argument("--output-format", choices=("text", "json"), default="text")
    explain.add_argument(
        "--color", choices=("auto", "always", "never"), default="auto", help="auto: on a terminal"
    )
    rules = commands.add_parser("rules", help="list the rules, or show the page of one")
    rules.add_argument(
        "what",
        nargs="*",
        metavar="CODE",
        help="a rule's code or name shows its page, as `explain` does; a prefix (TL1) lists the rules it means",
    )
    rules.add_argument(
        "--group", metavar="GROUPS", action="append", help="only rules of these groups, separated by commas"
    )
    rules.add_argument("--output-format", choices=("text", "json", "markdown"), default="text")
    rules.add_argument(
        "--color", choices=("auto", "always", "never"), default="auto", help="auto: on a terminal"
    )
    doctor = commands.add_parser("doctor", help="show versions and the environment whose torch is used")
    doctor.add_argument("--output-format", choices=("text", "json"), default="text")
    doctor.add_argument(
        "--python", metavar="PATH", help="an environment's folder or Python whose torch is used"
    )
    add_probe_on(doctor)
    probe = commands.add_parser(
        "probe",
        help="run the small torch program made from a finding in a sandbox, and report how it ends",
    )
    what = probe.add_mutually_exclusive_group(required=True)
    what.add_argument("place", nargs="?", metavar="FILE:LINE", help="where the finding is")
    what.add_argument("--program", metavar="FILE", help="a program of your own")
    probe.add_argument("--output-format", choices=("text", "json"), default="text")
    probe.add_argument(
        "--python", metavar="PATH", help="an environment's folder or Python whose torch runs it"
    )
    probe.add_argument(
        "--deadline", metavar="SECONDS", type=float, default=10.0, help="its time limit (default: 10)"
    )
    probe.add_argument(
        "--gpu",
        action="store_true",
        help="with --program: on a real GPU that is idle, without the sandbox (unverified)",
    )
    add_probe_on(probe)
    docs = commands.add_parser("docs", help="show what the installed torch says of a symbol")
    what = docs.add_mutually_exclusive_group(required=True)
    what.add_argument("symbol", nargs="?", metavar="SYMBOL", help="torch.nn.Conv2d, nn.Conv2d, F.relu")
    what.add_argument(
        "--search", metavar="WORD", nargs="+", help="list the symbols whose documentation has these words"
    )
    what.add_argument("--build", action="store_true", help="read the installed torch again")
    what.add_argument("--status", action="store_true", help="show what is kept, and where")
    what.add_argument("--clear", action="store_true", help="delete all that is kept")
    docs.add_argument(
        "--python", metavar="PATH", help="an environment's folder or Python whose torch is used"
    )
    docs.add_argument("--output-format", choices=("text", "markdown", "json"), default="text")
    docs.add_argument("--color", choices=("auto", "always", "never"), default="auto")
    cache = commands.add_parser("cache", help="show or delete what is kept from run to run")
    cache.add_argument(
        "what", choices=("status", "clear"), help="show how much is kept and where, or delete it"
    )
    cache.add_argument("--output-format", choices=("text", "json"), default="text")
    add_cache_dir(cache)
    record = commands.add_parser(
        "record",
        help="run a command and record the shapes, dtypes and devices that its functions see",
        usage="torchlsp record [OPTION ...] -- COMMAND ...\n"
        "       torchlsp record status | show FILE | clear | export FILE.json",
        epilog="exit status: that of the command; 0 for the others, 2 usage",
        formatter_class=_help,
        allow_abbrev=False,
    )
    add_record_options(record)
    annotate = commands.add_parser(
        "annotate",
        help="write the shapes that recorded runs have observed as jaxtyping annotations",
        epilog="exit status: 0 printed or written, 1 nothing to annotate, 2 usage",
    )
    annotate.add_argument(
        "file", metavar="FILE", help="a Python file of which `torchlsp record` has kept a run"
    )
    how = annotate.add_mutually_exclusive_group()
    how.add_argument("--diff", action="store_true", help="print what would change (the default)")
    how.add_argument("--write", action="store_true", help="change the file")
    add_cache_dir(annotate)
    init = commands.add_parser(
        "init",
        help="write a configuration, a hook of pre-commit, a job of CI and a list of known findings, by asking",
        epilog="exit status: 0 done, 1 no more answers, 2 usage",
    )
    init.add_argument(
        "-y", "--yes", action="store_true", help="ask nothing: take the defaults, and replace no file"
    )
    init.add_argument("--no-baseline", action="store_true", help="list no known findings")
    init.add_argument("--no-pre-commit", action="store_true", help="leave pre-commit alone")
    init.add_argument(
        "--ci",
        choices=("auto", "github", "gitlab", "none"),
        default="auto",
        help="auto (the default): the service that the project seems to use",
    )
    hang = commands.add_parser(
        "hang",
        help="read the Flight Recorder's dumps of a job that hangs, and name the branch at which its ranks parted",
        epilog="exit status: 0 nothing differs and no rank waits, 1 a rank waits or ranks differ, 2 usage",
    )
    hang.add_argument(
        "dumps",
        nargs="+",
        metavar="DUMPS",
        help="the dumps of all ranks, or a folder of them; a rank is the number in a file's name",
    )
    hang.add_argument(
        "--source",
        metavar="DIR",
        help="the folder of the program that ran, where its files are not at their paths",
    )
    hang.add_argument("--output-format", choices=("text", "json"), default="text")
    hang.add_argument(
        "--color", choices=("auto", "always", "never"), default="auto", help="auto: on a terminal"
    )
    mcp = commands.add_parser(
        "mcp",
        help="serve coding agents: the Model Context Protocol on stdin and stdout (extra torchlsp[mcp])",
    )
    mcp.add_argument(
        "--root", metavar="DIR", default=".", help="the workspace: nothing outside is read (default: .)"
    )
    mcp.add_argument("--python", metavar="PATH", help="an environment's folder or Python whose torch is used")
    add_probe_on(mcp)
    for one in (explain, rules, doctor, probe, docs, cache, record, annotate, init, hang, mcp):
        one.add_argument("--show-internal-errors", action="store_true", help=argparse.SUPPRESS)
    return parser
