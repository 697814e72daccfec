"""The editors that the server is tested with: what each says it can, and what the server therefore owes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lsprotocol import types
from pygls.protocol import default_converter
from pytest_lsp import client_capabilities

# What vscode-languageclient 11, the library of VS Code 1.139's extensions, says of the features that concern us.
# Its utf-16 is the only encoding, and it has no use for the version of pushed diagnostics.
VISUAL_STUDIO_CODE: dict[str, Any] = {
    "general": {
        "positionEncodings": ["utf-16"],
        "staleRequestSupport": {
            "cancel": True,
            "retryOnContentModified": ["textDocument/semanticTokens/full"],
        },
        "regularExpressions": {"engine": "ECMAScript", "version": "ES2020"},
        "markdown": {"parser": "marked", "version": "1.1.0"},
    },
    "window": {
        "workDoneProgress": True,
        "showMessage": {"messageActionItem": {"additionalPropertiesSupport": True}},
        "showDocument": {"support": True},
    },
    "workspace": {
        "applyEdit": True,
        "workspaceEdit": {
            "documentChanges": True,
            "resourceOperations": ["create", "rename", "delete"],
            "failureHandling": "textOnlyTransactional",
            "normalizesLineEndings": True,
            "changeAnnotationSupport": {"groupsOnLabel": True},
            "metadataSupport": True,
            "snippetEditSupport": True,
        },
        "configuration": True,
        "workspaceFolders": True,
        "didChangeConfiguration": {"dynamicRegistration": True},
        "didChangeWatchedFiles": {"dynamicRegistration": True, "relativePatternSupport": True},
        "executeCommand": {"dynamicRegistration": True},
        "inlayHint": {"refreshSupport": True},
        "diagnostics": {"refreshSupport": True},
    },
    "textDocument": {
        "synchronization": {
            "dynamicRegistration": True,
            "willSave": True,
            "willSaveWaitUntil": True,
            "didSave": True,
        },
        "publishDiagnostics": {
            "relatedInformation": True,
            "versionSupport": False,
            "tagSupport": {"valueSet": [1, 2]},
            "codeDescriptionSupport": True,
            "dataSupport": True,
        },
        "diagnostic": {
            "dynamicRegistration": True,
            "relatedDocumentSupport": False,
            "relatedInformation": True,
            "tagSupport": {"valueSet": [1, 2]},
            "codeDescriptionSupport": True,
            "dataSupport": True,
            "markupMessageSupport": False,
        },
        "hover": {"dynamicRegistration": True, "contentFormat": ["markdown", "plaintext"]},
        "codeAction": {
            "dynamicRegistration": True,
            "isPreferredSupport": True,
            "disabledSupport": True,
            "dataSupport": True,
            "resolveSupport": {"properties": ["edit", "command"]},
            "codeActionLiteralSupport": {
                "codeActionKind": {
                    "valueSet": [
                        "",
                        "quickfix",
                        "refactor",
                        "refactor.extract",
                        "refactor.inline",
                        "refactor.move",
                        "refactor.rewrite",
                        "source",
                        "source.organizeImports",
                        "notebook",
                    ]
                }
            },
            "honorsChangeAnnotations": True,
            "documentationSupport": True,
        },
        "inlayHint": {
            "dynamicRegistration": True,
            "resolveSupport": {
                "properties": ["tooltip", "textEdits", "label.tooltip", "label.location", "label.command"]
            },
        },
    },
    "notebookDocument": {"synchronization": {"dynamicRegistration": True, "executionSummarySupport": True}},
}


@dataclass(frozen=True)
class Profile:
    """`pulls`: asks for diagnostics. `trail`, `links`: shows related locations, links of codes. `resolves`: asks
    for a code action's edit when the user has chosen it. `versioned_edits`: takes edits with versions."""

    name: str
    capabilities: types.ClientCapabilities
    pulls: bool
    encoding: str
    hints: bool
    trail: bool
    links: bool
    resolves: bool
    versioned_edits: bool


def visual_studio_code() -> types.ClientCapabilities:
    return default_converter().structure(VISUAL_STUDIO_CODE, types.ClientCapabilities)


PROFILES = (
    Profile(
        "neovim 0.11",
        client_capabilities("neovim@0.11"),
        pulls=False,  # it cannot be told to ask again
        encoding="utf-8",
        hints=True,
        trail=True,
        links=False,
        resolves=True,
        versioned_edits=False,
    ),
    Profile(
        "emacs 29.1",
        client_capabilities("emacs@29.1"),
        pulls=False,
        encoding="utf-32",
        hints=True,
        trail=False,
        links=False,
        resolves=False,
        versioned_edits=True,
    ),
    Profile(
        "visual studio code 1.65",
        client_capabilities("visual_studio_code@1.65.2"),
        pulls=False,
        encoding="utf-16",
        hints=False,
        trail=True,
        links=True,
        resolves=True,
        versioned_edits=True,
    ),
    Profile(
        "visual studio code 1.139",
        visual_studio_code(),
        pulls=True,
        encoding="utf-16",
        hints=True,
        trail=True,
        links=True,
        resolves=True,
        versioned_edits=True,
    ),
)
