"""Creates reproducers of training loops (TL5xx), on a model of one layer."""

from torchlsp.facts.fault import FaultKind
from torchlsp.lint.reproducers.outline import Reproducer
from torchlsp.lint.reproducers.training import optimizers, schedulers_and_scalers, training_loops

OF_KIND: dict[FaultKind, Reproducer] = {
    **training_loops.OF_KIND,
    **optimizers.OF_KIND,
    **schedulers_and_scalers.OF_KIND,
}
