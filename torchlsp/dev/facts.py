"""Prints the fact of each assignment of a file, in the notation: `12: logits: f32[B, 10] grad`."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator

from torchlsp.core.text import Document
from torchlsp.engine.provider import Provider, shown_path
from torchlsp.engine.workspace import Workspace
from torchlsp.facts.notation import value_text
from torchlsp.interp.run.analyse import analyse
from torchlsp.interp.store.analysis import Analysis
from torchlsp.lint.files import lowered
from torchlsp.program import ir


class WorkspaceImports:
    """Provides other files of the workspace, lowered."""

    def __init__(self, provider: Provider) -> None:
        self.provider = provider

    def module(self, dotted_name: str, importing_path: str) -> ir.Module | None:
        tree = self.provider.module(dotted_name, importing_path)
        return None if tree is None else lowered(tree)


def analysed(path: str) -> tuple[Document, Analysis]:
    """Returns a file's text and all that the interpreter knows of it; internal errors are raised."""
    with open(path, "rb") as file:
        document = Document.from_bytes(shown_path(os.path.abspath(path)), file.read())
    provider = Provider(Workspace())
    module = lowered(provider.tree(document))
    return document, analyse(module, WorkspaceImports(provider), recording=True, strict=True)


def lines(document: Document, analysis: Analysis) -> Iterator[str]:
    for (start, end), value in sorted(analysis.names.items(), key=lambda item: item[0]):
        row, _ = document.row_column(start)
        yield f"{row}: {document.text[start:end]}: {value_text(value)}"
    for fault in analysis.faults:
        place = fault.path or document.path
        row = document.row_column(fault.start)[0] if place == document.path else "?"
        resting = f" (if {', '.join(sorted(fault.assumptions))})" if fault.assumptions else ""
        yield f"{place}:{row}: {fault.kind.name} in {fault.op}{resting}"
    for name in analysis.stopped:
        yield f"stopped: {name}"


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m torchlsp.dev facts", description=__doc__)
    parser.add_argument("file")
    options = parser.parse_args(argv)
    for line in lines(*analysed(options.file)):
        print(line)
    return 0
