"""Runs whole programs and their slices, and compares how they end."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from torchlsp.core.finding import Slice
from torchlsp.engine.slices import SlicedFiles
from torchlsp.slicing.modules import NotWhole
from torchlsp.slicing.slicer import Site, cut

SECONDS = 20


@dataclass(frozen=True)
class End:
    """How a run ended: the class and text of its exception, and where it was raised."""

    error: str | None
    text: str
    rows: tuple[int, ...] = ()
    sites: tuple[Site, ...] = ()


def run_files(folder: Path, entry: str = "main.py") -> End:
    """Runs a file as a script."""

    def run() -> dict[str, object]:
        path = os.path.join(os.path.realpath(folder), entry)
        sys.path.insert(0, os.path.dirname(path))
        sys.argv = [path]
        code = compile(Path(path).read_text(encoding="utf-8"), path, "exec")
        return _ended(
            lambda: exec(code, {"__name__": "__main__", "__file__": path}), str(os.path.realpath(folder))
        )

    return _in_fork(run)


def run_text(program: str) -> End:
    """Runs the text of a slice."""

    def run() -> dict[str, object]:
        code = compile(program, "<slice>", "exec")
        return _ended(lambda: exec(code, {"__name__": "__main__"}), "<slice>")

    return _in_fork(run)


def slice_at(sites: tuple[Site, ...]) -> Slice:
    """Cuts at the sites; a slice that is not whole has a reason."""
    try:
        return cut(sites, SlicedFiles([]))
    except NotWhole as reason:
        return Slice(reason=str(reason))


def difference(whole: End, part: Slice) -> str | None:
    """Returns how the run of a slice differs from that of the program; None where it does not."""
    end = run_text(part.program)
    if (end.error, end.text) != (whole.error, whole.text):
        return f"program: {whole.error}: {whole.text}\nslice:   {end.error}: {end.text} at {end.rows}"
    if not end.rows or not part.flag[0] <= end.rows[-1] <= part.flag[1]:
        return f"slice ends at rows {end.rows}, flagged are {part.flag}"
    return None


def _ended(run: Callable[[], object], place: str) -> dict[str, object]:
    try:
        run()
    except BaseException as error:
        frames = [one for one in traceback.extract_tb(error.__traceback__) if one.filename.startswith(place)]
        sites = []
        for one in frames:
            if place != "<slice>":
                if one.name in ("<listcomp>", "<dictcomp>", "<setcomp>", "<genexpr>"):
                    sites.pop()
                sites.append([one.filename, *_offsets(one)])
        return {
            "error": type(error).__name__,
            "text": re.sub(r"0x[0-9a-f]+", "0x", str(error)),
            "rows": [one.lineno for one in frames],
            "sites": sites,
        }
    return {"error": None, "text": "", "rows": [], "sites": []}


def _offsets(frame: traceback.FrameSummary) -> tuple[int, int]:
    lines = Path(frame.filename).read_text(encoding="utf-8").split("\n")

    def offset(row: int, column: int) -> int:
        before = sum(len(one) + 1 for one in lines[: row - 1])
        return before + len(lines[row - 1].encode()[:column].decode())

    return (
        offset(frame.lineno or 1, frame.colno or 0),
        offset(frame.end_lineno or 1, frame.end_colno or 0),
    )


def _in_fork(run: Callable[[], Mapping[str, object]]) -> End:
    import torch
    import torch._dynamo

    torch.set_num_threads(1)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            signal.alarm(SECONDS)
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 1)
            os.dup2(null, 2)
            with os.fdopen(writing, "w") as pipe:
                json.dump(run(), pipe)
            status = 0
        finally:
            os._exit(status)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    if not text:
        return End("Timeout", "")
    found = json.loads(text)
    return End(
        found["error"], found["text"], tuple(found["rows"]), tuple(Site(*one) for one in found["sites"])
    )
