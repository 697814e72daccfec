"""Creates reproducers of programs with several ranks (TL8xx), which the probe runs in one process."""

from torchlsp.facts.fault import FaultKind
from torchlsp.lint.reproducers.distributed import collectives, weights, wrapped
from torchlsp.lint.reproducers.outline import Reproducer

OF_KIND: dict[FaultKind, Reproducer] = {**collectives.OF_KIND, **weights.OF_KIND, **wrapped.OF_KIND}
