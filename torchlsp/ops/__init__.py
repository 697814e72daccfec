"""Defines what torch's operators do to facts, in tables with one row an operator.

`operator(name)` and `layer(name)` find rows.  The modules of this package are found by discovery and read on the first
question: adding a row touches no other line.
"""

from __future__ import annotations

import importlib
import pkgutil

from torchlsp.ops.call import Call
from torchlsp.ops.table import LAYERS, TABLE, LayerRow, Row

_loaded = False


def operator(name: str) -> Row[Call] | None:
    """Returns the row of `torch.add`, `Tensor.view`, `torch.nn.functional.relu`.

    None when the tables do not know it.
    """
    if not _loaded:
        load()
    return TABLE.rows.get(name)


def layer(name: str) -> LayerRow | None:
    """Returns the row of a torch.nn class by its canonical name: `torch.nn.Linear`."""
    if not _loaded:
        load()
    return LAYERS.rows.get(name)


def load() -> None:
    """Reads every table module, once."""
    global _loaded
    _loaded = True
    for found in pkgutil.walk_packages(__path__, f"{__name__}."):
        if not found.ispkg:
            importlib.import_module(found.name)
