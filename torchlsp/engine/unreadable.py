"""Creates the finding for a file that cannot be read (TL000), or that cannot be handled."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from torchlsp.core.finding import Finding, Severity

if TYPE_CHECKING:
    from torchlsp.core.span import Span
    from torchlsp.core.text import Document
    from torchlsp.syntax.parse import SyntaxTree
    from torchlsp.syntax.partial import SyntaxProblem

# These say that torchlsp stopped, not that the file is wrong.
NOT_A_MISTAKE = frozenset({"newer-python", "too-large"})


def problem_finding(tree: SyntaxTree, problem: SyntaxProblem) -> Finding:
    """Returns the finding for a file, or a part of it, that does not parse."""
    from torchlsp.syntax.statements import scope_name

    severity = Severity.INFO if problem.kind in NOT_A_MISTAKE else Severity.ERROR
    message = problem.message
    if problem.kind == "syntax":
        message = f"does not parse: {message}"
    return unreadable(tree.document, problem.span, message, severity, scope_name(tree, problem.span))


def unreadable(document: Document, span: Span, message: str, severity: Severity, scope: str) -> Finding:
    return Finding("TL000", "unreadable-source", document.path, span, message, severity, scope=scope)


def internal_error(path: str, failure: Exception) -> str:
    """Returns the description of an internal error, its traceback on the lines below the first."""
    import traceback

    last = traceback.extract_tb(failure.__traceback__)[-1]
    place = f"{os.path.basename(last.filename)}:{last.lineno}"
    text = " ".join(str(failure).split())[:200]
    head = f"{path}: {type(failure).__name__} at {place}: {text}"
    return head + "\n" + "".join(traceback.format_exception(failure)).rstrip()


def located(path: str, line: str) -> str:
    """Returns a line that begins with the path of the file that it is about."""
    return line if line.startswith(path) else f"{path}: {line}"
