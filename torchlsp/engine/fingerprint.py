"""Computes fingerprints of findings that survive edits elsewhere in the file."""

from __future__ import annotations

import os
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from torchlsp.core.finding import Finding
    from torchlsp.core.text import Document

_REPOSITORIES = (".git", ".hg")
_PROJECTS = ("torchlsp.toml", "pyproject.toml", "setup.py", "setup.cfg")


def fingerprints(
    findings: Sequence[Finding],
    documents: Mapping[str, Document],
    *,
    known: Iterable[Finding] = (),
    root: str | None = None,
) -> list[str]:
    """Returns a fingerprint for each finding, in the same order: sha256 of the posix path, the code, the
    enclosing qualified name, the stripped source line, and the ordinal among findings that share all of
    these.

    Paths are relative to `root`, else to the file's project, so that it does not matter from which folder a run
    is started. Ordinals count in the order of the text, and `known` findings, which a baseline hides, with them.
    """
    seen: dict[tuple[str, ...], int] = {}
    roots: dict[str, str] = {}
    both = [*findings, *known]
    found = [""] * len(both)
    in_order = sorted(
        enumerate(both), key=lambda pair: (pair[1].path, pair[1].span, pair[1].rule, pair[1].message)
    )
    for index, finding in in_order:
        document = documents[finding.path]
        row, _ = document.row_column(finding.span.start)
        folder = os.path.dirname(os.path.abspath(finding.path))
        if folder not in roots:
            roots[folder] = root or project_root(folder)
        path = path_below(finding.path, roots[folder])
        key = (path, finding.rule, finding.scope, document.line_text(row).strip())
        ordinal = seen[key] = seen.get(key, -1) + 1
        text = "\0".join((*key, str(ordinal)))
        found[index] = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return found[: len(findings)]


def path_below(path: str, root: str) -> str:
    """Returns the path relative to a folder, with `/`, and `..` where it is outside."""
    absolute = os.path.abspath(path)
    try:
        return os.path.relpath(absolute, root).replace(os.sep, "/")
    except ValueError:  # on another drive
        return absolute.replace(os.sep, "/")


def project_root(folder: str) -> str:
    """Returns the repository that holds a folder, else the nearest project folder upwards, else the working
    directory."""
    nearest: str | None = None
    while True:
        if any(os.path.lexists(os.path.join(folder, mark)) for mark in _REPOSITORIES):
            return folder
        if nearest is None and any(os.path.isfile(os.path.join(folder, mark)) for mark in _PROJECTS):
            nearest = folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return nearest or os.getcwd()
        folder = parent
