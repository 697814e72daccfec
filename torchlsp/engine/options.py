"""Holds the options of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.core.records import dataclass, field
from torchlsp.engine.config import Overrides

if TYPE_CHECKING:
    from torchlsp.engine.changes import Changes
    from torchlsp.engine.records import Records


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a run; what is not about one run is configuration."""

    overrides: Overrides = field(default_factory=Overrides)
    fix: bool = False
    unsafe_fixes: bool = False
    diff: bool = False
    force_exclude: bool = False
    """`exclude` applies to files and folders that are named on the command line, too."""
    jobs: int = 1
    """The maximum number of processes to check files in, 0 for the number of CPUs. Small runs stay in one,
    and so do fixes: what is fixed in one file is what the next that imports it is given."""
    torch: str | None = None
    """The version of torch installed for the code. A configuration's `torch-version` takes precedence, and so does
    what a project requires where that excludes it."""
    is_torch_chosen: bool = False
    """The user has named the interpreter in which that torch is installed, whatever a project requires."""
    changes: Changes | None = None
    """Check only the files that were changed, and fix only what the changes caused. The result has all
    findings of these files: all count for fingerprints, and `kept` says which are shown."""
    records: Records | None = None
    """What recorded runs have seen."""
    reads_callers: bool = True
    """What an examination shows takes into account how other files of the workspace call the text."""
    show_refuted: bool = False
    """Keep the findings that a recorded run contradicts, with a verdict that says so."""
    cache: str | None = None
    """The folder in which results are cached between runs; None: they are not. Runs that change files do
    without."""


DEFAULTS = Options()
