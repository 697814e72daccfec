"""Defines the options of `torchlsp check`, and which of them contradict each other."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from torchlsp.report.formats import FORMATS

if TYPE_CHECKING:
    from collections.abc import Sequence

STDIN = "-"

# Where both are given, the second half of the message says why not.
_CONTRADICTIONS = (
    ("config", "isolated", ""),
    ("cache_dir", "no_cache", ""),
    ("add_ignores", "fix", ": fix first, then ignore what is left"),
    ("add_ignores", "diff", ""),
    ("add_ignores", "write_baseline", ": each keeps the findings that there are"),
    ("baseline", "write_baseline", ": the written one holds every finding"),
    ("write_baseline", "fix", ": fix first, then write what is left"),
    ("write_baseline", "diff", ""),
    ("write_baseline", "output_file", ": a baseline is written instead of findings"),
    ("write_baseline", "report", ": a baseline is written instead of findings"),
    ("write_baseline", "statistics", ": a baseline is written instead of findings"),
    ("output_file", "diff", ": a diff goes to standard output"),
    ("changed_since", "write_baseline", ": a baseline holds every finding"),
    ("report", "diff", ": a diff shows no findings"),
    ("show_refuted", "diff", ": a diff shows no findings"),
    ("show_refuted", "add_ignores", ": what torch refuted needs no comment"),
    ("show_refuted", "write_baseline", ": a refuted finding is not a known finding"),
    ("recorded", "no_recorded", ""),
    ("since_last", "no_cache", ": what was shown is kept in the cache folder"),
    ("since_last", "diff", ": a diff shows no findings"),
    ("since_last", "add_ignores", ""),
    ("since_last", "write_baseline", ": a baseline holds every finding"),
    ("since_last", "show_settings", ": settings are shown without a check"),
    ("statistics", "diff", ""),
    ("watch", "fix", ": an editor that has the file open would lose the race"),
    ("watch", "diff", ""),
    ("watch", "add_ignores", ""),
    ("watch", "write_baseline", ": a baseline is written once"),
    ("watch", "show_settings", ": settings are shown without a check"),
    ("show_settings", "fix", ": settings are shown without a check"),
    ("show_settings", "diff", ": settings are shown without a check"),
    ("show_settings", "add_ignores", ": settings are shown without a check"),
    ("show_settings", "baseline", ": settings are shown without a check"),
    ("show_settings", "write_baseline", ": settings are shown without a check"),
    ("show_settings", "changed_since", ": settings are shown without a check"),
    ("show_settings", "statistics", ": settings are shown without a check"),
    ("show_settings", "output_file", ": settings are shown on standard output"),
    ("show_settings", "report", ": settings are shown on standard output"),
    ("show_settings", "timings", ": settings are shown without a check"),
)
_NOT_ON_STDIN = ("add_ignores", "since_last", "watch", "write_baseline")
_WITHOUT_FINDINGS = ("diff", "statistics", "show_settings", "write_baseline", "output_file", "watch")


def chosen_format(options: argparse.Namespace, *, on_terminal: bool) -> str:
    """Returns the output format: the one that is named, else text, or `agent` where an agent reads the findings."""
    if options.output_format is not None:
        return options.output_format
    is_text = on_terminal or any(_given(options, name) for name in _WITHOUT_FINDINGS)
    if is_text or options.fix and STDIN in options.paths:
        return "text"
    from torchlsp.engine.agent_environment import agent_variable

    return "agent" if agent_variable() is not None else "text"


def contradiction(options: argparse.Namespace) -> str | None:
    """Returns the message for options that are valid one by one but not together."""
    for one, other, why in _CONTRADICTIONS:
        if _given(options, one) and _given(options, other):
            return f"{_spelt(one)} and {_spelt(other)} contradict each other{why}"
    if options.show_refuted and options.probe == "off" and options.no_recorded:
        return "--show-refuted needs --probe auto or --probe require, or recorded runs"
    if options.probe_on is not None and options.probe == "off":
        return "--probe-on needs --probe auto, require or gpu"
    if options.unsafe_fixes and not (options.fix or options.diff):
        return "--unsafe-fixes needs --fix or --diff"
    if STDIN in options.paths:
        if len(options.paths) > 1:
            return f"`{STDIN}` reads standard input and takes no other paths beside it"
        for name in _NOT_ON_STDIN:
            if _given(options, name):
                return f"{_spelt(name)} needs files, not standard input"
        if options.changed_since is not None and not options.stdin_filename:
            return f"--changed-since needs --stdin-filename with `{STDIN}`"
    elif options.stdin_filename is not None:
        return f"--stdin-filename needs `{STDIN}` as the path"
    if options.max_findings is not None and options.output_format != "agent":
        return f"--max-findings goes with --output-format agent, not {options.output_format}"
    if options.diff and options.output_format not in ("text", "concise"):
        return f"--diff prints a diff, not {options.output_format}"
    if options.statistics and options.output_format not in ("text", "concise", "json"):
        return f"--statistics prints text or json, not {options.output_format}"
    if options.watch and options.output_file is None and options.output_format not in ("text", "concise"):
        return (
            f"--watch prints text, not {options.output_format}; --output-file writes it to a file each time"
        )
    if options.show_settings and options.output_format not in ("text", "json"):
        return f"--show-settings prints text or json, not {options.output_format}"
    return None


def _given(options: argparse.Namespace, name: str) -> bool:
    value = getattr(options, name)
    return value is not None and value is not False


def _spelt(name: str) -> str:
    return "--" + name.replace("_", "-")


def with_optional_reason(arguments: Sequence[str]) -> list[str]:
    """Rewrites the arguments so that a path after `--add-ignores` is not taken for its reason, which needs a
    `=`."""
    until = arguments.index("--") if "--" in arguments else len(arguments)
    return [
        "--add-ignores=" if one == "--add-ignores" and number < until else one
        for number, one in enumerate(arguments)
    ]


def split_command(arguments: Sequence[str]) -> tuple[list[str], list[str] | None]:
    """Returns our arguments, and those after `record … --`: the command to run, whose options are not ours."""
    given = list(arguments)
    if given[:1] != ["record"] or "--" not in given:
        return given, None
    at = given.index("--")
    return given[:at], given[at + 1 :]


def _jobs(text: str) -> int:
    if text == "auto":
        return 0
    # `int` alone would take `+1`, `1_0` and digits of other scripts.
    if text.isascii() and text.isdigit() and len(text) < 5:
        return int(text)
    raise argparse.ArgumentTypeError(f"`{text}` is neither a number of processes nor auto")


def _max_findings(text: str) -> int:
    if text.isascii() and text.isdigit() and len(text) < 10:
        return int(text)
    raise argparse.ArgumentTypeError(f"`{text}` is not a number of findings")


def _report(text: str) -> tuple[str, str]:
    name, _, path = text.partition("=")
    if name not in FORMATS:
        raise argparse.ArgumentTypeError(f"`{name}` is not a format: {', '.join(FORMATS)}")
    if not path:
        raise argparse.ArgumentTypeError(f"give the file, as in {name}=FILE")
    return name, path


def add_cache_dir(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--cache-dir",
        metavar="PATH",
        help="keep results in this folder instead of TORCHLSP_CACHE_DIR or the user's cache folder",
    )


def add_probe_on(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--probe-on",
        metavar="COMMAND",
        help="run torch where this command leads, as in 'ssh gpu1' or 'docker run -i --rm IMAGE' (default: TORCHLSP_PROBE_ON)",
    )


def add_check_options(check: argparse.ArgumentParser) -> None:
    check.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        default=["."],
        help="files, folders and notebooks, or - for standard input (default: .)",
    )
    rules = check.add_argument_group(
        "rules",
        "CODES: codes (TL101), prefixes (TL1), names, groups (correctness, performance, style, upgrade) or ALL, separated"
        " by commas",
    )
    rules.add_argument("--select", metavar="CODES", action="append", help="run these instead of the default")
    rules.add_argument("--extend-select", metavar="CODES", action="append", help="run these too")
    rules.add_argument("--ignore", metavar="CODES", action="append", help="do not run these")

    fixes = check.add_argument_group("fixes")
    fixes.add_argument("--fix", action="store_true", help="make safe fixes in the files")
    fixes.add_argument(
        "--unsafe-fixes", action="store_true", help="with --fix or --diff: the unsafe ones too"
    )
    fixes.add_argument(
        "--diff", action="store_true", help="show what --fix would change; change nothing, even with --fix"
    )

    known = check.add_argument_group("known findings")
    known.add_argument(
        "--add-ignores",
        metavar="REASON",
        nargs="?",
        const="",
        help="put `# torchlsp: ignore[...]` on the lines of all findings; a reason is given with `=`",
    )
    known.add_argument(
        "--changed-since",
        metavar="REV",
        help="show only findings of your changes since the merge base with this git revision, say origin/main",
    )
    known.add_argument(
        "--since-last",
        action="store_true",
        help="show only what the last call with this option in this project has not shown; the exit status counts all",
    )
    known.add_argument("--baseline", metavar="FILE", help="hide the findings that this file lists")
    known.add_argument("--write-baseline", metavar="FILE", help="list all findings in this file and exit 0")

    files = check.add_argument_group("files")
    files.add_argument(
        "--stdin-filename", metavar="NAME", help="with -: the file that standard input stands for"
    )
    files.add_argument(
        "--exclude",
        metavar="PATTERN",
        action="append",
        help="leave these out too, even if they are named: names (data), paths from here (src/old), * and **; may be repeated",
    )
    files.add_argument(
        "--force-exclude", action="store_true", help="leave out excluded files even if they are named"
    )
    files.add_argument("--no-respect-gitignore", action="store_true", help="check what git ignores too")
    files.add_argument(
        "--watch", action="store_true", help="check again whenever a file changes, until Ctrl-C"
    )
    files.add_argument(
        "--jobs",
        metavar="N",
        type=_jobs,
        default=0,
        help="the most processes to check files in; auto (the default) or 0: one for each CPU",
    )

    cache = check.add_argument_group(
        "cache", "what has not changed since an earlier run is not checked again"
    )
    cache.add_argument("--no-cache", action="store_true", help="check everything, and keep no results")
    add_cache_dir(cache)

    settings = check.add_argument_group("configuration")
    settings.add_argument("--config", metavar="FILE", help="use this file and no other")
    settings.add_argument("--isolated", action="store_true", help="use no configuration file")
    settings.add_argument(
        "--python", metavar="PATH", help="an environment's folder or Python whose torch is used"
    )
    settings.add_argument(
        "--show-settings",
        action="store_true",
        help="print the settings that hold for each path; check nothing",
    )

    probe = check.add_argument_group(
        "probe", "runs small programs made from the findings with your torch, in a sandbox"
    )
    probe.add_argument(
        "--probe",
        choices=("off", "auto", "gpu", "require"),
        default="off",
        help="off (the default), auto: if there is a torch to run, gpu: what is about devices on a real GPU too that is idle, "
        "or require: else exit 2",
    )
    add_probe_on(probe)
    probe.add_argument(
        "--show-refuted", action="store_true", help="keep the findings that torch or a recorded run refuted"
    )

    recorded = check.add_argument_group(
        "recorded runs", "what `torchlsp record` has seen of your functions; in CI only a file that is named"
    )
    recorded.add_argument(
        "--recorded",
        metavar="FILE",
        help="use this file, written by `torchlsp record export`, and no other record",
    )
    recorded.add_argument("--no-recorded", action="store_true", help="use no record")

    names = list(FORMATS)
    output = check.add_argument_group("output")
    output.add_argument(
        "--output-format",
        choices=names,
        metavar="FORMAT",
        help=f"{', '.join(names[:-1])} or {names[-1]} (default: text; agent where a coding agent reads what is printed)",
    )
    output.add_argument(
        "--max-findings",
        metavar="N",
        type=_max_findings,
        help="with agent: show at most the N worst findings; 0 for all (default: 20)",
    )
    output.add_argument("--output-file", metavar="FILE", help="write the findings to a file instead")
    output.add_argument(
        "--report",
        metavar="FORMAT=FILE",
        action="append",
        type=_report,
        help="write the findings to this file too, in this format; may be repeated",
    )
    output.add_argument("--statistics", action="store_true", help="count findings by rule instead")
    output.add_argument(
        "--color",
        choices=("auto", "always", "never"),
        default="auto",
        help="auto (the default): on a terminal; NO_COLOR and FORCE_COLOR are heeded",
    )
    output.add_argument("--timings", action="store_true", help="print on stderr where the time is spent")
    output.add_argument("-q", "--quiet", action="store_true", help="print findings only")
    output.add_argument(
        "--show-internal-errors", action="store_true", help="print the tracebacks of torchlsp's own errors"
    )

    status = check.add_argument_group("exit status")
    status.add_argument("--exit-zero", action="store_true", help="exit 0 even if there are findings")
    status.add_argument(
        "--fail-on",
        choices=("error", "warning", "info"),
        default="warning",
        help="the least severity that makes the exit status 1 (default: warning)",
    )


def add_record_options(record: argparse.ArgumentParser) -> None:
    """Adds the options of `torchlsp record`; the command that it runs is no option, see `split_command`."""
    record.add_argument(
        "--steps",
        type=_steps,
        metavar="N",
        help="end the program after N steps of an optimizer, as sys.exit(0) would",
    )
    add_places_of_records(record, None)
    actions = record.add_subparsers(dest="action", metavar="ACTION", prog="torchlsp record")
    for name, tells in (
        ("status", "list the runs that are kept"),
        ("show", "show what is known of the functions of a file"),
        ("clear", "delete all runs of this workspace"),
        ("export", "write all runs of this workspace to one file"),
    ):
        action = actions.add_parser(name, help=tells)
        add_places_of_records(action, argparse.SUPPRESS)
        if name in ("show", "export"):
            action.add_argument("file", metavar="FILE", help="the file to show, or to write")
        if name == "show":
            action.add_argument("--function", metavar="NAME", help="only functions of this name")
        if name != "export":
            action.add_argument("--output-format", choices=("text", "json"), default="text")


def add_places_of_records(parser: argparse._ActionsContainer, default: str | None) -> None:
    """Adds the options that say where the records of a workspace are."""
    parser.add_argument(
        "--root",
        metavar="DIR",
        default=default,
        help="the folder whose code is recorded (default: the project around the current folder)",
    )
    parser.add_argument(
        "--cache-dir",
        metavar="PATH",
        default=default,
        help="keep records in this folder instead of TORCHLSP_CACHE_DIR or the user's cache folder",
    )


def _steps(text: str) -> int:
    if text.isascii() and text.isdigit() and 0 < len(text) < 10 and int(text):
        return int(text)
    raise argparse.ArgumentTypeError(f"`{text}` is not a number of steps, 1 or more")
