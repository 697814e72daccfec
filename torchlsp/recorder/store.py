"""Keeps runs in the user's cache: a folder for each workspace, and in it one for each run that has ended.

A run is there when its `run.json` is, which is put in place last and at once. What is damaged counts as absent.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from hashlib import sha256

from torchlsp.core.project import PROJECT_MARKS

MAX_RUNS = 5
MAX_BYTES = 64 * 1024 * 1024
ABANDONED_SECONDS = 7 * 24 * 3600.0
"""After that a folder without `run.json` belongs to no run that still goes on."""
RUN_FILE = "run.json"
_FOLDER = "records"


def records_folder(cache: str, root: str) -> str:
    """The folder of the runs of one workspace."""
    return folder_of_real_root(cache, os.path.realpath(root))


def has_records(cache: str) -> bool:
    """Whether runs of any workspace are kept."""
    return os.path.isdir(os.path.join(cache, _FOLDER))


def folder_of_real_root(cache: str, real_root: str) -> str:
    """The folder of the runs of one workspace, whose path has no links: to resolve each folder above a file anew costs the
    cube of its depth."""
    name = sha256(real_root.encode("utf-8", "surrogateescape")).hexdigest()[:24]
    return os.path.join(cache, _FOLDER, name)


def folders_for(cache: str, path: str) -> list[str]:
    """The folders of runs in which a file may occur, that of the innermost workspace first."""
    if not has_records(cache):
        return []
    found, folder = [], os.path.dirname(os.path.realpath(path))
    while True:
        one = folder_of_real_root(cache, folder)
        if os.path.isdir(one):
            found.append(one)
        above = os.path.dirname(folder)
        if above == folder:
            return found
        folder = above


def workspace_of(folder: str) -> str:
    """The nearest folder upwards that looks like the top of a project; the folder itself where none does."""
    start = os.path.realpath(folder)
    at = start
    while not any(os.path.exists(os.path.join(at, mark)) for mark in PROJECT_MARKS):
        above = os.path.dirname(at)
        if above == at:
            return start
        at = above
    return at


def new_run(folder: str) -> str:
    """Makes the folder of a run that begins; raises OSError where nothing can be written."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
    path = os.path.join(folder, f"{stamp}-{os.getpid()}-{os.urandom(3).hex()}")
    os.mkdir(path, 0o700)
    return path


def write_json(path: str, value: object) -> None:
    """Puts a file in place at once; raises OSError."""
    temporary = f"{path}.{os.getpid()}.tmp"
    try:
        with open(temporary, "w", encoding="utf-8") as file:
            json.dump(value, file)
        os.replace(temporary, path)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def runs(folder: str) -> list[str]:
    """The folders of the runs that have ended, the newest first."""
    return [
        os.path.join(folder, name)
        for name in sorted(_names(folder), reverse=True)
        if os.path.isfile(os.path.join(folder, name, RUN_FILE))
    ]


def trim(folder: str) -> None:
    """Deletes all but the newest runs, and what runs have left that never ended."""
    total = 0
    for number, run in enumerate(runs(folder)):
        total += sum(size for _, size in _files(run))
        if number and (number >= MAX_RUNS or total > MAX_BYTES):
            delete_run(run)
    for name in _names(folder):
        path = os.path.join(folder, name)
        with contextlib.suppress(OSError):
            is_ended = os.path.exists(os.path.join(path, RUN_FILE))
            if not is_ended and time.time() - os.stat(path).st_mtime > ABANDONED_SECONDS:
                delete_run(path)


def delete_run(path: str) -> None:
    """Deletes a run, first the file that makes it one."""
    with contextlib.suppress(OSError):
        os.unlink(os.path.join(path, RUN_FILE))
    import shutil  # imported late: it loads every compressor

    shutil.rmtree(path, ignore_errors=True)


def clear(folder: str) -> int:
    """Deletes all runs of a workspace that have ended, and returns the bytes that this frees."""
    freed = 0
    for run in runs(folder):
        freed += sum(size for _, size in _files(run))
        delete_run(run)
    with contextlib.suppress(OSError):
        os.rmdir(folder)  # a run that goes on is left alone
    return freed


def stored_files(cache: str) -> list[tuple[str, int]]:
    """The files of all workspaces' runs, with their sizes."""
    found = []
    for name in _names(os.path.join(cache, _FOLDER)):
        found += stored_files_of(os.path.join(cache, _FOLDER, name))
    return sorted(found)


def stored_files_of(folder: str) -> list[tuple[str, int]]:
    """The files of one workspace's runs, with their sizes."""
    return sorted(one for run in _names(folder) for one in _files(os.path.join(folder, run)))


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _files(folder: str) -> list[tuple[str, int]]:
    found = []
    for name in _names(folder):
        path = os.path.join(folder, name)
        with contextlib.suppress(OSError):
            found.append((path, os.stat(path).st_size))
    return found
