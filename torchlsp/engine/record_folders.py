"""Lists the recorded runs that are kept around some files, by the names of their folders alone."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from torchlsp.recorder import store

if TYPE_CHECKING:
    from collections.abc import Iterable


def runs_by_workspace(cache: str, paths: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Returns the names of the runs that are kept, by the workspace that they are of, for all workspaces around the paths."""
    workspaces: set[str] = set()
    if not store.has_records(cache):
        return {}
    for path in paths:
        folder = os.path.dirname(os.path.realpath(path))
        while folder not in workspaces:
            workspaces.add(folder)
            folder = os.path.dirname(folder)
    found = {}
    for workspace in workspaces:
        runs = store.runs(store.folder_of_real_root(cache, workspace))
        if runs:
            found[workspace] = tuple(map(os.path.basename, runs))
    return found


def is_inside(path: str, workspace: str) -> bool:
    """Returns whether a file lies in a workspace of `runs_by_workspace`."""
    return os.path.realpath(path).startswith(workspace.rstrip(os.sep) + os.sep)
