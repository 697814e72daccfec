"""The `torchlsp` command. Each subcommand's code is imported when it runs, so that start-up stays small."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING, NoReturn

from torchlsp import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

_DESCRIPTION = "Find PyTorch mistakes in code that carries no annotations, without running or importing it."
_EXIT_CODES = "exit status: 0 nothing to report, 1 findings, 2 usage, configuration or an internal error"


def entry() -> NoReturn:
    """The process: never a traceback for the user, not even when the reader of a pipe goes away."""
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
    """Run one command and return its exit status."""
    for stream in (sys.stdout, sys.stderr):
        # A path or a source line may hold what the terminal's encoding cannot show.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.command is None:
        parser.print_help()
        return 2
    if options.command == "server":
        # Before anything else: from here on only the protocol may reach stdout.
        from torchlsp.server.stdio import serve

        serve()
    if options.command == "check":
        from torchlsp.cli.check import check as command
    elif options.command == "explain":
        from torchlsp.cli.explain import explain as command
    elif options.command == "rules":
        from torchlsp.cli.explain import list_rules as command
    else:
        from torchlsp.cli.doctor import doctor as command
    try:
        return command(options)
    except (BrokenPipeError, KeyboardInterrupt):
        raise
    except Exception as failure:
        from torchlsp.engine.config import ConfigError

        if isinstance(failure, ConfigError):
            print(f"torchlsp: {failure}", file=sys.stderr)
            return 2
        if getattr(options, "show_internal_errors", False):
            raise
        text = " ".join(str(failure).split())
        print(f"torchlsp: internal error: {type(failure).__name__}: {text}", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="torchlsp", description=_DESCRIPTION, epilog=_EXIT_CODES)
    parser.add_argument("--version", action="version", version=f"torchlsp {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    _add_check(commands.add_parser("check", help="check files and folders", epilog=_EXIT_CODES))
    server = commands.add_parser("server", help="speak the Language Server Protocol on stdin and stdout")
    server.add_argument("--stdio", action="store_true", help="accepted, as editors pass it; there is no other way")
    server.add_argument("--version", action="version", version=f"torchlsp {__version__}")
    explain = commands.add_parser("explain", help="show the page of a rule")
    explain.add_argument("rule", metavar="CODE", help="a code (TL101) or a name (view-on-noncontiguous)")
    rules = commands.add_parser("rules", help="list the rules")
    rules.add_argument("--output-format", choices=("text", "json"), default="text")
    doctor = commands.add_parser("doctor", help="show versions and the environment whose torch is meant")
    doctor.add_argument("--output-format", choices=("text", "json"), default="text")
    doctor.add_argument(
        "--python", metavar="PATH", help="an environment's folder or Python whose torch is meant"
    )
    for one in (explain, rules, doctor):
        one.add_argument("--show-internal-errors", action="store_true", help=argparse.SUPPRESS)
    return parser


def _add_check(check: argparse.ArgumentParser) -> None:
    check.add_argument(
        "paths", nargs="*", metavar="PATH", default=["."], help="files and folders (default: .)"
    )
    check.add_argument("--output-format", choices=("text", "concise", "json"), default="text")
    rules = check.add_argument_group(
        "rules", "CODES: codes, prefixes (TL1), names or ALL, separated by commas"
    )
    rules.add_argument("--select", metavar="CODES", action="append", help="run these instead of the default")
    rules.add_argument("--extend-select", metavar="CODES", action="append", help="run these too")
    rules.add_argument("--ignore", metavar="CODES", action="append", help="do not run these")
    fixes = check.add_argument_group("fixes")
    fixes.add_argument("--fix", action="store_true", help="make safe fixes in the files")
    fixes.add_argument(
        "--unsafe-fixes", action="store_true", help="with --fix or --diff: the unsafe ones too"
    )
    fixes.add_argument("--diff", action="store_true", help="show what --fix would change; change nothing")
    status = check.add_argument_group("exit status")
    status.add_argument("--exit-zero", action="store_true", help="exit 0 even if there are findings")
    status.add_argument(
        "--fail-on",
        choices=("error", "warning", "info"),
        default="warning",
        help="the least severity that makes the exit status 1 (default: warning)",
    )
    settings = check.add_argument_group("configuration")
    settings.add_argument("--config", metavar="FILE", help="use this file and no other")
    settings.add_argument("--isolated", action="store_true", help="use no configuration file")
    output = check.add_argument_group("output")
    output.add_argument("--statistics", action="store_true", help="count findings by rule instead")
    output.add_argument("--color", choices=("auto", "always", "never"), default="auto")
    output.add_argument("-q", "--quiet", action="store_true", help="print findings only")
    output.add_argument("--show-internal-errors", action="store_true", help="print their tracebacks")
