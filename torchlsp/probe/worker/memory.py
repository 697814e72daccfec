"""Decides how much memory a program may take: a part of what is free on this machine and in this container."""

from __future__ import annotations

import ctypes
import mmap
import os

# Beyond what the worker itself has: so much, at most this part of what is free, and not less than it takes to run
# anything at all.
MOST, PART, LEAST = 1 << 30, 4, 1 << 26
# Kept back from the program, to describe its end when it has taken all.
_SPARE = 1 << 22
_M_ARENA_MAX = -8
_GROUPS = "/sys/fs/cgroup"
# Of a control group, by version: its limit, what it has, and the part of that which only caches files.
_NEW = ("memory.max", "memory.current", "inactive_file")
_OLD = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")


def allowance(groups=_GROUPS, machine="/proc/meminfo", own="/proc/self/cgroup"):
    # type: (str, str, str) -> int
    """Returns how many bytes a program may take now."""
    free = [_number(machine, "MemAvailable:", 1024)]
    free += [_free_of_group(folder, names) for folder, names in _folders(groups, own)]
    return max(LEAST, min([MOST] + [one // PART for one in free if one is not None]))


def _folders(groups, own):
    # type: (str, str) -> list
    """Returns the control groups whose limits hold for this process, from the outermost; in a container its own is often
    the only one to be seen."""
    paths = {"0": "", "memory": ""}
    try:
        with open(own) as file:
            for line in file:
                number, names, path = line.strip().split(":", 2)
                paths[names if names == "memory" else number] = path
    except (OSError, ValueError):
        pass
    found = []
    for top, path, names in ((groups, paths["0"], _NEW), (groups + "/memory", paths["memory"], _OLD)):
        folder = top
        found.append((folder, names))
        for part in path.split("/"):
            if part and part != "..":
                folder += "/" + part
                found.append((folder, names))
    return found


def _free_of_group(folder, names):
    # type: (str, tuple) -> object
    """Returns what a control group has left; None where it has no limit. What only caches files counts as free."""
    limit, used = (_number(os.path.join(folder, name)) for name in names[:2])
    if limit is None or used is None:
        return None
    cached = _number(os.path.join(folder, "memory.stat"), names[2]) or 0
    return max(limit - used + cached, 0)


def _number(path, name=None, unit=1):
    # type: (str, object, int) -> object
    """Returns the number behind a name in a file of the kernel, or the only one in it; None if there is none."""
    try:
        with open(path) as file:
            for line in file:
                words = line.split()
                if name is None or words[:1] == [name]:
                    return int(words[0 if name is None else 1]) * unit
    except (OSError, ValueError, IndexError):
        pass
    return None


def spare():
    # type: () -> list
    """Returns a list that holds memory which nobody has touched; clearing the list gives it back."""
    try:
        return [mmap.mmap(-1, _SPARE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)]
    except (OSError, AttributeError, MemoryError):
        return []


def share_one_heap():
    """Makes all threads use one heap, where each would reserve 64 MB of addresses for its own."""
    try:
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 1)
    except (OSError, AttributeError, TypeError):  # not glibc
        pass
