"""Lists the names of Python's builtins, and what they stand for."""

from __future__ import annotations

import builtins

from torchlsp.facts.values import External

VALUES = {
    name: External(f"builtins.{name}")
    for name in (*(name for name in dir(builtins) if not name.startswith("_")), "__name__", "__file__")
}
