"""Sandboxes the current process: no files, no network, no other process, bounded memory and time.

Linux only, through ctypes and without privilege. Each layer is tried, and what it said is handed back: a kernel
or a container may lack or forbid any of them. The order is forced: Landlock needs descriptors, which the limits
take away, and the filter of system calls forbids setting either.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
import sys
from functools import lru_cache

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

OPEN_FILES = 16

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_NO_NEW_PRIVS = 1, 4, 38
_SIGKILL = 9

# The numbers of these three are the same on every architecture.
_LANDLOCK_CREATE, _LANDLOCK_RESTRICT = 444, 446
_LANDLOCK_VERSION_FLAG = 1
# Rights over files by the ABI that brought them: 13 at first, then refer, truncate, ioctl on devices.
_FILE_RIGHTS = ((1, (1 << 13) - 1), (2, 1 << 13), (3, 1 << 14), (5, 1 << 15))
_NET_RIGHTS = ((4, 0b11),)  # bind and connect of TCP
_SCOPES = ((6, 0b11),)  # abstract unix sockets, signals
_NEWEST_KNOWN_ABI = 7

_SECCOMP = 317
_SECCOMP_SET_FILTER, _SECCOMP_ACTION_AVAILABLE = 1, 2
_SECCOMP_FOR_ALL_THREADS = 1
_AUDIT_X86_64 = 0xC000003E
_X32_BIT = 0x40000000
_KILL, _ALLOW, _REFUSE = 0x80000000, 0x7FFF0000, 0x00050000 | errno.EPERM

# x86-64 numbers of all that a computation needs: memory, clocks, locks, random numbers, its own end.
# `write` and `tgkill` are allowed for one descriptor and for the own process only.
_ALLOWED = {
    "close": 3,
    "mmap": 9,
    "mprotect": 10,  # oneDNN compiles its kernels
    "munmap": 11,
    "brk": 12,
    "rt_sigaction": 13,
    "rt_sigprocmask": 14,
    "rt_sigreturn": 15,
    "sched_yield": 24,
    "mremap": 25,
    "madvise": 28,
    "nanosleep": 35,
    "getpid": 39,
    "exit": 60,
    "gettimeofday": 96,
    "sigaltstack": 131,
    "gettid": 186,
    "futex": 202,
    "sched_getaffinity": 204,
    "restart_syscall": 219,
    "clock_gettime": 228,
    "clock_getres": 229,
    "clock_nanosleep": 230,
    "exit_group": 231,
    "getcpu": 309,
    "getrandom": 318,
    "membarrier": 324,
    "rseq": 334,
}
_WRITE, _TGKILL = 1, 234


def available():
    # type: () -> dict
    """Returns what this machine supports: `landlock` an ABI number or False, `seccomp`, `limits`. `why` what
    is missing."""
    found = {"landlock": False, "seccomp": False, "limits": resource is not None, "why": []}
    if not sys.platform.startswith("linux"):
        found["why"].append("Landlock and seccomp exist on Linux only, not on " + sys.platform)
        return found
    abi = _landlock_abi()
    if abi > 0:
        found["landlock"] = abi
    else:
        found["why"].append("no Landlock: " + os.strerror(-abi))
    problem = _seccomp_problem()
    if problem is None:
        found["seccomp"] = True
    else:
        found["why"].append("no seccomp: " + problem)
    return found


def lock_down(write_fd, cpu_seconds, memory, prepare=None):
    # type: (int, int, int, object) -> list
    """Sandboxes this process irreversibly; returns what could not be done, in words.

    Afterwards only `write_fd` can be written to, and `memory` bytes be taken beyond what was measured. `prepare` is
    called when files are closed off and before threads are: threads that it starts are under the same rules.
    """
    problems = []
    if sys.platform.startswith("linux"):
        _first_to_go()
        _attempt(problems, "end with the parent", _end_with_parent)
        _attempt(problems, "Landlock", _landlock)
    else:
        problems.append("Landlock: not on " + sys.platform)
    if prepare is not None:
        prepare()
    _attempt(problems, "limits", lambda: _limits(cpu_seconds, memory))
    problem = _seccomp_problem()
    if problem is not None:
        problems.append("seccomp: " + problem)
    else:
        _attempt(problems, "seccomp", lambda: _seccomp(write_fd))
    return problems


def _attempt(problems, name, step):
    try:
        step()
    except Exception as error:
        problems.append(f"{name}: {error}")


@lru_cache(maxsize=1)  # loading it takes longer than most calls
def _libc():
    return ctypes.CDLL(None, use_errno=True)


def _call(name, *arguments):
    """Calls a function of the C library whose result below 0 is an error."""
    result = getattr(_libc(), name)(*arguments)
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def _prctl(option, value):
    words = [ctypes.c_ulong(word) for word in (option, value, 0, 0, 0)]
    _call("prctl", *words)


def _end_with_parent():
    """Makes the kernel end this process when its parent, the worker, dies. Dumps would also leave the
    process."""
    _prctl(_PR_SET_PDEATHSIG, _SIGKILL)
    _prctl(_PR_SET_DUMPABLE, 0)


def _first_to_go():
    """Makes the kernel end this process rather than one of the user's when the machine runs out of memory."""
    try:
        with open("/proc/self/oom_score_adj", "w") as file:
            file.write("1000")
    except OSError:
        pass


class _Ruleset(ctypes.Structure):
    _fields_ = [("files", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64)]


def _landlock_abi():
    # type: () -> int
    """Returns the version of the kernel's Landlock, or an error number below 0."""
    try:
        return _call(
            "syscall",
            ctypes.c_long(_LANDLOCK_CREATE),
            None,
            ctypes.c_size_t(0),
            ctypes.c_uint(_LANDLOCK_VERSION_FLAG),
        )
    except OSError as error:
        return -(error.errno or errno.ENOSYS)


def _landlock():
    """Denies every right that this kernel's Landlock knows, for all paths and ports."""
    abi = _landlock_abi()
    if abi <= 0:
        raise OSError(-abi, os.strerror(-abi))
    abi = min(abi, _NEWEST_KNOWN_ABI)
    handled = [
        sum(bits for since, bits in rights if abi >= since) for rights in (_FILE_RIGHTS, _NET_RIGHTS, _SCOPES)
    ]
    rules = _Ruleset(*handled)
    # A kernel that knows fewer fields accepts a longer structure when the rest is zero, but not all of them did.
    size = 8 if abi < 4 else 16 if abi < 6 else 24
    descriptor = _call(
        "syscall",
        ctypes.c_long(_LANDLOCK_CREATE),
        ctypes.byref(rules),
        ctypes.c_size_t(size),
        ctypes.c_uint(0),
    )
    try:
        _prctl(_PR_SET_NO_NEW_PRIVS, 1)
        _call("syscall", ctypes.c_long(_LANDLOCK_RESTRICT), ctypes.c_int(descriptor), ctypes.c_uint(0))
    finally:
        os.close(descriptor)


def _limits(cpu_seconds, memory):
    if resource is None:
        raise OSError(errno.ENOSYS, "no limits on " + sys.platform)
    limits = [
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, cpu_seconds),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NOFILE, OPEN_FILES),
        (resource.RLIMIT_NPROC, 0),
    ]
    base = _address_space()
    if base is not None:
        limits.append((resource.RLIMIT_AS, base + memory))
    for which, value in limits:
        hard = resource.getrlimit(which)[1]
        if hard != resource.RLIM_INFINITY:
            value = min(value, hard)
        # A processor's second more lets the first signal tell what it is for.
        spare = 1 if which == resource.RLIMIT_CPU and hard == resource.RLIM_INFINITY else 0
        resource.setrlimit(which, (value, value + spare))


# The addresses that the worker has, and the memory behind them, in bytes.
_base = _resident = None


def measure():
    """Records the size of this process; its files will be unreachable later."""
    global _base, _resident
    try:
        with open("/proc/self/statm") as file:
            _base, _resident = (int(word) * os.sysconf("SC_PAGE_SIZE") for word in file.read().split()[:2])
    except (OSError, ValueError):
        _base = _resident = None


def _address_space():
    return _base


def resident():
    # type: () -> int
    """Returns how much memory this process had when it was measured."""
    return _resident or 0


def _seccomp_problem():
    # type: () -> object
    if not sys.platform.startswith("linux"):
        return "not on " + sys.platform
    if platform.machine() != "x86_64" or struct.calcsize("P") != 8:
        return "the list of system calls is for 64-bit x86 only, not for " + platform.machine()
    action = ctypes.c_uint32(_REFUSE & 0xFFFF0000)
    try:
        _call(
            "syscall",
            ctypes.c_long(_SECCOMP),
            ctypes.c_uint(_SECCOMP_ACTION_AVAILABLE),
            ctypes.c_uint(0),
            ctypes.byref(action),
        )
    except OSError as error:
        return os.strerror(error.errno or errno.ENOSYS)
    return None


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]


def _seccomp(write_fd):
    """Installs a list of allowed system calls. All others fail with EPERM, which Python shows as
    PermissionError."""
    code = _filter(write_fd, os.getpid())
    kept = ctypes.create_string_buffer(code, len(code))
    program = _Program(len(code) // 8, ctypes.addressof(kept))
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)
    # A result above 0 is the thread that could not follow.
    failed = _call(
        "syscall",
        ctypes.c_long(_SECCOMP),
        ctypes.c_uint(_SECCOMP_SET_FILTER),
        ctypes.c_uint(_SECCOMP_FOR_ALL_THREADS),
        ctypes.byref(program),
    )
    if failed:
        raise OSError(errno.ESRCH, "a thread does not follow")


def _filter(write_fd, process):
    # type: (int, int) -> bytes
    """Builds the filter in the kernel's classic BPF: at 0 the call's number, at 4 the architecture, from 16
    arguments."""
    load, jump_equal, jump_at_least, end = 0x20, 0x15, 0x35, 0x06
    code = [
        (load, 0, 0, 4),
        (jump_equal, 1, 0, _AUDIT_X86_64),
        (end, 0, 0, _KILL),
        (load, 0, 0, 0),
        (jump_at_least, 0, 1, _X32_BIT),
        (end, 0, 0, _KILL),
    ]
    for number in sorted(_ALLOWED.values()):
        code += [(jump_equal, 0, 1, number), (end, 0, 0, _ALLOW)]
    for number, first_argument in ((_WRITE, write_fd), (_TGKILL, process)):
        code += [
            (jump_equal, 0, 4, number),
            (load, 0, 0, 16),
            (jump_equal, 0, 1, first_argument),
            (end, 0, 0, _ALLOW),
            (end, 0, 0, _REFUSE),
        ]
    code.append((end, 0, 0, _REFUSE))
    return b"".join(struct.pack("HBBI", *instruction) for instruction in code)
