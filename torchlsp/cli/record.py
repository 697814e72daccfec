"""Implements `torchlsp record`: runs a command and records what its functions see; shows, deletes, exports records."""

from __future__ import annotations

import json
import os
import sys
import time
from typing import TYPE_CHECKING, Any

from torchlsp.engine.cache_folder import cache_folder
from torchlsp.engine.config import ConfigError
from torchlsp.engine.writing import check_writable, write_whole
from torchlsp.recorder import store
from torchlsp.recorder.reading import ObservedFunction, Record, Run, export, load
from torchlsp.recorder.showing import differing_ranks, joined

if TYPE_CHECKING:
    import argparse

    from torchlsp.recorder.running import Ended


def record(options: argparse.Namespace) -> int:
    """Runs a command and returns its exit status, or does what is asked with the records that there are."""
    root = workspace_root(options)
    folder = store.records_folder(cache_folder(options.cache_dir), root)
    if options.to_record is not None:
        if options.action is not None:
            raise ConfigError(f"`{options.action}` and a command after `--` are given: one of them at a time")
        if not options.to_record:
            raise ConfigError("no command after `--`: torchlsp record -- python train.py")
        return _run(options, root, folder)
    if options.action is None:
        raise ConfigError(
            "no command: write `--` before what is to be run, torchlsp record -- python train.py"
        )
    if options.steps is not None:
        raise ConfigError("--steps goes with a command after `--`")
    if options.action == "clear":
        return _clear(options, folder)
    if options.action == "export":
        return _export(options, folder, root)
    if options.action == "show":
        return _show(options, folder)
    return _status(options, folder, root)


def workspace_root(options: argparse.Namespace) -> str:
    """Returns the top folder of the workspace whose records are meant."""
    if options.root is None:
        return store.workspace_of(os.getcwd())
    if not os.path.isdir(options.root):
        raise ConfigError(f"--root {options.root}: no such folder")
    return os.path.realpath(options.root)


# ---- running -------------------------------------------------------------------------------------------------------


def _run(options: argparse.Namespace, root: str, folder: str) -> int:
    from torchlsp.recorder.running import CannotStart, run

    sys.stdout.flush()
    try:
        ended = run(options.to_record, root, folder, options.steps)
    except CannotStart as failure:
        print(f"torchlsp: {failure}", file=sys.stderr)
        return failure.status
    print(f"torchlsp: {_summary(ended, options.to_record, root, folder)}", file=sys.stderr)
    return ended.status


def _summary(ended: Ended, command: list[str], root: str, folder: str) -> str:
    if ended.problem is not None:
        return f"the run was not recorded: {ended.problem}"
    if ended.functions or ended.files:
        return (
            f"recorded {_many(ended.functions, 'function')} of {_many(ended.files, 'file')} in"
            f" {_many(ended.calls, 'call')}, kept in {folder}"
        )
    if ended.processes:
        return f"nothing was recorded: no code of files below {root} was run (--root DIR for another folder)"
    switches = [one for one in command[1:] if one[:1] == "-" and one[1:2] != "-"]
    refused = next((flag for one in switches for flag in "IES" if flag in one), None)
    if refused is not None:
        return f"nothing was recorded: with -{refused} Python does not load the recorder"
    return "nothing was recorded: the command has run no Python, or one with -I, -E or -S, which does not load the recorder"


def _many(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


# ---- what is kept --------------------------------------------------------------------------------------------------


def _status(options: argparse.Namespace, folder: str, root: str) -> int:
    record = load(folder)
    size = sum(size for path, size in store.stored_files_of(folder))
    told = {
        "root": root,
        "folder": folder,
        "bytes": size,
        "files": len(record.paths()),
        "runs": [_run_told(run) for run in record.runs],
    }
    if options.output_format == "json":
        print(json.dumps(told, indent=2))
        return 0
    print(f"root: {root}\nfolder: {folder}")
    if not record.runs:
        print("no runs; torchlsp record -- python train.py records one")
        return 0
    print(f"{_many(len(record.runs), 'run')}, {size / 1e3:.1f} kB, {_many(len(record.paths()), 'file')}")
    for run in record.runs:
        ended = f"status {run.status}" if not run.crashes else run.crashes[-1].error
        at = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(run.started))
        torch = f", torch {run.torch}" if run.torch else ""
        processes = f", {run.processes} processes" if run.processes > 1 else ""
        print(f"{at}  {' '.join(run.command)}  ({ended}{processes}{torch})")
    return 0


def _run_told(run: Run) -> dict[str, Any]:
    return {
        "id": run.id,
        "command": list(run.command),
        "started": run.started,
        "ended": run.ended,
        "status": run.status,
        "processes": run.processes,
        "torch": run.torch,
        "crash": run.crashes[-1].error if run.crashes else None,
    }


def _show(options: argparse.Namespace, folder: str) -> int:
    if not os.path.exists(options.file):
        raise ConfigError(f"no such file: {options.file}")
    record = load(folder)
    found = [one for one in record.functions(options.file) if one.name != "<module>"]
    if options.function is not None:
        found = [one for one in found if options.function in (one.name, one.qualname)]
    found.sort(key=lambda one: one.line)
    if options.output_format == "json":
        print(json.dumps([_function_told(one) for one in found], indent=2))
    elif found:
        print("\n".join(line for one in found for line in _function_lines(one, record)))
    else:
        print(f"nothing is recorded of {options.file}")
    return 0


def _function_told(one: ObservedFunction) -> dict[str, Any]:
    return {
        "function": one.qualname,
        "line": one.line,
        "calls": one.count,
        "parameters": _values(one)[0],
        "ranks": differing_ranks(one),
        "attributes": _values(one)[1],
        "returned": _returned(one),
        "raised": sorted({call.raised for call in one.calls if call.raised is not None}),
    }


def _function_lines(one: ObservedFunction, record: Record) -> list[str]:
    parameters, attributes = _values(one)
    newest = {run.id: run for run in record.runs}.get(one.calls[0].run) if one.calls else None
    when = f" in the run of {time.strftime('%H:%M', time.localtime(newest.started))}" if newest else ""
    lines = [f"{one.line}: {one.qualname}   {_many(one.count, 'call')}{when}"]
    differing = differing_ranks(one)
    for name, text in parameters.items():
        if name in differing:
            lines += [f"    {name}: {seen} (rank {rank})" for rank, seen in differing[name].items()]
        elif name != "self":
            lines.append(f"    {name}: {text}")
    lines += [f"    self.{name}: {text}" for name, text in attributes.items()]
    returned = _returned(one)
    if returned:
        lines.append(f"    returned {returned}")
    raised = sorted({call.raised for call in one.calls if call.raised is not None})
    if raised:
        lines.append(f"    raised {', '.join('an exception' if name == '?' else name for name in raised)}")
    return lines


def _values(one: ObservedFunction) -> tuple[dict[str, str], dict[str, str]]:
    """What the parameters and the attributes of `self` were in all recorded calls."""
    names = [name for name in one.parameters if any(name in call.parameters for call in one.calls)]
    attributes = sorted({name for call in one.calls for name in call.attributes})
    return (
        {
            name: joined(call.parameters[name] for call in one.calls if name in call.parameters)
            for name in names
        },
        {
            name: joined(call.attributes[name] for call in one.calls if name in call.attributes)
            for name in attributes
        },
    )


def _returned(one: ObservedFunction) -> str:
    return joined(call.returned for call in one.calls if call.returned is not None)


def _clear(options: argparse.Namespace, folder: str) -> int:
    freed = store.clear(folder)
    told = {"folder": folder, "freed": freed}
    print(json.dumps(told) if options.output_format == "json" else f"freed {freed / 1e3:.1f} kB in {folder}")
    return 0


def _export(options: argparse.Namespace, folder: str, root: str) -> int:
    check_writable(options.file, "record")
    told = export(folder, root)
    if not told["runs"]:
        raise ConfigError(f"nothing to export: no run is recorded below {root}")
    write_whole(options.file, json.dumps(told, separators=(",", ":")) + "\n", "record")
    return 0
