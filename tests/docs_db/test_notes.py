"""Every note has its form, names what exists, and does in real torch what it says."""

from __future__ import annotations

import dataclasses
import importlib
import importlib.util
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from time import process_time
from typing import Any

import pytest
from gloo_processes import run_processes
from torch_runs import Ended, TorchRuns, program_of

from torchlsp.docs_db import notes
from torchlsp.docs_db.notes import Block, Note, NoteError, Part, full_name, load_note, note_paths, parse_note

FOLDER = notes.FOLDER
RULES = Path(__file__).resolve().parents[2] / "rules"
NOTES = [load_note(path) for path in note_paths(FOLDER)]
HANG = re.compile(r"[Tt]imed out|[Tt]imeout|no result|Connection reset|Connection closed")
TEMPLATE = re.compile(r"\b(TODO|FIXME|XXX|TBD|lorem ipsum)\b", re.IGNORECASE)


class OnePart:
    """What the harness of the pages asks of a page."""

    def __init__(self, note: Note, part: Part):
        self.path, self.of_role = note.path, part.of_role


def programs(note: Note) -> list[tuple[OnePart, Block]]:
    return [
        (OnePart(note, part), block)
        for part in (Part("", note.summary, note.examples, 1), *note.pitfalls)
        for block in part.of_role("bad", "good")
    ]


ON_RANKS = sorted(
    ((part, block) for note in NOTES for part, block in programs(note) if block.attr("world")),
    key=lambda pair: pair[1].role != "bad",
)


def wrong_with(block: Block, ended: Ended) -> Iterator[str]:
    """In what the end of a program differs from what its note says."""
    if block.role == "bad" and (pattern := block.attr("raises")):
        if not re.search(pattern, ended.error, re.DOTALL):
            yield ended.error or "nothing was raised"
    elif ended.error:
        yield ended.error
    elif block.role == "bad" and not ended.proof:
        yield "the proof holds, so the program is not bad"
    elif block.role == "good" and ended.proof:
        yield f"the proof fails: {ended.proof}"


@pytest.mark.torch
@pytest.mark.parametrize("note", [note for note in NOTES if programs(note)], ids=lambda note: note.path.stem)
def test_programs_end_as_the_note_says(note: Note, torch_runs: TorchRuns):
    """A bad one fails, a good one runs to its end and keeps the proof."""
    ends = torch_runs.run_all(program_of(part, block) for part, block in programs(note))
    problems = [
        f"{note.path.name}:{block.line}: {block.role}: {problem}"
        for (_, block), ended in zip(programs(note), ends)
        for problem in wrong_with(block, ended)
    ]
    assert not problems, "\n".join(["", *problems])


@pytest.mark.torch
@pytest.mark.processes
@pytest.mark.slow
def test_processes_agree_with_the_simulator(tmp_path: Path):
    """Every program for ranks, on real ranks: they hang where the simulated ones do."""
    all_ends = run_processes([(block.source, int(block.attr("world"))) for _, block in ON_RANKS], tmp_path)
    problems = []
    for (part, block), ends in zip(ON_RANKS, all_ends):
        if block.attr("raises") == "hang":
            holds = any(HANG.search(end) for end in ends)
        elif block.role == "bad":
            holds = all(re.search(block.attr("raises"), end) for end in ends)
        else:
            holds = ends == ["ok"] * len(ends)
        if not holds:
            problems.append(f"{part.path.name}:{block.line}: {ends}")
    assert not problems, "\n".join(["", *problems])


@pytest.mark.torch
@pytest.mark.gpu
@pytest.mark.parametrize(
    "note",
    [note for note in NOTES if any(block.attr("needs") for _, block in programs(note))],
    ids=lambda note: note.path.stem,
)
def test_gpu_agrees_with_the_emulated_device(note: Note, torch_runs: TorchRuns):
    if not torch_runs.sees_a_gpu():
        pytest.skip("no CUDA device")
    needing = [(part, block) for part, block in programs(note) if block.attr("needs")]
    ends = torch_runs.run_all(program_of(part, block, emulate=False) for part, block in needing)
    problems = [
        f"{note.path.name}:{block.line}: {block.role}: {problem}"
        for (_, block), ended in zip(needing, ends)
        for problem in wrong_with(block, ended)
    ]
    assert not problems, "\n".join(["", *problems])


def exists(symbol: str) -> bool:
    """Whether torch has the attribute at the end of a dotted name, whatever of the name is modules."""
    names = symbol.split(".")
    for length in range(len(names), 0, -1):
        try:
            found: Any = importlib.import_module(".".join(names[:length]))
        except ImportError:
            continue
        for name in names[length:]:
            if not hasattr(found, name):
                return False
            found = getattr(found, name)
        return True
    return False


def assert_none(problems: Iterable[tuple[Note, object]]) -> None:
    told = [f"{note.path.relative_to(FOLDER)}: {what}" for note, what in problems]
    assert not told, "\n".join(["", *told])


@pytest.mark.torch
def test_symbols_exist_and_absent_ones_do_not():
    pytest.importorskip("torch")
    notes_here = [note for note in NOTES if not note.package or importlib.util.find_spec(note.package)]
    assert_none(
        (note, f"{symbol} is not there")
        for note in notes_here
        for symbol in note.symbols
        if not exists(symbol)
    )
    assert_none(
        (note, f"{symbol} is there") for note in notes_here for symbol in note.absent if exists(symbol)
    )


def test_names_are_written_in_full_and_the_file_is_named_after_the_first():
    assert_none(
        (note, symbol)
        for note in NOTES
        for symbol in (*note.symbols, *note.absent)
        if full_name(symbol) != symbol
    )
    for note in NOTES:
        first = note.symbols[0]
        short = [first]
        for prefix in ("torch.Tensor.", "torch.nn.functional.", "torch.nn.", "torch.optim."):
            if first.startswith(prefix):
                tail = first.removeprefix(prefix)
                short.append({"torch.nn.functional.": "F."}.get(prefix, prefix.removeprefix("torch.")) + tail)
        assert note.path.stem in short


def test_every_rule_named_is_there():
    codes = {page.read_text(encoding="utf-8").split()[1] for page in RULES.glob("*/*.md")}
    assert_none((note, rule) for note in NOTES for rule in note.rules if rule not in codes)


def test_text_is_finished_and_lines_are_short():
    one_line = ("symbols: ", "```")
    for note in NOTES:
        text = note.path.read_text(encoding="utf-8")
        rows = list(enumerate(text.splitlines(), 1))
        assert not TEMPLATE.search(text), note.path
        assert_none(
            (note, f"{row}: too long")
            for row, line in rows
            if len(line) > 110 and not line.startswith(one_line)
        )
        # CommonMark: what stands behind ``` must not hold a backtick.
        assert_none((note, row) for row, line in rows if line.startswith("```") and "`" in line[3:])
        assert text.endswith("\n") and not text.endswith("\n\n"), note.path
        assert note.summary.endswith("."), note.path


def test_every_pitfall_is_shown():
    for note in NOTES:
        for pitfall in note.pitfalls:
            assert not pitfall.title.endswith("."), pitfall.title
            for block in pitfall.of_role("bad"):
                raises = block.attr("raises")
                assert re.fullmatch(r"|hang|\w+(Error|Warning): .{9,}", raises), raises
            assert pitfall.blocks or note.package, f"{note.path}:{pitfall.line}: no block shows it"
            proofs = pitfall.of_role("proof")
            unproven = [block for block in pitfall.of_role("bad") if not block.attr("raises")]
            assert bool(proofs) == bool(unproven), f"{note.path}:{pitfall.line}: a proof is missing or unused"


def test_no_symbol_has_two_notes_and_file_names_differ_on_every_system():
    symbols = [symbol for note in NOTES for symbol in (*note.symbols, *note.absent)]
    assert sorted(symbols) == sorted(set(symbols))
    paths = [str(note.path.relative_to(FOLDER)).lower() for note in NOTES]
    assert len(paths) == len(set(paths))


def test_every_note_is_found_by_each_of_its_names():
    for note in NOTES:
        for symbol in (*note.symbols, *note.absent):
            assert notes.note(symbol) is note
            assert symbol.encode() in note.path.read_bytes()[: notes.FRONT_MATTER_BYTES]


def test_a_note_is_found_by_alias_and_by_absent_name():
    assert notes.note("Tensor.view") is notes.note("torch.Tensor.view") is notes.note("torch.view")
    assert notes.note("Tensor.view").symbols[0] == "torch.Tensor.view"
    assert notes.note("torch.no_such_name") is None


def test_a_look_up_is_fast():
    notes.note("Tensor.view")
    start = process_time()
    for note in NOTES:
        notes.note(note.symbols[0])
    assert (process_time() - start) / len(NOTES) < 0.005


def test_the_first_look_up_reads_no_more_than_the_beginnings(tmp_path: Path):
    for number in range(300):
        body = WHOLE.replace("torch.Tensor.one, torch.one_alias", f"torch.n{number}")
        write(tmp_path, f"a/torch.n{number}.md", body.replace("absent: torch.uno\n", "") * (1 + number % 3))
    start = process_time()
    assert notes.note("torch.no_such_name", tmp_path) is None
    assert process_time() - start < 0.05


def test_two_notes_on_one_symbol_are_refused(tmp_path: Path):
    write(tmp_path, "a/torch.one.md", WHOLE)
    write(tmp_path, "b/torch.one.md", WHOLE)
    with pytest.raises(
        NoteError, match=r"b/torch\.one\.md:1: torch\.Tensor\.one has a note already: .*a/torch"
    ):
        notes.note("torch.one", tmp_path)


def test_a_look_up_parses_no_other_note(tmp_path: Path):
    write(tmp_path, "a/torch.one.md", WHOLE.replace("torch.Tensor.one", "torch.one"))
    write(tmp_path, "a/torch.two.md", "---\nsymbols: torch.two\n---\n```nonsense\n")
    assert notes.note("torch.one", tmp_path).summary == "It gives one."
    with pytest.raises(NoteError, match=r"torch\.two\.md:4: this block is never closed"):
        notes.note("torch.two", tmp_path)


WHOLE = """---
symbols: torch.Tensor.one, torch.one_alias
absent: torch.uno
torch: >=2.4, <2.10
rules: TL101, TL102
returns: self, view or copy
---

It gives
one.

```python good
assert 1
```

## Pitfalls

### It gives two

Sometimes.

```python bad raises="ValueError: \\(2.*two" world=2
raise ValueError("two")
```

```python good
two = 1
```
"""


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_a_note_is_read_whole():
    note = parse_note(WHOLE, Path("n.md"))
    assert note == Note(
        path=Path("n.md"),
        symbols=("torch.Tensor.one", "torch.one_alias"),
        absent=("torch.uno",),
        torch=(">=2.4", "<2.10"),
        rules=("TL101", "TL102"),
        returns="self, view or copy",
        package="",
        summary="It gives one.",
        examples=(Block("good", (), "assert 1\n", 13),),
        pitfalls=(
            Part(
                "It gives two",
                "Sometimes.",
                (
                    Block(
                        "bad",
                        (("raises", r"ValueError: \(2.*two"), ("world", "2")),
                        'raise ValueError("two")\n',
                        23,
                    ),
                    Block("good", (), "two = 1\n", 27),
                ),
                18,
            ),
        ),
    )


def test_a_program_that_hangs_is_shown_so():
    hangs = '\n### It waits\n\n```python bad raises="hang" world=2\nwait()\n```\n'
    assert "```python\n# hangs\nwait()\n```" in parse_note(WHOLE + hangs, Path("n.md")).markdown


def test_what_a_reader_is_shown_has_no_marks_for_tests():
    more = """
### It gives three

```python bad
import torch
from pathlib import Path

three = torch.ones(2)
```

```python good
import torch

three = torch.ones(3)
```

```python proof
assert len(three) == 3
```
"""
    assert parse_note(WHOLE + more, Path("n.md")).markdown == (
        "It gives one.\n\n```python\nassert 1\n```\n\n**It gives two**\n\nSometimes.\n\n"
        '```python\n# raises ValueError: (2…two\nraise ValueError("two")\n```\n\n'
        "```python\n# right\ntwo = 1\n```\n\n**It gives three**\n\n"
        "```python\n# wrong\nfrom pathlib import Path\n\nthree = torch.ones(2)\n```\n\n"
        "```python\n# right\nthree = torch.ones(3)\n```\n"
    )


@pytest.mark.parametrize(
    ("version", "holds"),
    [("2.4.0", True), ("2.9.1+cu121", True), ("2.10.0", False), ("2.3.9", False), ("2.4", True)],
)
def test_limits_of_versions(version: str, holds: bool):
    assert parse_note(WHOLE, Path("n.md")).holds_for(version) is holds
    assert dataclasses.replace(parse_note(WHOLE, Path("n.md")), torch=()).holds_for(version)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("---\nsymbols", "symbols"), "n.md:1: a note begins with its front matter"),
        (("symbols: torch.Tensor.one, torch.one_alias\n", ""), "n.md:1: `symbols` is missing"),
        (("rules: TL101", "rule: TL101"), "n.md:5: cannot read `rule: TL101, TL102`"),
        (("rules: TL101,", "rules: TL101,,"), "n.md:5: cannot read"),
        (("absent: torch.uno", "symbols: torch.uno"), "n.md:3: `symbols` is given twice"),
        (("self, view or copy", "perhaps"), "n.md:6: `perhaps`; known: view; copy"),
        ((">=2.4", "2.4"), "n.md:4: `2.4, <2.10` is not a version limit"),
        (("It gives\none.\n", ""), "n.md:8: the summary is missing"),
        (("one.\n", "one.\n\nMore.\n"), "n.md:8: the summary is one paragraph"),
        (("### It gives two\n", ""), "n.md:19: text below `## Pitfalls` needs a heading"),
        (("## Pitfalls\n", ""), "n.md:17: only `## Pitfalls`"),
        (
            ("```python good\nassert 1", "```python fine\nassert 1"),
            "n.md:12: a block is ```python and one of",
        ),
        (("world=2", "worlds=2"), "n.md:22: cannot read `worlds=2`; known: raises, world, needs"),
        (("two = 1\n```", "two = 1"), "n.md:26: this block is never closed"),
    ],
)
def test_a_broken_note_is_refused_with_its_place(change: tuple[str, str], message: str):
    assert change[0] in WHOLE
    with pytest.raises(NoteError) as error:
        parse_note(WHOLE.replace(*change, 1), Path("n.md"))
    assert str(error.value).startswith(message)
