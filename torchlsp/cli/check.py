"""`torchlsp check`."""

from __future__ import annotations

import gc
import sys
from typing import TYPE_CHECKING

from torchlsp.cli.options import STDIN, contradiction
from torchlsp.cli.output import print_diff, print_findings, print_notices, print_timings
from torchlsp.cli.progress import Bar
from torchlsp.core.finding import Severity
from torchlsp.engine.config import ConfigError, Overrides
from torchlsp.engine.engine import CheckResult, Engine, Options
from torchlsp.engine.stopwatch import REPORTING, Stopwatch
from torchlsp.engine.writing import check_writable
from torchlsp.report.text import counted

if TYPE_CHECKING:
    import argparse


def check(options: argparse.Namespace) -> int:
    """Returns the exit status; raises ConfigError for the user's mistakes."""
    wrong = contradiction(options)
    if wrong is not None:
        raise ConfigError(wrong)
    if options.output_file is not None:
        check_writable(options.output_file, "output file")
    if options.write_baseline is not None:
        check_writable(options.write_baseline, "baseline")
    if options.python is not None:
        from torchlsp.engine.interpreters import choose

        choose(options.python)
    is_stdin = options.paths == [STDIN]
    engine = Engine(
        Options(
            Overrides(
                select=_words(options.select) if options.select is not None else None,
                extend_select=_words(options.extend_select or ()),
                ignore=_words(options.ignore or ()),
                config=options.config,
                isolated=options.isolated,
                respect_gitignore=False if options.no_respect_gitignore else None,
            ),
            fix=options.fix,
            unsafe_fixes=options.unsafe_fixes,
            # What comes from standard input is in no file that could be written.
            diff=options.diff or is_stdin and options.fix,
            jobs=options.jobs,
            force_exclude=options.force_exclude,
        )
    )
    if options.show_settings:
        from torchlsp.cli.settings import show_settings

        return show_settings(engine, options)
    baseline = None
    if options.baseline is not None:
        from torchlsp.engine.baseline import read_baseline

        baseline = read_baseline(options.baseline)
    # Trees are dropped file by file without cycles of their own; the engine collects now and then.
    gc.disable()
    if is_stdin:
        data = sys.stdin.buffer.read()
        result = _checked_stdin(engine, options, data)
    else:
        bar = Bar(sys.stderr, shown=not options.quiet and sys.stderr.isatty())
        try:
            result = engine.check(options.paths, bar.draw)
        finally:
            bar.clear()
    watch = Stopwatch(result.seconds)
    watch.enter(REPORTING)
    if options.write_baseline is not None:
        return _write_baseline(engine, result, options)
    notes: list[str] = []
    if baseline is not None:
        from torchlsp.engine.baseline import hide_known

        gone = hide_known(result, baseline, engine.codes_for)
        notes = _about_baseline(len(result.known), gone)
    if options.add_ignores is not None:
        from torchlsp.engine.ignoring import add_ignores

        ignored = add_ignores(result, options.add_ignores)
        notes.append(f"{counted(ignored, 'finding')} ignored by comments that were added")
    if options.diff:
        print_diff(result)
    elif is_stdin and options.fix:
        _write_fixed(result, data)
        print_findings(result, options, sys.stderr, notes)
    else:
        print_findings(result, options, sys.stdout, notes)
    print_notices(result, options)
    watch.enter(None)
    if options.timings:
        print_timings(result)
    return _status(result, options)


def _checked_stdin(engine: Engine, options: argparse.Namespace, data: bytes) -> CheckResult:
    from torchlsp.engine.provider import shown_path
    from torchlsp.engine.reading import read_document
    from torchlsp.engine.workspace import is_excluded

    name = options.stdin_filename
    if options.force_exclude and name is not None and is_excluded(name, engine.configuration):
        return CheckResult()
    return engine.check_document(read_document("<stdin>" if name is None else shown_path(name), data))


def _write_fixed(result: CheckResult, data: bytes) -> None:
    """The whole text on standard output, as it came when there is nothing to fix or the result cannot be written."""
    from torchlsp.engine.fixing import Refused, content

    for change in result.changes:
        try:
            data = content(data, change.document, change.fixed)
        except Refused as refusal:
            result.problems.append(f"{change.document.path}: not fixed: {refusal}")
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def _write_baseline(engine: Engine, result: CheckResult, options: argparse.Namespace) -> int:
    """Exit status 0, whatever was found: that is what the file is for."""
    from torchlsp.engine.baseline import write_baseline

    if result.internal_errors:
        result.problems.append(f"{options.write_baseline}: not written, because of internal errors")
    else:
        kept = write_baseline(options.write_baseline, result, engine.codes_for)
        if not options.quiet:
            also = f", and {counted(kept, 'entry', 'entries')} kept of what was not checked" if kept else ""
            print(f"{counted(len(result.findings), 'finding')} written to {options.write_baseline}{also}")
    print_notices(result, options)
    return 2 if result.internal_errors else 0


def _about_baseline(known: int, gone: int) -> list[str]:
    notes: list[str] = []
    if known:
        notes.append(f"{counted(known, 'known finding')} hidden by the baseline")
    if gone:
        are = "is" if gone == 1 else "are"
        notes.append(
            f"{counted(gone, 'entry', 'entries')} of the baseline {are} gone; --write-baseline updates it"
        )
    return notes


def _status(result: CheckResult, options: argparse.Namespace) -> int:
    status = result.exit_code(fail_on=Severity(options.fail_on), diff=options.diff)
    return 0 if options.exit_zero and status == 1 else status


def _words(values: object) -> tuple[str, ...]:
    return tuple(word.strip() for value in values for word in value.split(",") if word.strip())  # type: ignore[attr-defined]
