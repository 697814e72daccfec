"""Finds the files of the workspace that a file imports, directly or through others."""

from __future__ import annotations

from collections.abc import Callable

from torchlsp.program import ir
from torchlsp.program.walking import scope_nodes

_MAX_FILES = 60


def reached_files(begin: ir.Module, module: Callable[[str, str], ir.Module | None]) -> list[str]:
    """Returns the paths of a file and of those that it imports, as far as their first 60 by breadth.

    `module` finds a file by a dotted name and the path of the file that imports it. Imports inside of functions are left out.
    """
    found = {begin.path: begin}
    pending = [begin]
    for one in pending:
        for name in _imports(one):
            other = module(name, one.path) if len(found) < _MAX_FILES else None
            if other is not None and other.path not in found:
                found[other.path] = other
                pending.append(other)
    return list(found)


def _imports(module: ir.Module) -> list[str]:
    """Returns the dotted names that may be those of files."""
    names: dict[str, None] = {}
    for node in scope_nodes(module.body):
        if isinstance(node, ir.Import):
            for _, source, attribute in node.names:
                names[source] = None
                if attribute is not None:
                    names[f"{source}{'' if source.endswith('.') else '.'}{attribute}"] = None
    return list(names)
