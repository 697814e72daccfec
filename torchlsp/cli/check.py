"""`torchlsp check`."""

from __future__ import annotations

import gc
import sys
from typing import TYPE_CHECKING

from torchlsp.cli.options import STDIN, contradiction
from torchlsp.cli.output import print_diff, print_findings, print_notices
from torchlsp.cli.progress import Bar
from torchlsp.core.finding import Severity
from torchlsp.engine.config import ConfigError, Overrides
from torchlsp.engine.engine import Engine, Options
from torchlsp.engine.writing import check_writable

if TYPE_CHECKING:
    import argparse

    from torchlsp.engine.engine import CheckResult


def check(options: argparse.Namespace) -> int:
    """Returns the exit status; raises ConfigError for the user's mistakes."""
    wrong = contradiction(options)
    if wrong is not None:
        raise ConfigError(wrong)
    if options.output_file is not None:
        check_writable(options.output_file, "output file")
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
    # Trees are dropped file by file without cycles of their own; the engine collects now and then.
    gc.disable()
    if is_stdin:
        return _check_stdin(engine, options)
    bar = Bar(sys.stderr, shown=not options.quiet and sys.stderr.isatty())
    try:
        result = engine.check(options.paths, bar.draw)
    finally:
        bar.clear()
    if options.diff:
        print_diff(result)
    else:
        print_findings(result, options, sys.stdout)
    print_notices(result, options)
    return _status(result, options)


def _check_stdin(engine: Engine, options: argparse.Namespace) -> int:
    """With --fix, standard output has the whole text, fixed or not, and standard error the findings."""
    from torchlsp.engine.engine import CheckResult
    from torchlsp.engine.provider import shown_path
    from torchlsp.engine.reading import read_document
    from torchlsp.engine.workspace import is_excluded

    data = sys.stdin.buffer.read()
    name = options.stdin_filename
    if options.force_exclude and name is not None and is_excluded(name, engine.configuration):
        result = CheckResult()
    else:
        result = engine.check_document(read_document(shown_path(name) if name else "<stdin>", data))
    if options.diff:
        print_diff(result)
    elif options.fix:
        sys.stdout.flush()
        fixed = next((change.document.encode(change.text) for change in result.changes), data)
        sys.stdout.buffer.write(fixed)
        sys.stdout.flush()
        print_findings(result, options, sys.stderr)
    else:
        print_findings(result, options, sys.stdout)
    print_notices(result, options)
    return _status(result, options)


def _status(result: CheckResult, options: argparse.Namespace) -> int:
    status = result.exit_code(fail_on=Severity(options.fail_on), diff=options.diff)
    return 0 if options.exit_zero and status == 1 else status


def _words(values: object) -> tuple[str, ...]:
    return tuple(word.strip() for value in values for word in value.split(",") if word.strip())  # type: ignore[attr-defined]
