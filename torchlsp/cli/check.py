"""Implements `torchlsp check`."""

from __future__ import annotations

import gc
import os
import sys
from typing import TYPE_CHECKING

from torchlsp.cli.options import STDIN, chosen_format, contradiction
from torchlsp.cli.output import (
    print_diff,
    print_findings,
    print_notices,
    print_timings,
    shown_at_once,
    write_reports,
)
from torchlsp.cli.progress import Bar
from torchlsp.core.finding import Severity
from torchlsp.core.records import replace
from torchlsp.engine.cache_folder import cache_folder
from torchlsp.engine.config import ConfigError, Overrides
from torchlsp.engine.engine import CheckResult, Engine, Options
from torchlsp.engine.interpreters import OWN_PYTHON, broken_in, choose, torch_version
from torchlsp.engine.stopwatch import ANALYSIS, REPORTING, Stopwatch

if TYPE_CHECKING:
    import argparse

    from torchlsp.engine.records import Records


def check(options: argparse.Namespace) -> int:
    """Checks the paths and returns the exit status; raises ConfigError for the user's mistakes."""
    options.output_format = chosen_format(options, on_terminal=sys.stdout.isatty())
    _refuse_mistakes(options)
    if options.watch:
        from torchlsp.cli.watching import watch

        return watch(options, lambda: _check_once(options))
    return _check_once(options)[0]


def _check_once(options: argparse.Namespace) -> tuple[int, Engine, CheckResult]:
    """Checks the paths; returns the exit status, the engine that has checked, and what it has found."""
    is_stdin = options.paths == [STDIN]
    changes = None
    if options.changed_since is not None:
        from torchlsp.engine.changes import changes_since

        changes = changes_since(
            options.changed_since, [options.stdin_filename] if is_stdin else options.paths
        )
    engine = Engine(replace(_engine_options(options, is_stdin=is_stdin), changes=changes))
    if options.show_settings:
        from torchlsp.cli.settings import show_settings

        return show_settings(engine, options), engine, CheckResult()
    baseline = None
    if options.baseline is not None:
        from torchlsp.engine.baseline import read_baseline

        baseline = read_baseline(options.baseline)
    # Trees are dropped file by file without cycles of their own; the engine collects now and then.
    gc.disable()
    data = b""
    if is_stdin:
        from torchlsp.cli.stdin import check_text

        data = sys.stdin.buffer.read()
        result = check_text(engine, data, options.stdin_filename)
    else:
        result = _check_files(engine, options)
    watch = Stopwatch(result.seconds)
    watch.enter(REPORTING)
    notes: list[str] = []
    if baseline is not None:
        from torchlsp.cli.known import hide

        notes = hide(engine, result, baseline)
    if changes is not None:
        from torchlsp.cli.known import leave_out

        watch.enter(ANALYSIS)
        notes += leave_out(engine, result, changes)
        watch.enter(REPORTING)
    is_probed = True
    if options.probe != "off":
        from torchlsp.cli.probing import probe_findings

        told, is_probed = probe_findings(result, options)
        notes += told
    if result.contradicted:
        count, them = (
            ("1 finding was", "it")
            if result.contradicted == 1
            else (f"{result.contradicted:,} findings were", "them")
        )
        notes.append(f"{count} withdrawn: a recorded run evaluated the code (--show-refuted shows {them})")
    if options.add_ignores is not None:
        from torchlsp.cli.known import ignore

        notes += ignore(result, options.add_ignores)
    status = _status(result, options)
    if options.since_last:
        from torchlsp.cli.known import show_once

        notes += show_once(result, cache_folder(options.cache_dir), shown_at_once(options))
    if options.write_baseline is not None:
        from torchlsp.cli.known import write

        written = write(engine, result, options.write_baseline)
        if written is not None and not options.quiet:
            print(written)
    elif options.diff:
        print_diff(result)
    elif is_stdin and options.fix:
        from torchlsp.cli.stdin import write_fixed

        write_fixed(result, data)
        print_findings(result, options, sys.stderr, notes)
    else:
        print_findings(result, options, sys.stdout, notes)
    chosen = choose(options.python)
    problem = chosen.problem
    if problem is None and options.probe != "off" and not options.probe_on and chosen.reason == OWN_PYTHON:
        broken = broken_in(os.getcwd())
        problem = None if broken is None else f"{broken}; findings are probed in another Python"
    if problem is not None:
        result.problems.append(f"{problem}; see `torchlsp doctor`")
    write_reports(result, options.report or ())
    print_notices(result, options)
    watch.enter(None)
    if options.timings:
        print_timings(result)
    return status if is_probed else 2, engine, result


def _refuse_mistakes(options: argparse.Namespace) -> None:
    """Rejects mistakes in options and paths before any file is read."""
    wrong = contradiction(options)
    if wrong is not None:
        raise ConfigError(wrong)
    written = [(options.output_file, "output file"), (options.write_baseline, "baseline")]
    for path, what in (*written, *((path, "report") for _, path in options.report or ())):
        if path is not None:
            from torchlsp.engine.writing import check_writable

            check_writable(path, what)
    if options.python is not None:
        choose(options.python)


def _engine_options(options: argparse.Namespace, *, is_stdin: bool) -> Options:
    overrides = Overrides(
        select=_words(options.select) if options.select is not None else None,
        extend_select=_words(options.extend_select or ()),
        ignore=_words(options.ignore or ()),
        config=options.config,
        isolated=options.isolated,
        respect_gitignore=False if options.no_respect_gitignore else None,
        exclude=_words(options.exclude or ()),
    )
    return Options(
        overrides,
        fix=options.fix,
        unsafe_fixes=options.unsafe_fixes,
        # What comes from standard input is in no file that could be written.
        diff=options.diff or is_stdin and options.fix,
        jobs=options.jobs,
        force_exclude=options.force_exclude,
        torch=torch_version(choose(options.python).path),
        is_torch_chosen=options.python is not None,
        records=_records(options),
        show_refuted=options.show_refuted,
        cache=None if options.no_cache or is_stdin else cache_folder(options.cache_dir),
    )


def _records(options: argparse.Namespace) -> Records | None:
    """Returns the records to use. Raises ConfigError for a file that is no record."""
    if options.no_recorded or options.recorded is None and os.environ.get("CI"):
        return None
    from torchlsp.engine.records import Records

    if options.recorded is None:
        return Records(cache_folder(options.cache_dir))
    from torchlsp.recorder.store import workspace_of

    return Records(exported=options.recorded, root=workspace_of(os.getcwd()))


def _check_files(engine: Engine, options: argparse.Namespace) -> CheckResult:
    bar = Bar(sys.stderr, shown=not options.quiet and sys.stderr.isatty())
    try:
        return engine.check(options.paths, bar.draw)
    finally:
        bar.clear()


def _status(result: CheckResult, options: argparse.Namespace) -> int:
    if options.write_baseline is not None:
        # Whatever was found: that is what the file is for.
        return 2 if result.internal_errors else 0
    status = result.exit_code(fail_on=Severity(options.fail_on), diff=options.diff)
    return 0 if options.exit_zero and status == 1 else status


def _words(values: object) -> tuple[str, ...]:
    return tuple(word.strip() for value in values for word in value.split(",") if word.strip())  # type: ignore[attr-defined]
