"""Creates a rule: `new-rule some-name --code TL199 --folder layout` writes its files, which the tests accept
as they are.

The rule and its page, the check that finds its kind of fault, the kind itself with its row in the table of kinds, the entry
in the catalogue of programs, and a case. All of them are about a placeholder, `torch.set_num_threads`. The check runs along
with the program, or with `--after-the-run` on what the whole run has left. With `--kind` of a kind that exists there is none.
`--silent` is for a mistake that torch accepts: the page then proves it by an assertion about what the programs leave, not by an error.
"""

from __future__ import annotations

import argparse
import difflib
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from torchlsp.facts.fault import FaultKind
from torchlsp.lint.registry import rules, rules_folder

ROOT = Path(__file__).resolve().parents[2]

RULE = '''"""{code}: {summary}."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, rule


@rule("{code}", severity="{severity}", group="correctness", unproven="it has no reproducer yet")
def {function}(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.{kind}):
        fix = fault.rewrite("Say what the fix does", fault.span, "torch.set_num_threads({right})")
        yield check.finding(fault, "say what clashes, with the names that the user wrote", fixes=[fix])
'''

PAGE = """# {code} {name}

*{severity} · correctness · on by default*

{summary}.

## What goes wrong

What happens, when, and what torch says (or that it says nothing).

## Bad

```python bad{raises}
import torch

torch.set_num_threads({wrong})  # expect: {code}
```

```python fixed
import torch

torch.set_num_threads({right})
```

```python bad{raises}
import torch


def set_up():
    torch.set_num_threads({wrong})  # expect: {code}


def train():
    set_up()
    return torch.ones(2).sum()


train()
```

```python bad{raises}
import torch


def is_small(x: torch.Tensor):
    return x.numel() < 8


def total(x: torch.Tensor):
    if is_small(x):
        torch.set_num_threads({wrong})  # expect: {code}
    return x.sum()


total(torch.ones(2))
```

## Good

```python good
import torch

torch.set_num_threads({right})  # ok: a near miss, and why
```

```python good
import torch


def set_up(count):
    torch.set_num_threads(count)


def train():
    set_up(2)
    return torch.ones(2).sum()


train()
```

{proof}## Fix safety

What the fix changes, and whether the program means the same afterwards.

## When to ignore it

Who writes this on purpose.

## Sources

The names in the torch documentation. Behaviour measured on torch 2.13.0 (CPU).

[How facts are written](../notation.md)
"""

CHECK = '''"""{summary}."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.interp.checks.hooks import Hooks
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator


def called(it: Evaluator, name: str, arguments: Arguments, node: ir.Node) -> None:
    """Reports ... (a verb first, one fact, the standard term)."""
    count = v.known(arguments.positional[0], int) if arguments.positional else None
    if count is not None and count < {right}:
        data = (("count", count),)
        it.report([Fault(FaultKind.{kind}, node.start, node.end, name, data, path=it.frame.module.path)])


HOOKS = Hooks(external_call={{"torch.set_num_threads": called}})
'''

CHECK_AFTER_THE_RUN = '''"""{summary}: read off the text of one file after the run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.program import ir
from torchlsp.program.walking import module_nodes

if TYPE_CHECKING:
    from torchlsp.interp.store.analysis import Analysis


def found(analysis: Analysis) -> Iterator[Fault]:
    """Finds ... (a verb first, one fact, the standard term)."""
    for node in module_nodes(analysis.module):
        match node:
            case ir.Call(function=ir.Attribute(name="set_num_threads" as name), args=(ir.Constant(value={wrong}),)):
                data = (("count", {wrong}),)
                yield Fault(FaultKind.{kind}, node.start, node.end, name, data, path=analysis.path)
'''

CASE = '''"""Programs about {code} {name}: what is found, and near misses."""

import torch


def wrong():
    torch.set_num_threads({wrong})  # expect: {code}


def right(count: int):
    torch.set_num_threads(count)
    torch.set_num_threads(4)
'''

ENTRY = """[[rule]]
code = "{code}"
name = "{name}"
tier = "A"
severity = "{severity}"
probe = "eager-cpu"
expect = "{expect}"
fix = "unsafe"
lines = [1]
bad = '''
torch.set_num_threads({wrong})'''
{check}good = '''
torch.set_num_threads({right})'''
keep = [
'''
torch.set_num_threads(len(loader))''',
]
"""


_RAISING = {
    "wrong": "0",
    "right": "1",
    "raises": ' raises="RuntimeError: set_num_threads expects a positive integer"',
    "proof": "",
    "expect": "raises",
    "check": "",
}
_SILENT = {
    "wrong": "1",
    "right": "2",
    "raises": "",
    "proof": """```python proof
assert torch.get_num_threads() > 1, "say what is wrong with what the program leaves"
```

""",
    "expect": "silent",
    "check": """check = '''
assert torch.get_num_threads() == 1'''
""",
}
"""The words of the templates for a placeholder that torch refuses, and for one that it accepts."""


@dataclass(frozen=True, slots=True)
class NewRule:
    """The arguments of the command; `kind` is the name of the rule's kind of fault."""

    code: str
    name: str
    folder: str
    summary: str
    severity: str
    kind: str
    is_after_the_run: bool = False
    is_silent: bool = False
    """Torch raises nothing."""

    @property
    def function(self) -> str:
        return self.name.replace("-", "_")

    @property
    def is_on_new_kind(self) -> bool:
        return self.kind not in FaultKind.__members__

    def filled(self, template: str) -> str:
        """Returns the template with the rule's words in it."""
        words = {"code": self.code, "name": self.name, "summary": self.summary, "severity": self.severity}
        words |= _SILENT if self.is_silent else _RAISING
        return template.format(**words, function=self.function, kind=self.kind)


def write_rule(root: Path, new: NewRule) -> list[Path]:
    """Writes the files of a rule and its rows in those that exist; returns all their paths.

    Raises FileExistsError where one of the files is there already, before anything is written.
    """
    folder = root / "rules" / new.folder
    written = {
        folder / f"{new.function}.py": new.filled(RULE),
        folder / f"{new.function}.md": new.filled(PAGE),
        root / "tests" / "rules" / "cases" / f"{new.folder}_{new.function}.py": new.filled(CASE),
    }
    catalogue = root / "tests" / "rules" / "catalogue.toml"
    changed = {catalogue: _with_entry(catalogue.read_text(encoding="utf-8"), new)}
    if new.is_on_new_kind:
        checks = root / "torchlsp" / "interp" / "checks"
        template = CHECK_AFTER_THE_RUN if new.is_after_the_run else CHECK
        written[checks / new.folder / f"{new.function}.py"] = new.filled(template)
        listed = checks / ("after_the_run.py" if new.is_after_the_run else "running.py")
        changed |= {
            path: change(path.read_text(encoding="utf-8"), new)
            for path, change in (
                (root / "torchlsp" / "facts" / "fault.py", _with_kind),
                (root / "torchlsp" / "facts" / "fault_kinds.py", _with_row),
                (listed, _with_check_after_the_run if new.is_after_the_run else _with_running_check),
            )
        }
    for path in written:
        if path.exists():
            raise FileExistsError(f"{path} exists")
    for path, text in {**written, **changed}.items():
        path.write_text(text, encoding="utf-8")
    return [*written, *changed]


def _with_entry(catalogue: str, new: NewRule) -> str:
    """Returns the catalogue with the rule's entry, in order of codes."""
    entry = new.filled(ENTRY)
    for place in re.finditer(r'^\[\[rule\]\]\ncode = "(TL\d+)"', catalogue, re.MULTILINE):
        if place[1] > new.code:
            return f"{catalogue[: place.start()]}{entry}\n{catalogue[place.start() :]}"
    return f"{catalogue.rstrip()}\n\n{entry}"


def _with_kind(text: str, new: NewRule) -> str:
    """Returns the enum of kinds with the rule's kind as its last."""
    row = f'    {new.kind} = "{new.summary[:1].lower()}{new.summary[1:]}"  # count'
    return _inserted(text, row, after="class FaultKind(Enum):\n", before="\n\n\n")


def _with_row(text: str, new: NewRule) -> str:
    """Returns the table of kinds with the kind's row, as the last of its family."""
    raises = ", _NOTHING" if new.is_silent else ""
    row = f'    FaultKind.{new.kind}: KindInfo("{new.folder}"{raises}),'
    families = re.findall(r"^    # (\w+)$", text, re.MULTILINE)
    after = families.index(new.folder) + 1
    following = f"\n    # {families[after]}\n" if after < len(families) else "\n}"
    return _inserted(text, row, after=f"    # {new.folder}\n", before=following)


def _with_check_after_the_run(text: str, new: NewRule) -> str:
    """Returns the table of checks that run after the analysis, with the rule's check as its last."""
    row = f'    FaultKind.{new.kind}: _check("{new.folder}.{new.function}", "found"),'
    return _inserted(text, row, after="FOUND_AFTERWARDS: ", before="\n}")


def _with_running_check(text: str, new: NewRule) -> str:
    """Returns the list of checks that run along with the program, with the rule's check as its last."""
    package = f"torchlsp.interp.checks.{new.folder}"
    found = re.search(rf"^from {re.escape(package)} import (?:\(([^)]*)\)|(.*))\n", text, re.MULTILINE)
    if found is None:
        raise ValueError(f"no check of {new.folder} is listed: import {new.function} by hand")
    modules = sorted({*re.findall(r"\w+", found[1] or found[2]), new.function})
    line = f"from {package} import {', '.join(modules)}\n"
    if len(line) > 110:
        line = f"from {package} import (\n" + "".join(f"    {one},\n" for one in modules) + ")\n"
    text = text[: found.start()] + line + text[found.end() :]
    return _inserted(text, f"    {new.function},", after="\nRUNNING: ", before="\n)")


def _inserted(text: str, row: str, *, after: str, before: str) -> str:
    """Returns the text with a row inserted before the first `before` that follows `after`."""
    place = text.index(before, text.index(after))
    return f"{text[:place]}\n{row}{text[place:]}"


def main(argv: list[str]) -> int:
    folders = sorted(path.name for path in rules_folder().iterdir() if (path / "__init__.py").exists())
    parser = argparse.ArgumentParser(prog="python -m torchlsp.dev new-rule", description=__doc__)
    parser.add_argument("name", help="words with hyphens that name the pattern: view-on-noncontiguous")
    parser.add_argument("--code", required=True, help="TL, the family's digit and two more: TL199")
    parser.add_argument("--folder", required=True, choices=folders)
    parser.add_argument("--severity", default="error", choices=("error", "warning", "info"))
    parser.add_argument("--summary", default="What the rule finds, in one sentence", help="without full stop")
    kinds = parser.add_mutually_exclusive_group()
    kinds.add_argument("--kind", default="", help="a kind of fault that exists; then no check is written")
    kinds.add_argument("--new-kind", default="", help="the name of a new kind; the rule's name if left out")
    parser.add_argument(
        "--after-the-run", action="store_true", help="the check reads what a whole run has left"
    )
    parser.add_argument("--silent", action="store_true", help="torch accepts the mistake and raises nothing")
    options = parser.parse_args(argv)
    name = options.name.lower().replace("_", "-")
    if not all(part.isalnum() for part in name.split("-")):
        parser.error(f"`{options.name}` is no name of a rule")
    code = options.code.upper()
    if len(code) != 5 or not code.startswith("TL") or not code[2:].isdigit():
        parser.error(f"`{options.code}` is no code: TL and three digits")
    kind = (options.kind or options.new_kind or name).upper().replace("-", "_")
    if options.kind and kind not in FaultKind.__members__:
        close = ", ".join(difflib.get_close_matches(kind, FaultKind.__members__, n=5))
        near = f"did you mean {close}? " if close else ""
        parser.error(f"there is no kind {kind}: {near}--new-kind begins one")
    if not re.fullmatch(r"[A-Z][A-Z_]*", kind):
        parser.error(f"`{kind}` is no name of a kind: give one with --new-kind, of letters and underscores")
    if not options.kind and kind in FaultKind.__members__:
        parser.error(f"the kind {kind} exists: take it with --kind, or give another one with --new-kind")
    for known in rules():
        if code == known.code or name == known.name:
            parser.error(f"{known.code} {known.name} exists")
    summary, after = options.summary.rstrip("."), options.after_the_run
    new = NewRule(
        code, name, options.folder, summary, options.severity, kind, after, is_silent=options.silent
    )
    try:
        paths = write_rule(ROOT, new)
    except FileExistsError as taken:
        print(taken, file=sys.stderr)
        return 2
    print("\n".join(str(path) for path in paths))
    return 0
