"""Holds the pages of the tool's own findings, which no rule reports: code, then title and text in
Markdown."""

from __future__ import annotations

TOOL_PAGES = {
    "TL000": (
        "A file, or a part of it, cannot be read",
        """\
Python cannot parse the file, bytes outside of its comments do not fit its encoding, or it cannot be opened. The finding
stands where Python's own parser gave up. The top-level statements that do parse are checked all the same.

When the syntax is not wrong but belongs to a Python later than the one that runs torchlsp, the finding has
severity info and names the Python that can read it: run torchlsp with that Python. So has a file with
statements of Python 2 and nothing that only Python 3 has, an argument `async` in a project for a torch before 1.11, a line that only
IPython reads, as `!pip install`, and a cell of a notebook that does not parse.

In editors it is off, since a type checker says the same: `extend-select = ["TL000"]` switches it on there.
""",
    ),
    "TL001": (
        "A suppression comment suppresses nothing",
        """\
A `# torchlsp: ignore[...]`, a `# torchlsp: ignore-file[...]` or a TL code in a `# noqa: ...` names a rule
that reports nothing there, or no rule at all. Left in place it would hide the next real finding. The fix
removes what is unused. Only rules that ran are judged, and never the codes of other tools.

    x = y.reshape(2, 3)  # torchlsp: ignore[TL101]      unused: reshape is always allowed

A comment counts for a finding on its own row, or, for a finding of several rows, on the first or last of
them, or on the first row of the statement. `ignore-file` must stand above the first statement.
""",
    ),
}
