"""Recognises that a coding agent has started the process, by the environment variables that agents set."""

from __future__ import annotations

import os

VARIABLES = {
    "AGENT": "OpenCode (1), goose, Amp and Crush (their names)",
    "AI_AGENT": "Crush, v0 and others that follow the same proposal",
    "AMP_CURRENT_THREAD_ID": "Amp",
    "AUGMENT_AGENT": "Auggie",
    "CLAUDECODE": "Claude Code",
    "CLINE_ACTIVE": "Cline",
    "CODEX_SANDBOX": "Codex, inside its sandbox",
    "CODEX_THREAD_ID": "Codex",
    "COPILOT_AGENT": "Copilot in Visual Studio Code",
    "COPILOT_CLI": "Copilot CLI and the cloud agent",
    "CRUSH": "Crush",
    "CURSOR_AGENT": "Cursor",
    "GEMINI_CLI": "Gemini CLI",
    "GOOSE_TERMINAL": "goose",
    "OPENCODE": "OpenCode",
    "PI_CODING_AGENT": "Pi",
    "QWEN_CODE": "Qwen Code",
}
"""The variables that agents set for the commands they run, and who does.

Aider and Windsurf set none of their own there: what begins with their names are keys and settings of the user's, or
belongs to the whole editor.
"""
_OFF = frozenset({"", "0", "false"})


def agent_variable() -> str | None:
    """Returns the name of a set variable by which an agent makes itself known; None without any."""
    return next((name for name in VARIABLES if os.environ.get(name, "").lower() not in _OFF), None)
