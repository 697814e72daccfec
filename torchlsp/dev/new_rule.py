"""Begins a rule: `new-rule some-name --code TL199 --folder layout` writes its two files."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from torchlsp.lint.registry import rules, rules_folder

CODE = '''"""{code}: {summary}."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, rule


@rule("{code}", severity="{severity}")
def {function}(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.VIEW_STRIDES):
        yield check.finding(fault, "say what clashes, with the names that the user wrote")
'''

PAGE = """# {code} {name}

{summary}.

## What goes wrong

What happens, when, and what torch says (or that it says nothing).

## Bad

```python bad raises="RuntimeError: the words of torch's own error"
import torch

torch.ones(2, 3).t().view(6)  # expect: {code}
```

```python fixed
import torch

torch.ones(2, 3).t().reshape(6)
```

## Good

```python good
import torch

torch.ones(2, 3).view(6)  # ok: a near miss, and why
```

```python good
import torch

torch.ones(2, 3).t().contiguous().view(6)
```

## Fix safety

What the fix changes, and whether the program means the same afterwards.

## When to ignore it

Who writes this on purpose.

## Sources

The names in the torch documentation. Behaviour measured on torch 2.13.0 (CPU).
"""


def write_rule(folder: Path, code: str, name: str, summary: str, severity: str) -> tuple[Path, Path]:
    """Writes the rule's two files; raises FileExistsError when there is one already."""
    function = name.replace("-", "_")
    words = {"code": code, "name": name, "function": function, "summary": summary, "severity": severity}
    paths = folder / f"{function}.py", folder / f"{function}.md"
    for path in paths:
        if path.exists():
            raise FileExistsError(f"{path} exists")
    for path, template in zip(paths, (CODE, PAGE), strict=True):
        path.write_text(template.format(**words), encoding="utf-8")
    return paths


def main(argv: list[str]) -> int:
    folders = sorted(path.name for path in rules_folder().iterdir() if (path / "__init__.py").exists())
    parser = argparse.ArgumentParser(prog="python -m torchlsp.dev new-rule", description=__doc__)
    parser.add_argument("name", help="words with hyphens that name the pattern: view-on-noncontiguous")
    parser.add_argument("--code", required=True, help="TL, the family's digit and two more: TL199")
    parser.add_argument("--folder", required=True, choices=folders)
    parser.add_argument("--severity", default="error", choices=("error", "warning", "info"))
    parser.add_argument("--summary", default="What the rule finds, in one sentence", help="without full stop")
    options = parser.parse_args(argv)
    name = options.name.lower().replace("_", "-")
    if not all(part.isalnum() for part in name.split("-")):
        parser.error(f"`{options.name}` is no name of a rule")
    code = options.code.upper()
    if len(code) != 5 or not code.startswith("TL") or not code[2:].isdigit():
        parser.error(f"`{options.code}` is no code: TL and three digits")
    for known in rules():
        if code == known.code or name == known.name:
            parser.error(f"{known.code} {known.name} exists")
    try:
        paths = write_rule(
            rules_folder() / options.folder, code, name, options.summary.rstrip("."), options.severity
        )
    except FileExistsError as taken:
        print(taken, file=sys.stderr)
        return 2
    print("\n".join(str(path) for path in paths))
    return 0
