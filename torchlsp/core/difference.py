"""Compares two texts."""

from __future__ import annotations


def difference(old: str, new: str) -> tuple[int, int]:
    """Returns how many characters two texts share at their beginning, and how many at their end after that.
    Found by bisection."""
    shortest = min(len(old), len(new))
    head = _common(old, new, shortest)
    return head, _common_tail(old, new, shortest - head)


def _common(old: str, new: str, most: int) -> int:
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if old[low:middle] == new[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _common_tail(old: str, new: str, most: int) -> int:
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if old[len(old) - middle : len(old) - low] == new[len(new) - middle : len(new) - low]:
            low = middle
        else:
            high = middle - 1
    return low
