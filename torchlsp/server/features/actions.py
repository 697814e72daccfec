"""Offers code actions: fixes, all fixes of a rule or of the text, ignoring a finding, its explanation."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from torchlsp.core.finding import Edit
from torchlsp.core.span import Span
from torchlsp.server.features.diagnostics import findings_in
from torchlsp.server.features.probing import PROBE, SCRIPT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from torchlsp.core.finding import Finding
    from torchlsp.core.text import Document
    from torchlsp.server.app import TorchServer
    from torchlsp.server.convert import Converter
    from torchlsp.server.session import Unit

FIX_ALL = "source.fixAll.torchlsp"
EXPLAIN = "torchlsp.explain"


def register(server: TorchServer) -> None:
    options = types.CodeActionOptions(
        code_action_kinds=[types.CodeActionKind.QuickFix, FIX_ALL], resolve_provider=True
    )

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, options)
    async def code_actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        return await _actions(server, params)

    @server.feature(types.CODE_ACTION_RESOLVE)
    async def resolve(action: types.CodeAction) -> types.CodeAction:
        data = action.data if isinstance(action.data, dict) else {}
        unit = server.session.unit_of(str(data.get("uri", "")))
        if action.edit is None and unit is not None:
            action.edit = await fix_all(server, unit, data.get("rule"))
        return action


async def fix_all(server: TorchServer, unit: Unit, rule: str | None) -> types.WorkspaceEdit | None:
    """Returns all safe fixes of a text, or those of one rule. None when there are none, or the text has
    changed since."""
    session = server.session
    document = unit.document
    settings = session.settings_of(document.path)
    fixed = await session.run(session.analyst.fixed, document, settings, rule)
    if fixed is None or unit.document is not document:
        return None
    return _workspace_edit(server, unit, document, _changes(document, fixed))


async def _actions(server: TorchServer, params: types.CodeActionParams) -> list[types.CodeAction]:
    uri = params.text_document.uri
    start, end = server.place(uri, params.range.start), server.place(uri, params.range.end)
    if start is None or end is None:
        return []
    unit = start[0]
    only = params.context.only
    document = unit.document
    examined = await server.session.examined(unit)
    if examined is None or unit.document is not document or not unit.is_current:
        return []  # the range is one of a text that is gone
    actions: list[types.CodeAction] = []
    if _wanted(only, types.CodeActionKind.QuickFix):
        # Never by `context.diagnostics`: some clients send other columns there than they were given.
        actions.extend(await _quick_fixes(server, unit, findings_in(unit, start[1], end[1])))
    if _wanted(only, FIX_ALL) and any(one.has_safe_fix for one in examined.examination.result.findings):
        action = types.CodeAction("torchlsp: make all safe fixes", FIX_ALL)
        actions.extend(await _with_edit(server, action, unit, None))
    return actions


async def _quick_fixes(server: TorchServer, unit: Unit, findings: list[Finding]) -> list[types.CodeAction]:
    """Returns the actions of each finding: its fixes, those of all like it, ignoring it, its explanation."""
    from torchlsp.engine.fixing import edits_in_cells

    document = unit.document
    converter = server.converter(document)
    make = server.reports.maker(unit, converter)
    probes: list[types.CodeAction] = []
    fixes: list[types.CodeAction] = []
    ignores: list[types.CodeAction] = []
    by_rule: dict[str, list[Finding]] = {}
    for finding in findings:
        by_rule.setdefault(finding.rule, []).append(finding)
        diagnostic = make(finding)
        for number, fix in enumerate(finding.fixes):
            edits = edits_in_cells(document, fix.edits)
            if edits is None:
                continue
            safe = fix.is_safe
            fixes.append(
                types.CodeAction(
                    fix.title if safe else f"{fix.title} (unsafe)",
                    types.CodeActionKind.QuickFix,
                    [diagnostic],
                    is_preferred=safe and number == 0,
                    edit=_workspace_edit(server, unit, document, edits),
                )
            )
        probes.extend(_probe_actions(finding, diagnostic, converter))
        ignored = _ignored(unit, finding)
        if ignored:
            edit = _workspace_edit(server, unit, document, ignored)
            title = f"Ignore {finding.rule} here"
            ignores.append(types.CodeAction(title, types.CodeActionKind.QuickFix, [diagnostic], edit=edit))
    # Safe fixes first: editors offer the first one.
    fixes.sort(key=lambda action: not action.is_preferred)
    explanations: list[types.CodeAction] = []
    fixable = _fixable(unit)
    for rule, alike in by_rule.items():
        diagnostics = [make(finding) for finding in alike]
        name = f"{rule} ({alike[0].name})"
        if any(one.has_safe_fix for one in alike) and fixable[rule] > 1:
            title = f"Make all safe fixes of {name}"
            action = types.CodeAction(title, types.CodeActionKind.QuickFix, diagnostics)
            fixes.extend(await _with_edit(server, action, unit, rule))
        title = f"Explain {name}"
        command = types.Command(title=title, command=EXPLAIN, arguments=[rule])
        explanations.append(
            types.CodeAction(title, types.CodeActionKind.QuickFix, diagnostics, command=command)
        )
    return [*fixes, *ignores, *explanations, *probes]


def _probe_actions(
    finding: Finding, diagnostic: types.Diagnostic, converter: Converter
) -> list[types.CodeAction]:
    """Returns actions that run a finding's program in torch, and that show the program."""
    if finding.probe is None:
        return []
    start = finding.span.start
    place = [converter.uri(start), finding.rule, converter.position(start).line]
    offers = [(f"Show {finding.rule} as a runnable script", SCRIPT)]
    if finding.verdict is None:
        offers.insert(0, (f"Probe {finding.rule} in torch", PROBE))
    return [
        types.CodeAction(
            title,
            types.CodeActionKind.QuickFix,
            [diagnostic],
            command=types.Command(title=title, command=command, arguments=place),
        )
        for title, command in offers
    ]


async def _with_edit(
    server: TorchServer, action: types.CodeAction, unit: Unit, rule: str | None
) -> list[types.CodeAction]:
    """Returns the action, resolved later where the client supports that: its edit takes an analysis or two.
    Nothing where there turns out to be no edit."""
    resolved = server.client_has("text_document.code_action.resolve_support.properties") or ()
    if "edit" in resolved and server.client_has("text_document.code_action.data_support"):
        action.data = {"uri": unit.uri, "rule": rule}
    else:
        action.edit = await fix_all(server, unit, rule)
        if action.edit is None:
            return []
    return [action]


def _ignored(unit: Unit, finding: Finding) -> tuple[Edit, ...]:
    from torchlsp.engine.ignoring import ignore_edits

    examination = unit.examination
    return tuple(ignore_edits(examination.tree, [finding])) if examination is not None else ()


def _fixable(unit: Unit) -> Counter[str]:
    examination = unit.examination
    findings = examination.result.findings if examination is not None else ()
    return Counter(one.rule for one in findings if one.has_safe_fix)


def _wanted(only: Any, kind: str) -> bool:
    """Returns whether a kind is requested; `source` and `source.fixAll` include our kinds too."""
    if not only:
        return kind == types.CodeActionKind.QuickFix
    names = [getattr(one, "value", one) for one in only]
    return any(kind == name or name == "" or kind.startswith(f"{name}.") for name in names)


def _workspace_edit(
    server: TorchServer, unit: Unit, document: Document, edits: Iterable[Edit]
) -> types.WorkspaceEdit:
    """Returns an edit of a file, or of the notebook cells that it touches."""
    converter = server.converter(document)
    notebook = server.session.notebooks.get(unit.uri)
    changes: dict[str, list[types.TextEdit]] = {}
    versions: dict[str, int | None] = {}
    for edit in sorted(edits, key=lambda edit: edit.span):
        uri = converter.uri(edit.span.start)
        changes.setdefault(uri, []).append(types.TextEdit(converter.range(edit.span), edit.text))
        text = notebook.texts.get(uri) if notebook is not None else document
        versions[uri] = text.version if text is not None else None
    return server.workspace_edit(changes, versions)


def _changes(before: Document, after: Document) -> list[Edit]:
    """Returns edits that turn one document into the other, none of them across a notebook's cells."""
    if not before.cells:
        return differences(before.text, after.text)
    found = []
    for old, new in zip(before.cells, after.cells, strict=True):
        edits = differences(
            before.original[old.span.start : old.span.end], after.original[new.span.start : new.span.end]
        )
        found.extend(Edit(edit.span.shifted(old.span.start), edit.text) for edit in edits)
    return found


def differences(old: str, new: str) -> list[Edit]:
    """Returns edits of whole lines that turn one text into the other."""
    from difflib import SequenceMatcher

    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    starts = [0]
    for line in before:
        starts.append(starts[-1] + len(line))
    return [
        Edit(Span(starts[a], starts[b]), "".join(after[c:d]))
        for tag, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
        if tag != "equal"
    ]
