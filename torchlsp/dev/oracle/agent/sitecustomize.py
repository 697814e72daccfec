"""Starts the observation of a program: Python imports this file before anything of the program's.

Plain Python 3.8 and later, the standard library only: it runs in the environment of the program, in which nothing of
ours need be installed.
"""

import os
import sys

_FOLDER = os.path.dirname(os.path.abspath(__file__))


def _other():
    """Runs the sitecustomize that this one hides."""
    from importlib.machinery import PathFinder

    paths = [path for path in sys.path if os.path.abspath(path or ".") != _FOLDER]
    spec = PathFinder.find_spec("sitecustomize", paths)
    if spec is not None and spec.loader is not None:
        from importlib.util import module_from_spec

        spec.loader.exec_module(module_from_spec(spec))


def _begin():
    if _FOLDER not in sys.path:
        sys.path.insert(0, _FOLDER)
    import torchlsp_observer

    sys.path.remove(_FOLDER)
    torchlsp_observer.begin()


if os.environ.get("TORCHLSP_OBSERVE_OUT"):
    _begin()
_other()
