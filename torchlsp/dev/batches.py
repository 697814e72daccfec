"""Checks a batch of public repositories, and writes what it finds as packets to judge and as a ledger.

`take` brings snapshots into a pool by a rule, `check` runs the checker over the pool in an order that nobody chose, `packets` splits
what was found for readers, and `ledger` writes their verdicts down as in `tests/corpus/batches`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LEDGERS = Path(__file__).parents[2] / "tests" / "corpus" / "batches"
VERDICTS = ("true", "dead", "useless", "untrue")
_IMPORTS_TORCH = re.compile(rb"^\s*(?:import torch|from torch)\b", re.MULTILINE)
_KEPT = re.compile(
    r"\.(?:pyi?|md|rst|txt|toml|cfg|ini|ya?ml|sh|ipynb|lock|in)$|[Dd]ockerfile|README|Pipfile|\.gitignore|[Rr]equirements"
)
"""The files of a snapshot that the checker reads, and those that say which torch is required."""
_CHECK = "check --isolated --no-cache --no-respect-gitignore --exit-zero --output-format json .".split()
_MOST_BYTES = 1_000_000
_LINES = range(150, 40_001)
_LEAST_TORCH_FILES = 3


@dataclass(frozen=True)
class Taken:
    """A repository of the pool: its commit and its lines of Python."""

    name: str
    commit: str
    lines: int


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m torchlsp.dev batches", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, summary in (
        ("take", "take snapshots (folders of git, named owner+name) into the pool, by the rule"),
        ("check", "check the pool from a place on, until there are enough repositories and errors"),
        ("packets", "write packet1.json …, the repositories together"),
        ("ledger", "print the ledger of the verdicts1.json … that readers have written"),
    ):
        command = commands.add_parser(name, help=summary)
        command.add_argument(
            "folder", type=Path, help="the pool" if name in ("take", "check") else "the batch"
        )
        if name == "take":
            command.add_argument("snapshots", nargs="+", type=Path)
        elif name == "check":
            command.add_argument("--out", type=Path, required=True, help="the folder for the batch")
            command.add_argument(
                "--start", type=int, default=0, metavar="N", help="where in the pool it begins"
            )
            command.add_argument("--repositories", type=int, default=40, metavar="N")
            command.add_argument("--errors", type=int, default=60, metavar="N")
            command.add_argument("--python", default=sys.executable, help="the Python that has torchlsp")
        elif name == "packets":
            command.add_argument("--size", type=int, default=30, metavar="N")
    options = parser.parse_args(argv)
    if options.command == "take":
        for snapshot in options.snapshots:
            print(snapshot.name, take(snapshot, options.folder))
    elif options.command == "check":
        print(check(options))
    elif options.command == "packets":
        for path, findings in packets(options.folder, options.size):
            print(path, len(findings))
    else:
        print(ledger(options.folder), end="")
    return 0


# ---- the pool ------------------------------------------------------------------------------------------------------------


def take(snapshot: Path, pool: Path) -> str:
    """Copies the files of a snapshot's newest commit that matter into the pool; returns "taken", or why it is not.

    The rule: never used in a ledger, at least three Python files that import torch, 150 to 40,000 lines of Python, and no copy: at most
    half of those files are in a repository that was taken before.
    """
    name = snapshot.name.replace("+", "/", 1)
    if name.lower() in used_names():
        return "used before"
    git = snapshot / "repo" if (snapshot / "repo").is_dir() else snapshot
    commit = _git(git, "rev-parse", "HEAD").decode().strip()
    files = list(_listed(git, commit))
    python = [(path, blob) for path, blob in files if path.endswith(".py")]
    texts = _contents(git, [blob for _, blob in python])
    lines = sum(text.count(b"\n") for text in texts)
    importing = {blob for (_, blob), text in zip(python, texts) if _IMPORTS_TORCH.search(text)}
    if len(importing) < _LEAST_TORCH_FILES:
        return f"{len(importing)} files import torch"
    if lines not in _LINES:
        return f"{lines} lines"
    seen = _read_lines(pool / "blobs.txt")
    if 2 * len(importing & set(seen)) > len(importing):
        return "a copy"
    kept = [(path, blob) for path, blob in files if _KEPT.search(path)]
    for (path, _), text in zip(kept, _contents(git, [blob for _, blob in kept])):
        target = pool / snapshot.name / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text)
    _append(pool / "blobs.txt", sorted(importing))
    _append(pool / "repositories.txt", [f"{name}\t{commit}\t{lines}"])
    return "taken"


def used_names() -> frozenset[str]:
    """Returns the names of the repositories in any ledger, in lower case."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in LEDGERS.glob("*.md"))
    return frozenset(name.lower() for name in re.findall(r"[\w.-]+/[\w.-]+", text))


def _listed(git: Path, commit: str) -> Iterator[tuple[str, str]]:
    """Yields path and blob of each regular file of a commit that is not too large."""
    for row in _git(git, "ls-tree", "-r", "-l", "-z", commit).decode("utf-8", "replace").split("\0"):
        about, _, path = row.partition("\t")
        mode, kind, blob, size = about.split() if about.count(" ") >= 3 else ("", "", "", "")
        is_small = size.isdigit() and int(size) < _MOST_BYTES
        if kind == "blob" and mode != "120000" and is_small and ".." not in Path(path).parts:
            yield path, blob


def _contents(git: Path, blobs: Sequence[str]) -> list[bytes]:
    """Returns the contents of blobs; empty where a partial snapshot lacks one."""
    answer = _git(git, "cat-file", "--batch", given="\n".join(blobs).encode() + b"\n") if blobs else b""
    found, place = [], 0
    for _ in blobs:
        end = answer.index(b"\n", place)
        header = answer[place:end].split()
        size = int(header[2]) if len(header) == 3 else -1
        found.append(answer[end + 1 : end + 1 + max(size, 0)])
        place = end + 1 + (size + 1 if size >= 0 else 0)
    return found


def _git(folder: Path, *arguments: str, given: bytes | None = None) -> bytes:
    return subprocess.run(
        ["git", "-C", str(folder), *arguments], input=given, stdout=subprocess.PIPE, check=True
    ).stdout


def in_order(pool: Path) -> list[Taken]:
    """Returns the repositories of the pool in the order of the sha256 of "pool:" and their name."""
    rows = [row.split("\t") for row in _read_lines(pool / "repositories.txt")]
    taken = [Taken(name, commit, int(lines)) for name, commit, lines in rows]
    return sorted(taken, key=lambda one: hashlib.sha256(f"pool:{one.name.lower()}".encode()).hexdigest())


# ---- the batch -----------------------------------------------------------------------------------------------------------


def check(options: argparse.Namespace) -> str:
    """Checks repositories until there are enough of them and of errors; returns what was done in a line."""
    options.out.mkdir(parents=True, exist_ok=True)
    command = [options.python, "-m", "torchlsp", *_CHECK]
    findings: list[dict[str, Any]] = []
    done: list[Taken] = []
    errors = 0
    for taken in in_order(options.folder)[options.start :]:
        if len(done) >= options.repositories and errors >= options.errors:
            break
        folder = options.folder / taken.name.replace("/", "+", 1)
        answer = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, check=True)
        for one in json.loads(answer.stdout):
            line = _line(folder / one["filename"], one["location"]["row"])
            findings.append({**one, "repository": taken.name, "commit": taken.commit, "line": line})
            errors += one["severity"] == "error"
        done.append(taken)
    _write_json(options.out / "findings.json", findings)
    _write_json(options.out / "repositories.json", [[one.name, one.commit, one.lines] for one in done])
    return f"{len(done)} repositories, {errors} errors, {len(findings) - errors} others; next start {options.start + len(done)}"


def _line(path: Path, row: int) -> str:
    """Returns a line of a file, "" of a notebook, whose rows are those of a cell."""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines() if path.suffix == ".py" else []
    return lines[row - 1].strip() if 0 < row <= len(lines) else ""


def packets(batch: Path, size: int) -> Iterator[tuple[Path, list[dict[str, Any]]]]:
    """Writes the findings as packets of about `size`, each repository in one of them, and yields path and content."""
    findings = [{"id": number, **one} for number, one in enumerate(_read_json(batch / "findings.json"))]
    number, packet = 1, []
    for index, one in enumerate(findings):
        packet.append(one)
        is_last_of_its_own = (
            index + 1 == len(findings) or findings[index + 1]["repository"] != one["repository"]
        )
        if is_last_of_its_own and (len(packet) >= size or index + 1 == len(findings)):
            path = batch / f"packet{number}.json"
            _write_json(path, packet)
            yield path, packet
            number, packet = number + 1, []


def ledger(batch: Path) -> str:
    """Returns the ledger of a judged batch. Raises KeyError where a finding has no verdict, ValueError for one that is none."""
    findings = _read_json(batch / "findings.json")
    judged = {one["id"]: one for path in sorted(batch.glob("verdicts*.json")) for one in _read_json(path)}
    verdicts = [judged[number] for number in range(len(findings))]
    wrong = {one["verdict"] for one in verdicts} - set(VERDICTS)
    if wrong:
        raise ValueError(f"no verdict: {', '.join(sorted(wrong))}")
    repositories = _read_json(batch / "repositories.json")
    pairs = list(zip(findings, verdicts))
    parts = [
        summary(pairs, repositories),
        "\n## Repositories\n",
        "| word | pass | repository | commit | lines |",
        "|---|---|---|---|---|",
    ]
    parts += [f"| pool | batch | {name} | {commit} | {lines} |" for name, commit, lines in repositories]
    for severity, heading in (("error", "Errors"), ("warning", "Warnings")):
        parts += [
            f"\n## {heading} of the batch\n",
            "| repository | commit | place | rule | line | verdict | why |",
            "|---|---|---|---|---|---|---|",
        ]
        parts += [_row(one, verdict) for one, verdict in pairs if one["severity"] == severity]
    return "\n".join(parts) + "\n"


def summary(
    pairs: Sequence[tuple[dict[str, Any], dict[str, Any]]], repositories: Sequence[Sequence[Any]]
) -> str:
    """Returns the counts of a batch in words: what is true, and the share that is useful."""
    lines = sum(row[2] for row in repositories)
    texts = [f"{len(repositories)} repositories, {lines:,} lines."]
    useful = 0
    for severity in ("error", "warning"):
        counts = Counter(verdict["verdict"] for one, verdict in pairs if one["severity"] == severity)
        useful += counts["true"] + counts["dead"]
        total = sum(counts.values())
        text = f"{total} {severity}s: " + ", ".join(f"{counts[one]} {one}" for one in VERDICTS)
        if severity == "error" and total:
            text += f": {100 * (1 - counts['untrue'] / total):.1f} % are not untrue; {counts['untrue'] / lines * 1e5:.2f} untrue in 100,000 lines"
        texts.append(f"{text}.")
    shown = sum(one["severity"] in ("error", "warning") for one, _ in pairs)
    texts.append(f"Of all findings {useful} of {shown} are useful ({100 * useful / max(shown, 1):.1f} %).")
    return " ".join(texts)


def _row(one: dict[str, Any], verdict: dict[str, Any]) -> str:
    place = f"{one['filename']}:{one['location']['row']}"
    line = _cell(one["line"] or one["message"]).replace("`", "")[:120]
    why = _cell(verdict["why"])
    cells = (one["repository"], one["commit"][:10], place, one["code"], f"`{line}`", verdict["verdict"], why)
    return f"| {' | '.join(cells)} |"


def _cell(text: str) -> str:
    """Returns a text as it stands in a table: on one line, without bars, and without what a terminal would not show."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text.replace("|", "¦")).split())


# ---- files ---------------------------------------------------------------------------------------------------------------


def _read_lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def _append(path: Path, lines: Iterable[str]) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines)


def _read_json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _write_json(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, indent=1, ensure_ascii=False), encoding="utf-8")
