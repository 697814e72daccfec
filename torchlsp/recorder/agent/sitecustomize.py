"""Starts the recorder in a Python process that `torchlsp record` has started, then lets Python go on as it would have.

Python imports the first `sitecustomize` on its path, which is this file; the one that it would have imported is imported in its place.
"""

import os
import sys


def _leave_path():
    """Removes this folder from the path of imports, so that the program finds what it finds without the recorder."""
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [one for one in sys.path if os.path.abspath(one or os.curdir) != here]


try:
    from torchlsp_agent.starting import prepare as _prepare

    _start = _prepare()
except Exception:  # the run goes on without being recorded
    _start = None
_leave_path()
# As if this file were not there: no `sitecustomize` is the usual case, and Python passes over this error silently.
sys.modules.pop("sitecustomize", None)
try:
    import sitecustomize  # noqa: F401
finally:
    if _start is not None:
        _start()
