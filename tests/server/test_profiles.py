"""What a user of each editor gets."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from editor_client import Editor, within
from lsprotocol import types

from torchlsp.server.convert import path_of

pytestmark = pytest.mark.asyncio(loop_scope="module")

VIEW = """\
import torch


def f():
    x = torch.zeros(2, 3, 4)
    y = x.permute(0, 2, 1)
    é = "😀😀"; z = y.view(-1)
    return z
"""


def codes(found: list[types.Diagnostic]) -> list[str]:
    return [str(one.code) for one in found]


async def test_encoding_is_the_first_that_the_client_names(editor: Editor):
    assert editor.encoding == editor.profile.encoding


async def test_diagnostics_arrive_once_with_all_that_the_client_shows(editor: Editor):
    uri = editor.open("opened.py", VIEW)
    (found,) = await editor.found(uri)
    assert found.code == "TL101"
    assert found.source == "torchlsp"
    assert found.severity is types.DiagnosticSeverity.Error
    assert "noncontig" in found.message
    assert editor.at(uri, found.range) == "y.view(-1)"
    if editor.profile.trail:
        (step, *_) = found.related_information
        assert step.location.uri == uri
        assert editor.at(uri, step.location.range) == "x.permute(0, 2, 1)"
        assert "permuted here" in step.message
    else:
        assert found.related_information is None
    if editor.profile.links:
        assert found.code_description.href.endswith("TL101-view-on-noncontiguous.md")
    else:
        assert found.code_description is None
    await editor.settle()
    sent = [params for params in editor.sent if params.uri == uri]
    assert len(sent) == (0 if editor.profile.pulls else 1)
    editor.close(uri)


async def test_an_edit_is_checked_anew(editor: Editor):
    uri = editor.open("edited.py", VIEW)
    assert codes(await editor.found(uri)) == ["TL101"]
    editor.replace(uri, "y.view", "y.reshape")
    assert await editor.found(uri) == []
    editor.replace(uri, "import torch\n", "import torch\nü = '😀'  # above\n")
    editor.replace(uri, "reshape", "view")
    (found,) = await editor.found(uri)
    assert editor.at(uri, found.range) == "y.view(-1)"
    editor.close(uri)


async def test_an_unchanged_result_is_not_sent_again(editor: Editor):
    if not editor.profile.pulls:
        pytest.skip("this client is sent its diagnostics")
    uri = editor.open("asked_twice.py", VIEW)
    document = types.TextDocumentIdentifier(uri)
    first = await within(editor.text_document_diagnostic_async(types.DocumentDiagnosticParams(document)))
    again = await within(
        editor.text_document_diagnostic_async(
            types.DocumentDiagnosticParams(document, previous_result_id=first.result_id)
        )
    )
    assert isinstance(again, types.RelatedUnchangedDocumentDiagnosticReport)
    assert again.result_id == first.result_id
    editor.replace(uri, "y.view", "y.reshape")
    new = await within(
        editor.text_document_diagnostic_async(
            types.DocumentDiagnosticParams(document, previous_result_id=first.result_id)
        )
    )
    assert isinstance(new, types.RelatedFullDocumentDiagnosticReport)
    assert list(new.items) == []
    editor.close(uri)


async def test_an_unused_suppression_is_faded(editor: Editor):
    uri = editor.open("unused.py", "import torch\n\nx = torch.zeros(2)  # torchlsp: ignore[TL101]\n")
    (found,) = await editor.found(uri)
    assert found.code == "TL001"
    assert found.severity is types.DiagnosticSeverity.Warning
    assert list(found.tags) == [types.DiagnosticTag.Unnecessary]
    editor.close(uri)


async def test_hover_tells_the_fact_and_where_it_came_from(editor: Editor):
    uri = editor.open("hovered.py", VIEW)
    found = await editor.hover(uri, "y.view")
    assert isinstance(found.contents, types.MarkupContent)
    assert found.contents.kind is types.MarkupKind.Markdown
    assert "f32[2, 4, 3]" in found.contents.value
    assert "permute" in found.contents.value
    assert editor.at(uri, found.range) == "y"
    editor.close(uri)


async def test_the_preferred_fix_cures(editor: Editor):
    uri = editor.open("fixed.py", VIEW)
    (before,) = await editor.found(uri)
    actions = await editor.actions(uri, "view")
    fixes = [one for one in actions if one.is_preferred is not None]
    assert [one.is_preferred for one in fixes] == [True, False]
    for one in fixes:
        assert one.kind == types.CodeActionKind.QuickFix
        assert [d.code for d in one.diagnostics] == ["TL101"]
        assert one.diagnostics[0].range == before.range
    editor.apply(await editor.with_edit(fixes[0]))
    assert 'é = "😀😀"; z = y.reshape(-1)' in editor.texts[uri]
    assert await editor.found(uri) == []
    editor.close(uri)


UNSAFE = """\
import torch


def train(model, loader):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for inputs, targets in loader:
        loss = (model(inputs) - targets).sum()
        loss.backward()
        optimizer.step()
"""


async def test_an_unsafe_fix_says_so_and_is_not_preferred(editor: Editor):
    uri = editor.open("unsafe.py", UNSAFE)
    assert codes(await editor.found(uri)) == ["TL501"]
    actions = await editor.actions(uri, "loss.backward()")
    (fix,) = [one for one in actions if one.edit is not None and "zero_grad" in one.title]
    assert fix.title.endswith("(unsafe)")
    assert not fix.is_preferred
    editor.apply(fix.edit)
    assert await editor.found(uri) == []
    editor.close(uri)


async def test_ignoring_here_silences_and_leaves_no_unused_comment(editor: Editor):
    uri = editor.open("ignored.py", VIEW)
    await editor.found(uri)
    (action,) = [one for one in await editor.actions(uri, "y.view") if one.title.startswith("Ignore TL101")]
    editor.apply(await editor.with_edit(action))
    assert "z = y.view(-1)  # torchlsp: ignore[TL101]\n" in editor.texts[uri]
    assert await editor.found(uri) == []
    editor.close(uri)


async def test_explaining_opens_the_page_where_the_client_can(editor: Editor):
    uri = editor.open("explained.py", VIEW)
    await editor.found(uri)
    (action,) = [one for one in await editor.actions(uri, "y.view") if one.title.startswith("Explain TL101")]
    editor.shown_documents.clear()
    page = await within(
        editor.workspace_execute_command_async(
            types.ExecuteCommandParams(action.command.command, action.command.arguments)
        )
    )
    assert "view" in page and page.startswith("#")
    assert "# expect:" not in page and "**Fixed:**" in page
    shows = editor.profile.capabilities.window.show_document
    assert len(editor.shown_documents) == (1 if shows is not None and shows.support else 0)
    for shown in editor.shown_documents:
        assert shown.uri.endswith("TL101-view-on-noncontiguous.md")
        assert Path(path_of(shown.uri)).read_text(encoding="utf-8") == page
    editor.close(uri)


async def test_a_code_action_asks_nothing_of_the_client_s_diagnostics(editor: Editor):
    """Neovim 0.7 sends byte columns back, whatever was agreed on."""
    uri = editor.open("distrusted.py", VIEW)
    (true,) = await editor.found(uri)
    wrong = types.Diagnostic(
        range=types.Range(types.Position(6, 29), types.Position(6, 39)), message=true.message, code="TL101"
    )
    params = types.CodeActionParams(
        types.TextDocumentIdentifier(uri), editor.span(uri, "y.view(-1)"), types.CodeActionContext([wrong])
    )
    actions = await within(editor.text_document_code_action_async(params))
    fix = next(one for one in actions if one.is_preferred)
    assert fix.diagnostics[0].range == true.range
    editor.apply(await editor.with_edit(fix))
    assert "z = y.reshape(-1)\n" in editor.texts[uri]
    editor.close(uri)


TWICE = """\
import torch

x = torch.zeros(2, 3).t()
a = x.view(6)
é = "😀"; b = x.view(-1)
c = torch.zeros(3, 4).t().view(12)
"""


async def test_all_of_a_rule_are_fixed_at_once(editor: Editor):
    uri = editor.open("rule.py", TWICE)
    assert codes(await editor.found(uri)) == ["TL101"] * 3
    actions = await editor.actions(uri, "x.view(6)")
    (action,) = [one for one in actions if one.title.startswith("Make all safe fixes of TL101")]
    editor.apply(await editor.with_edit(action))
    assert editor.texts[uri] == TWICE.replace(".view(", ".reshape(")
    assert await editor.found(uri) == []
    editor.close(uri)


async def test_a_range_of_several_findings_offers_each_rule_once(editor: Editor):
    uri = editor.open("several.py", TWICE)
    await editor.found(uri)
    titles = [one.title for one in await editor.actions(uri, TWICE)]
    assert titles.count("Replace view by reshape") == 3
    assert titles.count("Ignore TL101 here") == 3
    assert len([one for one in titles if one.startswith("Make all safe fixes of")]) == 1
    assert len([one for one in titles if one.startswith("Explain TL101")]) == 1
    editor.close(uri)


@pytest.mark.parametrize("kind", ["source.fixAll.torchlsp", "source.fixAll", "source"])
async def test_the_text_is_fixed_on_save(editor: Editor, kind: str):
    """What `editor.codeActionsOnSave` asks for, before the lightbulb was ever shown."""
    uri = editor.open(f"{kind}.py", TWICE)
    actions = await editor.actions(uri, TWICE, only=[kind])
    assert [one.kind for one in actions] == ["source.fixAll.torchlsp"]
    editor.apply(await editor.with_edit(actions[0]))
    assert editor.texts[uri] == TWICE.replace(".view(", ".reshape(")
    assert await editor.found(uri) == []
    assert await editor.actions(uri, editor.texts[uri], only=[kind]) == []
    editor.close(uri)


async def test_only_the_kinds_asked_for_are_offered(editor: Editor):
    uri = editor.open("kinds.py", TWICE)
    await editor.found(uri)
    assert await editor.actions(uri, "x.view(6)", only=["refactor"]) == []
    assert await editor.actions(uri, "x.view(6)", only=["source.organizeImports"]) == []
    quick = await editor.actions(uri, "x.view(6)", only=["quickfix"])
    assert {one.kind for one in quick} == {types.CodeActionKind.QuickFix}
    editor.close(uri)


async def test_hints_show_facts_at_assignments(editor: Editor):
    if not editor.profile.hints:
        pytest.skip("this client shows no hints")
    uri = editor.open("hinted.py", VIEW)
    found = dict(await editor.hints(uri))
    assert "f32[2, 3, 4]" in found["x = torch.zeros(2, 3, 4)"]
    assert "f32[2, 4, 3]" in found["y = x.permute(0, 2, 1)"]
    editor.close(uri)


async def test_broken_text_keeps_what_is_intact(editor: Editor):
    uri = editor.open("broken.py", VIEW)
    await editor.found(uri)
    editor.replace(uri, "    return z\n", "    return z\n\n\ndef g(:\n    pass\n")
    found = await editor.found(uri)
    assert codes(found) == ["TL101"]
    editor.replace(uri, "z = y.view(-1)", "z = y.view(")
    found = await editor.found(uri)
    assert codes(found) == []
    hover = await editor.hover(uri, "x.permute")
    assert "f32[2, 3, 4]" in hover.contents.value
    editor.close(uri)


async def test_a_closed_text_shows_nothing(editor: Editor):
    uri = editor.open("closed.py", VIEW)
    assert codes(await editor.found(uri)) == ["TL101"]
    editor.close(uri)
    assert await editor.found(uri) == []
    assert (
        await within(
            editor.text_document_hover_async(
                types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(5, 4))
            )
        )
        is None
    )
    assert await editor.actions(uri, "y.view") == []


async def test_opening_anew_begins_anew(editor: Editor):
    uri = editor.open("reopened.py", VIEW)
    await editor.found(uri)
    editor.close(uri)
    editor.open("reopened.py", VIEW.replace("view", "reshape"))
    assert await editor.found(uri) == []
    editor.close(uri)


async def test_the_server_offers_what_it_can(editor: Editor):
    offered = editor.offered
    assert offered.text_document_sync.change is types.TextDocumentSyncKind.Incremental
    assert offered.text_document_sync.open_close
    assert (offered.diagnostic_provider is not None) == editor.profile.pulls
    if editor.profile.pulls:
        assert offered.diagnostic_provider.inter_file_dependencies
        assert not offered.diagnostic_provider.workspace_diagnostics
    assert "source.fixAll.torchlsp" in offered.code_action_provider.code_action_kinds
    assert offered.code_action_provider.resolve_provider


async def test_configuration_files_are_watched_where_the_client_watches_for_us(editor: Editor):
    await editor.settle()
    watching = editor.profile.capabilities.workspace.did_change_watched_files
    methods = [one.method for one in editor.registered]
    dynamic = watching is not None and bool(watching.dynamic_registration)
    assert ("workspace/didChangeWatchedFiles" in methods) == dynamic


async def test_requests_at_once_are_all_answered(editor: Editor):
    uri = editor.open("at_once.py", VIEW)
    editor.replace(uri, "y.view", "y.reshape")
    hovers = await within(asyncio.gather(*(editor.hover(uri, "y.reshape") for _ in range(20))))
    assert all("f32[2, 4, 3]" in one.contents.value for one in hovers)
    editor.close(uri)
