"""The classes of the protocol, as the server imports them: in less time, and the same but for when they are made and by whom."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

INITIALIZE = {
    "processId": 1,
    "rootUri": "file:///a",
    "workspaceFolders": [{"uri": "file:///a", "name": "a"}],
    "capabilities": {
        "general": {"positionEncodings": ["utf-16"]},
        "textDocument": {
            "publishDiagnostics": {"relatedInformation": True, "tagSupport": {"valueSet": [1, 2]}},
            "hover": {"contentFormat": ["markdown", "plaintext"]},
        },
        "workspace": {"workspaceEdit": {"documentChanges": True}},
    },
    "initializationOptions": {"settings": {"debounce": 0}},
}
CHANGE = {
    "textDocument": {"uri": "file:///a.py", "version": 2},
    "contentChanges": [
        {"range": {"start": {"line": 1, "character": 2}, "end": {"line": 1, "character": 3}}, "text": "a"},
        {"text": "all"},
    ],
}
PROGRAM = (
    f"""
INITIALIZE = {INITIALIZE!r}
CHANGE = {CHANGE!r}
"""
    + """
import json, sys
import attrs
define = attrs.define
if sys.argv[1] == "ours":
    from torchlsp.server.protocol_classes import import_protocol_classes
    import_protocol_classes()
from lsprotocol import converters, types
converter = converters.get_converter()
used = sum("_Waiting" not in type(vars(one).get("__attrs_attrs__")).__name__ for one in vars(types).values() if isinstance(one, type))
place = types.Position(3, 4)
found = types.Diagnostic(types.Range(place, place), "a message", code="TL101", tags=[types.DiagnosticTag.Unnecessary])
same = types.Diagnostic(types.Range(place, place), "a message", code="TL101", tags=[types.DiagnosticTag.Unnecessary])
try:
    types.Diagnostic(types.Range(place, place), 3)
    refused = False
except TypeError:
    refused = True
print(json.dumps({
    "shown": [repr(found), repr(place), str(types.Hover(types.MarkupContent(types.MarkupKind.Markdown, "a")))],
    "equal": [found == same, found == types.Diagnostic(types.Range(place, place), "another"), place == types.Position(3, 4)],
    "refused": refused,
    "restored": attrs.define is define,
    "read": repr(converter.structure(INITIALIZE, types.InitializeParams)),
    "written": converter.unstructure(types.PublishDiagnosticsParams("file:///a.py", [found], 3)),
    "changes": repr(converter.structure(CHANGE, types.DidChangeTextDocumentParams)),
    "answers": [repr(converter.structure({"id": 1, "jsonrpc": "2.0", "result": None}, types.ShutdownResponse)),
                converter.unstructure(types.HoverResponse(1, types.Hover(types.MarkupContent(types.MarkupKind.Markdown, "a"))))],
    "fields": {name: [(field.name, str(field.type), field.default is attrs.NOTHING, field.kw_only) for field in attrs.fields(one)]
               for name, one in vars(types).items() if isinstance(one, type) and attrs.has(one)},
    "used": used,
    "of_its_own": sum("__repr__" in vars(one) and one.__repr__.__module__ == "lsprotocol.types"
                      for one in vars(types).values() if isinstance(one, type) and attrs.has(one)),
}))
"""
)


def told(which: str) -> dict[str, object]:
    ran = subprocess.run([sys.executable, "-c", PROGRAM, which], capture_output=True, text=True, check=True)
    return json.loads(ran.stdout)


@pytest.mark.processes
def test_they_are_as_the_library_makes_them():
    ours, theirs = told("ours"), told("library")
    made_by_us, made_by_attrs = ours.pop("of_its_own"), theirs.pop("of_its_own")
    used, there = ours.pop("used"), theirs.pop("used")
    assert len(ours["fields"]) > 500
    assert ours == theirs
    assert made_by_us < 5 < 500 < made_by_attrs  # Position has one of its own
    assert used < there - 400
