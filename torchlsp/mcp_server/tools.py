"""Does the work of the tools. Each takes checked arguments and returns a text, and the same as data."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from torchlsp.core.records import dataclass
from torchlsp.engine import inspection
from torchlsp.engine.cache_folder import cache_folder
from torchlsp.engine.documentation import Documentation
from torchlsp.engine.engine import Engine, Options
from torchlsp.engine.explaining import account
from torchlsp.engine.fingerprint import fingerprints
from torchlsp.engine.fixing import with_fix, write
from torchlsp.engine.interpreters import choose, site_packages, torch_version
from torchlsp.engine.probe_places import prober_for, worker_for
from torchlsp.engine.probing import Unavailable, counted, with_verdicts
from torchlsp.engine.provider import Provider
from torchlsp.engine.reading import NotebookProblem, read_document
from torchlsp.engine.records import Records
from torchlsp.engine.result import Change
from torchlsp.engine.slices import with_slices
from torchlsp.engine.snippets import run_snippet
from torchlsp.engine.unknowns import why_unknown
from torchlsp.engine.workspace import Workspace
from torchlsp.files import read_source
from torchlsp.mcp_server.boundary import Boundary, Refused, SourcesInside
from torchlsp.report.agent import MOST, block, closing, fix_diff, worst
from torchlsp.report.diff import unified
from torchlsp.report.documentation import as_markdown, listed, our_notes
from torchlsp.report.explaining import as_text
from torchlsp.report.hover import plain_text
from torchlsp.report.places import shown
from torchlsp.report.text import Painter
from torchlsp.report.unknowns import unknown_words
from torchlsp.report.words import related_words, verdict_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torchlsp.core.decoded import Table
    from torchlsp.core.finding import Finding
    from torchlsp.core.text import Document
    from torchlsp.engine.examination import Examination
    from torchlsp.engine.probing import Prober
    from torchlsp.engine.result import CheckResult
    from torchlsp.probe.client import Worker

DEADLINE = 10.0
"""Seconds for a program of the agent's."""
_LONGEST_TEXT = 8_000
_LONGEST_SNIPPET = 100_000
_MOST_FACTS = 20
_ID = 12
_OWN_NAMES = frozenset({"self", "cls"})
"""Not asked about by who asks about a line."""
_WORD = re.compile(r"[^\W\d]\w*")
_PLAIN = Painter(False)


@dataclass(frozen=True, slots=True)
class Reply:
    """What a tool returns: a text for the model, and the data that its schema describes."""

    text: str
    data: Table


@dataclass(frozen=True, slots=True)
class _Checked:
    """The findings of a run, their ids, and the texts that they are about."""

    result: CheckResult
    sources: SourcesInside
    ids: dict[tuple[object, ...], str]

    def id_of(self, finding: Finding) -> str:
        return self.ids[_key(finding)]


class Tools:
    """The tools for one workspace; the current folder must be its root, so that paths are shown relative to it.

    Not safe to share between threads: who serves calls one after the other.
    """

    def __init__(self, boundary: Boundary, python: str | None = None, probe_on: Sequence[str] = ()) -> None:
        self._boundary = boundary
        self._python = python
        self._probe_on = probe_on
        self._paths = ["."]
        """What was checked last."""
        self._worker: Worker | None = None
        self._prober: Prober | None = None
        self._documentation: Documentation | None = None
        self._handlers = {
            "check": self._check,
            "facts_at": self._facts_at,
            "explain_error": self._explain_error,
            "try_snippet": self._try_snippet,
            "docs": self._docs,
            "apply_fix": self._apply_fix,
        }

    def call(self, name: str, arguments: Table) -> Reply:
        """Runs a tool. Raises Refused and ConfigError with what the agent should know."""
        return self._handlers[name](arguments)

    def close(self) -> None:
        """Ends the process that runs programs."""
        for one in (self._worker, self._documentation):
            if one is not None:
                one.close()

    # ---- findings -----------------------------------------------------------------------------------------------------

    def _check(self, arguments: Table) -> Reply:
        self._paths = [self._boundary.path(path) for path in arguments.get("paths") or ["."]]
        checked, notes = self._checked(self._paths), []
        if arguments.get("probe"):
            notes.append(self._probe(checked))
        most = arguments.get("limit", MOST)
        ones = worst(checked.result.findings, most)
        summary = closing(checked.result, most, notes).replace("--max-findings 0", "limit 0")
        blocks = ["\n".join([*block(one, checked.sources), f"  id: {checked.id_of(one)}"]) for one in ones]
        return Reply("\n\n".join((*blocks, summary)), {"summary": summary, "findings": _told(checked, ones)})

    def _checked(self, paths: list[str]) -> _Checked:
        """Checks files and folders in this process: it has threads, and must not fork."""
        cache = cache_folder()
        options = Options(
            jobs=1,
            torch=torch_version(choose(self._python).path),
            is_torch_chosen=self._python is not None,
            records=Records(cache),
            cache=cache,
        )
        result = Engine(options).check(paths)
        # A file of the workspace may be a link to one elsewhere.
        result.findings = [one for one in result.findings if self._boundary.holds(one.path)]
        sources = SourcesInside(result.documents, self._boundary)
        prints = fingerprints(result.findings, result.documents, root=self._boundary.root)
        ids = {_key(one): mark[:_ID] for one, mark in zip(result.findings, prints, strict=True)}
        return _Checked(result, sources, ids)

    def _probe(self, checked: _Checked) -> str:
        """Adds verdicts to the findings, withdraws refuted ones, and returns what came of it."""
        result = checked.result
        if not result.findings:
            return "nothing to probe"
        prober = self._prober or self._make_prober()
        sliced = with_slices(result.findings, result.documents.values(), result.internal_errors.append)
        try:
            if not prober.hello().is_locked:
                raise Unavailable("programs cannot be sandboxed on this system")
            verdicts = prober.verdicts(sliced)
        except Unavailable as problem:
            return f"nothing was probed: {problem}"
        result.findings = with_verdicts(sliced, verdicts)
        return f"probed: {counted(verdicts)}"

    def _make_prober(self) -> Prober:
        path = choose(self._python).path
        self._prober = prober_for(
            path, self._probe_on, deadline=DEADLINE, folder=cache_folder(), worker=self._own_worker()
        )
        return self._prober

    def _own_worker(self) -> Worker:
        """Returns the one process that runs programs, not started before it is needed."""
        if self._worker is None:
            self._worker = worker_for(choose(self._python).path, self._probe_on)
        return self._worker

    def _apply_fix(self, arguments: Table) -> Reply:
        path, wanted = self._boundary.file(arguments["path"]), arguments["id"]
        # A finding may rest on calls in other files: the files of the last check are checked with this one.
        paths = list(dict.fromkeys([*self._paths, path]))
        before = self._checked(paths)
        finding = next((one for one in before.result.findings if before.id_of(one) == wanted), None)
        if finding is None or self._boundary.path(finding.path) != path:
            raise Refused(f"{path} has no finding {wanted} now; check gives the ids of those there are")
        document = before.sources.get(finding.path)
        after = with_fix(document, finding.fix) if document is not None and finding.fix is not None else None
        if document is None or after is None:
            raise Refused(f"{finding.rule} has no automatic fix here; its message says what is wrong")
        problem = write(document, after)
        if problem is not None:
            raise Refused(f"{path}: {problem}")
        again = self._checked(paths)
        diff = "".join(unified(Change(document, after, 1), context=0))
        # The line has changed, and its fingerprint with it.
        is_gone = _like(finding, again) < _like(finding, before)
        summary = closing(again.result, 0)
        here = [one for one in worst(again.result.findings, 0) if one.path == finding.path][:MOST]
        text = [diff + ("the finding is gone" if is_gone else "the finding is still there")]
        text += ["\n".join([*block(one, again.sources), f"  id: {again.id_of(one)}"]) for one in here]
        told = {"diff": diff, "gone": is_gone, "summary": summary, "findings": _told(again, here)}
        return Reply("\n\n".join([*text, summary]), told)

    # ---- facts --------------------------------------------------------------------------------------------------------

    def _facts_at(self, arguments: Table) -> Reply:
        path, row = self._boundary.file(arguments["path"]), arguments["line"]
        name = arguments.get("name") or None
        document = _document(path)
        if document.cells:
            raise Refused(f"{path}: facts of notebooks are not served")
        last = len(document.rows) - document.text.endswith("\n")
        if not 1 <= row <= last:
            raise Refused(f"{path} has {last} lines")
        if name is not None and not _places(document, row, name):
            raise Refused(f"{path}:{row} has no `{name}`: {document.original_line(row).strip()}")
        options = Options(jobs=1, records=Records(cache_folder()))
        examination = Engine(options).examine(document, Provider(Workspace()))
        sources = SourcesInside({path: document}, self._boundary)
        facts: dict[str, Table] = {}
        unknown: dict[str, str] = {}
        for start, end in _places(document, row, name):
            written = document.text[start:end]
            found = inspection.at(examination, start)
            if found is not None and found.fact and found.kind in ("value", "call"):
                head, *notes = plain_text(found, sources).split("\n")
                notes = [one for one in notes if one != found.fact]
                facts.setdefault(head, {"name": found.name, "fact": found.fact, "notes": notes})
            elif name is None and written in _OWN_NAMES:
                continue
            elif (why := _why(examination, document, start, end)) is not None:
                unknown.setdefault(written, why)
        told = {
            "facts": list(facts.values())[:_MOST_FACTS],
            "unknown": [{"name": one, "because": why} for one, why in list(unknown.items())[:_MOST_FACTS]],
        }
        lines = ["\n  ".join([head, *one["notes"]]) for head, one in facts.items()]
        lines += [f"{one}: unknown because {why}" for one, why in unknown.items()]
        return Reply("\n".join(lines) or "no values on this line", told)

    # ---- errors, programs, documentation ------------------------------------------------------------------------------

    def _explain_error(self, arguments: Table) -> Reply:
        said = account(arguments["text"], within=self._boundary.root)
        text = "\n".join(as_text(said, _PLAIN))
        fixes = list(said.explanation.fixes) if said.explanation is not None else []
        return Reply(text, {"known": said.explanation is not None, "explanation": text, "fixes": fixes})

    def _try_snippet(self, arguments: Table) -> Reply:
        code = arguments["code"]
        if len(code) > _LONGEST_SNIPPET:
            raise Refused(f"the program has more than {_LONGEST_SNIPPET:,} characters")
        worker = self._own_worker()
        try:
            if not worker.hello().is_locked:
                raise Unavailable("programs cannot be sandboxed on this system")
            ended = run_snippet(worker, code, DEADLINE)
        except Unavailable as problem:
            raise Refused(f"nothing can be run: {problem}") from None
        error = ended.answer.error
        told: Table = {"outcome": ended.answer.outcome, "torch": ended.torch}
        if error is not None:
            told["error"] = str(error)
            if error.row is not None:
                told["line"] = error.row
        place = f" (line {told['line']})" if "line" in told else ""
        return Reply(
            f"{told['outcome']}: {told['error']}{place}" if error is not None else told["outcome"], told
        )

    def _docs(self, arguments: Table) -> Reply:
        symbol, search = arguments.get("symbol") or "", arguments.get("search") or ""
        if bool(symbol) == bool(search):
            raise Refused("give either symbol or search")
        if self._documentation is None:
            path = choose(self._python).path
            self._documentation = Documentation(path, site_packages(path))
        known = self._documentation
        if known.path is not None and not known.is_built():
            known.build()
        if search:
            text = listed(known.search(search), coloured=False, width=100) or f"nothing found for `{search}`"
            return Reply(text, {"text": text})
        entry = known.meant(symbol)
        notes = our_notes(entry.symbol if entry else symbol, known.versions().get("torch"))
        if entry is None and (known.path is not None or not notes):
            near = ", ".join(known.nearest(symbol))
            have = (
                f"torch {known.versions().get('torch', '')} has no `{symbol}`"
                if known.path
                else "there is no torch"
            )
            raise Refused(f"{have}; near: {near}" if near else have)
        text = "\n\n".join(filter(None, (notes, as_markdown(entry) if entry else "")))
        if len(text) > _LONGEST_TEXT:
            text = text[:_LONGEST_TEXT].rpartition("\n")[0] + "\n[cut]"
        return Reply(text, {"text": text})


def _told(checked: _Checked, findings: list[Finding]) -> list[Table]:
    return [_finding_told(one, checked) for one in findings]


def _finding_told(finding: Finding, checked: _Checked) -> Table:
    sources = checked.sources
    told: Table = {
        "id": checked.id_of(finding),
        "place": shown(finding.path, sources.get(finding.path), finding.span),
        "severity": finding.severity.value,
        "rule": finding.rule,
        "message": finding.message,
        "because": [related_words(finding, related, sources) for related in finding.trail],
    }
    if finding.verdict is not None:
        told["verdict"] = verdict_words(finding.verdict)
    diff = fix_diff(finding, sources)
    if finding.fix is not None and diff:
        told["fix"] = {"title": finding.fix.title, "safe": finding.fix.is_safe, "diff": "\n".join(diff)}
    return told


def _key(finding: Finding) -> tuple[object, ...]:
    return finding.path, finding.span, finding.rule, finding.message


def _like(finding: Finding, checked: _Checked) -> int:
    """Returns how many findings of the same rule are in the same function."""
    same = finding.path, finding.rule, finding.scope
    return sum((one.path, one.rule, one.scope) == same for one in checked.result.findings)


def _document(path: str) -> Document:
    try:
        return read_document(path, read_source(path))
    except (OSError, ValueError, NotebookProblem) as problem:
        raise Refused(f"{path}: {problem}") from None


def _places(document: Document, row: int, name: str | None) -> list[tuple[int, int]]:
    """Returns the places of the names on a row, or of one (its last part, where it is dotted)."""
    span = document.row_span(row)
    if name is None:
        return [(one.start(), one.end()) for one in _WORD.finditer(document.text, span.start, span.end)]
    pattern = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    found = [(one.start(), one.end()) for one in pattern.finditer(document.text, span.start, span.end)]
    last = len(name.rpartition(".")[2])
    return [(end - last, end) for _, end in found]


def _why(examination: Examination, document: Document, start: int, end: int) -> str | None:
    found = why_unknown(examination, start, end)
    return None if found is None else unknown_words(found, document)
