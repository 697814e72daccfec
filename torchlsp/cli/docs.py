"""Implements `torchlsp docs`: shows the installed torch's documentation of a symbol."""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from typing import TYPE_CHECKING

from torchlsp.cli.output import coloured
from torchlsp.cli.progress import Bar
from torchlsp.engine.config import ConfigError
from torchlsp.engine.documentation import Documentation, Unbuildable, clear, kept
from torchlsp.engine.interpreters import choose, site_packages
from torchlsp.report.documentation import as_data, as_markdown, as_text, listed, notes_as_text, our_notes

if TYPE_CHECKING:
    import argparse

_MAX_RESULTS = 20
_WIDEST = 100


def docs(options: argparse.Namespace) -> int:
    """Shows a symbol or a search; returns exit status 0, 1 for a search without results, 2 where there is no
    torch or no such symbol."""
    if options.clear:
        freed = clear()
        _tell(options, {"freed": freed}, f"freed {_size(freed)}")
        return 0
    interpreter = choose(explicit=options.python)
    documentation = Documentation(interpreter.path, site_packages(interpreter.path))
    if options.status:
        return _status(documentation, options)
    needs_torch = options.build or options.search is not None or documentation.path is not None
    if not needs_torch and our_notes(options.symbol, None):
        return _show(documentation, options)
    if options.build or not documentation.is_built():
        seconds = _build(documentation, again=options.build)
        if options.build:
            return _built(documentation, seconds, options)
    if options.search is not None:
        return _search(documentation, options)
    return _show(documentation, options)


def _build(documentation: Documentation, *, again: bool) -> float:
    """Builds the documentation and returns the seconds that it took. Raises Unbuildable."""
    began = time.monotonic()
    bar = Bar(sys.stderr, shown=sys.stderr.isatty())
    try:
        documentation.build(lambda done, at: bar.draw(round(done * 100), 100, at), again=again)
    finally:
        bar.clear()
    if not documentation.is_built():
        raise Unbuildable(f"{documentation.path} was written and cannot be read")
    return time.monotonic() - began


def _built(documentation: Documentation, seconds: float, options: argparse.Namespace) -> int:
    path = documentation.path or ""
    size = os.path.getsize(path)
    told = {
        "path": path,
        "bytes": size,
        "seconds": round(seconds, 3),
        "symbols": documentation.count(),
        "versions": documentation.versions(),
        "left_out": documentation.left_out,
    }
    for text in documentation.left_out:
        print(f"torchlsp: {text}", file=sys.stderr)
    names = ", ".join(f"{name} {version}" for name, version in told["versions"].items())
    _tell(options, told, f"{names}: {told['symbols']:,} symbols in {seconds:.1f} s, {_size(size)} in {path}")
    return 0


def _status(documentation: Documentation, options: argparse.Namespace) -> int:
    files = [{"path": path, "bytes": size} for path, size in kept() if path.endswith(".sqlite")]
    told = {
        "python": documentation.python,
        "path": documentation.path,
        "built": documentation.is_built(),
        "versions": documentation.versions(),
        "symbols": documentation.count(),
        "files": files,
    }
    lines = [f"python: {documentation.python}"]
    if documentation.path is None:
        lines.append("torch: not installed there")
    elif told["built"]:
        lines.append("versions: " + ", ".join(f"{name} {one}" for name, one in told["versions"].items()))
        lines.append(f"symbols: {told['symbols']:,}")
    else:
        lines.append("documentation: not built yet")
    lines.append("kept:" if files else "kept: nothing")
    lines.extend(f"  {_size(one['bytes']):>9}  {one['path']}" for one in files)
    _tell(options, told, "\n".join(lines))
    return 0


def _search(documentation: Documentation, options: argparse.Namespace) -> int:
    searched = " ".join(options.search)
    found = documentation.search(searched, _MAX_RESULTS)
    if options.output_format == "json":
        print(json.dumps([as_data(entry) for entry in found], indent=2, ensure_ascii=False))
    elif options.output_format == "markdown":
        for entry in found:
            print(f"- `{entry.symbol}` {entry.summary}".rstrip())
    elif found:
        print(listed(found, coloured=coloured(options.color, sys.stdout), width=_width()))
    if not found:
        print(f"torchlsp: nothing found for `{searched}`", file=sys.stderr)
    return 0 if found else 1


def _show(documentation: Documentation, options: argparse.Namespace) -> int:
    entry = documentation.meant(options.symbol)
    ours = our_notes(entry.symbol if entry else options.symbol, documentation.versions().get("torch"))
    if entry is None and documentation.path is None and ours:
        return _without_torch(ours, options)
    if entry is None:
        near = documentation.nearest(options.symbol)
        meant = f", did you mean {_or(near)}?" if near else "; --search finds symbols by words"
        version = documentation.versions().get("torch", "")
        raise ConfigError(f"torch {version} has no `{options.symbol}`{meant}")
    if options.output_format == "json":
        print(json.dumps(as_data(entry) | {"notes": ours or None}, indent=2, ensure_ascii=False))
    elif options.output_format == "markdown":
        print("\n\n".join(filter(None, (as_markdown(entry), ours))))
    else:
        paint, width = coloured(options.color, sys.stdout), _width()
        print(as_text(entry, coloured=paint, width=width))
        if ours:
            print("\n" + notes_as_text(ours, coloured=paint, width=width))
    return 0


def _without_torch(ours: str, options: argparse.Namespace) -> int:
    """Shows our notes, which need no torch."""
    if options.output_format == "json":
        print(json.dumps({"symbol": options.symbol, "notes": ours}, indent=2, ensure_ascii=False))
    elif options.output_format == "markdown":
        print(ours)
    else:
        print(notes_as_text(ours, coloured=coloured(options.color, sys.stdout), width=_width()))
    return 0


def _or(names: list[str]) -> str:
    quoted = [f"`{name}`" for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} or {quoted[-1]}"


def _tell(options: argparse.Namespace, told: dict, text: str) -> None:
    print(json.dumps(told, indent=2) if options.output_format == "json" else text)


def _size(number: int) -> str:
    return f"{number / 1e6:.1f} MB" if number >= 100_000 else f"{number:,} bytes"


def _width() -> int:
    return min(shutil.get_terminal_size((_WIDEST, 24)).columns, _WIDEST)
