"""Prints the results of a check."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from torchlsp.engine.stopwatch import by_rule, by_step
from torchlsp.report.formats import render, render_statistics
from torchlsp.report.sources import Sources
from torchlsp.report.text import Painter, summary
from torchlsp.report.words import printable

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable
    from typing import TextIO

    from torchlsp.engine.engine import CheckResult

# One cause can strike every function of a project.
_MAX_ERRORS = 10
_MAX_FILES = 10
_MAX_RULES = 10


def print_findings(
    result: CheckResult, options: argparse.Namespace, stream: TextIO, notes: Iterable[str] = ()
) -> None:
    """Prints the findings to the stream or file, then the summary with its notes.

    A summary is part of the text format; beside a file it is what the terminal shows.
    """
    if options.output_format == "agent":
        _print_for_agent(result, options, stream, notes)
        return
    if options.output_file is None:
        text = _rendered(result, options, Painter(coloured(options.color, stream)))
        stream.write(text + "\n" if text else "")
    else:
        from torchlsp.engine.writing import write_whole

        text = _rendered(result, options, Painter(options.color == "always"))
        write_whole(options.output_file, text + "\n" if text else "", "output file")
    has_summary = options.output_format == "text" or options.output_file is not None
    if has_summary and not options.quiet:
        paint = Painter(coloured(options.color, stream))
        for line in (summary(result, paint, fixed=options.fix), *notes):
            stream.write(f"{line}\n")
    stream.flush()
    if not has_summary and not options.quiet:
        for line in notes:
            print(f"torchlsp: {line}", file=sys.stderr)


def _print_for_agent(
    result: CheckResult, options: argparse.Namespace, stream: TextIO, notes: Iterable[str]
) -> None:
    """Prints the worst findings and one closing line, which has the notes too."""
    from torchlsp.report.agent import blocks, closing

    most = shown_at_once(options)
    parts = blocks(result, Sources(result.documents), most)
    last = closing(result, most, notes, only_new=options.since_last)
    if options.output_file is not None:
        from torchlsp.engine.writing import write_whole

        write_whole(options.output_file, "\n\n".join((*parts, last)) + "\n", "output file")
        parts = []
    if not options.quiet:
        parts.append(last)
    stream.write("\n\n".join(parts) + "\n" if parts else "")
    stream.flush()


def shown_at_once(options: argparse.Namespace) -> int:
    """Returns how many findings are shown at most; 0 for all."""
    if options.output_format != "agent":
        return 0
    from torchlsp.report.agent import MOST

    return MOST if options.max_findings is None else options.max_findings


def _rendered(result: CheckResult, options: argparse.Namespace, paint: Painter) -> str:
    if options.statistics:
        return render_statistics(options.output_format, result, paint)
    return render(options.output_format, result, Sources(result.documents), paint)


def write_reports(result: CheckResult, reports: Iterable[tuple[str, str]]) -> None:
    """Writes the findings in further formats, each to a file."""
    for name, path in reports:
        from torchlsp.engine.writing import write_whole

        text = render(name, result, Sources(result.documents), Painter(False))
        write_whole(path, text + "\n" if text else "", "report")


def print_diff(result: CheckResult) -> None:
    from torchlsp.report.diff import unified

    for change in result.changes:
        sys.stdout.writelines(unified(change))
    sys.stdout.flush()


def print_notices(result: CheckResult, options: argparse.Namespace) -> None:
    """Prints on stderr what was given up or failed, and internal errors."""
    if not options.quiet:
        for line in (*result.problems, *result.stopped):
            print(f"torchlsp: {printable(line)}", file=sys.stderr)
    shown = result.internal_errors if options.show_internal_errors else result.internal_errors[:_MAX_ERRORS]
    for text in shown:
        head, _, rest = text.partition("\n")
        print(f"torchlsp: internal error: {printable(head)}", file=sys.stderr)
        if rest and options.show_internal_errors:
            print("\n".join(map(printable, rest.split("\n"))), file=sys.stderr)
    if len(shown) < len(result.internal_errors):
        print(
            f"torchlsp: and {len(result.internal_errors) - len(shown)} more internal errors", file=sys.stderr
        )
    if result.internal_errors and not options.show_internal_errors:
        print(
            "torchlsp: this is a bug in torchlsp; --show-internal-errors prints tracebacks", file=sys.stderr
        )


def print_timings(result: CheckResult) -> None:
    """Prints on stderr the time of each step, and the slowest files. Steps of the interpreter are the same
    everywhere."""
    lines = ["torchlsp: seconds by step, of all processes together"]
    steps = by_step(result.seconds)
    lines.extend(f"{seconds:>10.3f}  {step}" for step, seconds in steps.items())
    whole = sum(steps.values()) or 1.0
    if slow := by_rule(result.seconds)[:_MAX_RULES]:
        lines.append("torchlsp: the rules that took most, in seconds and of the whole")
        lines.extend(f"{seconds:>10.3f}  {seconds / whole:>6.1%}  {code}" for code, seconds in slow)
    slowest = sorted(result.timings, key=lambda one: (-one.seconds, one.path))[:_MAX_FILES]
    if slowest:
        lines.append(
            f"torchlsp: the slowest of {len(result.timings):,} files, in seconds and interpreter steps"
        )
        lines.extend(f"{one.seconds:>10.3f}  {one.steps:>11,}  {printable(one.path)}" for one in slowest)
    if result.recalled:
        lines.append(
            f"torchlsp: {result.recalled:,} of {result.files:,} files had not changed; --no-cache checks them too"
        )
    print("\n".join(lines), file=sys.stderr)


def coloured(choice: str, stream: TextIO) -> bool:
    """Returns whether to colour a stream; reads the environment as Python itself does."""
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return os.environ.get("TERM") != "dumb" and stream.isatty()
