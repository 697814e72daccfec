"""What rules may import: `rule`, `Check`, findings and fixes, and libCST as `cst` with its matchers as `m`.

libCST costs 125 ms and its matchers 155 ms more, so both are loaded when a rule first touches them.
"""

from __future__ import annotations

import importlib
from typing import Any

from torchlsp.lint.rule import Rule, rule

__all__ = ["Rule", "cst", "m", "rule"]

_LAZY = {"cst": "libcst", "m": "libcst.matchers"}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = importlib.import_module(_LAZY[name])
    globals()[name] = value
    return value
