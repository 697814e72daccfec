"""Choose fixes that go together, make them, and write files so that nothing is ever half written."""

from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING

from torchlsp.core.finding import Applicability
from torchlsp.syntax.edits import apply_edits, conflict

if TYPE_CHECKING:
    from collections.abc import Iterable

    from torchlsp.core.finding import Edit, Finding, Fix
    from torchlsp.core.text import Document


def applicable_fix(finding: Finding, *, unsafe: bool) -> Fix | None:
    """The first fix of a finding that may be made."""
    for fix in finding.fixes:
        if fix.edits and (unsafe or fix.applicability is Applicability.SAFE):
            return fix
    return None


def one_round(text: str, findings: Iterable[Finding], *, unsafe: bool) -> tuple[str, int]:
    """The text with every fix made that does not collide with an earlier one, and how many were made.

    An edit that two fixes share (the same import, say) is made once.
    """
    accepted: set[Edit] = set()
    made = 0
    for finding in sorted(findings, key=lambda finding: (finding.span, finding.rule)):
        fix = applicable_fix(finding, unsafe=unsafe)
        if fix is None:
            continue
        new = [edit for edit in fix.edits if edit not in accepted]
        if not new or any(conflict(edit, other) for edit in new for other in accepted):
            continue
        accepted.update(new)
        made += 1
    return (apply_edits(text, accepted), made) if accepted else (text, 0)


def write(document: Document, before: str, text: str) -> str | None:
    """Put the fixed text in place of the file; the reason when that is not possible, and then nothing changed.

    The new content appears at once or not at all, with the file's mode; a link stays a link. Refused when the
    file no longer holds `before`, or its encoding cannot hold the text.
    """
    path = os.path.realpath(document.path)
    try:
        old, new = document.encode(before), document.encode(text)
    except (UnicodeEncodeError, LookupError):
        return f"the fixed text cannot be written as {document.encoding}"
    try:
        with open(path, "rb") as file:
            if file.read() != old:
                return "it changed while it was being checked"
        handle, temporary = tempfile.mkstemp(prefix=".torchlsp-", dir=os.path.dirname(path))
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(new)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(temporary, os.stat(path).st_mode & 0o7777)
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError as failure:
        return failure.strerror or str(failure)
    return None
