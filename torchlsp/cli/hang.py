"""Implements `torchlsp hang`."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from torchlsp.engine.config import ConfigError
from torchlsp.hang.account import account
from torchlsp.report.ascii_json import dumps
from torchlsp.report.hang import as_json, as_text
from torchlsp.report.words import printable

if TYPE_CHECKING:
    import argparse


def hang(options: argparse.Namespace) -> int:
    """Prints where the ranks of a job wait and where they parted; 0 where nothing differs and no rank waits."""
    for path in options.dumps:
        if not os.path.exists(path):
            raise ConfigError(f"{path}: no such file or folder")
    if options.source is not None and not os.path.isdir(options.source):
        raise ConfigError(f"--source {options.source}: no such folder")
    found = account(options.dumps, options.source)
    for path, why in found.refused:
        print(f"torchlsp: {printable(path)} {printable(why)}", file=sys.stderr)
    if not found.dumps:
        raise ConfigError("there is no dump of the Flight Recorder to read")
    if options.output_format == "json":
        print(dumps(as_json(found)))
    else:
        from torchlsp.cli.output import coloured
        from torchlsp.report.text import Painter

        print("\n".join(as_text(found, Painter(coloured(options.color, sys.stdout)))))
    return 1 if found.is_hanging else 0
