"""Calls for rows that torch's op_db has no samples for: factories, attributes, conversions.

Each entry makes (args, kwargs) anew, so that a call that writes cannot spoil the next one.
"""

from __future__ import annotations

from collections.abc import Callable

Call = Callable[[], tuple[tuple, dict]]


def call(*args, **kwargs) -> Call:
    return lambda: (args, kwargs)


CALLS: dict[str, list[Call]] = {}
