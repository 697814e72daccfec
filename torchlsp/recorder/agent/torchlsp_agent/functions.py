"""Knows which code objects belong to functions of the workspace, and what of a function does not change from call to call."""

import hashlib
import io
import itertools
import os
import sys

_open = io.open  # as it is before the program may replace it
MAX_FILE_BYTES = 5000000
_VENDORED = frozenset(["site-packages", "dist-packages", "node_modules", "__pycache__", "__pypackages__"])
_INSTALLED = (os.sep + "site-packages" + os.sep, os.sep + "dist-packages" + os.sep)
_UNNAMED = frozenset(["<listcomp>", "<dictcomp>", "<setcomp>", "<genexpr>"])
_OPTIMIZED, _VARARGS, _VARKEYWORDS = 1, 4, 8
# Generators, coroutines, asynchronous generators.
_SUSPENDS = 0x20 | 0x80 | 0x200
_IMPORT = "<frozen importlib"
_OPTIMIZER = os.path.join("torch", "optim", "optimizer.py")


class Workspace:
    """The folder whose code is recorded; environments, installed packages and hidden folders in it are left out."""

    def __init__(self, root, exclude=()):
        self.root = os.path.realpath(root)
        self.exclude = frozenset(exclude)
        self.folders = {self.root: True}
        self.start = os.getcwd()
        self.library = os.path.dirname(os.path.abspath(os.__file__)) + os.sep
        libraries = {os.path.dirname(os.path.abspath(os.__file__)), sys.prefix, sys.base_prefix}
        self.foreign = [one for one in map(os.path.realpath, libraries) if self._is_below(one)]
        self.foreign.append(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))

    def file(self, name):
        """Returns the real path of a code object's file where it belongs to the workspace, and None otherwise."""
        if name.startswith("<") or not name.endswith(".py"):
            return None
        if any(one in name for one in _INSTALLED) or name.startswith(self.library):
            return None
        path = os.path.realpath(os.path.join(self.start, name))
        if not self._is_below(path) or not self._holds(os.path.dirname(path)):
            return None
        if path in self.exclude or os.path.basename(path) in self.exclude:
            return None
        return path

    def _is_below(self, path):
        return path.startswith(self.root + os.sep) or (self.root == os.sep and path.startswith(os.sep))

    def _holds(self, folder):
        known = self.folders.get(folder)
        if known is None:
            name = os.path.basename(folder)
            known = (
                not name.startswith(".")
                and name not in _VENDORED
                and name not in self.exclude
                and folder not in self.exclude
                and folder not in self.foreign
                and not os.path.isfile(os.path.join(folder, "pyvenv.cfg"))
                and self._holds(os.path.dirname(folder))
            )
            self.folders[folder] = known
        return known


class Function:
    """A function, a lambda or a module's body of the workspace, and how many of its calls were seen and recorded."""

    __slots__ = (
        "code",
        "id",
        "path",
        "parameters",
        "attribute_names",
        "is_body",
        "suspends",
        "is_step",
        "is_import",
        "digest",
        "calls",
        "skipped",
        "written",
        "late",
        "traced",
        "traced_now",
        "keys",
        "coarse_keys",
        "is_told",
        "done",
        "bytecode",
    )

    def __init__(self, code, number, path, digest):
        self.code = code
        self.id = number
        self.path = path
        self.digest = digest
        positional = code.co_argcount + code.co_kwonlyargcount
        many = bool(code.co_flags & _VARARGS) + bool(code.co_flags & _VARKEYWORDS)
        self.parameters = code.co_varnames[: positional + many]
        self.is_body = not code.co_flags & _OPTIMIZED
        self.suspends = bool(code.co_flags & _SUSPENDS)
        self.is_step = self.is_import = False
        self.attribute_names = ()
        if self.parameters[:1] == ("self",):
            names = set()
            _gather_names(code, names)
            self.attribute_names = tuple(sorted(names))
        self.bytecode = None
        self.reset()

    def reset(self):
        """Forgets what was recorded, for the file of another process."""
        self.calls = self.skipped = self.written = self.late = self.traced = self.traced_now = 0
        self.keys = set()
        self.coarse_keys = set()
        self.is_told = self.done = False

    def line(self):
        """Returns the line that introduces the function."""
        code = self.code
        return {
            "k": "function",
            "id": self.id,
            "f": self.path,
            "q": getattr(code, "co_qualname", None),
            "l": code.co_firstlineno,
            "n": code.co_name,
            "p": list(self.parameters),
            "h": self.digest,
        }


class Functions:
    """The functions of the workspace by the id of their code object: hashing a code object itself takes long."""

    def __init__(self, workspace, counts_steps):
        self.workspace = workspace
        self.counts_steps = counts_steps
        self.on_compiler = None
        """Is called when the program has loaded torch's compiler."""
        self.knows_imports = False
        """Whether `look_up` tells the function that runs an import, which is none of the workspace."""
        self.known = {}
        self.kept = []  # the code objects, so that no id is given twice
        self.files = {}
        self.numbers = itertools.count(1)

    def look_up(self, code):
        """Returns the function of a code object, and None for one that is not recorded."""
        known = self.known
        try:
            return known[id(code)]
        except KeyError:
            pass
        if len(self.kept) > 300000:  # a program that creates code without end
            self.kept = [one for one in self.kept if known.get(id(one)) is not None]
            kept = {id(one): known[id(one)] for one in self.kept}
            known.clear()
            known.update(kept)
        found = self._classify(code)
        self.kept.append(code)
        known[id(code)] = found
        return found

    def _classify(self, code):
        name = code.co_name
        if self.on_compiler is not None and "_dynamo" in code.co_filename:
            called, self.on_compiler = self.on_compiler, None
            called()
        if self.counts_steps and name == "wrapper" and _is_step(code):
            step = Function(code, 0, code.co_filename, "")
            step.is_step = True
            return step
        if name == "_find_and_load" and self.knows_imports and code.co_filename.startswith(_IMPORT):
            found = Function(code, 0, code.co_filename, "")
            found.is_import = True
            return found
        if name in _UNNAMED or name.startswith("torch_dynamo_resume"):
            return None
        if not code.co_flags & _OPTIMIZED and name != "<module>":
            return None  # the body of a class
        file = self._file(code.co_filename)
        if file is None:
            return None
        return Function(code, next(self.numbers), *file)

    def _file(self, name):
        try:
            return self.files[name]
        except KeyError:
            pass
        found = None
        path = self.workspace.file(name)
        if path is not None:
            try:
                with _open(path, "rb") as file:
                    content = file.read(MAX_FILE_BYTES + 1)
                if len(content) <= MAX_FILE_BYTES:
                    found = (path, hashlib.sha256(content).hexdigest()[:16])
            except OSError:
                found = None
        self.files[name] = found
        return found

    def all(self):
        """Returns the functions of the workspace that were called."""
        return [one for one in list(self.known.values()) if one is not None and one.id]


def _is_step(code):
    """Says whether code is that around the `step` of each optimizer of torch, those of the program included."""
    return code.co_filename.endswith(_OPTIMIZER) and "record_function" in code.co_names


def _gather_names(code, names):
    names.update(code.co_names)
    for one in code.co_consts:
        if type(one) is type(code):
            _gather_names(one, names)
