"""Creates the finding for a file that cannot be read (TL000), or that cannot be handled."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from torchlsp.core.finding import Finding, Severity
from torchlsp.core.records import replace

if TYPE_CHECKING:
    from torchlsp.core.span import Span
    from torchlsp.core.text import Document
    from torchlsp.syntax.parse import SyntaxTree
    from torchlsp.syntax.partial import SyntaxProblem

# These say that torchlsp stopped, not that the file is wrong.
NOT_A_MISTAKE = frozenset({"newer-python", "older-python", "ipython", "too-large"})
_OF_PYTHON_2 = (
    "Missing parentheses in call to",
    "multiple exception types must be parenthesized",
    "leading zeros in decimal integer literals",
)
"""How the messages begin of what Python 2 reads and Python 3 does not."""


def _of_its_python(problem: SyntaxProblem, document: Document, torch: str | None) -> SyntaxProblem:
    """Returns the problem as it is in a project for this release of torch: a file for Python 2, which torch ran in before 1.5, is no
    mistake, and no argument `async`, a word that Python 3.7 took, before 1.11."""
    if problem.kind != "syntax":
        return problem
    from torchlsp.facts.torch_names import parse_version

    row = document.row_column(problem.span.start)[0]
    version = (99, 0) if torch is None else parse_version(torch) or (99, 0)
    needs = ""
    if problem.message.startswith(_OF_PYTHON_2):
        needs = "Python 2" if version < (1, 5) or _is_python_2(document.text) else ""
    elif version < (1, 11) and _ASYNC.search(document.slice(document.row_span(row))):
        needs = "Python 3.6"
    return (
        replace(problem, message=f"a file for {needs} is not read", kind="older-python") if needs else problem
    )


_ASYNC = re.compile(r"[(,][ \t]*async[ \t]*=")
_PYTHON_3_ONLY = re.compile(
    r"""(?<![\w"'])[fF]["']|^[ \t]*(?:async|nonlocal|await)\b|\)[ \t]*->|\b(?:end|flush)=["'T]""",
    re.MULTILINE,
)


def _is_python_2(text: str) -> bool:
    """Returns whether a file with a statement of Python 2 may be for it: it has nothing that only Python 3 has."""
    return _PYTHON_3_ONLY.search(text) is None


def problem_finding(tree: SyntaxTree, problem: SyntaxProblem, torch: str | None = None) -> Finding:
    """Returns the finding for a file, or a part of it, that does not parse, in a project for this release of torch."""
    from torchlsp.syntax.statements import scope_name

    problem = _of_its_python(problem, tree.document, torch)
    message = problem.message
    # a notebook keeps cells that nobody runs: notes, output that was pasted, blanks of an exercise
    is_notice = problem.kind in NOT_A_MISTAKE or bool(tree.document.cells)
    severity = Severity.INFO if is_notice else Severity.ERROR
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
