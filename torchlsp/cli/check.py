"""`torchlsp check`."""

from __future__ import annotations

import gc
import os
import sys
import time
from typing import TYPE_CHECKING

from torchlsp.core.finding import Severity
from torchlsp.engine.config import ConfigError, Overrides
from torchlsp.engine.engine import Engine, Options
from torchlsp.report.sources import Sources
from torchlsp.report.text import Painter, render_concise, render_full, statistics, summary

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from typing import TextIO

    from torchlsp.engine.engine import Change, CheckResult

# A bar for a run of half a second would only flicker.
_QUIET_START = 0.7
_BETWEEN_DRAWS = 0.1
_BAR = 24
# One cause can strike every function of a project.
_MOST_ERRORS = 10


def check(options: argparse.Namespace) -> int:
    """Returns the exit status; raises ConfigError for the user's mistakes."""
    if options.config and options.isolated:
        raise ConfigError("--config and --isolated contradict each other")
    if options.unsafe_fixes and not (options.fix or options.diff):
        raise ConfigError("--unsafe-fixes needs --fix or --diff")
    overrides = Overrides(
        select=_words(options.select) if options.select is not None else None,
        extend_select=_words(options.extend_select or ()),
        ignore=_words(options.ignore or ()),
        config=options.config,
        isolated=options.isolated,
    )
    engine = Engine(Options(overrides, fix=options.fix, unsafe_fixes=options.unsafe_fixes, diff=options.diff))
    # Trees are dropped file by file without cycles of their own; the engine collects now and then.
    gc.disable()
    bar = _Bar(sys.stderr, shown=not options.quiet and sys.stderr.isatty())
    try:
        result = engine.check(options.paths, bar.draw)
    finally:
        bar.clear()
    _print(result, options)
    status = result.exit_code(fail_on=Severity(options.fail_on), diff=options.diff)
    return 0 if options.exit_zero and status == 1 else status


def _words(values: object) -> tuple[str, ...]:
    return tuple(word.strip() for value in values for word in value.split(",") if word.strip())  # type: ignore[attr-defined]


def _print(result: CheckResult, options: argparse.Namespace) -> None:
    paint = Painter(_coloured(options.color, sys.stdout))
    sources = Sources(result.documents)
    if options.output_format == "json":
        from torchlsp.report.json import render

        print(render(result, sources))
    elif options.diff:
        for change in result.changes:
            sys.stdout.writelines(_unified(change))
    elif options.statistics:
        print("\n".join(statistics(result, paint)), end="\n" if result.findings else "")
    else:
        lines = (render_concise if options.output_format == "concise" else render_full)(
            result, sources, paint
        )
        print("\n".join(lines), end="\n" if lines else "")
    if options.output_format == "text" and not options.quiet and not options.diff:
        print(summary(result, paint, fixed=options.fix))
    sys.stdout.flush()
    _print_notices(result, options)


def _print_notices(result: CheckResult, options: argparse.Namespace) -> None:
    if not options.quiet:
        for line in (*result.problems, *result.stopped):
            print(f"torchlsp: {line}", file=sys.stderr)
    shown = result.internal_errors if options.show_internal_errors else result.internal_errors[:_MOST_ERRORS]
    for text in shown:
        head, _, rest = text.partition("\n")
        print(f"torchlsp: internal error: {head}", file=sys.stderr)
        if rest and options.show_internal_errors:
            print(rest, file=sys.stderr)
    if len(shown) < len(result.internal_errors):
        print(
            f"torchlsp: and {len(result.internal_errors) - len(shown)} more internal errors", file=sys.stderr
        )
    if result.internal_errors and not options.show_internal_errors:
        print(
            "torchlsp: this is a bug in torchlsp; --show-internal-errors prints tracebacks", file=sys.stderr
        )


def _unified(change: Change) -> Iterator[str]:
    from difflib import unified_diff

    path = change.document.path.replace(os.sep, "/")
    old, new = _lines(change.document.text), _lines(change.text)
    for line in unified_diff(old, new, f"a/{path}", f"b/{path}"):
        if line.endswith("\n"):
            yield line
        else:
            yield line + "\n\\ No newline at end of file\n"


def _lines(text: str) -> list[str]:
    """Rows with their ends; form feeds and the like end no row, as a patch program sees it."""
    rows = text.split("\n")
    return [row + "\n" for row in rows[:-1]] + ([rows[-1]] if rows[-1] else [])


def _coloured(choice: str, stream: TextIO) -> bool:
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return bool(os.environ.get("FORCE_COLOR")) or stream.isatty()


class _Bar:
    """A progress bar on one line of a terminal, once a run proves long."""

    def __init__(self, stream: TextIO, shown: bool) -> None:
        self._stream = stream
        self._shown = shown
        self._next = time.monotonic() + _QUIET_START
        self._drawn = False

    def draw(self, number: int, total: int, path: str) -> None:
        if not self._shown or time.monotonic() < self._next:
            return
        self._next = time.monotonic() + _BETWEEN_DRAWS
        full = _BAR * number // max(total, 1)
        name = os.path.basename(path)[:40]
        self._stream.write(f"\r\x1b[K[{'=' * full}{' ' * (_BAR - full)}] {number}/{total} {name}")
        self._stream.flush()
        self._drawn = True

    def clear(self) -> None:
        if self._drawn:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
