"""Replaces memory that forks of this process would share by private copies, so that they cannot reach each other through it.

Some libraries make such memory when they are loaded (OpenMP of Intel and LLVM does, to recognise a second copy of itself).
"""

from __future__ import annotations

import ctypes
import mmap

_MAP_FIXED = 0x10  # on all architectures but Alpha, MIPS and PA-RISC
_FAILED = ctypes.c_void_p(-1).value
_PROTECTIONS = (mmap.PROT_READ, mmap.PROT_WRITE, mmap.PROT_EXEC) if hasattr(mmap, "PROT_READ") else ()


def make_private():
    # type: () -> list
    """Replaces all shared mappings; returns what could not be replaced, in words. For a process with one thread."""
    problems = []
    for start, length, rights, name in _shared():
        try:
            _replace(start, length, rights)
        except OSError as error:
            problems.append(f"programs share memory ({name or 'without a name'}): {error}")
    return problems


def _shared():
    # type: () -> list
    """Returns address, length, rights ("rw-") and name of each shared mapping."""
    found = []
    try:
        with open("/proc/self/maps") as file:
            lines = file.read().splitlines()
    except OSError:
        return found
    for line in lines:
        words = line.split(None, 5)
        if len(words) > 1 and words[1].endswith("s"):
            start, end = (int(one, 16) for one in words[0].split("-"))
            found.append((start, end - start, words[1][:3], words[5] if len(words) > 5 else ""))
    return found


def _replace(start, length, rights):
    # type: (int, int, str) -> None
    library = ctypes.CDLL(None, use_errno=True)
    library.mmap.restype = ctypes.c_void_p
    place, size = ctypes.c_void_p(start), ctypes.c_size_t(length)
    content = ctypes.string_at(start, length) if rights[0] == "r" else b""
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _MAP_FIXED
    writable = mmap.PROT_READ | mmap.PROT_WRITE
    if library.mmap(place, size, writable, flags, -1, ctypes.c_long(0)) == _FAILED:
        raise OSError(ctypes.get_errno(), "it cannot be mapped again")
    ctypes.memmove(start, content, len(content))
    given = sum(one for letter, one in zip(rights, _PROTECTIONS) if letter != "-")
    if given != writable and library.mprotect(place, size, given):
        raise OSError(ctypes.get_errno(), "its rights cannot be set")
