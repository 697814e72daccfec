"""Cooperative cancellation: the analysis asks between statements, the server sets."""

from __future__ import annotations


class Cancelled(Exception):
    """The answer is no longer wanted. Not an internal error."""


class CancelToken:
    """Set from any thread, read by one analysis."""

    __slots__ = ("_cancelled",)

    def __init__(self) -> None:
        self._cancelled = False

    def cancel(self) -> None:
        self._cancelled = True

    @property
    def is_cancelled(self) -> bool:
        return self._cancelled

    def check(self) -> None:
        """Raises Cancelled once `cancel` was called."""
        if self._cancelled:
            raise Cancelled
