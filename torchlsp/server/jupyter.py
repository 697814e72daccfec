"""Describes to JupyterLab how to start the server, by the entry point `jupyter_lsp_spec_v1` that jupyter-lsp
loads in its own process."""

from __future__ import annotations

import sys


def spec(manager: object) -> dict[str, dict[str, object]]:
    """Returns jupyter-lsp's description of a language server, by name."""
    return {
        "torchlsp": {
            "version": 2,
            "display_name": "torchlsp",
            # The Python that jupyter-lsp runs in is the one that this module is installed for.
            "argv": [sys.executable, "-m", "torchlsp", "server"],
            "languages": ["python"],
            "mime_types": ["text/x-python", "text/x-ipython"],
        }
    }
