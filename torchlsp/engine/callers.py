"""Finds how other files of the workspace run a file's functions: without gradients, on cast or frozen modules.

These are the files that import it, and the functions of further files to which it or those may pass its objects. Only texts are
searched, by regular expressions and up to a bound; what a text leaves open counts as a call of any module.
"""

from __future__ import annotations

import os
import re
import stat
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache

from torchlsp.core.project import PROJECT_MARKS
from torchlsp.core.records import dataclass, field
from torchlsp.files import read_text
from torchlsp.ops import operator

ANY_MODULE_CALL = "()"
"""Stands for the call of an object that may be any module."""

_SKIPPED = frozenset({"node_modules", "site-packages", "build", "dist", "__pycache__", "venv", "env"})
_MOST_FILES = 1500
_MOST_CHARACTERS = 300_000
_KEPT_FILES = 3000
_KEPT_ANSWERS = 32
_LONGEST_CALL = 1000
_LONGEST_NAME = 100

_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+(\.*)([\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n]*)|import[ \t]+([^\n]*))",
    re.MULTILINE,
)
_DEFINITION = re.compile(r"^([ \t]*)(?:async[ \t]+)?def[ \t]+(\w+)", re.MULTILINE)
_CLASS = re.compile(r"^([ \t]*)class[ \t]", re.MULTILINE)
_WORD = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_."
_OFF = re.compile(r"\b(?:no_grad|inference_mode|set_grad_enabled)\b")
_AUTOCAST = re.compile(r"\bautocast\b")
_SWITCHED = re.compile(r"requires_grad_\([ \t]*(?!True|\))|\.requires_grad[ \t]*=(?!=)[ \t]*(?!True)")
_CAST = re.compile(r"\.(?:(?:double|half|bfloat16)\(\)|(?:to|type)\(([^\n]*))")
_EVALUATED = re.compile(
    r"\.eval\(\)|\.train\([ \t]*(?:mode[ \t]*=[ \t]*)?(?:False|not\b|\w*mode\b|is_\w+|\w*training\b)"
    r"|\b(?:lightning|Trainer|Learner|ignite|skorch)\b"
)
"""What puts a module in eval mode, or a library that does."""
_TRAINED = re.compile(r"\.backward\(")
_DEFAULT_DEVICE = re.compile(r"\bset_default_(?:device|tensor_type)\(")
_DEFAULT_DTYPE = re.compile(r"\bset_default_(?:dtype|tensor_type)\(")
CAST_DTYPE = re.compile(r"\b(?:double|float64|half|float16|bfloat16|dtype)\b")
"""A dtype other than float32 in the arguments of a cast."""
MODULE_METHODS = frozenset(
    {"parameters", "named_parameters", "eval", "train", "state_dict", "load_state_dict", "modules"}
)
"""Methods by which an object is recognised as a module."""
_OF_A_MODULE = rf"(?:\(|\.(?:{'|'.join(sorted(MODULE_METHODS))})\b)"
_KEYWORDS = frozenset(
    "if elif while for in not and or return yield assert with lambda await print except raise".split()
)
_COMMON = frozenset(dir(__builtins__) if not isinstance(__builtins__, dict) else __builtins__) | {
    name for kind in (list, dict, set, str) for name in dir(kind)
}
_QUIET = MODULE_METHODS | {
    "step", "zero_grad", "no_grad", "inference_mode", "set_grad_enabled", "autocast", "backward", "super",
}  # fmt: skip
_LIBRARIES = frozenset(
    {"torch", "np", "numpy", "F", "math", "os", "time", "random", "logging", "json", "plt", "re"}
)


@dataclass(frozen=True, slots=True)
class Callers:
    """What other files do that import this one: `without_grad` and `autocast` are names of functions that may run so,
    `ANY_MODULE_CALL` among them for `forward`; and whether these files cast or freeze modules."""

    without_grad: frozenset[str] = frozenset()
    autocast: frozenset[str] = frozenset()
    casts: bool = False
    freezes: bool = False

    def __bool__(self) -> bool:
        return bool(self.without_grad or self.autocast or self.casts or self.freezes)


NO_CALLERS = Callers()


@dataclass(slots=True, eq=False)
class _File:
    """What the text of a file shows."""

    folder: str
    stem: str
    imports: frozenset[tuple[str, str]]
    """The modules that may be imported, as their folder's name (empty: not known) and their own."""
    calls: dict[str, frozenset[str]] = field(default_factory=dict)
    """What the functions of each name call; what is called before the first one has an empty name."""
    off: _Calls = field(default_factory=dict)
    autocast: _Calls = field(default_factory=dict)
    """What is called where that switch is on, by the function around it."""
    casts: frozenset[str] = frozenset()
    freezes: frozenset[str] = frozenset()
    """The functions that do so."""
    evaluates: bool = False
    trains: bool = False
    """Whether it puts modules in eval mode, and whether it computes gradients."""
    sets_device: bool = False
    sets_dtype: bool = False
    """Whether it may set a default device, and a default dtype."""

    @property
    def switches(self) -> bool:
        return bool(self.off or self.autocast or self.casts or self.freezes)


_Calls = dict[str, frozenset[str]]
_files: OrderedDict[str, tuple[tuple[int, int], _File | None]] = OrderedDict()
_answers: OrderedDict[str, tuple[dict[str, _File], Callers]] = OrderedDict()
"""The last answers by path, each with the files that it rests on."""


def callers(path: str) -> Callers:
    """Searches the files of the workspace that import a file, directly or by others, and what these run."""
    path = os.path.abspath(path)
    if not os.path.isfile(path):
        return NO_CALLERS
    files = {one: found for one in _workspace(path) if (found := _read(one)) is not None}
    known = _answers.pop(path, None)
    # While a file is typed in, none changes on the disk.
    answer = known[1] if known is not None and known[0] == files else _callers(path, files)
    _answers[path] = files, answer
    while len(_answers) > _KEPT_ANSWERS:
        _answers.popitem(last=False)
    return answer


def _callers(path: str, files: Mapping[str, _File]) -> Callers:
    files = dict(files)
    own = files.pop(path, None)
    if own is None or not any(one.switches for one in files.values()):
        return NO_CALLERS
    importing = [own, *_importing(own, list(files.values()))]
    ids = {id(one) for one in importing}
    ordered = [own, *(files[name] for name in sorted(files))]
    parts: list[tuple[_File, frozenset[str] | None]] = [(one, None) for one in importing[1:] if one.switches]
    if any(one.switches and id(one) not in ids for one in ordered):
        parts.extend(_passed_to(importing, ordered))
    if not parts:
        return NO_CALLERS
    calls: dict[str, set[str]] = {}
    for one in ordered:
        if id(one) not in ids:
            continue
        for name, called in one.calls.items():
            if name:
                calls.setdefault(name, set()).update(called)
    return Callers(
        _closure(_called_under([(one.off, names) for one, names in parts]), calls),
        _closure(_called_under([(one.autocast, names) for one, names in parts]), calls),
        any(one.casts if names is None else names & one.casts for one, names in parts),
        any(one.freezes if names is None else names & one.freezes for one, names in parts),
    )


def named_without_grad(path: str) -> frozenset[str]:
    """Returns names that a file, or one that imports it, calls where gradients are off, with what these call by name.

    What the calls of modules and classes lead to is not followed: training calls and makes them, too.
    """
    path = os.path.abspath(path)
    files = {one: found for one in _workspace(path) if (found := _read(one)) is not None}
    own = files.pop(path, None)
    if own is None:
        return frozenset()
    importing = [own, *_importing(own, list(files.values()))]
    names = {one for one in _called_under([(one.off, None) for one in importing]) if _is_function(one)}
    waiting = list(names)
    while waiting:
        called = waiting.pop()
        new = {
            inner for one in importing for inner in one.calls.get(called, ()) if _is_function(inner)
        } - names
        names |= new
        waiting.extend(new)
    return frozenset(names)


def _is_function(name: str) -> bool:
    return name != ANY_MODULE_CALL and not name[:1].isupper()


def runs_in_half(path: str) -> bool:
    """Returns whether a file of those that may run a file's modules, or itself, casts modules or uses autocast."""
    own, others = _read(os.path.abspath(path)), callers(path)
    if own is not None and (own.autocast or own.casts):
        return True
    return bool(others.autocast) or others.casts


def only_trains(path: str) -> bool:
    """Returns whether the workspace of a file computes gradients, and no file of it puts a module in eval mode.

    False where there are too many files, or a file that is too long, to know.
    """
    paths = list(_workspace(os.path.abspath(path)))
    files = [_read(one) for one in paths]
    known = [one for one in files if one is not None]
    if len(paths) >= _MOST_FILES or len(known) < len(files):
        return False
    return any(one.trains for one in known) and not any(one.evaluates for one in known)


def sets_default_device(path: str) -> bool:
    """Returns whether a file of the workspace sets the default device, or a default type that may be one of another device."""
    files = (_read(one) for one in _workspace(os.path.abspath(path)))
    return any(one is not None and one.sets_device for one in files)


def sets_default_dtype(path: str) -> bool:
    """Returns whether another file of the workspace sets the default dtype."""
    path = os.path.abspath(path)
    files = (_read(one) for one in _workspace(path) if one != path)
    return any(one is not None and one.sets_dtype for one in files)


def importing_files(path: str, most: int, cancelled: Callable[[], None]) -> list[str]:
    """Returns files of the workspace that import a file: first those that do so themselves, the nearest first.

    `cancelled` is called for each file that is searched, and may raise.
    """
    path = os.path.abspath(path)
    files: dict[int, str] = {}
    searched: list[_File] = []
    own: _File | None = None
    for one in _workspace(path):
        cancelled()
        found = _read(one)
        if one == path:
            own = found
        elif found is not None:
            files[id(found)] = one
            searched.append(found)
    if own is None:
        return []
    return [files[id(one)] for one in _importing(own, searched)[:most]]


def _called_under(regions: list[tuple[_Calls, frozenset[str] | None]]) -> set[str]:
    """What is called in the regions of some functions; of all where no names are given."""
    return {
        name
        for calls, names in regions
        for function, called in calls.items()
        if names is None or function in names
        for name in called
    }


def _passed_to(importing: list[_File], files: list[_File]) -> Iterator[tuple[_File, frozenset[str]]]:
    """Yields files that some files import, each with the names of its functions that may be called from there."""
    known = {id(one) for one in importing}
    modules: dict[str, list[_File]] = {}
    for one in files:
        modules.setdefault(one.stem, []).append(one)
    reached: dict[int, tuple[_File, set[str]]] = {}
    waiting: list[tuple[_File, set[str] | None]] = [(one, None) for one in importing]
    while waiting:
        file, names = waiting.pop()
        called: set[str] = set()
        for function in file.calls if names is None else names:
            called |= file.calls.get(function, frozenset())
        for parent, name in file.imports:
            # Functions of a module that is imported, and one that is imported by its name, perhaps to be passed on.
            for target in modules.get(name, ()):
                if target.folder == parent or not parent:
                    _reach(target, called, known, reached, waiting)
            if names is None or name in called or name in names:
                for target in modules.get(parent, ()):
                    _reach(target, {name}, known, reached, waiting)
    for target, functions in reached.values():
        yield target, frozenset(functions)


def _reach(
    target: _File,
    names: set[str],
    known: set[int],
    reached: dict[int, tuple[_File, set[str]]],
    waiting: list[tuple[_File, set[str] | None]],
) -> None:
    """Adds functions of a file, with what they call in it, to those that are reached."""
    if id(target) in known:
        return
    before = reached.setdefault(id(target), (target, set()))[1]
    new: set[str] = set()
    to_visit = list(names)
    while to_visit:
        name = to_visit.pop()
        if name and name not in before and name not in new:
            new.add(name)
            to_visit.extend(one for one in target.calls.get(name, ()) if one in target.calls)
    if new:
        before |= new
        waiting.append((target, new))


def _closure(names: set[str], calls: dict[str, set[str]]) -> frozenset[str]:
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found.add(name)
        if name == ANY_MODULE_CALL:
            waiting.extend(("forward", "__call__"))
        elif name[:1].isupper():
            waiting.append("__init__")
        waiting.extend(calls.get(name, ()))
    return frozenset(found)


def _importing(own: _File, files: list[_File]) -> list[_File]:
    """The files that import one, also by others."""
    found: list[_File] = []
    waiting, left = [own], files
    while waiting and left:
        target = waiting.pop()
        following: list[_File] = []
        for one in left:
            is_imported = (target.folder, target.stem) in one.imports or ("", target.stem) in one.imports
            (found if is_imported else following).append(one)
            if is_imported:
                waiting.append(one)
        left = following
    return found


def _workspace(path: str) -> Iterator[str]:
    """Yields the Python files of the project, those that lie nearest first."""
    folder = os.path.dirname(path)
    top = folder
    while not any(os.path.exists(os.path.join(top, mark)) for mark in PROJECT_MARKS):
        parent = os.path.dirname(top)
        if parent == top:
            # No project: the folder, and what is above its package.
            top = folder
            while os.path.isfile(os.path.join(top, "__init__.py")) and os.path.dirname(top) != top:
                top = os.path.dirname(top)
            break
        top = parent
    count, seen = 0, ""
    while True:
        for here, folders, names in os.walk(folder):
            folders[:] = sorted(
                one
                for one in folders
                if one not in _SKIPPED and not one.startswith(".") and os.path.join(here, one) != seen
            )
            for name in sorted(names):
                if name.endswith(".py"):
                    yield os.path.join(here, name)
                    count += 1
                    if count >= _MOST_FILES:
                        return
        if folder == top:
            return
        folder, seen = os.path.dirname(folder), folder


def _read(path: str) -> _File | None:
    try:
        status = os.stat(path)
        if not stat.S_ISREG(status.st_mode):
            return None
        stamp = status.st_mtime_ns, status.st_size
        kept = _files.get(path)
        if kept is not None and kept[0] == stamp:
            _files.move_to_end(path)
            return kept[1]
        made = None
        if status.st_size <= _MOST_CHARACTERS:
            made = _searched(path, read_text(path, _MOST_CHARACTERS, errors="replace"))
    except OSError:
        return None
    _files[path] = stamp, made
    while len(_files) > _KEPT_FILES:
        _files.popitem(last=False)
    return made


def _searched(path: str, text: str) -> _File:
    folder, name = os.path.split(path)
    stem = name[:-3]
    if stem == "__init__":
        folder, stem = os.path.split(folder)
    found = _File(os.path.basename(folder), stem, frozenset(_imports(text)))
    starts = list(_DEFINITION.finditer(text))
    calls: dict[str, set[str]] = {}
    for number, start in enumerate(starts):
        end = starts[number + 1].start() if number + 1 < len(starts) else len(text)
        calls.setdefault(start[2], set()).update(_called(text[start.end() : end]))
    for outer, inner in _nested(text, starts):
        calls[outer].add(inner)  # perhaps given to something that calls it
    calls.setdefault("", set()).update(_called(text[: starts[0].start() if starts else len(text)]))
    found.calls = {function: frozenset(called) for function, called in calls.items()}
    found.off = _regions(text, _OFF, starts)
    found.autocast = _regions(text, _AUTOCAST, starts)
    found.casts = frozenset(_around(starts, at) for at in _casts(text))
    found.freezes = frozenset(_around(starts, one.start()) for one in _SWITCHED.finditer(text))
    found.evaluates = _EVALUATED.search(text) is not None
    found.trains = _TRAINED.search(text) is not None
    found.sets_device = _DEFAULT_DEVICE.search(text) is not None
    found.sets_dtype = _DEFAULT_DTYPE.search(text) is not None
    return found


def _nested(text: str, starts: list[re.Match[str]]) -> Iterator[tuple[str, str]]:
    """Yields the names of functions that are defined in others, each with the name of that around it."""
    around: list[tuple[int, str]] = []
    classes = [(one.start(), len(one[1])) for one in _CLASS.finditer(text)]
    passed = 0
    for start in starts:
        indent = len(start[1])
        while passed < len(classes) and classes[passed][0] < start.start():
            around = [one for one in around if one[0] < classes[passed][1]]
            passed += 1
        around = [one for one in around if one[0] < indent]
        if around:
            yield around[-1][1], start[2]
        around.append((indent, start[2]))


def _around(starts: list[re.Match[str]], at: int) -> str:
    """The name of the last function that begins before a place; empty where none does."""
    number = bisect_right(starts, at, key=lambda one: one.start())
    return starts[number - 1][2] if number else ""


def _imports(text: str) -> Iterator[tuple[str, str]]:
    for found in _IMPORT.finditer(text):
        dots, module, names, plain = found.groups()
        if plain is not None:
            for one in plain.split(","):
                yield from _parts(one.split("#")[0].split(" as ")[0].strip().split("."))
            continue
        parts = module.split(".") if module else []
        yield from _parts(parts)
        parent = parts[-1] if parts else ""
        for one in re.sub(r"#[^\n]*", "", names).strip("() \t\n").split(","):
            imported = one.split(" as ")[0].strip()
            if imported and imported != "*":
                yield parent, imported


def _parts(parts: list[str]) -> Iterator[tuple[str, str]]:
    above = ""
    for part in parts:
        yield above, part
        above = part


def _called(text: str) -> Iterator[str]:
    """Yields the names that a text calls."""
    heads = text.split("(")
    names = {head[len(head.rstrip(_WORD)) :] or head[-1:] for head in heads[:-1]}
    has_module = False
    for whole in names:
        before, _, name = whole.rpartition(".")
        if not name:
            has_module = has_module or whole in (")", "]")
        elif name not in _KEYWORDS and before.partition(".")[0] not in _LIBRARIES:
            yield name
            # A variable or attribute that holds a module is no name of a function.
            has_module = has_module or not _runs_no_module(name)
    if has_module:
        yield ANY_MODULE_CALL


@cache
def _runs_no_module(name: str) -> bool:
    return name in _COMMON or name in _QUIET or operator(f"Tensor.{name}") is not None


def _regions(text: str, switch: re.Pattern[str], starts: list[re.Match[str]]) -> _Calls:
    """Returns what is called where a switch is on: by a `with` statement, a decorator, or from a call of it on."""
    found: dict[str, set[str]] = {}
    for function, called in _region_calls(text, switch, starts):
        found.setdefault(function, set()).update(called)
    return {function: frozenset(called) for function, called in found.items()}


def _region_calls(
    text: str, switch: re.Pattern[str], starts: list[re.Match[str]]
) -> Iterator[tuple[str, Iterable[str]]]:
    for found in switch.finditer(text):
        start = text.rfind("\n", 0, found.start()) + 1
        end = text.find("\n", found.start())
        line = text[start : end if end >= 0 else len(text)]
        stripped = line.lstrip()
        if stripped.startswith(("import ", "from ", "#")):
            continue
        if stripped.startswith("@"):
            number = bisect_right(starts, start, key=lambda one: one.start())
            if number < len(starts):
                yield starts[number][2], [starts[number][2]]
        elif stripped.startswith(("with ", "async with ")):
            yield _around(starts, start), _called(_block(text, start, len(line) - len(stripped)))
        else:
            # A call that switches, or a context manager given to something: what stands around it.
            number = bisect_right(starts, start, key=lambda one: one.start())
            if number:
                last = starts[number].start() if number < len(starts) else len(text)
                yield starts[number - 1][2], _called(text[starts[number - 1].start() : last])
            else:
                yield "", _called(text)


def _block(text: str, start: int, indent: int) -> str:
    """The lines of a statement and of its block."""
    end = text.find("\n", start)
    while 0 <= end < len(text) - 1:
        following = text.find("\n", end + 1)
        line = text[end + 1 : following if following >= 0 else len(text)]
        stripped = line.strip()
        if stripped and len(line) - len(line.lstrip()) <= indent and not stripped.startswith((")", "#")):
            break
        end = following
    return text[start : end if end >= 0 else len(text)]


def _casts(text: str) -> Iterator[int]:
    """Yields the places where a text may give a module another dtype."""
    modules: dict[str, bool] = {}
    for found in _CAST.finditer(text):
        given = found[1]
        if given is not None and not CAST_DTYPE.search(given):
            continue
        head = text[max(found.start() - _LONGEST_NAME, 0) : found.start()].rstrip()
        receiver = head[len(head.rstrip(_WORD)) :]
        if not receiver:
            if head.endswith(")") and _constructs(text, text.rfind(")", 0, found.start())):
                yield found.start()
            continue
        if receiver.endswith(".data"):
            if (
                head.removesuffix(receiver).rstrip("= ").endswith(receiver)
            ):  # `layer.weight.data = layer.weight.data.half()`
                yield found.start()
            continue
        if receiver not in modules:
            pattern = rf"(?<![\w.]){re.escape(receiver)}{_OF_A_MODULE}"
            modules[receiver] = re.search(pattern, text) is not None
        if modules[receiver]:
            yield found.start()


def _constructs(text: str, end: int) -> bool:
    """Is the call that ends with this parenthesis one of a class, going by its name?"""
    depth = 0
    for at in range(end, max(end - _LONGEST_CALL, -1), -1):
        depth += (text[at] == ")") - (text[at] == "(")
        if not depth:
            name = re.search(r"(\w+)$", text[max(at - 80, 0) : at])
            return name is not None and re.match(r"_*[A-Z]", name[1]) is not None and "Tensor" not in name[1]
    return False
