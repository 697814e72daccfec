"""Selects the kind of run for a program."""

from __future__ import annotations

import io
import tokenize

_DISTRIBUTED = frozenset({"distributed", "DistributedDataParallel"})
_SUBGROUPS = frozenset({"new_group", "new_subgroups", "init_device_mesh"})


def kind_of(program: str) -> str:
    """Returns ranks for a program that names torch.distributed, logical-device for one that names CUDA, else
    eager-cpu.

    Comments do not count; what cannot be read in tokens is left to the real torch, which says why.
    """
    names, strings = _words(program)
    if names & _DISTRIBUTED:
        return "ranks"
    if any("cuda" in word.lower() for word in names | strings):
        return "logical-device"
    return "eager-cpu"


def worlds_of(program: str) -> tuple[int, ...]:
    """Returns the numbers of ranks to try: two, and four where there are groups that two cannot tell apart."""
    names, _ = _words(program)
    return (2, 4) if names & _SUBGROUPS else (2,)


def _words(program: str) -> tuple[set[str], set[str]]:
    names: set[str] = set()
    strings: set[str] = set()
    try:
        for token in tokenize.generate_tokens(io.StringIO(program).readline):
            if token.type == tokenize.NAME:
                names.add(token.string)
            elif token.type != tokenize.COMMENT:
                strings.add(token.string)
    except (tokenize.TokenError, SyntaxError):
        pass
    return names, strings
