"""Defines findings, fixes, and the requests and results of a probe."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from torchlsp.core.records import dataclass

if TYPE_CHECKING:
    from torchlsp.core.span import Span


class Severity(Enum):
    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    @property
    def rank(self) -> int:
        """Returns 0 for error and upwards, so that `min` finds the most severe."""
        return _RANK[self]


_RANK = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.INFO: 2}


CORRECTNESS = "correctness"
GROUPS = (CORRECTNESS, "performance", "style", "upgrade")
"""The groups of rules: what is wrong, slow or large, written otherwise today, going away in torch."""


def is_on_by_default(group: str, severity: Severity, mended: bool) -> bool:
    """Returns whether a rule runs where nothing is selected: one about what is wrong, or about what people mend."""
    return severity is not Severity.INFO and (group == CORRECTNESS or mended)


class Applicability(Enum):
    """The safety of a fix: SAFE keeps the program's meaning apart from the fault; UNSAFE may change it."""

    SAFE = "safe"
    UNSAFE = "unsafe"


CALLED_HERE = "is called here"
"""How a step of the because-trail ends that names a call on the way to the faulty operator."""
ALSO_CALLED_HERE = "is called here too"
"""How a step of the because-trail ends that names a call on another way to the same faulty operator."""
FAILS_HERE = "this is the operation that fails"
"""The first step of the because-trail of a finding that is shown at a call."""
SAME_CAUSE = "the same happens here"
"""The step of the because-trail that names another place with the cause of the finding."""


@dataclass(frozen=True, slots=True)
class Related:
    """One step of the because-trail; `path` None means the finding's own file."""

    span: Span
    message: str
    path: str | None = None
    explains: bool = True
    """Readers are shown it. A call that passes nothing, as that of `main()`, only says where the program begins."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A replacement of `span` by `text`; an empty span inserts."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """A fix of a finding; `title` is a verb phrase; the edits do not overlap."""

    title: str
    edits: tuple[Edit, ...]
    applicability: Applicability = Applicability.UNSAFE

    @property
    def is_safe(self) -> bool:
        """Returns whether the fix may be made without a look at it."""
        return self.applicability is Applicability.SAFE


@dataclass(frozen=True, slots=True)
class Raises:
    """The program must raise: `exception` is a class name, `pattern` a regex searched in its text.

    With the exception "Warning" the program runs where each warning is raised.
    """

    pattern: str
    exception: str = "RuntimeError"


@dataclass(frozen=True, slots=True)
class ProofFails:
    """The program's last assertion must fail."""


@dataclass(frozen=True, slots=True)
class Hangs:
    """A rank must wait in the flagged rows for others that never arrive, or meet them in another call."""


Sizes = tuple[tuple[str, int], ...]
"""Numbers for the named sizes of a program."""

SIZES = "{sizes}"
"""Stands in a program for the numbers that its names of sizes are to have."""


@dataclass(frozen=True, slots=True)
class ProbeRequest:
    """A torch-only program that torchlsp generated, and what it does if the finding is true.

    `expect` None means: raise as the rule's page says. `kind` is "eager-cpu", "logical-device" or "ranks" (with
    `world` of them). `flag` are the first and last row (from 1) of what the finding is about, `assignments` the
    sizes to try. `assumes` are the assumptions that the finding rests on; `guesses`: something unknown was chosen.
    `facts` are the operands in the notation of facts, where the program is one call. `shown` says of torch what the program
    shows where that is not about operands: "has no `torch.foo`".
    """

    program: str
    expect: Raises | ProofFails | Hangs | None = None
    kind: str = "eager-cpu"
    flag: tuple[int, int] | None = None
    assignments: tuple[Sizes, ...] = ((),)
    world: int = 1
    assumes: tuple[str, ...] = ()
    guesses: bool = False
    facts: tuple[str, ...] = ()
    shown: str | None = None

    @property
    def hears(self) -> bool:
        """Returns whether the expected exception is a warning."""
        return isinstance(self.expect, Raises) and self.expect.exception == "Warning"

    def source(self, sizes: Sizes) -> str:
        """Returns the program with these sizes."""
        return self.program.replace(SIZES, ", ".join(str(size) for _, size in sizes))


@dataclass(frozen=True, slots=True)
class Slice:
    """The user's own statements that lead to a finding, as a program, or the reason why they are none.

    `flag` are the first and last row (from 1) of the flagged statement; `given` says what it runs with where that is not in the
    text.
    """

    program: str = ""
    flag: tuple[int, int] = (0, 0)
    reason: str | None = None
    given: str | None = None


class Outcome(Enum):
    """The outcome of a probe.

    CONFIRMED: the user's own statements fail at the flagged one. REPRODUCED: a program made of the facts fails as predicted.
    """

    CONFIRMED = "confirmed"
    REPRODUCED = "reproduced"
    REFUTED = "refuted"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of a probe. Only evidence "torch" came from real kernels; "emulated" did not.

    `own_code` says why the user's own statements decided nothing; `facts` are what a program that was made of facts rests on,
    and `shown` what it shows of torch.
    """

    outcome: Outcome
    evidence: str = "torch"
    kind: str = "eager-cpu"
    error: str | None = None
    reason: str | None = None
    witness: str | None = None
    assumes: tuple[str, ...] = ()
    torch: str | None = None
    device: str | None = None
    ms: float | None = None
    own_code: str | None = None
    facts: tuple[str, ...] = ()
    shown: str | None = None

    @property
    def is_positive(self) -> bool:
        """Returns whether torch failed as the finding says."""
        return self.outcome in (Outcome.CONFIRMED, Outcome.REPRODUCED)


@dataclass(frozen=True, slots=True)
class Finding:
    """A reported fault. `rule` is the code, `name` the rule's name, `scope` the enclosing qualified name (""
    at the top)."""

    rule: str
    name: str
    path: str
    span: Span
    message: str
    severity: Severity
    related: tuple[Related, ...] = ()
    fixes: tuple[Fix, ...] = ()
    probe: ProbeRequest | None = None
    verdict: Verdict | None = None
    scope: str = ""
    slice: Slice | None = None

    @property
    def fix(self) -> Fix | None:
        """Returns the fix of the finding: the first, which every output shows and `--fix` makes if it is safe.

        The others are alternatives that an editor offers.
        """
        return self.fixes[0] if self.fixes else None

    @property
    def trail(self) -> tuple[Related, ...]:
        """Returns the steps of the because-trail that readers are shown."""
        return tuple(one for one in self.related if one.explains)

    @property
    def has_safe_fix(self) -> bool:
        """Returns whether `--fix` makes the fix of the finding."""
        return self.fix is not None and self.fix.is_safe
