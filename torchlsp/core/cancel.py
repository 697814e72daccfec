"""Cancels an analysis cooperatively: the analysis checks between statements, the server sets the token."""

from __future__ import annotations


class Cancelled(Exception):
    """Signals that the result is no longer needed. Not an internal error."""


class CancelToken:
    """A flag set from any thread and read by one analysis."""

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
