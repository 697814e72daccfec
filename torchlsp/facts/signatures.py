"""Looks up the parameters of torch's Python functions, without torch.

The table is one text in `signature_table`, read on the first question. A row is a full name, a colon and the parameters in
order: `?` follows one that has a default, and after `*` they are taken by name only.
"""

from __future__ import annotations

from functools import cache

from torchlsp.core.records import dataclass


@dataclass(frozen=True, slots=True)
class Parameters:
    """Describes what a function takes.

    `ordered` are the names that may be given by place or by name, `named` those by name only, `required` those without a default.
    """

    ordered: tuple[str, ...]
    named: tuple[str, ...]
    required: frozenset[str]


def parameters(name: str) -> Parameters | None:
    """Returns the parameters of a function, a class, or the `forward` of a layer; None where they are not known."""
    row = _rows().get(name)
    return None if row is None else _parsed(row)


@cache
def _parsed(row: str) -> Parameters:
    ordered, _, named = row.partition("*")
    words = [*ordered.split(), *named.split()]
    return Parameters(
        tuple(word.rstrip("?") for word in ordered.split()),
        tuple(word.rstrip("?") for word in named.split()),
        frozenset(word for word in words if not word.endswith("?")),
    )


@cache
def _rows() -> dict[str, str]:
    from torchlsp.facts.signature_table import TABLE

    return dict(row.split(":", 1) for row in TABLE.splitlines())
