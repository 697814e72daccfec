"""A name for a finding that survives edits elsewhere in the file: for baselines and code scanning."""

from __future__ import annotations

import os
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from torchlsp.core.finding import Finding
    from torchlsp.core.text import Document


def fingerprints(findings: Sequence[Finding], documents: Mapping[str, Document]) -> list[str]:
    """One for each finding, in the same order: sha256 of the posix path, the code, the enclosing qualified
    name, the stripped source line, and the ordinal among findings that share all of these."""
    seen: dict[tuple[str, ...], int] = {}
    found: list[str] = []
    for finding in findings:
        document = documents[finding.path]
        row, _ = document.row_column(finding.span.start)
        path = finding.path.replace(os.sep, "/")
        key = (path, finding.rule, finding.scope, document.line_text(row).strip())
        ordinal = seen[key] = seen.get(key, -1) + 1
        found.append(sha256("\0".join((*key, str(ordinal))).encode("utf-8", "surrogatepass")).hexdigest())
    return found
