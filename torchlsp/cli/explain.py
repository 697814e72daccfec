"""Implements `torchlsp explain`."""

from __future__ import annotations

import json
import re
import sys
from typing import TYPE_CHECKING

from torchlsp.core.finding import GROUPS
from torchlsp.engine.config import Catalogue, ConfigError
from torchlsp.engine.engine import installed_rules
from torchlsp.files import decoded

if TYPE_CHECKING:
    import argparse

    from torchlsp.engine.explaining import Account

UNKNOWN = 1
"""Exit status for an error that has no explanation, and where there is none."""

_USAGE = "what is to be explained? A rule (TL101), an error's text, or on stdin: python train.py 2>&1 | torchlsp explain"
_CHUNK = 1 << 20
_IDENTIFIER = re.compile(r"[eE]\d{2,3}")


def explain(options: argparse.Namespace) -> int:
    """Explains a rule, an error's text, the error in a program's output on stdin, or the crash of a recorded run."""
    words = options.what
    if options.last:
        if words:
            raise ConfigError("--last explains a recorded crash: it goes with no code and no text")
        return _explain_last(options)
    for name in ("root", "cache_dir"):
        if getattr(options, name) is not None:
            raise ConfigError(f"--{name.replace('_', '-')} goes with --last")
    if not words and (sys.stdin is None or sys.stdin.isatty()):
        raise ConfigError(_USAGE)
    if not words or words == ["-"]:
        return _explain_error(_standard_input(), options)
    if words == ["notation"]:
        return _explain_notation(options)
    catalogue = Catalogue(installed_rules())
    if len(words) == 1:
        rule = catalogue.get(words[0])
        if rule is not None:
            from torchlsp.cli.rules import show_page

            return show_page(rule, options)
        if _IDENTIFIER.fullmatch(words[0]) and _explain_entry(words[0], options):
            return 0
    text = " ".join(words)
    if text.lower() in GROUPS:
        raise ConfigError(f"`{text}` is a group of rules; `torchlsp rules --group {text.lower()}` lists them")
    if not _is_like_an_error(text):
        nearest = catalogue.nearest(text)
        meant = f", did you mean `{nearest}`?" if nearest else "; `torchlsp rules` lists them"
        raise ConfigError(f"unknown rule `{text}`{meant}")
    return _explain_error(text, options)


def _is_like_an_error(text: str) -> bool:
    """Returns whether the text is more than a misspelt code or name of a rule."""
    from torchlsp.engine.explaining import is_known

    return len(text.split()) > 1 or ":" in text or is_known(text)


def _standard_input() -> str:
    """Reads the last part of standard input, where an error is, however long the input is."""
    from torchlsp.engine.tracebacks import MAX_TEXT_LENGTH

    most = 4 * MAX_TEXT_LENGTH  # bytes
    kept = b""
    while chunk := sys.stdin.buffer.read(_CHUNK):
        kept = (kept + chunk)[-most:]
    return decoded(kept)


def _explain_error(text: str, options: argparse.Namespace) -> int:
    from torchlsp.engine.explaining import account

    return _print_account(account(text), options)


def _explain_last(options: argparse.Namespace) -> int:
    """Explains the crash of the newest recorded run of the workspace."""
    from torchlsp.cli.record import workspace_root
    from torchlsp.engine.cache_folder import cache_folder
    from torchlsp.engine.crashes import NoCrash, last_crash
    from torchlsp.recorder import store

    root = workspace_root(options)
    try:
        said = last_crash(store.records_folder(cache_folder(options.cache_dir), root), root)
    except NoCrash as reason:
        print(f"torchlsp: {reason}", file=sys.stderr)
        return UNKNOWN
    return _print_account(said, options)


def _print_account(said: Account, options: argparse.Namespace) -> int:
    from torchlsp.report.explaining import as_json, as_text

    if options.output_format == "json":
        print(json.dumps(as_json(said), indent=2, ensure_ascii=False))
    else:
        print("\n".join(as_text(said, _painter(options))))
    return 0 if said.explanation is not None else UNKNOWN


def _explain_entry(identifier: str, options: argparse.Namespace) -> bool:
    from torchlsp.engine.explaining import entry, general_fixes
    from torchlsp.report.explaining import entry_as_json, entry_as_text

    found = entry(identifier)
    if found is None:
        return False
    if options.output_format == "json":
        print(json.dumps(entry_as_json(found, general_fixes(found)), indent=2, ensure_ascii=False))
    else:
        print("\n".join(entry_as_text(found, general_fixes(found), _painter(options))))
    return True


def _painter(options: argparse.Namespace):
    from torchlsp.cli.output import coloured
    from torchlsp.report.text import Painter

    return Painter(coloured(options.color, sys.stdout))


def _explain_notation(options: argparse.Namespace) -> int:
    """Prints how facts are written."""
    from torchlsp.lint.pages import notation

    page = notation()
    print(json.dumps({"page": page}, indent=2) if options.output_format == "json" else page.rstrip("\n"))
    return 0
