"""Finds out from names alone whether a function may run a collective, without running it."""

from __future__ import annotations

from torchlsp.ops.libraries import collectives
from torchlsp.program import ir
from torchlsp.program.walking import nodes, word

NAMES = frozenset(name.rpartition(".")[2] for name in collectives.COLLECTIVES)
"""The last names of all collectives: `all_reduce`, `barrier`."""
_KEY = "functions that may run a collective"


def may_run_collective(module: ir.Module, name: str) -> bool:
    """Returns whether a function or method of this name in a file, or one that it names, names a collective."""
    found = module.memo.get(_KEY)
    if not isinstance(found, frozenset):
        found = module.memo[_KEY] = _running_collectives(module)
    return name in found


def _running_collectives(module: ir.Module) -> frozenset[str]:
    used: dict[str, set[str]] = {}
    for function in module.functions:
        used.setdefault(function.name, set()).update(filter(None, map(word, nodes(function.body))))
    found = {name for name, words in used.items() if not NAMES.isdisjoint(words)}
    added = found
    while added:
        added = {name for name, words in used.items() if not added.isdisjoint(words)} - found
        found |= added
    return frozenset(found)
