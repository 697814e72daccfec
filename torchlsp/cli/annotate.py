"""Implements `torchlsp annotate`: writes observed shapes into a file as jaxtyping annotations."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from torchlsp.engine.annotating import annotate as annotated
from torchlsp.engine.cache_folder import cache_folder
from torchlsp.engine.config import ConfigError
from torchlsp.engine.fixing import write
from torchlsp.engine.provider import shown_path
from torchlsp.engine.reading import read_document
from torchlsp.engine.records import Records
from torchlsp.files import read_source
from torchlsp.report.diff import unified

if TYPE_CHECKING:
    import argparse

NOTHING = 1
"""Exit status where there is nothing to write."""


def annotate(options: argparse.Namespace) -> int:
    """Prints the diff that annotates a file, or writes the file."""
    path = options.file
    if not path.endswith(".py") or os.path.isdir(path):
        raise ConfigError(f"{path} is no Python file")
    try:
        document = read_document(shown_path(path), read_source(path))
    except OSError as failure:
        raise ConfigError(f"cannot read {path}: {failure.strerror or failure}") from None
    record = Records(cache_folder(options.cache_dir)).of(path)
    if record is None:
        _tell(f"nothing is recorded of {path}; torchlsp record -- python train.py records a run")
        return NOTHING
    found = annotated(document, record)
    if found.problem is not None:
        _tell(f"{path}: {found.problem}")
        return NOTHING
    if found.changed_functions:
        _tell(f"left out, since they were changed after the run: {', '.join(found.changed_functions)}")
    if found.change is None:
        _tell(f"nothing to annotate in {path}: no recorded tensor without an annotation")
        return NOTHING
    if options.write:
        problem = write(found.change.document, found.change.fixed)
        if problem is not None:
            raise ConfigError(f"{path} was not written: {problem}")
        count = found.change.fixes
        _tell(f"annotated {count} function{'' if count == 1 else 's'} of {path}")
    else:
        sys.stdout.writelines(unified(found.change))
    return 0


def _tell(sentence: str) -> None:
    print(f"torchlsp: {sentence}", file=sys.stderr)
