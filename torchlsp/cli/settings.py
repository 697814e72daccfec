"""Implements `--show-settings`: prints the settings of a path, and where they come from."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from torchlsp.engine.config import ConfigError
from torchlsp.engine.interpreters import choose
from torchlsp.engine.provider import shown_path

if TYPE_CHECKING:
    import argparse

    from torchlsp.engine.engine import Engine


def show_settings(engine: Engine, options: argparse.Namespace) -> int:
    """Prints the settings for each path; returns exit status 0."""
    interpreter = choose(options.python)
    records: list[dict[str, Any]] = []
    for path in options.paths:
        if path == "-":
            path = options.stdin_filename or "<stdin>"
        elif not os.path.lexists(path):
            raise ConfigError(f"no such file or folder: {path}")
        settings = engine.configuration.for_path(path)
        version, source = engine.torch_for(path)
        if settings.torch_version is not None:
            origin: str | None = f"torch-version in {shown_path(source or '')}"
        elif source is not None:
            origin = f"required by {shown_path(source)}"
        else:
            origin = f"installed for {interpreter.path}" if version else None
        records.append(
            {
                "path": path if os.path.isdir(path) else shown_path(path),
                "source": shown_path(settings.source) if settings.source else None,
                "root": settings.root,
                "rules": {code: one.value for code, one in engine.codes_for(path).items()},
                "per_file_ignores": {pattern: list(codes) for pattern, codes in settings.per_file_ignores},
                "exclude": list(settings.exclude),
                "exclude_of_command_line": list(engine.configuration.exclude),
                "respect_gitignore": settings.respect_gitignore,
                "preview": settings.preview,
                "hover_documentation": settings.hover_documentation,
                "torch_version": version,
                "torch_version_from": origin,
                "interpreter": interpreter.path,
                "interpreter_from": interpreter.reason,
                "interpreter_problem": interpreter.problem,
            }
        )
    if options.output_format == "json":
        print(json.dumps(records, indent=2))
    else:
        print("\n\n".join("\n".join(_lines(record)) for record in records))
    return 0


def _lines(record: dict[str, Any]) -> list[str]:
    version = record["torch_version"]
    by_severity: dict[str, list[str]] = {}
    for code, severity in record["rules"].items():
        by_severity.setdefault(severity, []).append(code)
    rows = {
        "settings from": record["source"] or "the defaults and the command line",
        "root": record["root"],
        **{f"rules ({severity})": " ".join(codes) for severity, codes in by_severity.items()},
        "per-file-ignores": "; ".join(
            f"{pattern}: {' '.join(codes)}" for pattern, codes in record["per_file_ignores"].items()
        )
        or "none",
        "exclude": " ".join(record["exclude"]) or "nothing",
        **({"--exclude": " ".join(given)} if (given := record["exclude_of_command_line"]) else {}),
        "respect-gitignore": str(record["respect_gitignore"]).lower(),
        "preview": str(record["preview"]).lower(),
        "hover.documentation": record["hover_documentation"] or "as the editor says",
        "torch": f"{version} ({record['torch_version_from']})" if version else "unknown",
        "interpreter": f"{record['interpreter']} ({record['interpreter_from']})",
    }
    if record["interpreter_problem"]:
        rows["but"] = record["interpreter_problem"]
    width = max(map(len, rows))
    return [record["path"], *(f"  {name:<{width}}  {value}" for name, value in rows.items())]
