"""Lists the libraries whose calls are evaluated. A new library is one file of this folder and one entry here.

What belongs to a training loop as such (optimizers, scalers, Accelerate, Fabric) is in `optimizers_and_engines`.
"""

from __future__ import annotations

from torchlsp.interp.objects import distributions, einops, plots, tables, vision_models
from torchlsp.interp.objects.library import Library

LIBRARIES: tuple[Library, ...] = (
    distributions.LIBRARY,
    einops.LIBRARY,
    plots.LIBRARY,
    tables.PANDAS,
    tables.SKLEARN,
    vision_models.LIBRARY,
)

BY_PACKAGE = {library.package: library for library in LIBRARIES}
METHODS = {name: method for library in LIBRARIES for name, method in library.methods.items()}
