"""Implements `torchlsp cache`: shows or deletes what is kept between runs."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from torchlsp.engine import documentation, since_last, verdict_store
from torchlsp.engine.cache_folder import cache_folder
from torchlsp.engine.config import ConfigError
from torchlsp.engine.result_store import ResultStore, stored_files
from torchlsp.recorder import store as records

if TYPE_CHECKING:
    import argparse


def cache(options: argparse.Namespace) -> int:
    """Shows or deletes the cache and returns exit status 0; raises ConfigError for what cannot be deleted."""
    folder = cache_folder(options.cache_dir)
    return _clear(folder, options) if options.what == "clear" else _status(folder, options)


def _kept(folder: str) -> dict[str, list[tuple[str, int]]]:
    return {
        "results": stored_files(folder),
        "verdicts": verdict_store.stored_files(folder),
        "documentation": documentation.kept(folder),
        "records": records.stored_files(folder),
        "last_calls": since_last.stored_files(folder),
    }


def _status(folder: str, options: argparse.Namespace) -> int:
    kept = _kept(folder)
    store = ResultStore(folder)
    outcomes, files = store.counts()
    store.close()
    told = {
        "folder": folder,
        **{name: {"files": len(found), "bytes": _total(found)} for name, found in kept.items()},
    }
    told["results"] |= {"outcomes": outcomes, "checked_files": files, "problem": store.problem}
    lines = [f"folder: {folder}"]
    lines += [
        f"results of checks: {_size(told['results']['bytes'])}, {outcomes:,} for {files:,} files",
        f"verdicts of torch: {_size(told['verdicts']['bytes'])}",
        f"documentation of torch: {_size(told['documentation']['bytes'])}",
        f"records of runs: {_size(told['records']['bytes'])}",
        f"findings shown by the last calls: {_size(told['last_calls']['bytes'])}",
    ]
    if store.problem is not None:
        lines.append(f"but: {store.problem}")
    print(json.dumps(told, indent=2) if options.output_format == "json" else "\n".join(lines))
    return 0


def _clear(folder: str, options: argparse.Namespace) -> int:
    freed = 0
    for path, size in [one for found in _kept(folder).values() for one in found]:
        try:
            os.unlink(path)
        except FileNotFoundError:
            continue  # another run has ended, or clears as well
        except OSError as refused:
            raise ConfigError(f"cannot delete {path}: {refused.strerror or refused}") from None
        freed += size
    told = {"folder": folder, "freed": freed}
    print(json.dumps(told) if options.output_format == "json" else f"freed {_size(freed)} in {folder}")
    return 0


def _total(files: list[tuple[str, int]]) -> int:
    return sum(size for _, size in files)


def _size(size: int) -> str:
    return f"{size / 1e6:.1f} MB" if size >= 100_000 else f"{size / 1e3:.1f} kB"
