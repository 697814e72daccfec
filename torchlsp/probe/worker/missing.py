"""Decides which names the installed torch certainly lacks, without importing anything.

A name that nothing is behind can only raise, so the gate need not know it: that it is missing is what a program may show. It
is asked in the process that may read files, since in a locked one every module that is not loaded seems to be missing.
"""

from __future__ import annotations

import importlib.util
import sys
import types


class Missing:
    """Answers which names torch lacks. `imports` says whether a program asked for one that is missing by an import."""

    def __init__(self):
        self.imports = False

    def lacks_module(self, path):
        # type: (str) -> bool
        """Returns whether `import path` certainly finds nothing."""
        return self._by_import(_is_of_torch(path) and _has_no_module(path))

    def lacks_import(self, module, name):
        # type: (str, str) -> bool
        """Returns whether `from module import name` certainly finds the module, and in it nothing of this name."""
        if name == "*" or not _is_of_torch(module + "."):
            return False
        return self._by_import(_has_nothing(sys.modules.get(module), name))

    def lacks_attribute(self, path):
        # type: (str) -> bool
        """Returns whether a dotted path under torch certainly ends at a name that its owner does not have."""
        if not path.startswith("torch."):
            return False
        parts = path.split(".")
        if any(part.startswith("_") for part in parts):
            return False
        owner = sys.modules.get("torch")
        for part in parts[1:-1]:
            if type(owner) is not types.ModuleType:
                return False
            owner = vars(owner).get(part)
        return _has_nothing(owner, parts[-1])

    def _by_import(self, is_missing):
        # type: (bool) -> bool
        self.imports = self.imports or is_missing
        return is_missing


def _is_of_torch(path):
    # type: (str) -> bool
    return path.startswith("torch.")


def _has_nothing(owner, name):
    # type: (object, str) -> bool
    """Returns whether a module, or the class of tensors, certainly has nothing of this name."""
    torch = sys.modules.get("torch")
    if torch is not None and owner is torch.Tensor:
        return not hasattr(owner, name)
    if type(owner) is not types.ModuleType or name in vars(owner):
        return False
    # First the files: what torch loads only when it is asked for is a module of its own.
    if not _has_no_module(owner.__name__ + "." + name):
        return False
    if "__getattr__" in vars(owner):
        return owner is torch and not hasattr(owner, name)
    return True


def _has_no_module(path):
    # type: (str) -> bool
    """Returns whether the package above is loaded, and has no module of this name, on disk or loaded."""
    above = sys.modules.get(path.rpartition(".")[0])
    if type(above) is not types.ModuleType or path in sys.modules:
        return False
    if not hasattr(above, "__path__"):
        return True
    try:
        return importlib.util.find_spec(path) is None
    except Exception:  # a finder of somebody else's: then it is not certain
        return False
