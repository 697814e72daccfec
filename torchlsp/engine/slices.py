"""Attaches to findings the programs of the user's own statements that lead to them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from torchlsp.core.finding import CALLED_HERE, ProofFails, Slice
from torchlsp.core.records import replace
from torchlsp.engine.unreadable import internal_error
from torchlsp.engine.workspace import Workspace
from torchlsp.files import read_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from torchlsp.core.finding import Finding
    from torchlsp.core.text import Document

MAX_FILES = 60
"""Files that the slices of a run may read, and how large each may be."""
MAX_BYTES = 1_000_000
OF_RANKS = "which collectives meet depends on all that the ranks run, also after it"


class SlicedFiles:
    """Gives the slicer the texts of the workspace, by real path: those of a run or an editor, others from disk."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self._documents: dict[str, Document | None] = {os.path.realpath(one.path): one for one in documents}
        self._workspace = Workspace()
        self._left = MAX_FILES

    def document(self, path: str) -> Document | None:
        if path not in self._documents:
            self._documents[path] = self._read(path)
        return self._documents[path]

    def resolve(self, module: str, importing_path: str) -> str | None:
        found = self._workspace.resolve(module, importing_path)
        return None if found is None else os.path.realpath(found)

    def _read(self, path: str) -> Document | None:
        from torchlsp.engine.reading import read_document

        self._left -= 1
        try:
            return None if self._left < 0 else read_document(path, read_bytes(path, MAX_BYTES))
        except OSError:
            return None


def with_slices(
    findings: Iterable[Finding], documents: Iterable[Document], report: Callable[[str], None]
) -> list[Finding]:
    """Returns the findings with their slices; those of which torch says nothing have none.

    `report` gets the text of each internal error, which costs one slice and not the run.
    """
    files = SlicedFiles(documents)
    found = []
    for finding in findings:
        if _is_about_error(finding):
            try:
                finding = replace(finding, slice=slice_of(finding, files))
            except Exception as failure:
                report(internal_error(finding.path, failure))
        found.append(finding)
    return found


def _is_about_error(finding: Finding) -> bool:
    """Returns whether the program itself fails where the finding is: else running it shows nothing."""
    from torchlsp.engine.probing import own_code_expectations

    expected = own_code_expectations(finding.rule, finding.probe)
    return any(not isinstance(one, ProofFails) for one in expected)


def slice_of(finding: Finding, files: SlicedFiles) -> Slice:
    """Cuts the program of a finding out of its files; where it is not whole it has a reason and no text."""
    from torchlsp.slicing.modules import NotWhole
    from torchlsp.slicing.slicer import Site, cut

    if finding.probe is not None and finding.probe.world > 1:
        return Slice(reason=OF_RANKS)
    calls = [one for one in finding.related if one.message.endswith(CALLED_HERE)]
    places = [(one.path or finding.path, one.span) for one in reversed(calls)]
    here = finding.path, finding.span
    if here in places:
        # The finding was moved to a call on the way.
        places = places[: places.index(here)]
    try:
        made = cut(
            [Site(os.path.realpath(path), span.start, span.end) for path, span in (*places, here)], files
        )
    except NotWhole as reason:
        return Slice(reason=str(reason))
    except RecursionError:
        return Slice(reason="it is nested too deep")
    return made
